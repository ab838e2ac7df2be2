/** Checks of an area, by the names of their pages. */
import { type ChangeCheck, type LineCheck, linesOf, type NodeCheck, type RuleFile } from "../../domain/finding/Rule.ts"

export type NodeChecks = Readonly<Record<string, NodeCheck>>
export type LineChecks = Readonly<Record<string, LineCheck>>
export type ChangeChecks = Readonly<Record<string, ChangeCheck>>

/** The same checks without the claims that `isExcused` by the file, at the line of the claim. */
export const unlessExcused = (checks: NodeChecks, isExcused: (file: RuleFile, line: number) => boolean): NodeChecks =>
  Object.fromEntries(
    Object.entries(checks).map(([name, check]): [string, NodeCheck] => [
      name,
      (node, file, captures) => {
        const answer = check(node, file, captures)
        if (answer === false) return false
        return !isExcused(file, typeof answer === "object" ? answer.line : linesOf(node).line) && answer
      }
    ])
  )
