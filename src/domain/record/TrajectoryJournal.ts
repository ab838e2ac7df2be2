/**
 * The journal of a run: its events in order, one JSON object per line. Trajectories are built from it.
 *
 * The first line names the run, the last one how it ended. Without a last line the run is still working or was killed;
 * a kill leaves at most one incomplete line.
 */
import { Option, Schema } from "effect"
import { RunEvent } from "../run/RunEvent.ts"
import { ProcessIdentity } from "../system/ProcessIdentity.ts"

/** UTC, ISO 8601, with `Z`; never earlier than the line above. */
const at = Schema.NonEmptyString

export const JournalStart = Schema.Struct({
  journal: Schema.Literal(1),
  at,
  sessionId: Schema.String,
  agent: Schema.Struct({ name: Schema.String, version: Schema.String }),
  /** The repository under review, if there is one. */
  target: Schema.NullOr(Schema.String),
  /** Who writes. */
  process: ProcessIdentity
})
export type JournalStart = typeof JournalStart.Type

export const JournalEvent = Schema.Struct({ at, event: RunEvent })
export type JournalEvent = typeof JournalEvent.Type

export const endings = ["complete", "failed", "interrupted"] as const
export type Ending = (typeof endings)[number]

export const JournalEnd = Schema.Struct({ at, ended: Schema.Literals(endings) })
type JournalEnd = typeof JournalEnd.Type

export type JournalLine = JournalStart | JournalEvent | JournalEnd

const decodeLine = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.toCodecJson(Schema.Union([JournalEvent, JournalEnd, JournalStart])))
)

/** Null if it is not a line of a journal. */
export const parseJournalLine = (line: string): JournalLine | null => Option.getOrNull(decodeLine(line))

/** Whether the run came to its end. What follows `RunEnded` only concerns how the answer was printed. */
export const endsWell = (line: JournalLine): boolean =>
  "event" in line ? line.event._tag === "RunEnded" : "ended" in line && line.ended === "complete"
