/**
 * The labels that nights have read: a digest of each, by review. Labels are only added, so a later night that misses one knows that it was
 * lost: deleted or edited in its file. A review that is no longer archived was removed as a whole (`dd archive prune --labelled`), and took
 * its labels with it.
 */
import { Option, Schema } from "effect"
import type { Digest } from "../../dream/artifacts/ArtifactBase.ts"
import type { FindingLabel } from "../../record/FindingLabel.ts"
import { withMicroseconds } from "../../record/LabelObservation.ts"
import { compareText } from "../../text/compareText.ts"

export const labelLogNote = "label-log.json"

type Label = Pick<FindingLabel, "finding" | "observed_at" | "session_id" | "source" | "verdict">

/** By the session of a review. */
export type LabelLog = Readonly<Record<string, ReadonlyArray<string>>>

const Written = Schema.fromJsonString(
  Schema.Struct({ version: Schema.Literal(1), sessions: Schema.Record(Schema.String, Schema.Array(Schema.String)) })
)
const decode = Schema.decodeUnknownOption(Written)
const encode = Schema.encodeSync(Written)

/** Null: the note is damaged, so it is not known what was read. */
export const readLabelLog = (text: string | null): LabelLog | null =>
  text === null ? {} : Option.getOrNull(Option.map(decode(text), ({ sessions }) => sessions))

export const writtenLabelLog = (sessions: LabelLog): string => `${encode({ version: 1, sessions })}\n`

export const labelKey = ({ finding, observed_at, session_id, source, verdict }: Label): string =>
  [session_id, finding, withMicroseconds(observed_at), source, verdict].join(" ")

export const labelLogOf = (labels: ReadonlyArray<Label>, digest: Digest): LabelLog =>
  Object.fromEntries(
    [...Map.groupBy(labels, ({ session_id }) => String(session_id))]
      .toSorted(([a], [b]) => compareText(a, b))
      .map(([session, own]) => [session, [...new Set(own.map((each) => digest(labelKey(each)).slice(0, 12)))].sort()])
  )

export interface MissingLabels {
  readonly session: string
  readonly labels: number
}

/** What the log has and the archive has not. `archived`: the reviews that are still there. */
export const missingFrom = (
  log: LabelLog,
  now: LabelLog,
  archived: ReadonlySet<string>
): { readonly lost: ReadonlyArray<MissingLabels>; readonly removed: ReadonlyArray<MissingLabels> } => {
  const missing = Object.entries(log).flatMap(([session, digests]): ReadonlyArray<MissingLabels> => {
    const known = new Set(now[session])
    const labels = digests.filter((each) => !known.has(each)).length
    return labels === 0 ? [] : [{ session, labels }]
  })
  return {
    lost: missing.filter(({ session }) => archived.has(session)),
    removed: missing.filter(({ session }) => !archived.has(session))
  }
}
