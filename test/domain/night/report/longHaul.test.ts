import { describe, expect, test } from "bun:test"
import {
  activation,
  exitReason,
  type LongHaulSignals,
  probesFor
} from "../../../../src/domain/night/report/longHaul.ts"
import { hasChanged } from "../../../../src/domain/night/report/yield.ts"
import vectors from "../../../support/night/vectors.json"

const signals = (given: Partial<LongHaulSignals>): LongHaulSignals => ({
  enabled: true,
  probes: 1,
  packets: 1,
  confidence: "high",
  queueBacked: false,
  goal: false,
  brief: false,
  coverage: null,
  ...given
})

describe("the long haul", () => {
  for (const { active, exit, queue_backed, trigger, ...given } of vectors.long_haul_activation) {
    test(`${active ? `starts: ${trigger}` : `does not start: ${exit || "not asked for"}`}`, () => {
      expect(activation(signals({ ...given, queueBacked: queue_backed ?? false } as Partial<LongHaulSignals>))).toEqual(
        {
          active,
          trigger: trigger ?? "",
          exit: exit ?? ""
        }
      )
    })
  }

  for (const { budget_s, elapsed_s, exit, left, streak } of vectors.long_haul_exit) {
    test(`${exit === "" ? "goes on" : `ends: ${exit}`}`, () => {
      expect(exitReason({ elapsed: elapsed_s * 1_000, budget: budget_s * 1_000, streak, left })).toBe(exit)
    })
  }

  test("asks the council last, and not if a packet is strong already", () => {
    expect(probesFor(signals({ goal: true, confidence: "medium" }), 2)).toEqual([
      "knowledge-brief-fallback",
      "packet-corroboration",
      "council"
    ])
    expect(probesFor(signals({}), 2)).toEqual(["packet-corroboration"])
    expect(probesFor(signals({ packets: 0, confidence: "" }), 2)).toEqual(["council"])
    expect(probesFor(signals({ packets: 0, confidence: "" }), 0)).toEqual([])
  })

  test("counts a probe as one with an effect if there are other packets, a surer one, or another first move", () => {
    const before = { packet_count_after: 1, top_packet_confidence_after: "medium", council_action_delta: "" } as const
    expect(hasChanged(before, before)).toBe(false)
    expect(hasChanged(before, { ...before, packet_count_after: 2 })).toBe(true)
    expect(hasChanged(before, { ...before, top_packet_confidence_after: "high" })).toBe(true)
    expect(hasChanged(before, { ...before, top_packet_confidence_after: "low" })).toBe(false)
    expect(hasChanged(before, { ...before, council_action_delta: "refined" })).toBe(true)
    expect(hasChanged(before, { ...before, council_action_delta: "unchanged" })).toBe(false)
  })
})
