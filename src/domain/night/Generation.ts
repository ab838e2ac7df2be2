/**
 * The corpus of a repository: what dd learned from the labels of its archived reviews, as numbered generations. A generation is
 * never changed; a night makes a new one, and one pointer says which counts. Labels and findings are evidence, stay in the
 * archive, and are never written by a night.
 */
import { Schema } from "effect"
import { RuleCalibration } from "../finding/Calibration.ts"
import { LabelRef, LearnedSuppression } from "../finding/LearnedSuppression.ts"

/** How sure a derived item is: counts of evidence decide, never its own report. */
export const Maturity = Schema.Literals(["candidate", "provisional", "established", "contested"])
export type Maturity = typeof Maturity.Type

/** People accept the findings of a rule in a folder: code there avoids what the rule reports. */
export const LearnedConvention = Schema.Struct({
  /** `con-` and 16 hex digits of the digest of rule and folder. */
  id: Schema.String,
  rule: Schema.String,
  /** With a slash at the end; "" is the whole repository. */
  folder: Schema.String,
  /** One sentence: what to avoid, and why. */
  text: Schema.String,
  maturity: Maturity,
  accepted: Schema.Int,
  rejected: Schema.Int,
  evidence: Schema.Array(LabelRef)
})
export type LearnedConvention = typeof LearnedConvention.Type

/** Fixes of a rule's findings that dd made, and whether tests were green after them. */
export const LearnedPlaybook = Schema.Struct({
  /** `pbk-` and 16 hex digits of the digest of the rule. */
  id: Schema.String,
  rule: Schema.String,
  text: Schema.String,
  /** The command that checked the fixes; null if none did. */
  check: Schema.NullOr(Schema.String),
  passed: Schema.Int,
  failed: Schema.Int,
  evidence: Schema.Array(LabelRef)
})
export type LearnedPlaybook = typeof LearnedPlaybook.Type

/** An item that a rollback took back, or brought back to what it was. */
export const RolledBack = Schema.Struct({
  kind: Schema.Literals(["suppression", "convention", "playbook", "calibration"]),
  rule: Schema.String,
  /** As in a suppression; "" for playbooks and calibrations. */
  folder: Schema.String,
  /** When, in milliseconds since 1970. */
  at: Schema.Int,
  /** The item is there, as it was in the older generation. Absent: it was taken back. */
  isKept: Schema.optionalKey(Schema.Literal(true))
})
export type RolledBack = typeof RolledBack.Type

export class Generation extends Schema.Class<Generation>("dd/Generation")({
  v: Schema.Literal(1),
  /** Of the corpus. */
  project: Schema.String,
  /** From 1; 0 is the empty corpus, of which there is no file. */
  number: Schema.Int,
  /** The generation it was made from. */
  base: Schema.Int,
  /** Milliseconds since 1970. */
  at: Schema.Int,
  /** The run and iteration that made it; `rollback` is an iteration of 0. */
  run: Schema.String,
  iteration: Schema.Int,
  suppressions: Schema.Array(LearnedSuppression),
  conventions: Schema.Array(LearnedConvention),
  playbooks: Schema.Array(LearnedPlaybook),
  calibration: Schema.Array(RuleCalibration),
  /** What rollbacks changed. Absent: nothing. */
  rolledBack: Schema.optionalKey(Schema.Array(RolledBack))
}) {}

export const emptyGeneration = (project: string): Generation =>
  Generation.make({
    v: 1,
    project,
    number: 0,
    base: 0,
    at: 0,
    run: "",
    iteration: 0,
    suppressions: [],
    conventions: [],
    playbooks: [],
    calibration: []
  })
