/**
 * The artifacts of a review, with their names and shapes, on top of `Artifacts`.
 *
 * Secrets are masked before anything is written. A file that cannot be written is degraded, never a failed
 * review; one that a resumed review needs and lacks is an error that names the earlier `--start-at`.
 */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { Digest, sha256 } from "effect/crypto/Digest"
import type { Contested } from "../../domain/agent/Task.ts"
import type { Change } from "../../domain/change/Change.ts"
import { Degraded, withoutKnown } from "../../domain/change/Degraded.ts"
import type { Exploration } from "../../domain/code/Exploration.ts"
import type { Stack } from "../../domain/code/Stack.ts"
import type { Alternative } from "../../domain/finding/Alternative.ts"
import type { DedupCandidates } from "../../domain/finding/DedupCandidates.ts"
import type { Dropped } from "../../domain/finding/Finding.ts"
import type { MergedItem } from "../../domain/finding/MergedItem.ts"
import { renderReport } from "../../domain/finding/report.ts"
import type { StackRecords, StackReport } from "../../domain/finding/StackReport.ts"
import type { RunState } from "../../domain/review/RunState.ts"
import type { StartAt } from "../../domain/run/ReviewPlan.ts"
import { concatBytes } from "../../domain/text/concatBytes.ts"
import { Budget } from "../agent/Budget.ts"
import { Sources } from "../change/Sources.ts"
import { RuleSet } from "../finding/RuleSet.ts"
import { FailPolicy } from "../run/FailPolicy.ts"
import { Redactor } from "../secret/Redactor.ts"
import { Artifacts } from "./Artifacts.ts"
import { explorationFiles } from "./explorationFiles.ts"
import { fixFileNames, verdictsName } from "./fixFiles.ts"
import { redactedPatch } from "./redactedPatch.ts"
import {
  arbiterInput,
  droppedFile,
  droppedOf,
  itemOf,
  StoredAlternatives,
  StoredCoverage,
  StoredDropped,
  StoredFailures,
  StoredItems,
  StoredRecords,
  StoredReviewers,
  StoredVerdicts,
  storedItem,
  verdictsOf
} from "./storedReview.ts"

export class ResumeImpossible extends Schema.TaggedError<ResumeImpossible>()("ResumeImpossible", {
  startAt: Schema.String,
  /** Null: the earlier review is of something else. */
  missing: Schema.NullOr(Schema.String),
  /** The start point that makes what is missing. */
  earlier: Schema.String
}) {
  override get message() {
    const why =
      this.missing === null
        ? "cannot use the earlier review: its diff, its files (PATH, ignored paths) or its rules were different"
        : `needs ${this.missing} of an earlier review of this change`
    return `--start-at ${this.startAt} ${why}; start at ${this.earlier}`
  }
}

/** What an earlier review of the same change left. */
export type Resumed = Pick<
  RunState,
  | "intent"
  | "alternatives"
  | "records"
  | "items"
  | "coverage"
  | "reviewers"
  | "failures"
  | "dropped"
  | "refused"
  | "omitted"
  | "stopped"
  | "arbitrated"
  | "verdicts"
>

/** The stages that write artifacts, in order. A resumed review uses the artifacts of the first ones and repeats the others. */
const stages = ["intent", "alternatives", "reviews", "records", "arbitration", "merged"] as const
type StageName = (typeof stages)[number]

/** What a stage could not do. A resumed review that uses its artifacts reports it as well. */
const Stage = Schema.Struct({
  degraded: Schema.Array(Degraded),
  omitted: Schema.Array(Schema.String),
  /** Had the budget stopped the review by then? */
  stopped: Schema.Boolean
})
const StoredStages = Schema.fromJsonString(Schema.Record(Schema.Literals(stages), Schema.optionalKey(Stage)))
type Stages = typeof StoredStages.Type
const stagesText = Schema.encodeSync(StoredStages)

type Reviewed = Pick<RunState, "coverage" | "failures" | "reviewers">

export class ReviewFiles extends Context.Service<
  ReviewFiles,
  {
    /** Clears what an earlier review left and writes the diff with the key of the diff, its files and the rules. */
    readonly begin: (change: Change) => Effect.Effect<void>
    readonly exploration: (exploration: Exploration) => Effect.Effect<void>
    readonly intent: (intent: string) => Effect.Effect<void>
    readonly alternatives: (alternatives: ReadonlyArray<Alternative>) => Effect.Effect<void>
    readonly reports: (reports: ReadonlyArray<StackReport>, state: Reviewed) => Effect.Effect<void>
    /** The records of the stacks, after a parse that may have failed for some of them. */
    readonly parsed: (state: Reviewed & Pick<RunState, "records">) => Effect.Effect<void>
    /** The records after the arbiter; the marker that they are final only when it decided on all it was asked about. */
    readonly arbitration: (
      contested: ReadonlyArray<Contested>,
      isComplete: boolean,
      state: Pick<RunState, "records" | "dropped">
    ) => Effect.Effect<void>
    readonly merged: (
      items: ReadonlyArray<MergedItem>,
      candidates: DedupCandidates | null,
      dropped: ReadonlyArray<Dropped>
    ) => Effect.Effect<void>
    readonly resume: (
      change: Change,
      startAt: StartAt,
      stacks: ReadonlyArray<Stack>
    ) => Effect.Effect<Resumed, ResumeImpossible>
  }
>()("dd/services/review/ReviewFiles") {
  static readonly layer = Layer.effect(
    ReviewFiles,
    Effect.gen(function* () {
      const artifacts = yield* Artifacts
      const onFailure = yield* FailPolicy
      const digest = yield* Digest
      const redactor = yield* Redactor
      const { rules } = yield* RuleSet
      const sources = yield* Sources

      const put = (name: string, content: string | Uint8Array) =>
        artifacts.write(name, content).pipe(onFailure.open("artifacts", undefined))
      const remove = (name: string) => artifacts.remove(name).pipe(onFailure.open("artifacts", undefined))
      const putText = (name: string, text: string) => put(name, redactor.text(text))
      const putJson = (name: string, value: unknown) => put(name, `${JSON.stringify(redactor.value(value), null, 2)}\n`)

      /** A resumed review writes over an earlier one's files: anything it does not produce must not remain from the earlier one. */
      const putOrRemove = (name: string, value: object | null) => (value === null ? remove(name) : putJson(name, value))

      /** What each stage could not do, how many degraded entries have been noted, and the text on disk. */
      let kept: Stages = {}
      let reported = 0
      let stored = "{}"

      /** Called before a stage's artifacts are written, because a resume needs it. */
      const note = Effect.fnUntraced(function* (stage: StageName, omitted: ReadonlyArray<string> = []) {
        const all = yield* onFailure.degraded
        const noted = Object.values(kept).flatMap(({ degraded }) => degraded)
        const unread = withoutKnown(yield* sources.failures, [...noted, ...all])
        const before = kept[stage]
        const now = {
          degraded: [...(before?.degraded ?? []), ...all.slice(reported), ...unread],
          omitted: [...(before?.omitted ?? []), ...omitted],
          stopped: before?.stopped === true || (yield* (yield* Budget).stopped)
        }
        reported = all.length
        if (now.degraded.length + now.omitted.length > 0 || now.stopped) kept = { ...kept, [stage]: now }
        const text = stagesText(kept)
        if (text === stored) return
        stored = text
        // If this review is killed before it merges, items of an earlier review would not match this file.
        yield* remove("deep/merged-items.json")
        yield* putJson(incompleteFile, kept)
      })

      const putReviewed = Effect.fnUntraced(function* ({ coverage, failures, reviewers }: Reviewed) {
        const failed = Object.keys(failures).length > 0
        yield* putOrRemove("deep/per-stack-failures.json", failed ? sortedByKey(failures) : null)
        yield* putJson("deep/reviewers.json", reviewers)
        yield* putJson("deep/coverage.json", coverage)
      })

      /** What was made of earlier reviews of this change: records of a stack that failed this time would stand for it. */
      const forgetReviews = Effect.gen(function* () {
        const names = yield* artifacts.list("deep").pipe(onFailure.open("artifacts", []))
        for (const name of names.filter((each) => !understood.has(each))) yield* remove(`deep/${name}`)
      })

      /** A review of other files of the same diff, or with other rules, is another review. */
      const keyOf = ({ diff, patch }: Change) => {
        const scope = JSON.stringify([diff.files.map(({ path }) => path), rules.map(({ id }) => id)])
        return digest.digestHex(sha256, concatBytes([new TextEncoder().encode(scope), patch]))
      }

      const begin = Effect.fn("ReviewFiles.begin")(function* (change: Change) {
        if (artifacts.directory === null) return
        for (const name of ["deep", "exploration", ...fixFileNames]) yield* remove(name)
        yield* put("diff.patch", yield* redactedPatch(change.patch, redactor.inPieces()))
        yield* put("deep/diff-key", `${yield* keyOf(change)}\n`)
        reported = (yield* onFailure.degraded).length
      })

      const resume = Effect.fn("ReviewFiles.resume")(function* (
        change: Change,
        startAt: StartAt,
        stacks: ReadonlyArray<Stack>
      ) {
        const impossible = (missing: string | null, earlier: StartAt) =>
          new ResumeImpossible({ startAt, missing, earlier })
        /** None when it is absent. An artifact that cannot be read counts as missing. */
        const read = Effect.fnUntraced(function* (name: string, earlier: StartAt) {
          return yield* artifacts
            .read(name)
            .pipe(Effect.mapError(({ reason }) => impossible(`${name} (which could not be read: ${reason})`, earlier)))
        })
        const find = Effect.fnUntraced(function* <A>(name: string, schema: Schema.Codec<A, string>, earlier: StartAt) {
          const text = yield* read(name, earlier)
          if (Option.isNone(text)) return null
          return yield* Schema.decodeEffect(schema)(text.value).pipe(
            Effect.mapError(() => impossible(`${name} (which is damaged)`, earlier))
          )
        })
        const need = Effect.fnUntraced(function* <A>(name: string, schema: Schema.Codec<A, string>, earlier: StartAt) {
          return (yield* find(name, schema, earlier)) ?? (yield* impossible(name, earlier))
        })

        const key = yield* read("deep/diff-key", "review")
        if (Option.isNone(key)) return yield* impossible("deep/diff-key", "review")
        if (!/^[0-9a-f]{64}\n$/.test(key.value)) return yield* impossible("deep/diff-key (which is damaged)", "review")
        if (key.value.trim() !== (yield* keyOf(change))) return yield* impossible(null, "review")
        const isArbitrated = Option.isSome(yield* read(marker, "per-stack"))
        const repeated: Record<StartAt, StageName | null> = {
          review: "intent",
          "per-stack": "reviews",
          merge: isArbitrated ? "merged" : "arbitration",
          fix: null
        }
        const first = repeated[startAt]
        const taken = first === null ? stages : stages.slice(0, stages.indexOf(first))
        const all = (yield* find(incompleteFile, StoredStages, "review")) ?? {}
        stored = stagesText(all)
        kept = Object.fromEntries(taken.flatMap((stage) => (all[stage] === undefined ? [] : [[stage, all[stage]]])))
        const incomplete = taken.flatMap((stage) => all[stage] ?? [])
        for (const each of incomplete.flatMap(({ degraded }) => degraded)) yield* onFailure.degrade(each)
        reported = (yield* onFailure.degraded).length
        const known: Resumed = {
          intent: "",
          alternatives: [],
          records: [],
          items: [],
          coverage: [],
          reviewers: [],
          failures: {},
          dropped: [],
          refused: [],
          omitted: incomplete.flatMap(({ omitted }) => omitted),
          stopped: incomplete.some(({ stopped }) => stopped),
          arbitrated: new Set(),
          verdicts: new Map()
        }
        const reviewed = Effect.gen(function* () {
          const failures = yield* find("deep/per-stack-failures.json", StoredFailures, "per-stack")
          const dropped = yield* find(arbiterDropped, StoredDropped, "per-stack")
          const verified = yield* find(verdictsName, StoredVerdicts, "per-stack")
          return {
            ...known,
            coverage: yield* need("deep/coverage.json", StoredCoverage, "per-stack"),
            reviewers: yield* need("deep/reviewers.json", StoredReviewers, "per-stack"),
            failures: failures ?? {},
            verdicts: verified === null ? new Map() : verdictsOf(verified),
            dropped: dropped?.dropped_items.map(droppedOf) ?? []
          }
        })
        if (startAt === "fix") {
          const { items } = yield* need("deep/merged-items.json", StoredItems, "merge")
          const refused = yield* find("deep/dropped-speculative.json", StoredDropped, "merge")
          return {
            ...(yield* reviewed),
            intent: (yield* find("deep/intent.md", Schema.String, "review")) ?? "",
            items: items.map(itemOf),
            refused: refused?.dropped_items.map(droppedOf) ?? []
          }
        }
        const intent = yield* need("deep/intent.md", Schema.String, "review")
        const alternatives = yield* need("deep/alternatives.json", StoredAlternatives, "review")
        if (startAt !== "merge") return { ...known, intent, alternatives }

        const earlier = yield* reviewed
        const records: Array<StackRecords> = []
        for (const stack of stacks) {
          const name = recordsFile(stack.name)
          const found = yield* find(name, StoredRecords, "per-stack")
          if (found !== null) records.push({ stack, records: found })
          else if (!(stack.name in earlier.failures)) return yield* impossible(name, "per-stack")
        }
        const names = yield* artifacts.list("deep").pipe(Effect.mapError(({ name }) => impossible(name, "per-stack")))
        const expected = new Set(stacks.map(({ name }) => recordsFile(name)))
        const foreign = names.find(
          (name) => /^stack-(?!ext-).+-records\.json$/.test(name) && !expected.has(`deep/${name}`)
        )
        // Claims of a stack that is not planned any more would be lost, although its files count as reviewed.
        if (foreign !== undefined) {
          return yield* impossible(`other stacks than those of deep/${foreign}`, "per-stack")
        }
        const isThere = ({ record, stack }: Dropped) =>
          records.some(
            (each) =>
              each.stack.name === stack &&
              each.records.some(({ description, id }) => id === record.id && description === record.description)
          )
        return {
          ...earlier,
          intent,
          alternatives,
          records,
          // Where the first review was killed while it wrote the verdicts, a record that is still there was not dropped.
          dropped: earlier.dropped.filter((each) => !isThere(each)),
          arbitrated: new Set(isArbitrated ? records.map(({ stack }) => stack.name) : [])
        }
      })

      const putRecords = (all: ReadonlyArray<StackRecords>) =>
        Effect.forEach(all, ({ records, stack }) => putJson(recordsFile(stack.name), records), { discard: true })

      return ReviewFiles.of({
        begin,
        resume,
        exploration: (exploration) =>
          Effect.forEach(explorationFiles(exploration), ([name, text]) => putText(`exploration/${name}`, text), {
            discard: true
          }),
        intent: (intent) => Effect.andThen(note("intent"), putText("deep/intent.md", intent)),
        alternatives: (alternatives) =>
          Effect.andThen(note("alternatives"), putJson("deep/alternatives.json", alternatives)),
        reports: Effect.fnUntraced(function* (reports, state) {
          yield* forgetReviews
          const omitted = reports.flatMap((report) => report.omitted)
          yield* note("reviews", omitted)
          for (const { stack, review } of reports.filter(({ stack }) => state.failures[stack.name] === undefined))
            yield* putText(`deep/stack-${fileName(stack.name)}-review.md`, review)
          yield* putReviewed(state)
        }),
        parsed: Effect.fnUntraced(function* (state) {
          yield* note("records")
          yield* putReviewed(state)
          yield* putRecords(state.records)
        }),
        arbitration: Effect.fnUntraced(function* (contested, isComplete, { dropped, records }) {
          yield* note("arbitration")
          yield* putOrRemove("deep/arbiter-input.json", contested.length > 0 ? contested.map(arbiterInput) : null)
          yield* putOrRemove(arbiterDropped, dropped.length > 0 ? droppedFile(dropped) : null)
          yield* putRecords(records)
          if (isComplete) yield* put(marker, "")
        }),
        merged: Effect.fnUntraced(function* (items, candidates, dropped) {
          yield* note("merged")
          yield* putOrRemove("deep/dedup-candidates.json", candidates)
          yield* putOrRemove("deep/dropped-speculative.json", dropped.length > 0 ? droppedFile(dropped) : null)
          yield* putJson("deep/merged-items.json", { items: items.map(storedItem) })
          yield* putText("deep/review-output.md", renderReport(items))
        })
      })
    })
  )
}

/** What is in `deep/` before anybody reviews. */
const understood: ReadonlySet<string> = new Set(["diff-key", "intent.md", "alternatives.json", "incomplete.json"])

const incompleteFile = "deep/incomplete.json"
const arbiterDropped = "deep/arbiter-dropped.json"
const marker = "deep/arbiter-complete.marker"

/** A stack name from an extension may hold anything; a file name may not. */
const fileName = (stack: string): string => stack.replace(/[^A-Za-z0-9._-]+/g, "-")
const recordsFile = (stack: string): string => `deep/stack-${fileName(stack)}-records.json`

const sortedByKey = (record: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))
