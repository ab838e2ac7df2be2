/**
 * `pr-context.report.json`: version 1 of the report with dd's additions,
 * which readers of version 1 can ignore. Paths are relative to the directory of the report.
 */
import { Schema } from "effect"
import { packFormats } from "./Block.ts"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

export const stages = ["filter", "core", "recall", "fit", "render"] as const
export type Stage = (typeof stages)[number]

export const PackReport = Schema.Struct({
  version: Schema.Literal(1),
  status: Schema.Literals(["ok", "core-over-budget"]),
  tool: Schema.Struct({ name: Schema.String, version: Schema.String }),
  /** The change in words, and its sides as in `dd review --format json`. */
  change: Schema.String,
  baseRef: Schema.NullOr(Schema.String),
  baseCommit: Schema.String,
  headCommit: Schema.String,
  budget: Count,
  format: Schema.Literals(packFormats),
  tokens: Schema.Struct({
    baseline: Count,
    final: Count,
    /** Negative if the core alone is over the budget. */
    remaining: Schema.Int,
    encoding: Schema.String
  }),
  counts: Schema.Struct({
    changed: Count,
    changedOmitted: Count,
    relatedCandidates: Count,
    relatedIncluded: Count,
    relatedOmitted: Count,
    scribeTargets: Count,
    scribeFailedTargets: Count,
    scribeLimitSignals: Count
  }),
  config: Schema.Struct({
    exclude: Schema.Array(Schema.String),
    include: Schema.Array(Schema.String),
    focus: Schema.Array(Schema.String)
  }),
  /** What was shown of changed files instead of their full text, in this order, to fit. */
  reductions: Schema.Array(
    Schema.Struct({ path: Schema.String, from: Schema.String, to: Schema.String, saved: Schema.Int })
  ),
  paths: Schema.Struct({
    pack: Schema.String,
    changedManifest: Schema.String,
    relatedManifest: Schema.String,
    omittedManifest: Schema.String,
    relatedOmittedManifest: Schema.String,
    relatedSelectionManifest: Schema.String,
    scribeTargetsManifest: Schema.String,
    reportPath: Schema.String
  }),
  /** Of the pack. */
  sha256: Schema.String,
  /** Milliseconds of each stage that ran. */
  stages: Schema.Record(Schema.Literals(stages), Schema.optionalKey(Count)),
  warnings: Schema.Array(Schema.String),
  error: Schema.NullOr(
    Schema.Struct({
      code: Schema.Literal("core-over-budget"),
      message: Schema.String,
      /** The changed files that need the most tokens. */
      largest: Schema.Array(Schema.Struct({ path: Schema.String, tokens: Count }))
    })
  )
})
export type PackReport = typeof PackReport.Type

/** The same names for every format. */
export const packFileNames: PackReport["paths"] = {
  pack: "pr-context.txt",
  changedManifest: "pr-context.changed.files.txt",
  relatedManifest: "pr-context.related.files.txt",
  omittedManifest: "pr-context.omitted.files.txt",
  relatedOmittedManifest: "pr-context.related.omitted.files.txt",
  relatedSelectionManifest: "pr-context.related.selection.tsv",
  scribeTargetsManifest: "pr-context.scribe.targets.tsv",
  reportPath: "pr-context.report.json"
}
