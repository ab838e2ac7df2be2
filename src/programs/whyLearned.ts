/** What was learned under an id or of a rule, with the labels it was learned from. Reads only. */
import { Effect, Option, Runtime, Schema } from "effect"
import type { RuleCalibration } from "../domain/finding/Calibration.ts"
import type { LabelRef, LearnedSuppression } from "../domain/finding/LearnedSuppression.ts"
import type { Generation, LearnedConvention, LearnedPlaybook } from "../domain/night/Generation.ts"
import type { FindingLabel } from "../domain/record/FindingLabel.ts"
import { type Outcome, winning } from "../domain/record/LabelObservation.ts"
import { decodeFindingsFile, numberedIn } from "../domain/review/FindingsFile.ts"
import { isSessionId } from "../domain/run/SessionId.ts"
import { isInFolder } from "../domain/text/foldersAbove.ts"
import { nearestFew } from "../domain/text/Suggestion.ts"
import { Corpus } from "../services/night/Corpus.ts"
import { LabelledReviews } from "../services/night/LabelledReviews.ts"
import { Bundles } from "../services/record/Bundles.ts"

export class NothingLearned extends Schema.TaggedError<NothingLearned>()("NothingLearned", {
  /** What the user asked about. */
  of: Schema.String,
  /** Of the corpus; 0: it is empty. */
  generation: Schema.Int,
  /** Ids and rules that were probably meant, or some that there are. */
  known: Schema.Array(Schema.String)
}) {
  override readonly [Runtime.errorExitCode] = 2
  override get message() {
    if (this.generation === 0) return "nothing was learned in this repository yet: dd dream start learns from labels"
    const known = this.known.length === 0 ? "" : `; there is ${this.known.join(", ")}`
    return `nothing was learned of ${this.of} in generation ${this.generation}${known}`
  }
}

export type LearnedItem =
  | ({ readonly kind: "suppression" } & LearnedSuppression)
  | ({ readonly kind: "convention" } & LearnedConvention)
  | ({ readonly kind: "playbook" } & LearnedPlaybook)
  | ({ readonly kind: "calibration" } & RuleCalibration)

/** A finding whose label something was learned from. Null: the archive no longer has it. */
export interface Evidence extends LabelRef {
  readonly title: string | null
  readonly file: string | null
  readonly line: number | null
  readonly label: string | null
  /** When it was given: UTC, ISO 8601. */
  readonly at: string | null
  readonly note: string | null
}

export interface Why {
  readonly generation: Generation
  readonly items: ReadonlyArray<{
    readonly item: LearnedItem
    /** The first kept generation that has it, and the kept one before that. Null: not known, or not kept. */
    readonly learnedIn: number | null
    readonly before: number | null
    /** The newest label first. */
    readonly evidence: ReadonlyArray<Evidence>
    /** Of a suppression or convention: all labels of such findings as of now. Null: it has no folder. */
    readonly labels: LabelCounts | null
  }>
}

export type LabelCounts = Readonly<Record<"accepted" | "contested" | "rejected", number>>

/** `asked`: an id, its beginning, or a rule. */
export const whyLearned = Effect.fn("whyLearned")(function* (asked: string) {
  const corpus = yield* Corpus
  const current = yield* corpus.current
  const all = itemsOf(current)
  const items = all.filter((item) => item.rule === asked || (asked !== "" && idOf(item)?.startsWith(asked)))
  if (items.length === 0) {
    const known = [...new Set(all.flatMap((item) => [idOf(item) ?? [], item.rule].flat()))]
    const near = nearestFew(asked, known)
    return yield* new NothingLearned({
      of: asked,
      generation: current.number,
      known: near.length > 0 ? near : known.slice(0, 5)
    })
  }
  const kept = yield* corpus.generations
  const evidenceOf = yield* evidenceReader
  const labels = yield* (yield* LabelledReviews).counted
  const why: Why = {
    generation: current,
    items: yield* Effect.forEach(items, (item) =>
      Effect.map(evidenceOf(item.evidence ?? []), (evidence) => ({
        item,
        ...firstOf(item, kept),
        evidence,
        labels: "folder" in item ? countsOf(labels, item) : null
      }))
    )
  }
  return why
})

const countsOf = (
  labels: ReadonlyArray<FindingLabel>,
  { folder, rule }: { readonly folder: string; readonly rule: string }
): LabelCounts => {
  const own = labels.filter((each) => each.rule === rule && isInFolder(each.file, folder))
  const given = (verdict: Outcome) => own.filter((each) => each.verdict === verdict).length
  return { accepted: given("accepted"), contested: given("contested"), rejected: given("rejected") }
}

/** All of it: suppressions, conventions, playbooks, calibration. */
export const itemsOf = ({
  calibration,
  conventions,
  playbooks,
  suppressions
}: Generation): ReadonlyArray<LearnedItem> => [
  ...suppressions.map((each) => ({ kind: "suppression" as const, ...each })),
  ...conventions.map((each) => ({ kind: "convention" as const, ...each })),
  ...playbooks.map((each) => ({ kind: "playbook" as const, ...each })),
  ...calibration.map((each) => ({ kind: "calibration" as const, ...each }))
]

/** Null: a calibration that an older dd made. */
const idOf = ({ id }: LearnedItem): string | null => id ?? null

const firstOf = (item: LearnedItem, kept: ReadonlyArray<Generation>) => {
  const id = idOf(item)
  if (id === null) return { learnedIn: null, before: null }
  // A rollback may have removed it in between: what counts is since when it has been there without a break.
  const without = kept.findIndex((generation) => !itemsOf(generation).some((each) => idOf(each) === id))
  const since = without === -1 ? kept.at(-1) : kept[without - 1]
  if (since === undefined || (without === -1 && since.number > 1)) return { learnedIn: null, before: null }
  return { learnedIn: since.number, before: kept[without]?.number ?? 0 }
}

const evidenceReader = Effect.gen(function* () {
  const bundles = yield* Bundles
  const read = Effect.fnUntraced(function* (session: string, refs: ReadonlyArray<LabelRef>) {
    const findings = isSessionId(session)
      ? Option.match(Option.flatMap(yield* bundles.read(session, "findings.json"), decodeFindingsFile), {
          onNone: () => [],
          onSome: numberedIn
        })
      : []
    const labels = isSessionId(session) ? (yield* bundles.labels(session)).findings : []
    return refs.map(({ finding }): Evidence => {
      const found = findings.find(({ id }) => id === finding)
      const label = winning(labels.filter((each) => each.finding === finding))
      return {
        session,
        finding,
        title: found?.title ?? null,
        file: found?.file ?? label?.file ?? null,
        line: found?.line ?? label?.line ?? null,
        label: label?.verdict ?? null,
        at: label?.observed_at ?? null,
        note: label?.note ?? null
      }
    })
  })
  return (refs: ReadonlyArray<LabelRef>) =>
    Effect.map(
      Effect.forEach(
        Map.groupBy(refs, ({ session }) => session),
        ([session, own]) => read(session, own),
        {
          concurrency: 16
        }
      ),
      (found) => found.flat().toSorted((a, b) => timeOf(b) - timeOf(a))
    )
})

const timeOf = ({ at }: Evidence): number => (at === null ? 0 : Date.parse(at))
