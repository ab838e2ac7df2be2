/** Lines that repeat one another with other names, of which two have each other's name. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { type NodeCheck, rangeOf } from "../../domain/finding/Rule.ts"
import { lineOf, relatedPlace, textOf } from "../../languages/tree.ts"
import type { NodeChecks } from "../page/Checks.ts"

/** A line as names and texts in order, and the rest of it as a shape. */
interface Line {
  readonly node: SyntaxNode
  readonly shape: string
  readonly names: ReadonlyArray<string>
  /** The index of the name that gets a value. */
  readonly key: number
}

const longest = 400

const tokens = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|[\w$]+/g

const lineFrom = (node: SyntaxNode): Line | null => {
  if (node.endIndex - node.startIndex > longest) return null
  const { text, type } = node
  const names = [...text.matchAll(tokens)].map(([token]) => token)
  return {
    node,
    key: [...text.slice(0, Math.max(0, text.search(/[:=]/))).matchAll(tokens)].length - 1,
    shape: `${type} ${text.replace(tokens, (token) => (/^[\w$]/.test(token) ? "w" : '"')).replace(/\s+/g, "")}`,
    names
  }
}

const isName = (token: string): boolean =>
  /^["'`]?[A-Za-z_$]{2}/.test(token) && !/^(true|false|null|nil|none|undefined)$/i.test(token)

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, "")

/** Are they the same word, however they are written? */
const follows = (first: string, second: string): boolean => plain(first) !== "" && plain(second) === plain(first)

/** The lines of the same shape among the children of the node's parent, the node included. */
const parallels = (node: SyntaxNode): ReadonlyArray<Line> => {
  const own = lineFrom(node)
  if (own === null || own.names.length < 2 || own.names.length > 20) return []
  const siblings = node.parent?.namedChildren ?? []
  if (siblings.length > 200) return []
  return siblings.flatMap((each) => {
    const line = each.type === node.type ? lineFrom(each) : null
    return line?.shape === own.shape ? [line] : []
  })
}

/** Two of several parallel lines have each other's name where the others repeat their own. */
const namesCrossed: NodeCheck = (claim) => {
  const lines = parallels(claim)
  const own = lines.find(({ node }) => node.id === claim.id)
  const around = enclosingName(claim)
  if (own === undefined || lines.length < 3 || onPurpose.test(around)) return false
  const { key } = own
  const name = own.names[key] ?? ""
  if (!isName(name)) return false
  for (const [at, other] of own.names.entries()) {
    if (follows(name, other) || !isName(other)) continue
    const partner = lines.find(({ names }) => follows(names[key] ?? "", other) && follows(names[at] ?? "", name))
    const regular = lines.find(({ names }) => isName(names[key] ?? "") && follows(names[key] ?? "", names[at] ?? ""))
    // One claim for the two lines.
    if (at <= key || partner === undefined || regular === undefined || partner.node.startIndex < claim.startIndex)
      continue
    const { endColumn, endLine } = rangeOf(partner.node)
    return {
      ...rangeOf(claim),
      endLine,
      endColumn,
      description: `\`${name}\` has the value of \`${other}\`, and \`${partner.names[key]}\` on line ${lineOf(partner.node)} that of \`${partner.names[at]}\`; \`${regular.names[key]}\` on line ${lineOf(regular.node)} has its own.`,
      related: [relatedPlace(regular.node, "has its own")]
    }
  }
  return false
}

/** Exchanging two values is what the function is for. */
const onPurpose = /swap|flip|mirror|revers|invert|inverse|rotat|transpos|exchang|opposite/i

const enclosingName = (node: SyntaxNode): string => {
  for (let at = node.parent; at !== null; at = at.parent) {
    const name = /^(function|method)_|_item$/.test(at.type) ? textOf(at, "name") : ""
    if (name !== "") return name
  }
  return ""
}

export const parallelChecks: NodeChecks = { "names-crossed": namesCrossed }
