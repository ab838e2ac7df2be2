/**
 * The looks at the sealed reviews: at most one in a calendar month (UTC), and each is recorded, so that their figures stay free of what
 * nights decide by. Nothing is decided by a look.
 */
import { Option, Schema, Struct } from "effect"
import { Metric, type Metrics } from "./Fitness.ts"

export const SealedLook = Schema.Struct({
  /** RFC 3339. */
  at: Schema.String,
  run: Schema.String,
  generation: Schema.Int,
  /** Names the reviews: a digest of their labels. */
  sealed_set: Schema.String,
  metrics: Schema.Record(Schema.String, Metric)
})
export type SealedLook = typeof SealedLook.Type

export const sealedLooksNote = "sealed-looks.json"

/** With fewer labels, there is no look. */
export const leastSealed = 20

const Looks = Schema.fromJsonString(Schema.Struct({ version: Schema.Literal(1), looks: Schema.Array(SealedLook) }))
const decode = Schema.decodeUnknownOption(Looks)
const encode = Schema.encodeSync(Looks)

/** Null: the note is damaged, so it is not known when the last look was. */
export const readLooks = (text: string | null): ReadonlyArray<SealedLook> | null =>
  text === null ? [] : Option.getOrNull(Option.map(decode(text), ({ looks }) => looks))

export const writtenLooks = (looks: ReadonlyArray<SealedLook>): string => `${encode({ version: 1, looks })}\n`

/** `at`: RFC 3339. */
export const isLookDue = (looks: ReadonlyArray<SealedLook>, at: string): boolean =>
  !looks.some((look) => look.at.slice(0, 7) === at.slice(0, 7))

/** Those that are measured by reviews. */
export const ofReviews = (metrics: Metrics) => Struct.omit(metrics, ["evidence_integrity", "non_redundancy"])
