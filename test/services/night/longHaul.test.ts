import { describe, expect } from "bun:test"
import { Effect } from "effect"
import type { MorningPacket } from "../../../src/domain/night/Packet.ts"
import { councilOf } from "../../../src/domain/night/report/council.ts"
import { yieldOf } from "../../../src/domain/night/report/yield.ts"
import type { Council } from "../../../src/services/night/Council.ts"
import { type HaulRequest, longHaul } from "../../../src/services/night/longHaul.ts"
import { it } from "../../support/effect.ts"

const packet = (confidence: string): MorningPacket => ({
  ...{ id: "dream-0123456789abcdef", rank: 1, title: "Decide", type: "task", severity: "low", confidence },
  ...{ why_now: "Now.", morning_command: "dd dream do dream-0123456789abcdef" }
})

const opinion: Council = {
  summary: councilOf({ requested: ["claude"], reports: [], failed: ["claude"], policy: "majority" }),
  timedOut: 0,
  failures: []
}

/** Of one weak packet, with a council. */
const hauled = (given: Partial<HaulRequest<never>>) =>
  Effect.gen(function* () {
    const asked: Array<string | undefined> = []
    const result = yield* longHaul({
      ...{ packets: [packet("low")], budget: 60_000, runners: 1, goal: false, brief: true, coverage: 1 },
      corroborate: (packets) => packets,
      fallback: () => Effect.sync(() => asked.push("fallback")),
      ask: (packets) => Effect.sync(() => asked.push(packets[0]?.confidence)).pipe(Effect.as(opinion)),
      yielded: (after, held) =>
        yieldOf({
          ...{ before: [], after, council: held?.summary ?? null, timedOut: 0, firstMove: "" },
          action: held?.summary.recommended_first_action ?? ""
        }),
      ...given
    })
    return { ...result, asked }
  })

describe("the long haul", () => {
  it.effect("does nothing more if the first packet is sure", () =>
    Effect.gen(function* () {
      const { asked, packets, report } = yield* hauled({ packets: [packet("high")] })
      expect(report).toMatchObject({ active: false, probe_count: 0, exit_reason: "trigger threshold not met" })
      expect([asked, packets]).toEqual([[], [packet("high")]])
    })
  )

  it.effect("of a goal about which nothing is known puts something in its place first", () =>
    Effect.gen(function* () {
      const { asked, ran, report } = yield* hauled({ packets: [packet("high")], goal: true, brief: false })
      expect(ran).toEqual(["knowledge-brief-fallback", "packet-corroboration"])
      expect(asked).toEqual(["fallback"])
      expect(report).toMatchObject({ trigger_reason: "knowledge brief unavailable", probe_count: 2 })
    })
  )

  it.effect("looks for support of a weak packet, then asks the council, and stops when both brought nothing", () =>
    Effect.gen(function* () {
      const { asked, held, ran, report } = yield* hauled({})
      expect(ran).toEqual(["packet-corroboration", "council"])
      expect([asked, held]).toEqual([["low"], opinion])
      expect(report).toEqual({
        ...{ enabled: true, active: true, probe_count: 2, zero_delta_probe_streak: 2 },
        trigger_reason: "no strong queue-backed packet won",
        exit_reason: "zero_delta_probe_streak >= 2"
      })
    })
  )

  it.effect("asks no council about a packet that is sure by then", () =>
    Effect.gen(function* () {
      const { asked, packets, ran, report } = yield* hauled({ corroborate: () => [packet("high")] })
      expect([asked, ran]).toEqual([[], ["packet-corroboration"]])
      expect(packets[0]?.confidence).toBe("high")
      expect(report.exit_reason).toBe("no additional long-haul probes available")
    })
  )

  it.effect("shows the council what was found before", () =>
    Effect.gen(function* () {
      const { asked } = yield* hauled({ corroborate: () => [packet("medium")] })
      expect(asked).toEqual(["medium"])
    })
  )

  it.effect("begins no probe when its time is over, and none without runners and packets", () =>
    Effect.gen(function* () {
      const late = yield* hauled({ budget: 0 })
      expect([late.ran, late.report.exit_reason]).toEqual([[], "budget exhausted after 0s"])
      const nothing = yield* hauled({ packets: [], runners: 0 })
      expect(nothing.report.exit_reason).toBe("no runtime-ready long-haul probes configured")
    })
  )
})
