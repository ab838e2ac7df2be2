/** Archived runs for tests: rows, what is said of them, and the archive in a directory of its own. */
import { Effect, Layer } from "effect"
import { ArchivedRun } from "../../src/domain/record/ArchivedRun.ts"
import { LabelObservation, labelsOf, type Outcome, withMicroseconds } from "../../src/domain/record/LabelObservation.ts"
import { SessionId } from "../../src/domain/run/SessionId.ts"
import * as ArchiveLive from "../../src/layers/ArchiveLive.ts"
import * as Platform from "../../src/layers/system/Platform.ts"
import { makeDirectory } from "./repository.ts"

/** The n-th session. */
export const session = (n: number): SessionId =>
  SessionId.make(`00000000-0000-4000-8000-${String(n).padStart(12, "0")}`)

export const row = (n: number, over: Partial<ArchivedRun> = {}): ArchivedRun =>
  ArchivedRun.make({
    session_id: session(n),
    archived_at: `2026-01-01T00:00:${String(n % 60).padStart(2, "0")}.000Z`,
    status: "complete",
    run_flow: "deep",
    skill: null,
    model: null,
    backend: "static",
    review_backend: "static",
    fix_backend: null,
    test_backend: null,
    review_only: 0,
    deep: 1,
    loop: 0,
    remote_url: null,
    repo_slug: "acme/shop",
    source_path: "/src/shop",
    branch: "main",
    base_branch: null,
    head_sha: "a".repeat(40),
    base_sha: null,
    changed_files: "[]",
    pr_number: null,
    pr_repo: null,
    total_cost_usd: 0,
    total_findings: 1,
    grounding_rate: 1,
    coverage_ratio: 1,
    cost_per_finding_usd: 0,
    wall_clock_seconds: 1,
    total_prompt_tokens: null,
    total_completion_tokens: null,
    total_cached_tokens: null,
    outcome_labels: "[]",
    labeled_at: null,
    rubric_json: null,
    composite_reward: 0.5,
    has_posterior: 0,
    archive_path: `runs/${session(n)}`,
    schema_version: 5,
    ...over
  })

export const observation = (
  n: number,
  outcome: Outcome,
  at: string,
  over: Partial<LabelObservation> = {}
): LabelObservation =>
  LabelObservation.make({
    session_id: session(n),
    observed_at: withMicroseconds(at),
    labels: labelsOf(outcome),
    pr_state: null,
    labeler_version: "test",
    evidence_sha: null,
    rubric_json: null,
    valid_at: null,
    reward_version: null,
    reward_json: null,
    composite_reward: null,
    reviewer_logins: null,
    has_posterior: 0,
    source: "human",
    ...over
  })

/** One process's use of an archive: opened, asked, closed. */
export const using = <A, E, R>(directory: string, body: Effect.Effect<A, E, R>) =>
  body.pipe(
    Effect.scoped,
    Effect.provide(ArchiveLive.layer(directory).pipe(Layer.provideMerge(Platform.layer)), { local: true })
  )

/** A place for an archive, which is not made yet. */
export const makePlace = Effect.map(makeDirectory, (directory) => `${directory}/archive`)
