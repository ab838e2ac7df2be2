/** An archived review with the labels of its findings: what a night learns from, and measures itself by. */
import type { Severity } from "../finding/Finding.ts"

export type Judgement = "accepted" | "rejected" | "contested"

export interface LabelledFinding {
  /** Its number in the review. */
  readonly finding: number
  readonly rule: string
  readonly title: string
  readonly file: string
  readonly line: number
  readonly severity: Severity
  readonly fingerprint: string
  /** The model that reported it; `static` for rules. */
  readonly by: string
  /** The learned suppression that hid it in its review; null: it was shown, or suppressed by the user. */
  readonly hiddenBy: string | null
  /** Its line, or its file, is no longer at the commit that is checked out. False: it is still there, or nothing is known. */
  readonly isGone: boolean
  /** The label that counts, of a person; null: none. */
  readonly judgement: Judgement | null
  /** When it was given, in milliseconds since 1970. */
  readonly judgedAt: number | null
  /** Weak evidence, kept apart from labels: what later commits, or a program, say. Null: nothing. */
  readonly weak: Judgement | null
  /** Of a fix that dd made: whether its check passed; null: none was made, or none checked. */
  readonly fixed: "passed" | "failed" | null
}

export interface LabelledReview {
  readonly session: string
  /** When it ended, in milliseconds since 1970. */
  readonly at: number
  readonly changedFiles: ReadonlyArray<string>
  /** The command that checked its fixes; null: none. */
  readonly check: string | null
  /** The reported ones, and those suppressed ones that people labelled. */
  readonly findings: ReadonlyArray<LabelledFinding>
  /** The learned suppressions that hid a finding of it. */
  readonly hiddenBy: ReadonlyArray<string>
}

/** Reviews by time, so that a night is measured by what came later than what it learned from. */
export interface Split {
  /** The oldest: proposals are made from these. */
  readonly build: ReadonlyArray<LabelledReview>
  /** Later ones: every decision of a night. */
  readonly gate: ReadonlyArray<LabelledReview>
  /** The newest: looked at seldom, and each look is counted. */
  readonly sealed: ReadonlyArray<LabelledReview>
}
