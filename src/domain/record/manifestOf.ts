/** The manifest of a run that has ended. */

import type { RunCost } from "../agent/RunCost.ts"
import { type Change, headCommit, sideText } from "../change/Change.ts"
import { repoSlug } from "../change/remote/repoSlug.ts"
import { failedFixes, isFailed, isFixed } from "../fix/Outcome.ts"
import type { PullRequestName } from "../review/FindingsArtifact.ts"
import type { ReviewResult } from "../review/ReviewResult.ts"
import type { SessionId } from "../run/SessionId.ts"
import { isJsonObject } from "../system/jsonObject.ts"
import { host, noBackend } from "./ArchivedRun.ts"
import { type Answer, answersIn, fixPhase, reviewPhase, reviewsAmong } from "./answersIn.ts"
import type { Evaluation } from "./Evaluation.ts"
import type { RunManifest } from "./RunManifest.ts"
import { rounded } from "./reward.ts"
import type { Trajectory } from "./Trajectory.ts"

export interface EndedRun {
  readonly sessionId: SessionId
  readonly version: string
  readonly flow: string
  /** The skill that every reviewer used; null: each has its own. */
  readonly skill: string | null
  /** Was it a pass of a loop? */
  readonly loops: boolean
  /** The backend that was chosen to review. */
  readonly backend: string
  readonly change: Change
  /** The directory of the repository; null for a patch without one. */
  readonly root: string | null
  readonly remoteUrl: string | null
  /** Of the change; null if it is unknown. */
  readonly pullRequest: PullRequestName | null
  readonly startedAt: string
  readonly archivedAt: string
  readonly durationMs: number
  readonly archivePath: string
  /** Null if the run did not get one. */
  readonly result: ReviewResult | null
  readonly ended: RunManifest["dd"]["ended"]
  readonly error: string | null
  readonly trajectory: Trajectory | null
  readonly siblings: ReadonlyArray<Trajectory>
  /** Null if no record of the run could be read. */
  readonly cost: RunCost | null
  readonly pricesAsOf: string
  readonly evaluation: Evaluation | null
  readonly notArchived: RunManifest["dd"]["not_archived"]
  readonly bytes: number
}

export const manifestOf = (run: EndedRun): RunManifest => {
  const { change, cost, evaluation, result } = run
  const { dirty, sha: head } = headCommit(change)
  const branch = change.branch
  const baseBranch = change.baseBranch ?? null
  const answers = run.trajectory === null ? [] : answersIn(run.trajectory, run.siblings)
  const answered = byPhase(answers)
  const reviewers = namesOf(run) ?? answered[reviewPhase] ?? []
  const { backend, model } = answererOf(run, reviewers, answers)
  return {
    schema_version: "1.0",
    recommended_patch_supported: true,
    session_id: run.sessionId,
    archived_at: run.archivedAt,
    status: statusOf(run),
    run: {
      flow: run.flow,
      skill: run.skill,
      model,
      backend,
      review_backend: reviewers.length === 0 ? null : reviewers.join(", "),
      fix_backend: fixersOf(run, answered[fixPhase]),
      test_backend: isTested(result) ? host : null,
      review_only: run.flow === "review",
      deep: run.flow === "deep",
      loop: run.loops
    },
    fix_failures: failedFixes(result?.fix?.outcomes ?? []),
    fix_leftover_untracked: result?.fix?.outside ?? [],
    git: {
      source_path: run.root,
      remote_url: run.remoteUrl,
      repo_slug: run.remoteUrl === null ? null : repoSlug(run.remoteUrl),
      branch,
      base_branch: baseBranch,
      head_sha: head
    },
    code_context: {
      head_sha: head,
      base_branch: baseBranch,
      branch,
      base_sha: change.base._tag === "Commit" ? change.base.sha : null,
      changed_files: change.diff.files.map(({ path }) => path)
    },
    pr: run.pullRequest ?? { number: null, repo: null },
    metrics: {
      total_cost_usd: cost?.usd ?? null,
      total_prompt_tokens: cost?.promptTokens ?? null,
      total_completion_tokens: cost?.completionTokens ?? null,
      total_cached_tokens: cost?.cachedTokens ?? null,
      wall_clock_seconds: rounded(run.durationMs / 1000, 3),
      phase_timings: run.trajectory === null ? {} : phaseTimings(run.trajectory),
      total_findings: result?.findings.length ?? null,
      grounding_rate: evaluation?.grounding.grounding_rate ?? null,
      coverage_ratio: evaluation?.coverage.coverage_ratio ?? null,
      cost_per_finding_usd: evaluation?.derived.cost_per_finding_usd ?? null
    },
    outcome: { labels: [], labeled_at: null, composite_reward: evaluation?.derived.reward.composite ?? null },
    archive_path: run.archivePath,
    dd: {
      version: run.version,
      ended: run.ended,
      review_status: result?.status ?? null,
      error: run.error,
      description: change.description,
      base: sideText(change.base),
      head: sideText(change.head),
      dirty,
      started_at: run.startedAt,
      answered,
      cost_source: cost?.source ?? "unknown",
      prices_as_of: cost?.source === "computed" ? run.pricesAsOf : null,
      findings_by_severity: bySeverity(result),
      dropped: result?.dropped.length ?? 0,
      suppressed: result?.suppressed.length ?? 0,
      degraded: result?.degraded ?? [],
      not_archived: run.notArchived,
      bytes: run.bytes
    }
  }
}

/** Without a model, the rules fix. */
const fixersOf = ({ result }: EndedRun, answered: ReadonlyArray<string> = []): string | null => {
  if (answered.length > 0) return answered.join(", ")
  return (result?.fix?.outcomes ?? []).some(isFixed) ? "static" : null
}

const isTested = (result: ReviewResult | null): boolean => {
  const tests = result?.fix?.tests
  return tests != null && (tests.baseline ?? tests.after) !== null
}

/** A run is partial if it was interrupted, did not review everything, or the fixes of a file failed. */
const statusOf = ({ ended, result }: EndedRun): RunManifest["status"] => {
  if (result !== null) {
    return result.status === "complete" && !(result.fix?.outcomes ?? []).some(isFailed) ? "complete" : "partial"
  }
  return ended === "interrupted" ? "partial" : "failed"
}

const bySeverity = (result: ReviewResult | null): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const { severity } of result?.findings ?? []) counts[severity] = (counts[severity] ?? 0) + 1
  return counts
}

const byPhase = (answers: ReadonlyArray<Answer>): Readonly<Record<string, ReadonlyArray<string>>> => {
  const answered: Record<string, ReadonlyArray<string>> = {}
  for (const { backend, phase } of answers) answered[phase] = [...new Set([...(answered[phase] ?? []), backend])]
  return answered
}

/** The backends that reviewed files, also in the resumed run: `reviewedBy` without models. */
const namesOf = ({ result }: EndedRun): ReadonlyArray<string> | null =>
  result === null ? null : [...new Set(result.run.reviewedBy.map((name) => name.replace(/ \(.*\)$/s, "")))]

/** The chosen backend if it reviewed or answered, else the first that did. */
const answererOf = (run: EndedRun, reviewers: ReadonlyArray<string>, answers: ReadonlyArray<Answer>) => {
  const by = reviewers.length === 0 ? answers.map(({ backend }) => backend) : reviewers
  const backend = by.includes(run.backend) ? run.backend : (by[0] ?? noBackend)
  const own = reviewsAmong(answers.filter((answer) => answer.backend === backend))
  return { backend, model: own.find(({ model }) => model !== null)?.model ?? null }
}

/** The total time of each phase, and how often it ran. */
const phaseTimings = ({ extra }: Trajectory): RunManifest["metrics"]["phase_timings"] => {
  const timings: Record<string, { wall_clock_seconds: number; occurrences: number }> = {}
  const open = new Map<string, number>()
  for (const each of Array.isArray(extra?.phase_events) ? extra.phase_events : []) {
    if (!isJsonObject(each)) continue
    const { event, phase, timestamp } = each
    if (typeof phase !== "string" || typeof timestamp !== "string") continue
    if (event === "phase_start") open.set(phase, Date.parse(timestamp))
    const start = event === "phase_end" ? open.get(phase) : undefined
    if (start === undefined) continue
    const known = timings[phase] ?? { wall_clock_seconds: 0, occurrences: 0 }
    timings[phase] = {
      wall_clock_seconds: rounded(known.wall_clock_seconds + (Date.parse(timestamp) - start) / 1000, 3),
      occurrences: known.occurrences + 1
    }
    open.delete(phase)
  }
  return timings
}
