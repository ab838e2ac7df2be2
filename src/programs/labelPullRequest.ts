/** Labels of archived runs from what became of their pull requests. A person's label always outranks them. */
import { DateTime, Effect, Option, Schema } from "effect"
import { Digest, sha256 } from "effect/crypto/Digest"
import type { PullRequest } from "../domain/forge/PullRequest.ts"
import type { ArchivedRun } from "../domain/record/ArchivedRun.ts"
import {
  LabelObservation,
  labelsOf,
  lastAutomatic,
  type Outcome,
  outcomeOf,
  winning,
  withMicroseconds
} from "../domain/record/LabelObservation.ts"
import {
  evidenceOf,
  type PullRequestEvidence,
  type ThreadEnd,
  verdictOf
} from "../domain/record/PullRequestEvidence.ts"
import { everyRun } from "../domain/record/RunFilter.ts"
import { posteriorOf, rewardJson, rewardVersion } from "../domain/record/reward.ts"
import { compareText } from "../domain/text/compareText.ts"
import { Forge } from "../services/forge/Forge.ts"
import { ArchiveIndex, type Labels } from "../services/record/ArchiveIndex.ts"
import { Bundles } from "../services/record/Bundles.ts"
import { Redactor } from "../services/secret/Redactor.ts"
import { findingLabelOf, findingsOf, rewardOfRun } from "./archive.ts"

export interface PullRequestLabels {
  readonly pullRequest: PullRequest
  /** Null if nothing was to be labelled. */
  readonly outcome: Outcome | null
  /** How many archived runs are of the pull request. */
  readonly runs: number
  /** The new labels. */
  readonly added: Labels
}

export interface LabelRequest {
  /** `owner/name`. */
  readonly repository: string
  /** As it is on the forge now. */
  readonly pullRequest: PullRequest
}

/**
 * Adds labels to the archived runs of a pull request that is closed or merged. An open one gets none; if it was closed
 * before, its automatic labels are withdrawn. The same evidence adds nothing a second time.
 */
export const labelPullRequest = Effect.fn("labelPullRequest")(function* ({ pullRequest, repository }: LabelRequest) {
  const index = yield* ArchiveIndex
  const bundles = yield* Bundles
  const { headSha, number, state } = pullRequest
  const runsOf = (commits: ReadonlyArray<string>) =>
    index.list({ ...everyRun, pullRequest: { repo: repository, number, commits } })
  const none = (runs: number): PullRequestLabels => ({ pullRequest, outcome: null, runs, added: noLabels })
  // Reads the discussion only if it can matter.
  if (state === "open") {
    const runs = yield* runsOf([headSha])
    const { observations } = yield* index.labels(runs.map(sessionOf), null)
    if (!runs.some((run) => isFinal(lastAutomatic(observations.filter(isOf(run)))))) return none(runs.length)
  }
  const evidence = evidenceOf(pullRequest, yield* (yield* Forge).discussion)
  const runs = yield* runsOf(evidence.commits).pipe(Effect.flatMap(Effect.filter(hasReviewed(pullRequest))))
  const known = yield* index.labels(runs.map(sessionOf), null)
  const labelled = runs.filter(
    (run) => state !== "open" || isFinal(lastAutomatic(known.observations.filter(isOf(run))))
  )
  if (labelled.length === 0) return none(runs.length)
  const now = withMicroseconds(DateTime.formatIso(yield* DateTime.now))
  const about = { evidence, repository, now, digest: yield* digestOf(repository, evidence) }
  const labels = yield* Effect.forEach(labelled, (run) => labelsOfRun(run, about))
  const all = {
    observations: labels.map((each) => each.observation),
    findings: labels.flatMap(({ findings }) => findings)
  }
  const added = yield* index.addLabels(all, bundles.addLabels)
  return { pullRequest, outcome: evidence.outcome, runs: runs.length, added } satisfies PullRequestLabels
})

const noLabels: Labels = { observations: [], findings: [] }

const sessionOf = ({ session_id }: ArchivedRun) => session_id

const isOf =
  ({ session_id }: ArchivedRun) =>
  (label: { readonly session_id: string }): boolean =>
    label.session_id === session_id

/** A merged pull request stays as it is; a closed one is rarely opened again. */
const isFinal = (last: LabelObservation | null): boolean => last?.pr_state === "merged" || last?.pr_state === "closed"

/** A run that only shares the commit reviewed uncommitted edits, too, if there were any. */
const hasReviewed =
  ({ number }: PullRequest) =>
  (run: ArchivedRun) =>
    run.pr_number === number
      ? Effect.succeed(true)
      : Effect.map(
          Bundles.use((bundles) => bundles.manifest(run.session_id)),
          Option.exists(({ dd }) => dd.dirty !== true)
        )

const jsonText = (value: object): string => JSON.stringify(value)

interface About {
  readonly evidence: PullRequestEvidence
  readonly repository: string
  readonly now: string
  readonly digest: string
}

/** Equal for the same evidence. */
const digestOf = Effect.fnUntraced(function* (repository: string, evidence: PullRequestEvidence) {
  const { findings, pullRequest, reviewers } = evidence
  const { headSha, mergedAt, number, state } = pullRequest
  const ended = [...findings].sort(([a], [b]) => compareText(a, b))
  const text = jsonText([repository.toLowerCase(), number, state, mergedAt, headSha, ended, reviewers])
  return yield* (yield* Digest).digestHex(sha256, new TextEncoder().encode(text))
})

const labelsOfRun = Effect.fnUntraced(function* (run: ArchivedRun, { digest, evidence, now, repository }: About) {
  const { text } = yield* Redactor
  const { outcome, pullRequest, reviewers, threads } = evidence
  const { mergedAt, number, state } = pullRequest
  const validAt = Option.match(DateTime.make(mergedAt ?? ""), {
    onNone: () => now,
    onSome: (merged) => withMicroseconds(DateTime.formatIso(merged))
  })
  const posterior = posteriorOf(outcome, yield* earlierOutcomes(run, reviewers, validAt))
  const { breakdown, ...reward } = yield* rewardOfRun(run.session_id)
  const observation = LabelObservation.make({
    session_id: run.session_id,
    observed_at: now,
    labels: labelsOf(outcome),
    pr_state: state,
    labeler_version: rewardVersion,
    evidence_sha: digest,
    rubric_json: jsonText({ pull_request: `${repository}#${number}`, threads }),
    valid_at: validAt,
    ...reward,
    reward_json: rewardJson(breakdown, posterior),
    reviewer_logins: jsonText(reviewers.map(text)),
    has_posterior: posterior === null ? 0 : 1,
    source: "auto"
  })
  const findings = yield* Effect.forEach(yield* findingsOf(run.session_id), (finding) => {
    const end = evidence.findings.get(finding.fingerprint)
    if (end === undefined) return Effect.succeed([])
    const note = `pull request #${number} ${state}: ${endWords[end]}`
    const given = { observed_at: now, valid_at: validAt, verdict: verdictOf(end, state), note, source: "auto" }
    return Effect.map(findingLabelOf(run.session_id, finding, given), (label) => [label])
  })
  return { observation, findings: findings.flat() }
})

const endWords: Readonly<Record<ThreadEnd, string>> = {
  fixed: "fixed in a later commit",
  resolved: "its thread was resolved",
  answered: "its thread was answered, but not resolved",
  open: "its thread was not resolved"
}

/** Of other runs in the repository, known before then, by some of the reviewers. */
const earlierOutcomes = Effect.fnUntraced(function* (
  run: ArchivedRun,
  reviewers: ReadonlyArray<string>,
  before: string
) {
  const index = yield* ArchiveIndex
  if (run.repo_slug === null || reviewers.length === 0) return []
  const others = (yield* index.list({ ...everyRun, repo: run.repo_slug })).filter((each) => !isOf(run)(each))
  const { observations } = yield* index.labels(others.map(sessionOf), null)
  return [...Map.groupBy(observations, ({ session_id }) => session_id).values()].flatMap((own) => {
    const best = winning(own)
    if (best === null || withMicroseconds(best.valid_at ?? best.observed_at) >= before) return []
    // A person's label does not name them.
    const logins = own.flatMap(({ reviewer_logins }) => Option.getOrElse(decodeLogins(reviewer_logins), () => []))
    return logins.some((login) => reviewers.includes(login)) ? [outcomeOf(best.labels)] : []
  })
})

const decodeLogins = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Array(Schema.String)))

/** The same for a pull request as it is now. */
export const labelFromForge = Effect.fnUntraced(function* (repository: string) {
  const pullRequest = yield* (yield* Forge).pullRequest
  return yield* labelPullRequest({ repository, pullRequest })
})

/** The numbers of the pull requests in `repository` whose archived runs are not all labelled for good, newest run first. */
export const unlabelledPullRequests = Effect.fn("unlabelledPullRequests")(function* (repository: string) {
  const index = yield* ArchiveIndex
  const runs = yield* index.list({ ...everyRun, pullRequest: { repo: repository, number: null, commits: [] } })
  const { observations } = yield* index.labels(runs.map(sessionOf), null)
  const bySession = Map.groupBy(observations, ({ session_id }) => session_id)
  const open = runs.filter((run) => !isFinal(lastAutomatic(bySession.get(run.session_id) ?? [])))
  return [...new Set(open.flatMap(({ pr_number }) => pr_number ?? []))]
})
