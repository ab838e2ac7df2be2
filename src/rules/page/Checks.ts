/** Checks of an area, by the names of their pages. */
import type { Grammar } from "../../domain/change/Grammar.ts"
import { type ChangeCheck, type LineCheck, linesOf, type NodeCheck, type RuleFile } from "../../domain/finding/Rule.ts"

export type NodeChecks = Readonly<Record<string, NodeCheck>>
export type LineChecks = Readonly<Record<string, LineCheck>>
export type ChangeChecks = Readonly<Record<string, ChangeCheck>>

/** What the rules of a folder have in common; a page may name another stack or other languages. */
interface Area {
  readonly stack: string
  readonly languages?: ReadonlyArray<Grammar>
  readonly nodeChecks?: NodeChecks
  readonly lineChecks?: LineChecks
  readonly changeChecks?: ChangeChecks
}

/** By the first part of the ids of their rules, which is the name of the folder. */
export type Areas = Readonly<Record<string, Area>>

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
