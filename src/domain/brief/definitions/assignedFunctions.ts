import type { Definition, FileSymbols } from "../../code/Symbol.ts"

/**
 * The functions of a CommonJS module that statements assign, which its symbols do not have: `exports.total = function`,
 * `Cart.prototype.add = function`, `cart.add = (item) =>`.
 */
export const assignedFunctions = (
  { exports, open }: FileSymbols,
  lines: ReadonlyArray<string>
): ReadonlyArray<Definition> =>
  open && exports?.length === 0
    ? lines.flatMap((text, at) => {
        const [, owner = "", member, own] = text.length > longestLine ? [] : (assigned.exec(text) ?? [])
        if (owner === "" || (owner !== "exports" && member === undefined)) return []
        return [
          {
            name: member ?? (own || owner),
            kind: owner === "exports" ? "function" : "method",
            container: owner === "exports" ? null : owner,
            signature: null,
            line: at + 1,
            endLine: endOf(at, lines),
            shape: ""
          }
        ]
      })
    : []

const longestLine = 400
const longestFunction = 1_000
const assigned =
  /^(?:module\.)?([A-Za-z_$][\w$]*)(?:\.prototype)?(?:\.([\w$]+))?\s*=\s*(?:(?:module\.)?exports(?:\.[\w$]+)?\s*=\s*)?(?:async\s+)?(?:function\b\s*\*?\s*([\w$]*)|\([^()]*\)\s*=>|\(\s*$|[\w$]+\s*=>)/

/** The line of the brace that closes it: the next one without indentation, or its own. */
const endOf = (at: number, lines: ReadonlyArray<string>): number => {
  if (!/[{(]\s*(?:\/[/*].*)?$/.test(lines[at] ?? "")) return at + 1
  for (let line = at + 1; line < Math.min(lines.length, at + longestFunction); line++) {
    if (lines[line]?.startsWith("}") === true) return line + 1
  }
  return at + 1
}
