/**
 * A request of dd to an agent: a tagged value, never a string. A model backend renders it with `src/prompts`.
 */

import { Schema } from "effect"
import type { Change } from "../change/Change.ts"
import type { DiffFile } from "../change/Diff.ts"
import type { Exploration } from "../code/Exploration.ts"
import type { Stack } from "../code/Stack.ts"
import { Alternative } from "../finding/Alternative.ts"
import { Confidence, ReviewRecord, Severity } from "../finding/Finding.ts"
import { MergeNote } from "../finding/MergeNote.ts"
import { Verdict } from "../finding/Verdict.ts"
import type { Phase } from "../run/BackendChoice.ts"
import type { GuardedKind } from "./guardedPath.ts"

/** A record with its number for the arbiter. */
export interface Contested {
  readonly arbId: number
  readonly stack: string
  readonly record: ReviewRecord
}

/** The arbiter's verdict on one record. A `keep` other than true and false is ignored. */
export class ArbiterVerdict extends Schema.Class<ArbiterVerdict>("dd/ArbiterVerdict")({
  arb_id: Schema.Int,
  keep: Schema.optionalKey(Schema.Json),
  severity: Schema.optionalKey(Severity),
  confidence: Schema.optionalKey(Confidence),
  description: Schema.optionalKey(Schema.String),
  rationale: Schema.optionalKey(Schema.String),
  evidence: Schema.optionalKey(Schema.String)
}) {}

/** A finding with its number for the verifier. */
export interface Claim {
  readonly id: number
  readonly stack: string
  readonly record: ReviewRecord
  readonly fingerprint: string
}

/** A finding to fix. */
export interface ToFix {
  readonly id: number
  readonly record: ReviewRecord
  /** Null: not verified. */
  readonly verdict: Verdict | null
}

/** A temporary working tree for an agent that writes. The caller creates and removes it. */
export interface Worktree {
  readonly root: string
  /** Guarded files that may be written. */
  readonly allow: ReadonlyArray<GuardedKind>
}

/** What became of one finding, as the agent that fixes says. */
export class FixOutcome extends Schema.Class<FixOutcome>("dd/FixOutcome")({
  issue_id: Schema.Int,
  note: Schema.String,
  status: Schema.Literals(["fixed", "not_fixed"])
}) {}

/** A fix, and the tree with the file after it. */
export interface Fixed {
  readonly tree: Worktree
  readonly path: string
  readonly diff: string
}

export type Task =
  | { readonly _tag: "Intent"; readonly change: Change; readonly exploration: Exploration }
  | {
      readonly _tag: "Alternatives"
      readonly change: Change
      readonly exploration: Exploration
      readonly intent: string
    }
  | {
      readonly _tag: "StackReview"
      readonly change: Change
      readonly exploration: Exploration
      readonly intent: string
      readonly stack: Stack
      /** For a follow-up: the files that earlier agents have not reviewed. Absent: the whole stack. */
      readonly remaining?: ReadonlyArray<DiffFile>
      /** For a follow-up: the task before, whose context may get this one as a further input. */
      readonly after?: Task
    }
  | { readonly _tag: "ParseReview"; readonly stack: Stack; readonly review: string }
  | {
      readonly _tag: "Arbitrate"
      readonly change: Change
      readonly intent: string
      readonly contested: ReadonlyArray<Contested>
    }
  | {
      readonly _tag: "Merge"
      readonly intent: string
      readonly items: ReadonlyArray<{
        readonly id: number
        readonly stacks: ReadonlyArray<string>
        readonly record: ReviewRecord
      }>
      /** Stacks whose reviewer failed, with the reason. */
      readonly failures: Readonly<Record<string, string>>
    }
  | {
      readonly _tag: "Verify"
      readonly change: Change
      readonly intent: string
      readonly claims: ReadonlyArray<Claim>
      /** The fix that was made for the claims, all of one file: they are judged by the code after it. Absent: before any. */
      readonly fixed?: Fixed
    }
  | {
      readonly _tag: "Fix"
      readonly change: Change
      readonly intent: string
      /** The only file that the agent may change. */
      readonly path: string
      readonly findings: ReadonlyArray<ToFix>
      readonly tree: Worktree
      /** What the round before left, or the output of failed tests; "" in the first round. */
      readonly trouble: string
    }

export type TaskTag = Task["_tag"]

export const phaseOf: Record<TaskTag, Phase> = {
  Intent: "intent",
  Alternatives: "alternatives",
  StackReview: "per-stack-reviews",
  ParseReview: "per-stack-parse",
  Arbitrate: "arbiter",
  Merge: "merge",
  Verify: "verify",
  Fix: "fix"
}

/** How many times the usual time, turns and tokens a task may take: once for each finding to fix. */
export const budgetShare = (task: Task): number => (task._tag === "Fix" ? Math.max(1, task.findings.length) : 1)

/** Whether a review can do without it: it prepares, adds suggestions or notes, or judges claims before each is verified. */
export const isOptional = ({ _tag }: Task): boolean =>
  _tag === "Intent" || _tag === "Alternatives" || _tag === "Arbitrate" || _tag === "Merge"

/** The coverage that a reviewer reports for one file. */
export const ReportedFile = Schema.Struct({
  path: Schema.String,
  status: Schema.Literals(["reviewed", "skipped", "unread"]),
  reason: Schema.String
})

/** The reply to each task. A stack reviewer answers in prose, in records, or both; records need no parsing. */
export const replies = {
  Intent: Schema.Struct({ intent: Schema.NonEmptyString }),
  Alternatives: Schema.Struct({ issues: Schema.Array(Alternative) }),
  StackReview: Schema.Struct({
    review: Schema.String,
    issues: Schema.optionalKey(Schema.Array(ReviewRecord)),
    coverage: Schema.optionalKey(Schema.Array(ReportedFile)),
    /** Ids of the rules that were applied. */
    rules: Schema.optionalKey(Schema.Array(Schema.String)),
    /** Sentences about what was not checked. */
    omitted: Schema.optionalKey(Schema.Array(Schema.String))
  }),
  ParseReview: Schema.Struct({
    issues: Schema.Array(ReviewRecord),
    coverage: Schema.optionalKey(Schema.Array(ReportedFile)),
    notAReview: Schema.optionalKey(Schema.Boolean)
  }),
  Arbitrate: Schema.Struct({ findings: Schema.Array(ArbiterVerdict) }),
  Merge: Schema.Struct({ notes: Schema.Array(MergeNote) }),
  Verify: Schema.Struct({ verdicts: Schema.Array(Verdict) }),
  Fix: Schema.Struct({ outcomes: Schema.Array(FixOutcome) })
} as const satisfies Record<TaskTag, Schema.Top>

export type Reply<Tag extends TaskTag> = (typeof replies)[Tag]["Type"]

/** The name for progress lines and recordings: `review:python`, `intent`, `verify:src/a.py`. */
export const label = (task: Task): string => {
  switch (task._tag) {
    case "StackReview":
      return `review:${task.stack.name}`
    case "ParseReview":
      return `parse:${task.stack.name}`
    case "Verify":
      return `verify:${task.claims[0]?.record.file ?? ""}`
    case "Fix":
      return `fix:${task.path}`
    default:
      return task._tag.toLowerCase()
  }
}

/** The task as text, for the record of backends without a prompt. Lists have at most `longestList` names. */
export const taskText = (task: Task): string => {
  switch (task._tag) {
    case "Intent":
      return `Describe the purpose of this change in one or two sentences: ${scope(task.change)}.`
    case "Alternatives":
      return withIntent(`Look for better ways to do what this change does: ${scope(task.change)}.`, task.intent)
    case "StackReview": {
      const paths = task.remaining?.map(({ path }) => path) ?? task.stack.files
      const files = named(paths.length, "file", paths)
      return withIntent(`Review the ${task.stack.name} part of ${scope(task.change)}:\n${files}`, task.intent)
    }
    case "ParseReview":
      return `Turn this review of the ${task.stack.name} part into records:\n\n${task.review}`
    case "Arbitrate": {
      const places = task.contested.map(
        ({ arbId, stack, record }) =>
          `${arbId}. ${record.file}:${record.line} (${stack}, ${record.severity}) ${record.description}`
      )
      const claims = named(places.length, "claim", places)
      return withIntent(`Keep, change or drop each of these claims on ${scope(task.change)}:\n${claims}`, task.intent)
    }
    case "Merge": {
      const items = task.items.map(
        ({ id, record, stacks }) => `${id}. ${record.file}:${record.line} (${stacks.join(", ")}) ${record.description}`
      )
      return withIntent(`Add what a reader should know to these:\n${named(items.length, "item", items)}`, task.intent)
    }
    case "Verify": {
      const places = task.claims.map(
        ({ id, record, stack }) => `${id}. ${record.file}:${record.line} (${stack}) ${record.description}`
      )
      const claims = named(places.length, "claim", places)
      const where = task.fixed === undefined ? "the code" : "the code after its fix"
      return withIntent(`Compare each of these claims on ${scope(task.change)} with ${where}:\n${claims}`, task.intent)
    }
    case "Fix": {
      const items = task.findings.map(
        ({ id, record, verdict }) =>
          `${id}. line ${record.line} (${record.severity}, ${verdict?.verdict ?? "not verified"}) ${record.description}`
      )
      const words = `Fix these in ${task.path}:\n${named(items.length, "finding", items)}`
      const trouble = task.trouble === "" ? "" : `\n\nWhat is left of the round before:\n${task.trouble}`
      return withIntent(`${words}${trouble}`, task.intent)
    }
  }
}

const longestList = 50

const scope = ({ description, diff }: Change): string =>
  `${description} (${diff.files.length} ${diff.files.length === 1 ? "file" : "files"})`

const named = (count: number, noun: string, names: ReadonlyArray<string>): string => {
  const shown = names.slice(0, longestList).map((name) => `- ${name}`)
  const left = count - shown.length
  return [...shown, ...(left > 0 ? [`- and ${left} more ${noun}${left === 1 ? "" : "s"}`] : [])].join("\n")
}

const withIntent = (words: string, intent: string): string =>
  intent === "" ? words : `${words}\n\nWhat the change is for:\n${intent}`
