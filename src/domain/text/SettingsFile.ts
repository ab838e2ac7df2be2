/**
 * Reads a TOML file as keys with their values and lines.
 *
 * The parser does not report positions, so the lines are found by a second pass over the text. A key in an inline table has
 * the line of the table.
 */
import { Result } from "effect"
import { Toml } from "effect/encoding"

export interface Written {
  /** Tables and keys joined by dots. */
  readonly key: string
  readonly value: unknown
  /** From 1. */
  readonly line: number
}

export interface NotToml {
  readonly line: number
  /** The key on that line, or "". */
  readonly key: string
  readonly problem: string
}

/** Every key below `table` ("" for the whole file), in the order of the file; null if there is no such table. */
export const readSettingsFile = (
  text: string,
  table: string
): Result.Result<ReadonlyArray<Written> | null, NotToml> => {
  // Deep nesting overflows the stack of the parser, at a depth that depends on the machine.
  const parsed = Result.getOrElse(
    Result.try(() => Toml.parse(text)),
    () => Result.fail({ message: "it nests too deep" })
  )
  if (Result.isFailure(parsed)) return Result.fail(notToml(text, parsed.failure.message))
  let root: unknown = parsed.success
  for (const name of table === "" ? [] : table.split(".")) {
    if (!isTable(root) || root[name] === undefined) return Result.succeed(null)
    root = root[name]
  }
  const lines = linesOfKeys(text)
  const prefix = table === "" ? "" : `${table}.`
  if (!isTable(root)) return Result.succeed([{ key: "", value: root, line: lineOf(lines, table) }])
  return Result.succeed(valuesIn(root, "").map(({ key, value }) => ({ key, value, line: lineOf(lines, prefix + key) })))
}

const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date)

/** No setting is deeper; a deeper table is treated as a value. */
const deepest = 32

const valuesIn = (
  table: Readonly<Record<string, unknown>>,
  prefix: string,
  depth = 1
): ReadonlyArray<{ readonly key: string; readonly value: unknown }> =>
  Object.entries(table).flatMap(([name, value]) =>
    isTable(value) && depth < deepest
      ? valuesIn(value, `${prefix}${name}.`, depth + 1)
      : [{ key: prefix + name, value }]
  )

const notToml = (text: string, message: string): NotToml => {
  const at = /^(.*) at line (\d+), column \d+$/s.exec(message)
  const line = Number(at?.[2] ?? 1)
  const written = text.split("\n")[line - 1] ?? ""
  return { line, key: keyOf(/^([^=#[]+)=/.exec(written.trimStart())?.[1] ?? ""), problem: at?.[1] ?? message }
}

const lineOf = (lines: ReadonlyMap<string, number>, key: string): number => {
  for (let name = key; name !== ""; name = name.slice(0, Math.max(0, name.lastIndexOf(".")))) {
    const line = lines.get(name)
    if (line !== undefined) return line
  }
  return 1
}

/** `a . "b"` as `a.b`. */
const keyOf = (path: string): string =>
  [...path.matchAll(/"([^"]*)"|'([^']*)'|([A-Za-z0-9_-]+)/g)].map((part) => part[1] ?? part[2] ?? part[3]).join(".")

const linesOfKeys = (text: string): ReadonlyMap<string, number> => {
  const found = new Map<string, number>()
  let table = ""
  let open: { readonly quote: string | null; readonly depth: number } = { quote: null, depth: 0 }
  for (const [index, written] of text.split("\n").entries()) {
    const line = written.trim()
    if (open.quote === null && open.depth === 0) {
      // Every alternative starts with a different character, so that there is no backtracking.
      const header = /^\[{1,2}((?:"[^"]*"|'[^']*'|[^\]"'])+)\]/.exec(line)
      const key = line.startsWith("#") ? null : /^((?:"[^"]*"|'[^']*'|[^="'])+)=/.exec(line)
      if (header !== null) {
        table = keyOf(header[1] ?? "")
        if (!found.has(table)) found.set(table, index + 1)
        continue
      }
      if (key !== null) {
        const name = keyOf(key[1] ?? "")
        found.set(table === "" ? name : `${table}.${name}`, index + 1)
        open = scan(line.slice(key[0].length), open)
      }
      continue
    }
    open = scan(line, open)
  }
  return found
}

/** The state after a line of a value: inside a string of several lines, or in an array that is not closed. */
const scan = (
  line: string,
  open: { readonly quote: string | null; readonly depth: number }
): { readonly quote: string | null; readonly depth: number } => {
  let { quote, depth } = open
  for (let i = 0; i < line.length; i++) {
    if (quote !== null) {
      if (quote.startsWith('"') && line[i] === "\\") i++
      else if (line.startsWith(quote, i)) {
        i += quote.length - 1
        quote = null
      }
      continue
    }
    const character = line[i]
    if (character === "#") break
    if (character === '"' || character === "'") {
      quote = line.startsWith(character.repeat(3), i) ? character.repeat(3) : character
      i += quote.length - 1
    } else if (character === "[" || character === "{") depth++
    else if (character === "]" || character === "}") depth = Math.max(0, depth - 1)
  }
  // Only strings in triple quotes may have several lines.
  return { quote: quote?.length === 3 ? quote : null, depth }
}
