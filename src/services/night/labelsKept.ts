/**
 * A digest of the labels that the night began with; fails if the archive no longer has them all. Those given meanwhile are for the next
 * night.
 */
import { Effect, Schema } from "effect"
import { labelKey } from "../../domain/night/evidence/labelLog.ts"
import type { Ingested, LabelledReviews } from "./LabelledReviews.ts"

export class LabelsGone extends Schema.TaggedError<LabelsGone>()("LabelsGone", { gone: Schema.Int }) {
  override get message() {
    return `labels that the night began with are gone: ${this.gone}`
  }
}

export const labelsKept = (
  reader: LabelledReviews["Service"],
  { labels }: Ingested,
  digest: (text: string) => string
) =>
  Effect.gen(function* () {
    const known = [...new Set(labels.map(labelKey))].sort()
    const now = new Set((yield* reader.labels([...new Set(labels.map(({ session_id }) => session_id))])).map(labelKey))
    const gone = known.filter((key) => !now.has(key)).length
    if (gone > 0) return yield* new LabelsGone({ gone })
    return digest(known.join("\n"))
  })
