/** Measures what counts after a night on the sealed reviews, if a look is due, and records the look before its figures are given. */
import { Clock, Effect, Schema } from "effect"
import type { Generation } from "../../domain/night/Generation.ts"
import type { LabelledReview } from "../../domain/night/LabelledReview.ts"
import { type MeasureContext, measure } from "../../domain/night/measure.ts"
import { utc } from "../../domain/night/Summary.ts"
import {
  isLookDue,
  leastSealed,
  ofReviews,
  readLooks,
  sealedLooksNote,
  writtenLooks
} from "../../domain/night/sealedLooks.ts"
import { identityOf, isJudged } from "../../domain/night/split.ts"
import { Corpus } from "./Corpus.ts"

export class LooksUnreadable extends Schema.TaggedError<LooksUnreadable>()("LooksUnreadable", {}) {
  override get message() {
    return `${sealedLooksNote} could not be read: the sealed reviews are not looked at until it is removed`
  }
}

export const lookAtSealed = Effect.fn("lookAtSealed")(function* (
  run: string,
  generation: Generation,
  sealed: ReadonlyArray<LabelledReview>,
  context: Omit<MeasureContext, "now">,
  digest: (text: string) => string
) {
  const corpus = yield* Corpus
  const now = yield* Clock.currentTimeMillis
  const looks = readLooks(yield* corpus.note(sealedLooksNote))
  if (looks === null) return yield* new LooksUnreadable()
  const labels = sealed.flatMap(({ findings }) => findings).filter(isJudged).length
  const isEnough = labels >= leastSealed
  const found = (all: typeof looks) => ({
    ...{ state: isEnough ? ("ok" as const) : ("insufficient" as const), labels },
    look: all.at(-1) ?? null
  })
  if (!isEnough || !isLookDue(looks, utc(now))) return found(looks)
  const { metrics } = measure(generation, sealed, { ...context, now })
  const look = {
    ...{ at: utc(now), run, generation: generation.number, metrics: ofReviews(metrics) },
    sealed_set: digest(identityOf(sealed)).slice(0, 16)
  }
  const all = [...looks, look]
  yield* corpus.setNote(sealedLooksNote, writtenLooks(all))
  return found(all)
})
