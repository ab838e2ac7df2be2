/** The page of a rule as data: the content of its Markdown file, with and without the examples. */

import type { Grammar } from "../../domain/change/Grammar.ts"
import type { Breakage } from "../../domain/code/brokenUses.ts"
import type { Severity } from "../../domain/finding/Finding.ts"
import type { Judged } from "../../domain/finding/Judged.ts"
import type { Misfit } from "../../domain/finding/Rule.ts"

/** Regular expressions that a text must match and must not match. */
export interface Condition {
  readonly where: string | null
  readonly unless: string | null
}

/** What a rule checks. If the condition is empty, a check in TypeScript decides. */
export type Subject =
  | { readonly _tag: "Nodes"; readonly types: ReadonlyArray<string>; readonly condition: Condition }
  | { readonly _tag: "Line"; readonly condition: Condition }
  | { readonly _tag: "Change" }
  | { readonly _tag: "Repository" }
  | { readonly _tag: "Contract"; readonly breakage: Breakage }
  | { readonly _tag: "Structure"; readonly misfit: Misfit }

export interface Page {
  /** `java/empty-catch` for `src/rules/java/empty-catch.md`. */
  readonly id: string
  readonly severity: Severity
  readonly confidence: "HIGH" | "MEDIUM"
  readonly title: string
  /** Written beside the columns of a finding. */
  readonly label?: string
  readonly why: string
  readonly fix: string
  readonly reference: string
  readonly subject: Subject
  readonly inTests: boolean
  readonly keywords: ReadonlyArray<string>
  /** Absent: that of the area. */
  readonly stack?: string
  /** Absent: those of the area. */
  readonly languages?: ReadonlyArray<Grammar>
  readonly paths?: ReadonlyArray<string>
  readonly offByDefault?: true
  readonly wholeFile?: true
  /** Patterns and what replaces their match in the claimed node or line; the first one that matches is used. */
  readonly replace?: ReadonlyArray<readonly [pattern: string, replacement: string]>
  /** Absent: not part of dd. */
  readonly judged?: Judged
}

/** A repeated text is expanded on use. */
export type WrittenText = string | null | { readonly text: string; readonly times: number }

export interface WrittenExample {
  readonly isReported: boolean
  readonly name: string
  readonly files: ReadonlyArray<{
    readonly path: string | null
    readonly before: WrittenText
    readonly after: WrittenText
    /** `after` with the suggestions of the rule applied; absent if it has none. */
    readonly fixed?: string
    readonly modes?: readonly [string, string]
  }>
}
