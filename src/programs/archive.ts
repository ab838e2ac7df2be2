/** What users do with archived runs: find, label, export and prune them, and rebuild the index. */
import { DateTime, Effect, Option, Runtime, Schema } from "effect"
import { Digest, sha256 } from "effect/crypto/Digest"
import { ArchivedRun } from "../domain/record/ArchivedRun.ts"
import { Evaluation } from "../domain/record/Evaluation.ts"
import { type ExportedRun, exportedRun } from "../domain/record/ExportedRun.ts"
import { FindingLabel, wordsOf } from "../domain/record/FindingLabel.ts"
import {
  isSameObservation,
  LabelObservation,
  labelsOf,
  type Outcome,
  outcomeOf,
  withMicroseconds
} from "../domain/record/LabelObservation.ts"
import { everyRun, type RunFilter } from "../domain/record/RunFilter.ts"
import { endOf, rowOf } from "../domain/record/RunManifest.ts"
import { rewardJson, rewardVersion } from "../domain/record/reward.ts"
import {
  type ArchivedFinding,
  decodeFindingsFile,
  type FindingsFile,
  numberedIn
} from "../domain/review/FindingsFile.ts"
import type { SessionId } from "../domain/run/SessionId.ts"
import { compareText } from "../domain/text/compareText.ts"
import { ArchiveIndex } from "../services/record/ArchiveIndex.ts"
import { Bundles } from "../services/record/Bundles.ts"
import { Redactor } from "../services/secret/Redactor.ts"

export class RunNotArchived extends Schema.TaggedError<RunNotArchived>()("RunNotArchived", {
  run: Schema.String,
  reason: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 2
  override get message() {
    return `no archived run ${this.run}: ${this.reason}`
  }
}

export class FindingUnknown extends Schema.TaggedError<FindingUnknown>()("FindingUnknown", {
  run: Schema.String,
  finding: Schema.Int,
  /** How many the run has, and how many suppressed ones with a number. */
  findings: Schema.Int,
  suppressed: Schema.Int
}) {
  override readonly [Runtime.errorExitCode] = 2
  override get message() {
    const has = this.findings === 1 ? "1 finding" : `${this.findings} findings`
    const more = this.suppressed === 0 ? "" : `, and ${this.suppressed} suppressed`
    return `there is no finding ${this.finding} in run ${this.run.slice(0, 8)}: it has ${has}${more}`
  }
}

export interface IndexRebuilt {
  readonly runs: number
  /** That the index had not, or had otherwise. */
  readonly labels: number
  /** Labels that only the index had; they have files now. */
  readonly unfiled: number
  /** Rows whose bundles are gone, or whose session id is not valid. */
  readonly removed: number
  /** Sessions whose manifest cannot be read. */
  readonly unreadable: ReadonlyArray<string>
  /** Where a damaged index was moved. */
  readonly movedAside: string | null
}

const pageSize = 500

/** Opens the archive; an index that may lack rows is made whole first. */
export const openArchive = Effect.fn("openArchive")(function* () {
  const index = yield* ArchiveIndex
  const { incomplete, movedAside } = yield* index.open
  if (movedAside !== null) yield* Effect.logWarning(`the archive's index was damaged and was moved to ${movedAside}`)
  if (!incomplete) return
  const { runs } = yield* rebuildIndex
  yield* Effect.logWarning(`the archive's index was rebuilt from ${runs} archived ${runs === 1 ? "run" : "runs"}`)
})

/** `latest` of one repository (its working trees) or of all (null), or the beginning of a session id that only one run has. */
export const findRun = Effect.fn("findRun")(function* (run: string, latestOf: ReadonlyArray<string> | null) {
  const index = yield* ArchiveIndex
  if (run === "latest") {
    const newest = yield* Effect.forEach(latestOf ?? [null], (repo) => index.list({ ...everyRun, repo, limit: 1 }))
    const [latest] = newest.flat().toSorted((a, b) => compareText(b.archived_at, a.archived_at))
    const reason =
      latestOf === null
        ? "the archive is empty"
        : `no run of ${latestOf[0]} is archived; --all-repos takes the newest of all`
    return latest ?? (yield* new RunNotArchived({ run, reason }))
  }
  const found = yield* index.findByPrefix(run.toLowerCase(), 6)
  const [only] = found
  if (only !== undefined && (found.length === 1 || only.session_id === run.toLowerCase())) return only
  const names = found.map(({ session_id }) => session_id.slice(0, Math.max(12, run.length + 2))).join(", ")
  return yield* new RunNotArchived({
    run,
    reason:
      found.length === 0
        ? "no session id starts with it; see dd archive list"
        : `several session ids start with it: ${names}`
  })
})

/** A row with dd's own status. The index has the format's three, and calls inconclusive and interrupted runs partial. */
export const withEnd = Effect.fn("withEnd")(function* (row: ArchivedRun) {
  if (row.status !== "partial") return row
  const bundles = yield* Bundles
  const manifest = Option.getOrNull(yield* bundles.manifest(row.session_id))
  return manifest === null ? row : ArchivedRun.make({ ...row, status: endOf(manifest) })
})

export const listRuns = Effect.fn("listRuns")(function* (filter: RunFilter) {
  const index = yield* ArchiveIndex
  return yield* Effect.forEach(yield* index.list(filter), withEnd, { concurrency: 16 })
})

/** The archive, counted, by dd's own status. */
export const tally = Effect.fn("tally")(function* (filter: RunFilter) {
  const index = yield* ArchiveIndex
  const counted = yield* index.tally(filter)
  const counts = new Map(counted.by.status)
  if (!counts.delete("partial")) return counted
  for (const { status } of yield* listRuns({ ...filter, status: "partial" })) {
    counts.set(status, (counts.get(status) ?? 0) + 1)
  }
  const status = [...counts].sort(([a, n], [b, m]) => m - n || compareText(a, b))
  return { ...counted, by: { ...counted.by, status } }
})

export interface NewLabel {
  readonly outcome: Outcome
  /** The number of a finding; null: the run as a whole. */
  readonly finding: number | null
  readonly note: string | null
  /** When it was so, if not now. */
  readonly validAt: string | null
  readonly by: string
}

/** Stores a person's label of a run or of one of its findings. */
export const labelRun = Effect.fn("labelRun")(function* (run: ArchivedRun, added: NewLabel) {
  const index = yield* ArchiveIndex
  const bundles = yield* Bundles
  const { text } = yield* Redactor
  const observedAt = withMicroseconds(DateTime.formatIso(yield* DateTime.now))
  const validAt = added.validAt === null ? observedAt : withMicroseconds(added.validAt)
  const note = added.note === null ? null : text(added.note)
  if (added.finding !== null) {
    const finding = yield* findingOf(run.session_id, added.finding)
    const given = { observed_at: observedAt, valid_at: validAt, verdict: added.outcome, note, source: "human" }
    const label = yield* findingLabelOf(run.session_id, finding, given)
    return yield* index.addLabels({ observations: [], findings: [label] }, bundles.addLabels)
  }
  const { breakdown, ...reward } = yield* rewardOfRun(run.session_id)
  const observation = LabelObservation.make({
    session_id: run.session_id,
    observed_at: observedAt,
    labels: labelsOf(added.outcome),
    pr_state: null,
    labeler_version: added.by,
    evidence_sha: run.head_sha,
    rubric_json: note === null ? null : rubricOf(note),
    valid_at: validAt,
    ...reward,
    reward_json: rewardJson(breakdown, null),
    reviewer_logins: null,
    has_posterior: 0,
    source: "human"
  })
  return yield* index.addLabels({ observations: [observation], findings: [] }, bundles.addLabels)
})

/** A label of a finding, which it identifies without its run. */
export const findingLabelOf = Effect.fnUntraced(function* (
  session: SessionId,
  finding: ArchivedFinding,
  given: Pick<FindingLabel, "observed_at" | "valid_at" | "verdict" | "note" | "source">
) {
  const digest = yield* Digest
  return FindingLabel.make({
    ...given,
    session_id: session,
    finding: finding.id,
    fingerprint: finding.fingerprint,
    text_hash: yield* digest.digestHex(sha256, new TextEncoder().encode(wordsOf(finding))),
    rule: finding.rule,
    file: finding.file,
    line: finding.line,
    end_line: finding.end_line
  })
})

/** The reward that a run got from its evaluation. A label repeats it. */
export const rewardOfRun = Effect.fnUntraced(function* (session: SessionId) {
  const bundles = yield* Bundles
  const manifest = Option.getOrNull(yield* bundles.manifest(session))
  const evaluation = Option.flatMap(yield* bundles.read(session, "evaluation.json"), decodeEvaluation)
  const composite = manifest?.outcome.composite_reward ?? null
  return {
    composite_reward: composite,
    reward_version: composite === null ? null : rewardVersion,
    breakdown: Option.match(evaluation, { onNone: () => null, onSome: ({ derived }) => derived.reward })
  }
})

const decodeEvaluation = Schema.decodeUnknownOption(Schema.fromJsonString(Evaluation))

const rubricOf = (note: string): string => JSON.stringify({ note })

const findingsFileIn = (session: SessionId) =>
  Effect.map(
    Bundles.use((bundles) => bundles.read(session, "findings.json")),
    Option.flatMap(decodeFindingsFile)
  )

/** The reported ones; none if they cannot be read. */
export const findingsOf = (session: SessionId) =>
  Effect.map(findingsFileIn(session), (file) =>
    Option.match(file, { onNone: (): FindingsFile["findings"] => [], onSome: ({ findings }) => findings })
  )

const findingOf = Effect.fnUntraced(function* (session: SessionId, id: number) {
  const file = Option.getOrNull(yield* findingsFileIn(session))
  const numbered = file === null ? [] : numberedIn(file)
  const findings = file?.findings.length ?? 0
  const found = numbered.find((each) => each.id === id)
  return (
    found ??
    (yield* new FindingUnknown({ run: session, finding: id, findings, suppressed: numbered.length - findings }))
  )
})

/** Rebuilds every row and label from the files, which outrank the index; rows without a bundle are removed, their labels are kept. */
export const rebuildIndex = Effect.gen(function* () {
  const index = yield* ArchiveIndex
  const bundles = yield* Bundles
  const movedAside = yield* index.moveAsideIfDamaged
  const invalid = yield* index.removeInvalid
  const sessions = yield* bundles.sessions
  const unreadable: Array<string> = []
  let runs = 0
  for (let at = 0; at < sessions.length; at += pageSize) {
    const part = sessions.slice(at, at + pageSize)
    const manifests = yield* Effect.forEach(part, bundles.manifest, { concurrency: 16 })
    const rows = manifests.flatMap((manifest, i) => {
      if (Option.isSome(manifest)) return [rowOf(manifest.value)]
      unreadable.push(part[i] ?? "")
      return []
    })
    yield* index.add(rows)
    runs += rows.length
  }
  let labels = 0
  for (const session of yield* bundles.labelled) {
    const { findings, observations } = yield* index.addLabels(yield* bundles.labels(session), () => Effect.void)
    labels += findings.length + observations.length
  }
  const missing = yield* removeMissing
  const removed = invalid + missing.removed
  yield* index.markComplete
  yield* bundles.sweep
  const rebuilt: IndexRebuilt = { runs, labels, unfiled: missing.unfiled, removed, unreadable, movedAside }
  return rebuilt
})

const removeMissing = Effect.gen(function* () {
  const index = yield* ArchiveIndex
  const bundles = yield* Bundles
  let removed = 0
  let unfiled = 0
  for (let after = ""; ; ) {
    const page = yield* index.page(everyRun, after, pageSize)
    unfiled += yield* keepLabels(page.map(({ session_id }) => session_id))
    const gone: Array<SessionId> = []
    for (const { session_id } of page) if (!(yield* bundles.exists(session_id))) gone.push(session_id)
    if (gone.length > 0) yield* index.removeRows(gone)
    removed += gone.length
    const last = page.at(-1)
    if (last === undefined) return { removed, unfiled }
    after = last.session_id
  }
})

/** Writes labels that are only in the index (other programs write no files) beside the bundles; returns how many. */
const keepLabels = Effect.fnUntraced(function* (sessions: ReadonlyArray<SessionId>) {
  const index = yield* ArchiveIndex
  const bundles = yield* Bundles
  const { findings, observations } = yield* index.labels(sessions, null)
  let written = 0
  for (const session of new Set([...observations, ...findings].map(({ session_id }) => session_id))) {
    const kept = yield* bundles.labels(session)
    const only = {
      observations: observations.filter(
        (each) => each.session_id === session && !kept.observations.some((other) => isSameObservation(each, other))
      ),
      findings: findings.filter(
        (each) =>
          each.session_id === session &&
          !kept.findings.some((other) => each.finding === other.finding && each.observed_at === other.observed_at)
      )
    }
    yield* bundles.addLabels(only)
    written += only.observations.length + only.findings.length
  }
  return written
})

/** Every run with its labels as of `asOf`, without later ones. */
export const exportRuns = Effect.fn("exportRuns")(function* <E, R>(
  filter: RunFilter,
  asOf: string | null,
  tell: (line: ExportedRun) => Effect.Effect<void, E, R>
) {
  const index = yield* ArchiveIndex
  const bundles = yield* Bundles
  let count = 0
  for (let after = ""; ; ) {
    // What a run is labelled now must not choose it for a day on which nobody knew.
    const page = yield* index.page({ ...filter, label: null, limit: null }, after, pageSize)
    const last = page.at(-1)
    if (last === undefined) return count
    after = last.session_id
    const then = page.filter(({ archived_at }) => asOf === null || archived_at <= asOf)
    const labels = yield* index.labels(
      then.map(({ session_id }) => session_id),
      asOf
    )
    for (const run of then) {
      const isOwn = ({ session_id }: { readonly session_id: string }) => session_id === run.session_id
      const manifest = Option.getOrNull(yield* bundles.manifest(run.session_id))
      const findings = Option.flatMap(yield* bundles.read(run.session_id, "findings.json"), decodeFindingsFile)
      const line = exportedRun(run, manifest?.outcome.composite_reward ?? null, Option.getOrNull(findings), {
        observations: labels.observations.filter(isOwn),
        findings: labels.findings.filter(isOwn)
      })
      if (filter.label !== null && outcomeOf(line.run.outcome_labels) !== filter.label) continue
      yield* tell(line)
      count++
    }
  }
})
