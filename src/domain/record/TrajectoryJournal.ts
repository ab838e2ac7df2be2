/**
 * The journal of a run: what happened, a JSON object a line, in order, as it happened. A trajectory is made of it.
 *
 * The first line says whose run it is, the last one how it ended. A journal without a last line belongs to a run that
 * is still working or was killed. Only a line that ends is a line: a kill leaves at most one torn one.
 */
import { Option, Schema } from "effect"
import { RunEvent } from "../run/RunEvent.ts"
import { ProcessIdentity } from "../system/ProcessIdentity.ts"

/** UTC, ISO 8601, with `Z`; never before the line above. */
const at = Schema.NonEmptyString

export const JournalBegun = Schema.Struct({
  journal: Schema.Literal(1),
  at,
  sessionId: Schema.String,
  agent: Schema.Struct({ name: Schema.String, version: Schema.String }),
  /** The repository under review; null when there is none. */
  target: Schema.NullOr(Schema.String),
  /** Who writes. */
  process: ProcessIdentity
})
export type JournalBegun = typeof JournalBegun.Type

export const JournalEvent = Schema.Struct({ at, event: RunEvent })
export type JournalEvent = typeof JournalEvent.Type

export const endings = ["complete", "failed", "interrupted"] as const
export type Ending = (typeof endings)[number]

export const JournalEnded = Schema.Struct({ at, ended: Schema.Literals(endings) })
type JournalEnded = typeof JournalEnded.Type

export type JournalLine = JournalBegun | JournalEvent | JournalEnded

const decodeLine = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.toCodecJson(Schema.Union([JournalEvent, JournalEnded, JournalBegun])))
)

/** Null for what is no line of a journal. */
export const parseJournalLine = (line: string): JournalLine | null => Option.getOrNull(decodeLine(line))

/** A run has ended well when it has said so; everything behind that is only how the answer was shown. */
export const endsWell = (line: JournalLine): boolean =>
  "event" in line ? line.event._tag === "RunEnded" : "ended" in line && line.ended === "complete"
