/**
 * The extra work of a night whose packets are weak: probes in order, until one limit is reached (`domain/night/report/longHaul.ts`
 * decides). It gives the packets and the opinions that are best known at its end.
 */
import { Effect } from "effect"
import type { MorningPacket } from "../../domain/night/Packet.ts"
import { activation, exitReason, type LongHaul, type Probe, probesFor } from "../../domain/night/report/longHaul.ts"
import { hasChanged, type Yield } from "../../domain/night/report/yield.ts"
import { monotonicMillis } from "../system/monotonicMillis.ts"
import type { Council } from "./Council.ts"

export interface HaulRequest<R> {
  readonly packets: ReadonlyArray<MorningPacket>
  /** In milliseconds. */
  readonly budget: number
  /** How many runners the council has. */
  readonly runners: number
  readonly goal: boolean
  /** Is something known about the goal, or is there none? */
  readonly brief: boolean
  /** The share of recent changes for which something was retrieved; null: unknown. */
  readonly coverage: number | null
  /** Puts something else in place of what is not known about the goal. */
  readonly fallback: (packets: ReadonlyArray<MorningPacket>) => Effect.Effect<void, never, R>
  readonly corroborate: (packets: ReadonlyArray<MorningPacket>) => ReadonlyArray<MorningPacket>
  /** Null: there is no opinion. */
  readonly ask: (packets: ReadonlyArray<MorningPacket>) => Effect.Effect<Council | null, never, R>
  readonly yielded: (packets: ReadonlyArray<MorningPacket>, held: Council | null) => Yield
}

export const longHaul = Effect.fn("longHaul")(function* <R>(request: HaulRequest<R>) {
  const { brief, budget, corroborate, coverage, goal, runners, yielded } = request
  const startedAt = yield* monotonicMillis
  const ran: Array<Probe> = []
  let packets = request.packets
  let held: Council | null = null
  let streak = 0
  /** The council is left out once a probe before it made the first packet sure. */
  const signals = () => ({
    ...{ enabled: true, probes: 0, packets: packets.length, goal, brief, coverage },
    ...{ confidence: packets[0]?.confidence ?? "", queueBacked: packets[0]?.queue_backed === true }
  })
  const possible = probesFor({ ...signals(), confidence: "" }, runners).length
  const { active, exit, trigger } = activation({ ...signals(), probes: possible })
  let reason = exit
  while (active) {
    const left = probesFor(signals(), runners).filter((each) => !ran.includes(each))
    reason = exitReason({ budget, streak, elapsed: (yield* monotonicMillis) - startedAt, left: left.length })
    const [probe] = left
    if (reason !== "" || probe === undefined) break
    const before = yielded(packets, held)
    if (probe === "packet-corroboration") packets = corroborate(packets)
    else if (probe === "council") held = yield* request.ask(packets)
    else yield* request.fallback(packets)
    ran.push(probe)
    streak = hasChanged(before, yielded(packets, held)) ? 0 : streak + 1
  }
  const report: LongHaul = {
    ...{ enabled: true, active, probe_count: ran.length, zero_delta_probe_streak: streak },
    ...(trigger === "" ? {} : { trigger_reason: trigger }),
    ...(reason === "" ? {} : { exit_reason: reason })
  }
  return { packets, held, ran, report }
})
