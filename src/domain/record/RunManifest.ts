/**
 * `manifest.json` of an archived run (schema_version "1.0"): all data of the index, which can be rebuilt
 * from it (`rowOf`), and dd's own fields under `dd`.
 */

import { Schema } from "effect"
import { SessionId } from "../run/SessionId.ts"
import { isSkip } from "../run/skip.ts"
import { fieldsOf } from "../system/fieldsOf.ts"
import { ArchivedRun, rowVersion } from "./ArchivedRun.ts"

const text = Schema.NullOr(Schema.String)
const number = Schema.NullOr(Schema.Finite)
const count = Schema.NullOr(Schema.Int)
const Degradation = Schema.Struct({ step: Schema.String, error: Schema.String, detail: Schema.String })

export const RunManifest = Schema.Struct({
  schema_version: Schema.Literal("1.0"),
  recommended_patch_supported: Schema.Boolean,
  session_id: SessionId,
  archived_at: Schema.String,
  status: Schema.Literals(["complete", "partial", "failed"]),
  run: Schema.Struct({
    flow: Schema.String,
    skill: text,
    model: text,
    backend: Schema.String,
    ...fieldsOf(text, ["review_backend", "fix_backend", "test_backend"]),
    ...fieldsOf(Schema.Boolean, ["review_only", "deep", "loop"])
  }),
  /** Why a fix failed, by file. */
  fix_failures: Schema.Record(Schema.String, Schema.String),
  fix_leftover_untracked: Schema.Array(Schema.String),
  git: Schema.Struct(fieldsOf(text, ["source_path", "remote_url", "repo_slug", "branch", "base_branch", "head_sha"])),
  code_context: Schema.Struct({
    ...fieldsOf(text, ["head_sha", "base_branch", "branch", "base_sha"]),
    changed_files: Schema.Array(Schema.String)
  }),
  pr: Schema.Struct({ number: count, repo: text }),
  metrics: Schema.Struct({
    total_cost_usd: number,
    ...fieldsOf(count, ["total_prompt_tokens", "total_completion_tokens", "total_cached_tokens"]),
    wall_clock_seconds: number,
    phase_timings: Schema.Record(
      Schema.String,
      Schema.Struct({ wall_clock_seconds: Schema.Finite, occurrences: Schema.Int })
    ),
    total_findings: count,
    ...fieldsOf(number, ["grounding_rate", "coverage_ratio", "cost_per_finding_usd"])
  }),
  outcome: Schema.Struct({ labels: Schema.Array(Schema.String), labeled_at: text, composite_reward: number }),
  /** Relative to the archive. */
  archive_path: Schema.String,
  dd: Schema.Struct({
    version: Schema.String,
    /** How the run ended; `review_status` is the status of its result. */
    ended: Schema.Literals(["concluded", "interrupted", "failed"]),
    review_status: text,
    /** Why there is no result. */
    error: text,
    description: Schema.String,
    base: Schema.String,
    head: Schema.String,
    /** Did the head have uncommitted edits? */
    dirty: Schema.optionalKey(Schema.Boolean),
    started_at: Schema.String,
    /** The backends that answered in each phase; absent from manifests of an older dd. */
    answered: Schema.optionalKey(Schema.Record(Schema.String, Schema.Array(Schema.String))),
    /** Reported by the backend, computed from prices (`prices` in older manifests), or unknown. */
    cost_source: Schema.Literals(["none", "reported", "computed", "unknown", "prices"]),
    prices_as_of: text,
    findings_by_severity: Schema.Record(Schema.String, Schema.Int),
    dropped: Schema.Int,
    suppressed: Schema.Int,
    degraded: Schema.Array(Degradation),
    /** Files that could not be copied to the bundle. */
    not_archived: Schema.Array(Schema.Struct({ name: Schema.String, reason: Schema.String })),
    bytes: Schema.Int
  })
})
export type RunManifest = typeof RunManifest.Type

export const decodeManifest = Schema.decodeUnknownOption(Schema.fromJsonString(RunManifest))

/** dd's own status: the status of the review, partial if only its fixes failed, or else how the run ended; skipped by the user. */
export const endOf = ({ dd, status }: RunManifest): string => {
  if (dd.ended !== "concluded") return dd.ended
  if (dd.degraded.some(isSkip)) return "skipped"
  return dd.review_status === "complete" ? status : (dd.review_status ?? status)
}

/** The row of the index, without labels. */
export const rowOf = ({ code_context, git, metrics, outcome, pr, run, ...manifest }: RunManifest): ArchivedRun =>
  ArchivedRun.make({
    ...manifest,
    ...run,
    ...git,
    ...metrics,
    run_flow: run.flow,
    review_only: Number(run.review_only),
    deep: Number(run.deep),
    loop: Number(run.loop),
    base_sha: code_context.base_sha,
    changed_files: JSON.stringify(code_context.changed_files),
    pr_number: pr.number,
    pr_repo: pr.repo,
    outcome_labels: JSON.stringify(outcome.labels),
    labeled_at: outcome.labeled_at,
    rubric_json: null,
    composite_reward: outcome.composite_reward,
    has_posterior: 0,
    schema_version: rowVersion
  })
