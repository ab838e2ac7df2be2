/**
 * `manifest.json` of an archived run (reference §6.2, schema_version "1.0"): everything the index knows of it, and what
 * only dd knows below `dd`. The index can be made of manifests again: `rowOf`.
 */
import { Schema } from "effect"
import { SessionId } from "../run/SessionId.ts"
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
    review_backend: text,
    fix_backend: text,
    test_backend: text,
    review_only: Schema.Boolean,
    deep: Schema.Boolean,
    loop: Schema.Boolean
  }),
  /** File to what went wrong with its fix. */
  fix_failures: Schema.Record(Schema.String, Schema.String),
  fix_leftover_untracked: Schema.Array(Schema.String),
  git: Schema.Struct({
    source_path: text,
    remote_url: text,
    repo_slug: text,
    branch: text,
    base_branch: text,
    head_sha: text
  }),
  code_context: Schema.Struct({
    head_sha: text,
    base_branch: text,
    branch: text,
    base_sha: text,
    changed_files: Schema.Array(Schema.String)
  }),
  pr: Schema.Struct({ number: count, repo: text }),
  metrics: Schema.Struct({
    total_cost_usd: number,
    total_prompt_tokens: count,
    total_completion_tokens: count,
    total_cached_tokens: count,
    wall_clock_seconds: number,
    phase_timings: Schema.Record(
      Schema.String,
      Schema.Struct({ wall_clock_seconds: Schema.Finite, occurrences: Schema.Int })
    ),
    total_findings: count,
    grounding_rate: number,
    coverage_ratio: number,
    cost_per_finding_usd: number
  }),
  outcome: Schema.Struct({ labels: Schema.Array(Schema.String), labeled_at: text, composite_reward: number }),
  /** Relative to the archive. */
  archive_path: Schema.String,
  dd: Schema.Struct({
    version: Schema.String,
    /** How the run ended, and how far its answer goes when there is one. */
    ended: Schema.Literals(["concluded", "interrupted", "failed"]),
    review_status: text,
    /** Why there is no answer. */
    error: text,
    description: Schema.String,
    base: Schema.String,
    head: Schema.String,
    /** Were there uncommitted edits on the head's commit? */
    dirty: Schema.optionalKey(Schema.Boolean),
    started_at: Schema.String,
    /** The backends that answered in each phase; absent from manifests of an older dd. */
    answered: Schema.optionalKey(Schema.Record(Schema.String, Schema.Array(Schema.String))),
    /** Where the cost is from: reported by the backend, computed from prices (`prices` in older manifests), or unknown. */
    cost_source: Schema.Literals(["none", "reported", "computed", "unknown", "prices"]),
    prices_as_of: text,
    findings_by_severity: Schema.Record(Schema.String, Schema.Int),
    dropped: Schema.Int,
    suppressed: Schema.Int,
    degraded: Schema.Array(Degradation),
    /** What belongs into the bundle and could not be brought there. */
    not_archived: Schema.Array(Schema.Struct({ name: Schema.String, reason: Schema.String })),
    bytes: Schema.Int
  })
})
export type RunManifest = typeof RunManifest.Type

export const decodeManifest = Schema.decodeUnknownOption(Schema.fromJsonString(RunManifest))

/** dd's own status: that of the review, or else how the run ended. */
export const endOf = ({ dd, status }: RunManifest): string =>
  dd.ended === "concluded" ? (dd.review_status ?? status) : dd.ended

/** As it stands in the index when nobody has labelled it. */
export const rowOf = ({
  archive_path,
  archived_at,
  code_context: code,
  git,
  metrics,
  outcome,
  pr,
  run,
  session_id,
  status
}: RunManifest): ArchivedRun =>
  ArchivedRun.make({
    session_id,
    archived_at,
    status,
    run_flow: run.flow,
    skill: run.skill,
    model: run.model,
    backend: run.backend,
    review_backend: run.review_backend,
    fix_backend: run.fix_backend,
    test_backend: run.test_backend,
    review_only: Number(run.review_only),
    deep: Number(run.deep),
    loop: Number(run.loop),
    remote_url: git.remote_url,
    repo_slug: git.repo_slug,
    source_path: git.source_path,
    branch: git.branch,
    base_branch: git.base_branch,
    head_sha: git.head_sha,
    base_sha: code.base_sha,
    changed_files: JSON.stringify(code.changed_files),
    pr_number: pr.number,
    pr_repo: pr.repo,
    total_cost_usd: metrics.total_cost_usd,
    total_findings: metrics.total_findings,
    grounding_rate: metrics.grounding_rate,
    coverage_ratio: metrics.coverage_ratio,
    cost_per_finding_usd: metrics.cost_per_finding_usd,
    wall_clock_seconds: metrics.wall_clock_seconds,
    total_prompt_tokens: metrics.total_prompt_tokens,
    total_completion_tokens: metrics.total_completion_tokens,
    total_cached_tokens: metrics.total_cached_tokens,
    outcome_labels: JSON.stringify(outcome.labels),
    labeled_at: outcome.labeled_at,
    rubric_json: null,
    composite_reward: outcome.composite_reward,
    has_posterior: 0,
    archive_path,
    schema_version: rowVersion
  })
