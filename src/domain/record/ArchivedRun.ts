/**
 * An archived run in the index: the 39 columns of `runs`, in their order, with the names of the format.
 *
 * Unknown values are null, never zero. Times are UTC, ISO 8601. Status and flow may be any text, because other programs
 * write rows, too.
 */

import { Schema } from "effect"
import { SessionId } from "../run/SessionId.ts"
import { fieldsOf } from "../system/fieldsOf.ts"

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
  /** The backend that reviewed, or else one that answered; `none` if none did. */
  backend: Schema.String,
  /** The backends that reviewed files, joined by a comma. */
  review_backend: text,
  /** The backends that fixed files, joined by a comma; `static`: only the edits of rules. */
  fix_backend: text,
  /** `host` if the project's tests ran: dd runs them itself, and their exit code decides. */
  test_backend: text,
  ...fieldsOf(flag, ["review_only", "deep", "loop"]),
  ...fieldsOf(text, ["remote_url", "repo_slug", "source_path", "branch", "base_branch", "head_sha", "base_sha"]),
  /** A JSON list of paths. */
  changed_files: text,
  pr_number: count,
  pr_repo: text,
  /** US dollars. */
  total_cost_usd: number,
  total_findings: count,
  ...fieldsOf(number, ["grounding_rate", "coverage_ratio", "cost_per_finding_usd", "wall_clock_seconds"]),
  ...fieldsOf(count, ["total_prompt_tokens", "total_completion_tokens", "total_cached_tokens"]),
  /** A JSON list: the labels that count. Empty: unknown. */
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

/** The `test_backend` of a run in which dd ran the project's tests. */
export const host = "host"

/** In the order of the table. */
export const runColumns = Object.keys(ArchivedRun.fields)

/** Columns that a label sets; they are kept when the run is archived again. */
export const labelColumns: ReadonlySet<string> = new Set([
  "outcome_labels",
  "labeled_at",
  "rubric_json",
  "composite_reward",
  "has_posterior"
])

/** The version of the original program's rows. */
export const rowVersion = 5
