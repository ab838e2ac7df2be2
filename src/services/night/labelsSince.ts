/**
 * Has the archive all labels that earlier nights read? Fails if one is lost; what was removed with its review is named. Then the labels of
 * this night are remembered, too. Under the lock.
 */
import { Effect, Runtime, Schema } from "effect"
import {
  labelLogNote,
  labelLogOf,
  type MissingLabels,
  missingFrom,
  readLabelLog,
  writtenLabelLog
} from "../../domain/night/evidence/labelLog.ts"
import { plural } from "../../domain/text/plural.ts"
import { Corpus } from "./Corpus.ts"
import type { Ingested } from "./LabelledReviews.ts"

export class LabelsLost extends Schema.TaggedError<LabelsLost>()("LabelsLost", {
  project: Schema.String,
  lost: Schema.Array(Schema.Struct({ session: Schema.String, labels: Schema.Int }))
}) {
  override readonly [Runtime.errorExitCode] = 3
  override get message() {
    return `labels that an earlier night read are gone or changed, although labels are only added: ${listed(this.lost)}`
  }

  get remedy() {
    const files = firstOf(this.lost.map(({ session }) => `labels/${session}.jsonl`)).join(", ")
    return `Restore ${files} of the archive from a backup, move its index.db away, run \`dd archive rebuild-index\`, then \`dd dream start\`; to go on without these labels, remove notes/${labelLogNote} of learned/${this.project} in dd's own directory (~/.daydream, or DD_HOME).`
  }
}

export const labelsSince = Effect.fn("labelsSince")(function* (
  { labels, reviews, unreadable }: Ingested,
  digest: (text: string) => string
) {
  const corpus = yield* Corpus
  const log = readLabelLog(yield* corpus.note(labelLogNote))
  const now = labelLogOf(labels, digest)
  const archived = new Set([...reviews.map(({ session }) => session), ...unreadable])
  const { lost, removed } = missingFrom(log ?? {}, now, archived)
  if (lost.length > 0) return yield* new LabelsLost({ project: corpus.project, lost })
  yield* corpus.setNote(labelLogNote, writtenLabelLog(now))
  return {
    notes:
      removed.length === 0
        ? []
        : [
            `${plural(removed.length, "labelled review was", "labelled reviews were")} removed from the archive since the last night; what only their labels support ends: ${listed(removed)}`
          ],
    degraded:
      log === null ? [`${labelLogNote} could not be read: whether labels of earlier nights are gone is not known`] : []
  }
})

const mostNamed = 5

const firstOf = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.length > mostNamed ? [...names.slice(0, mostNamed), `${names.length - mostNamed} more`] : names

const listed = (missing: ReadonlyArray<MissingLabels>): string =>
  firstOf(missing.map(({ labels, session }) => `${plural(labels, "label")} of ${session}`)).join(", ")
