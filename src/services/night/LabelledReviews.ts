/**
 * The archived reviews of a repository with the labels of their findings, read from the files of the labels: the index repeats them, and
 * may be wrong. Reads only; a review whose files cannot be read is named and left out, with its labels.
 *
 * Labels of people count. What a program or later commits say is a weak label.
 */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { repoSlug } from "../../domain/change/remote/repoSlug.ts"
import type { LabelledFinding, LabelledReview } from "../../domain/night/LabelledReview.ts"
import type { ArchivedRun } from "../../domain/record/ArchivedRun.ts"
import type { FindingLabel } from "../../domain/record/FindingLabel.ts"
import { winning } from "../../domain/record/LabelObservation.ts"
import { everyRun } from "../../domain/record/RunFilter.ts"
import { decodeFindingsFile, type FindingsFile, numberedIn, suppressedIn } from "../../domain/review/FindingsFile.ts"
import { compareText } from "../../domain/text/compareText.ts"
import { Git } from "../change/Git.ts"
import type { Repository } from "../change/openRepository.ts"
import { type ArchiveError, ArchiveIndex } from "../record/ArchiveIndex.ts"
import { Bundles } from "../record/Bundles.ts"
import { Redactor } from "../secret/Redactor.ts"

export interface Ingested {
  /** By time, the oldest first. */
  readonly reviews: ReadonlyArray<LabelledReview>
  /** Sessions whose findings cannot be read, or are not those that people labelled. */
  readonly unreadable: ReadonlyArray<string>
  /** Every label of the findings of `reviews`, of whomever. */
  readonly labels: ReadonlyArray<FindingLabel>
  /** Findings whose labels of people disagree. */
  readonly conflicting: number
  /** Labels that are left out because they are dated later than now: the clock was set back, or somebody else wrote them. */
  readonly ahead: number
}

export class LabelledReviews extends Context.Service<
  LabelledReviews,
  {
    readonly read: Effect.Effect<Ingested, ArchiveError>
    /** Of these findings; every label that the archive has, the oldest first. */
    readonly labels: (sessions: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<FindingLabel>>
    /** The label of each finding that counts now, without reading the reviews. */
    readonly counted: Effect.Effect<ReadonlyArray<FindingLabel>, ArchiveError>
  }
>()("dd/services/night/LabelledReviews") {
  /** Of one repository: its working trees, and clones with the same `owner/name`. */
  static readonly layer = (repository: Repository, roots: ReadonlyArray<string>) =>
    Layer.effect(
      LabelledReviews,
      Effect.gen(function* () {
        const index = yield* ArchiveIndex
        const bundles = yield* Bundles
        const git = yield* Git
        const redactor = yield* Redactor
        const slug = repository.remoteUrl === null ? null : repoSlug(repository.remoteUrl)
        const names = [...(slug === null ? [] : [slug]), ...roots.map(redactor.text)]

        const labels = Effect.fnUntraced(function* (sessions: ReadonlyArray<string>) {
          const asked = new Set(sessions)
          const labelled = (yield* bundles.labelled).filter((session) => asked.has(session))
          const found = yield* Effect.forEach(labelled, bundles.labels, { concurrency: 16 })
          return found
            .flatMap(({ findings }) => findings)
            .toSorted((a, b) => compareText(a.observed_at, b.observed_at) || compareText(a.session_id, b.session_id))
        })

        const runs = Effect.map(
          Effect.forEach(names, (repo) => index.list({ ...everyRun, repo })),
          (found) =>
            [...new Map(found.flat().map((run) => [run.session_id, run])).values()].toSorted(
              (a, b) => compareText(a.archived_at, b.archived_at) || compareText(a.session_id, b.session_id)
            )
        )

        const read = Effect.gen(function* () {
          const all = yield* runs
          const known = yield* labels(all.map(({ session_id }) => session_id))
          const now = yield* Clock.currentTimeMillis
          const given = Map.groupBy(
            known.filter((each) => !isAhead(each, now)),
            ({ session_id }) => session_id
          )
          const fateOf = yield* fatesSince(git, repository, all)
          const unreadable: Array<string> = []
          const reviews: Array<LabelledReview> = []
          let conflicting = 0
          for (const page of inPages(all)) {
            const files = yield* Effect.forEach(page, ({ session_id }) => bundles.read(session_id, "findings.json"), {
              concurrency: 16
            })
            for (const [at, run] of page.entries()) {
              const text = files[at]!
              const file = Option.getOrNull(Option.flatMap(text, decodeFindingsFile))
              const own = given.get(run.session_id) ?? []
              if (file === null) {
                // A run that was stopped has no findings, and one without its files was removed.
                const isDamaged = Option.isSome(text) || (own.length > 0 && (yield* bundles.exists(run.session_id)))
                if (isDamaged) unreadable.push(run.session_id)
                continue
              }
              if (!own.every((label) => isOf(file, label))) {
                unreadable.push(run.session_id)
                continue
              }
              conflicting += conflicts(own)
              reviews.push(yield* reviewOf(run, file, own, fateOf))
            }
          }
          const ahead = known.filter((each) => isAhead(each, now)).length
          const readable = new Set<string>(reviews.map(({ session }) => session))
          const read = known.filter(({ session_id }) => readable.has(session_id))
          return { reviews, unreadable, labels: read, conflicting, ahead }
        }).pipe(Effect.withSpan("LabelledReviews.read"))

        const counted = Effect.gen(function* () {
          const known = yield* labels((yield* runs).map(({ session_id }) => session_id))
          const now = yield* Clock.currentTimeMillis
          return newestOf(known.filter((each) => byPerson(each) && !isAhead(each, now)))
        })

        return LabelledReviews.of({ read, labels, counted })
      })
    )
}

const pageSize = 500

const inPages = <A>(all: ReadonlyArray<A>): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(all.length / pageSize) }, (_, at) => all.slice(at * pageSize, (at + 1) * pageSize))

const conflicts = (labels: ReadonlyArray<FindingLabel>): number =>
  [...Map.groupBy(labels.filter(byPerson), ({ finding }) => finding).values()].filter(
    (own) => new Set(own.map(({ verdict }) => verdict)).size > 1
  ).length

/** Is it dated later than now? It may be true from a later time only. */
const isAhead = ({ observed_at, valid_at }: FindingLabel, now: number): boolean =>
  [observed_at, valid_at].some((at) => Date.parse(at) > now)

/** A finding that several reviews repeat counts once, with its newest label. */
const newestOf = (labels: ReadonlyArray<FindingLabel>): ReadonlyArray<FindingLabel> => {
  const findings = Map.groupBy(labels, ({ finding, fingerprint, session_id }) =>
    fingerprint === "" ? `${session_id} ${finding}` : fingerprint
  )
  return [...findings.values()].flatMap((own) => winning(own) ?? [])
}

/** Is the finding still the one that the label was given to? */
const isOf = (file: FindingsFile, { finding, rule }: FindingLabel): boolean =>
  numberedIn(file).some((found) => found.id === finding && found.rule === rule)

const byPerson = ({ source }: FindingLabel): boolean => source === "human"

const reviewOf = Effect.fnUntraced(function* (
  run: ArchivedRun,
  file: FindingsFile,
  labels: ReadonlyArray<FindingLabel>,
  fateOf: FateOf
) {
  const { findings, fix } = file
  const humanOf = ({ id }: Found) => winning(labels.filter((each) => each.finding === id && byPerson(each)))
  // Nobody is asked for a label of what is hidden, but one that is given counts.
  const hidden = suppressedIn(file).filter((found) => judged(humanOf(found)) !== null)
  const hiders = new Map(hidden.map(({ id, learned }) => [id, learned ?? null]))
  const tests = fix?.tests ?? null
  const command = tests?.command ?? null
  const green = tests === null || command === null ? null : tests.comparison
  const review: LabelledReview = {
    session: run.session_id,
    at: Date.parse(run.archived_at),
    changedFiles: filesIn(run.changed_files),
    check: command,
    hiddenBy: file.suppressed.flatMap(({ learned }) => learned ?? []),
    findings: yield* Effect.forEach([...findings, ...hidden], (found) =>
      Effect.gen(function* () {
        const human = humanOf(found)
        const automatic = winning(labels.filter((each) => each.finding === found.id && !byPerson(each)))
        const fate = yield* fateOf(run, found)
        const outcome = fix?.outcomes.find(({ id }) => id === found.id)
        const tried =
          outcome?.status === "resolved" && (green === "green" || green === "not-worse" || green === "worse")
        const labelled: LabelledFinding = {
          finding: found.id,
          rule: found.rule,
          title: found.title,
          file: found.file,
          line: found.line,
          severity: found.severity,
          fingerprint: found.fingerprint,
          by: found.source === "static" ? "static" : (run.model ?? run.backend),
          hiddenBy: hiders.get(found.id) ?? null,
          isGone: fate !== "there",
          judgement: judged(human),
          judgedAt: human === null || judged(human) === null ? null : Date.parse(human.observed_at),
          weak: judged(automatic) ?? (fate === "changed" ? "accepted" : null),
          fixed: !tried ? null : green === "worse" ? "failed" : "passed"
        }
        return labelled
      })
    )
  }
  return review
})

const judged = (label: FindingLabel | null): LabelledFinding["judgement"] =>
  label === null || label.verdict === "unknown" ? null : label.verdict

const filesIn = (json: string | null): ReadonlyArray<string> => {
  if (json === null) return []
  try {
    const files: unknown = JSON.parse(json)
    return Array.isArray(files) ? files.filter((file) => typeof file === "string") : []
  } catch {
    return []
  }
}

type Found = FindingsFile["findings"][number]
/** `changed`: its line is no longer in its file; `gone`: the file is not there. `there`, too, where nothing is known. */
type FateOf = (run: ArchivedRun, finding: Found) => Effect.Effect<"there" | "changed" | "gone">

/** Of so many of the newest reviews; each needs a listing of its commit. */
const mostCommits = 40

/**
 * What became of the line of a finding at HEAD. If it is no longer in its file, somebody changed what it speaks of. Where the commit of a
 * review is not known, only whether its file is there.
 */
const fatesSince = Effect.fnUntraced(function* (
  git: Git["Service"],
  repository: Repository,
  runs: ReadonlyArray<ArchivedRun>
) {
  const head = repository.head.sha
  const newest = new Set(
    [...new Set(runs.flatMap(({ head_sha }) => head_sha ?? []))].filter((sha) => sha !== head).slice(-mostCommits)
  )
  const treeOf = (sha: string) =>
    Effect.map(
      Effect.option(git.lsTree(repository, sha)),
      (entries) => new Map(Option.getOrElse(entries, () => []).map(({ oid, path }) => [path, oid]))
    )
  const now = head === null ? new Map<string, string>() : yield* treeOf(head)
  const linesOf = (oid: string) =>
    Effect.map(Effect.option(git.readBlobs(repository, [oid], largestFile)), (blobs) => {
      const blob = Option.getOrNull(blobs)?.get(oid)
      return blob?._tag === "Found" ? new TextDecoder().decode(blob.bytes).split("\n") : null
    })
  // The findings of a review follow each other.
  let last = { sha: "", tree: now }
  const fateOf: FateOf = Effect.fnUntraced(function* ({ head_sha }, { file, line }) {
    const after = now.get(file)
    // The file of a review of HEAD may not be committed yet.
    if (head_sha === null || head_sha === head || now.size === 0) return "there"
    if (!newest.has(head_sha)) return after === undefined ? "gone" : "there"
    if (last.sha !== head_sha) last = { sha: head_sha, tree: yield* treeOf(head_sha) }
    const before = last.tree.get(file)
    if (after === undefined) return before === undefined ? "there" : "gone"
    if (before === undefined || before === after || line === 0) return "there"
    const text = (yield* linesOf(before))?.[line - 1]?.trim() ?? ""
    const left = yield* linesOf(after)
    return text !== "" && left !== null && !left.some((each) => each.trim() === text) ? "changed" : "there"
  })
  return fateOf
})

/** In bytes. */
const largestFile = 1 << 20
