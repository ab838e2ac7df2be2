/**
 * One archived run, as the index knows it: the 39 columns of `runs`, in their order (reference §6.3).
 *
 * The names are the format's own. What is not known is null, never zero. Times are UTC, ISO 8601. Read with
 * tolerance for what another program wrote: states and flows are any text.
 */
import { Schema } from "effect"
import { SessionId } from "../run/SessionId.ts"

const text = Schema.NullOr(Schema.String)
const number = Schema.NullOr(Schema.Finite)
const count = Schema.NullOr(Schema.Int)
/** 0 or 1. */
const flag = Schema.Int

export class ArchivedRun extends Schema.Class<ArchivedRun>("dd/ArchivedRun")({
  session_id: SessionId,
  archived_at: Schema.String,
  /** `complete`, `partial` (interrupted, or a part was not reviewed) or `failed`. */
  status: Schema.String,
  run_flow: Schema.String,
  skill: text,
  model: text,
  /** Who reviewed, or else answered at all; `none` where nobody did. */
  backend: Schema.String,
  /** Who reviewed files; several are joined by a comma. */
  review_backend: text,
  fix_backend: text,
  test_backend: text,
  review_only: flag,
  deep: flag,
  loop: flag,
  remote_url: text,
  repo_slug: text,
  source_path: text,
  branch: text,
  base_branch: text,
  head_sha: text,
  base_sha: text,
  /** A JSON list of paths. */
  changed_files: text,
  pr_number: count,
  pr_repo: text,
  /** US dollars. */
  total_cost_usd: number,
  total_findings: count,
  grounding_rate: number,
  coverage_ratio: number,
  cost_per_finding_usd: number,
  wall_clock_seconds: number,
  total_prompt_tokens: count,
  total_completion_tokens: count,
  total_cached_tokens: count,
  /** A JSON list of labels: the winning observation's. Empty: unknown. */
  outcome_labels: Schema.String,
  labeled_at: text,
  rubric_json: text,
  composite_reward: number,
  has_posterior: flag,
  /** Relative to the archive. */
  archive_path: Schema.String,
  schema_version: Schema.Int
}) {}

/** The `backend` of a run in which no backend answered: the column cannot be null. */
export const noBackend = "none"

/** In the order of the table. */
export const runColumns = Object.keys(ArchivedRun.fields).filter((name) => name in ArchivedRun.fields)

/** Columns that a label sets: archiving a run again leaves them as they are. */
export const labelColumns: ReadonlySet<string> = new Set([
  "outcome_labels",
  "labeled_at",
  "rubric_json",
  "composite_reward",
  "has_posterior"
])

/** The layout of rows that dd writes: that of the program whose format this is. */
export const rowVersion = 5
