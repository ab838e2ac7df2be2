/** Entries of the same name in a table, a switch or an element, of which only one is used. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import type { Claim, NodeCheck } from "../../domain/finding/Rule.ts"

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
    const known = new Map<string, string | undefined>()
    for (const child of node.namedChildren) {
      const entry = entryOf(child)
      if (entry === "unknown") known.clear()
      if (entry === "unknown" || entry === null) continue
      const { claim, name, value } = entry
      const isRepeated = known.has(name) && (value === undefined || known.get(name) !== value)
      if (isRepeated && file.isAdded(claim.line)) return claim
      known.set(name, value)
    }
    return false
  }
