/** A statement that cannot run because the one before it leaves the block. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import type { NodeCheck, RuleFile } from "../../domain/finding/Rule.ts"
import { firstLineOf, parts, relatedPlace } from "../../languages/tree.ts"

interface Language {
  /** The types of statements that leave a block. */
  readonly leaves: RegExp
  /** Does the statement have an effect when it is reached? */
  readonly runs: (statement: SyntaxNode) => boolean
  /** Does the statement skip the rest on purpose? */
  readonly isSkip?: (leave: SyntaxNode, file: RuleFile) => boolean
}

/** The check for a language; its page names the nodes that contain statements. */
export const unreachableCode =
  ({ isSkip, leaves, runs }: Language): NodeCheck =>
  (claim, file) => {
    let leave: SyntaxNode | null = null
    for (const statement of parts(claim)) {
      if (leave !== null && runs(statement)) {
        if (isSkip?.(leave, file) === true) return false
        const [before, after] = [firstLineOf(leave), firstLineOf(statement)]
        if (file.isAdded(after.line)) return { ...after, related: [relatedPlace(leave, "leaves the block")] }
        // In a test, an early exit turns the test off temporarily.
        return (
          !file.isTest &&
          file.isAdded(before.line) && {
            ...before,
            title: "Code after this statement is unreachable",
            label: "leaves the block",
            related: [relatedPlace(statement, "never runs")]
          }
        )
      }
      if (leaves.test(statement.type)) leave = statement
    }
    return false
  }
