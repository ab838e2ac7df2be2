/** What a night brought for the morning, in counts. */
import { Schema } from "effect"
import type { MorningPacket } from "../Packet.ts"
import { actionDelta, type CouncilSummary } from "./council.ts"

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

export const Yield = Schema.Struct({
  packet_count_before: Schema.optionalKey(Count),
  packet_count_after: Schema.optionalKey(Count),
  /** Packets that an earlier night found too. */
  queue_backed_count: Schema.optionalKey(Count),
  queue_backed_won: Schema.optionalKey(Schema.Boolean),
  synthetic_count: Schema.optionalKey(Count),
  bead_sync_count: Schema.optionalKey(Count),
  top_packet_confidence_before: Schema.optionalKey(Schema.String),
  top_packet_confidence_after: Schema.optionalKey(Schema.String),
  confidence_mix: Schema.optionalKey(Schema.Record(Schema.String, Schema.Int)),
  council_completed_count: Schema.optionalKey(Count),
  council_failed_count: Schema.optionalKey(Count),
  council_timeout_count: Schema.optionalKey(Count),
  council_recommended_kind: Schema.optionalKey(Schema.String),
  council_action_delta: Schema.optionalKey(Schema.Literals(["", "new", "unchanged", "refined"]))
})
export type Yield = typeof Yield.Type

export const yieldOf = (night: {
  /** The packets of the night before, and of this one. */
  readonly before: ReadonlyArray<MorningPacket>
  readonly after: ReadonlyArray<MorningPacket>
  /** Null: none was asked. */
  readonly council: CouncilSummary | null
  readonly timedOut: number
  /** The first move before the council was asked. */
  readonly firstMove: string
  /** The first move with its opinions. */
  readonly action: string
}): Required<Yield> => {
  const { action, after, before, council, firstMove, timedOut } = night
  const known = after.filter(({ queue_backed }) => queue_backed === true).length
  const mix = ["high", "medium", "low"].flatMap((confidence) => {
    const n = after.filter((packet) => packet.confidence === confidence).length
    return n === 0 ? [] : [[confidence, n] as const]
  })
  return {
    packet_count_before: before.length,
    packet_count_after: after.length,
    queue_backed_count: known,
    queue_backed_won: after[0]?.queue_backed === true,
    synthetic_count: after.length - known,
    bead_sync_count: after.filter(({ bead_id }) => bead_id !== undefined).length,
    top_packet_confidence_before: before[0]?.confidence ?? "",
    top_packet_confidence_after: after[0]?.confidence ?? "",
    confidence_mix: Object.fromEntries(mix),
    council_completed_count: council?.completed_runners?.length ?? 0,
    council_failed_count: council?.failed_runners?.length ?? 0,
    council_timeout_count: timedOut,
    council_recommended_kind: council?.consensus_kind ?? "",
    council_action_delta: (council?.completed_runners?.length ?? 0) === 0 ? "" : actionDelta(firstMove, action)
  }
}

/** Did a probe of the long haul have an effect? */
export const hasChanged = (before: Yield, after: Yield): boolean =>
  before.packet_count_after !== after.packet_count_after ||
  rank(after.top_packet_confidence_after) > rank(before.top_packet_confidence_after) ||
  (after.council_action_delta !== before.council_action_delta &&
    (after.council_action_delta === "new" || after.council_action_delta === "refined"))

const rank = (confidence: string | undefined): number => ["low", "medium", "high"].indexOf(confidence ?? "")
