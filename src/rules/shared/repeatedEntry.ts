/** Entries of the same name in a table, a switch or an element, of which only one is used. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import type { Claim, NodeCheck, OtherPlace } from "../../domain/finding/Rule.ts"

/** An entry of several lines is marked as a whole line. */
const firstOf = ({ column, endColumn, endLine, line }: Claim): OtherPlace =>
  column === undefined || endColumn === undefined || (endLine ?? line) > line
    ? { line, message: "first here" }
    : { line, column, endColumn, message: "first here" }

interface Entry {
  readonly name: string
  /** Absent: the value makes no difference. Two entries with the same value are not reported. */
  readonly value?: string
  readonly claim: Claim
}

/** The check for a language: it classifies each child. After an `unknown` child, earlier entries may be repeated. */
export const repeatedEntry =
  (entryOf: (child: SyntaxNode) => Entry | "unknown" | null): NodeCheck =>
  (node, file) => {
    const known = new Map<string, Pick<Entry, "claim" | "value">>()
    for (const child of node.namedChildren) {
      const entry = entryOf(child)
      if (entry === "unknown") known.clear()
      if (entry === "unknown" || entry === null) continue
      const { claim, name, value } = entry
      const earlier = known.get(name)
      const isRepeated = earlier !== undefined && (value === undefined || earlier.value !== value)
      if (isRepeated && file.isAdded(claim.line)) return { ...claim, related: [firstOf(earlier.claim)] }
      known.set(name, value === undefined ? { claim } : { claim, value })
    }
    return false
  }
