/** Checks of an area, by the names of their pages. */
import type { Grammar } from "../../domain/change/Grammar.ts"
import {
  type ChangeCheck,
  type LineCheck,
  type LineSuggestion,
  type NodeCheck,
  type NodeSuggestion,
  type RuleFile,
  rangeOf
} from "../../domain/finding/Rule.ts"

export type NodeChecks = Readonly<Record<string, NodeCheck>>
export type LineChecks = Readonly<Record<string, LineCheck>>
export type ChangeChecks = Readonly<Record<string, ChangeCheck>>

export type NodeSuggestions = Readonly<Record<string, NodeSuggestion>>
export type LineSuggestions = Readonly<Record<string, LineSuggestion>>

/** The defaults of the rules in a folder; a page may override stack and languages. */
interface Area {
  readonly stack: string
  readonly languages?: ReadonlyArray<Grammar>
  readonly nodeChecks?: NodeChecks
  readonly lineChecks?: LineChecks
  readonly changeChecks?: ChangeChecks
  readonly nodeSuggestions?: NodeSuggestions
  readonly lineSuggestions?: LineSuggestions
}

/** By folder, which is the first part of the ids. */
export type Areas = Readonly<Record<string, Area>>

/** The same checks without claims on lines that are excused. */
export const unlessExcused = (checks: NodeChecks, isExcused: (file: RuleFile, line: number) => boolean): NodeChecks =>
  Object.fromEntries(
    Object.entries(checks).map(([name, check]): [string, NodeCheck] => [
      name,
      (node, file, captures) => {
        const answer = check(node, file, captures)
        if (answer === false) return false
        return !isExcused(file, typeof answer === "object" ? answer.line : rangeOf(node).line) && answer
      }
    ])
  )
