/**
 * Has the archive all labels that earlier nights read, and the findings they are of? Fails if one is lost; what was removed with its
 * review is named. Then the labels of this night are remembered, too. Under the lock.
 */
import { Effect, Option, Runtime, Schema } from "effect"
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
  lost: Schema.Array(Schema.Struct({ session: Schema.String, labels: Schema.Int })),
  /** Those of them whose findings cannot be read, or were changed. */
  unreadable: Schema.Array(Schema.String)
}) {
  override readonly [Runtime.errorExitCode] = 3
  override get message() {
    const files =
      this.unreadable.length === 0 ? "" : `; damaged or changed: ${firstOf(this.unreadable.map(findingsOf)).join(", ")}`
    return `labels that an earlier night read are gone or changed, although labels are only added: ${listed(this.lost)}${files}`
  }

  get remedy() {
    const files = firstOf(
      this.lost.map(({ session }) =>
        this.unreadable.includes(session) ? findingsOf(session) : `labels/${session}.jsonl`
      )
    ).join(", ")
    return `Restore ${files} of the archive from a backup, run \`dd archive rebuild-index\`, then \`dd dream start\`; to go on without these labels, remove notes/${labelLogNote} of learned/${this.project} in dd's own directory (~/.daydream, or DD_HOME).`
  }
}

const findingsOf = (session: string): string => `runs/${session}/findings.json`

export const labelsSince = Effect.fn("labelsSince")(function* (
  { labels, reviews, unreadable }: Ingested,
  digest: (text: string) => string
) {
  const corpus = yield* Corpus
  const log = readLabelLog(yield* corpus.note(labelLogNote))
  const now = labelLogOf(labels, digest)
  const archived = new Set([...reviews.map(({ session }) => session), ...unreadable])
  const { lost, removed } = missingFrom(log ?? {}, now, archived)
  if (lost.length > 0) {
    const damaged = lost.map(({ session }) => session).filter((session) => unreadable.includes(session))
    return yield* new LabelsLost({ project: corpus.project, lost, unreadable: damaged })
  }
  const number = Option.getOrNull(yield* Effect.option(corpus.currentNumber))
  const undo = number === null ? "" : `. If that was a mistake, restore them, then run \`dd dream rollback ${number}\`.`
  yield* corpus.setNote(labelLogNote, writtenLabelLog(now))
  return {
    notes:
      removed.length === 0
        ? []
        : [
            `${plural(removed.length, "labelled review was", "labelled reviews were")} removed from the archive since the last night; what only their labels support ends: ${listed(removed)}${undo}`
          ],
    degraded:
      log === null ? [`${labelLogNote} could not be read: whether labels of earlier nights are gone is not known`] : []
  }
})

const mostNamed = 5

const firstOf = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.length > mostNamed ? [...names.slice(0, mostNamed), `${names.length - mostNamed} more`] : names

const listed = (missing: ReadonlyArray<MissingLabels>): string =>
  firstOf(missing.map(({ labels, session }) => `${plural(labels, "label")} of ${session.slice(0, 8)}`)).join(", ")
