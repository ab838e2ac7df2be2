import { describe, expect, it } from "bun:test"
import { type Effort, efforts } from "../../../../src/domain/run/BackendChoice.ts"
import { chatEffort, effortAmong, gptEffort } from "../../../../src/layers/agent/model/effortAmong.ts"

describe("the effort of a request", () => {
  it("is the nearest level that the model takes, never a higher one", () => {
    for (const above of [[], ["xhigh"], ["max"], ["xhigh", "max"]] satisfies ReadonlyArray<ReadonlyArray<Effort>>) {
      for (const effort of efforts) {
        const given = effortAmong(above, effort)
        expect(efforts.indexOf(given)).toBeLessThanOrEqual(efforts.indexOf(effort))
        expect(["none", "low", "medium", "high", ...above]).toContain(given)
        if (above.some((level) => level === effort)) expect(given).toBe(effort)
      }
    }
  })

  for (const [model, low, xhigh, max] of [
    ["gpt-4o", null, null, null],
    ["gpt-4.1-mini", null, null, null],
    ["gpt-5-chat-latest", null, null, null],
    ["nobody-1", null, null, null],
    ["gpt-5", "low", "high", "high"],
    ["gpt-5.1-codex", "low", "high", "high"],
    ["gpt-5-pro", "high", "high", "high"],
    ["gpt-5.2-pro", "medium", "xhigh", "xhigh"],
    ["openai/gpt-5.4", "low", "xhigh", "xhigh"],
    ["gpt-5.6-sol", "low", "xhigh", "max"],
    ["gpt-6-luna", "low", "xhigh", "max"],
    ["o3", "low", "high", "high"]
  ] as const) {
    it(`of ${model} is what its vendor lists`, () => {
      expect(
        (
          [
            ["low", low],
            ["xhigh", xhigh],
            ["max", max]
          ] as const
        ).map(([effort]) => gptEffort(model, effort))
      ).toEqual([low, xhigh, max])
    })
  }

  for (const [model, none] of [
    ["gpt-5", "low"],
    ["gpt-5.1", "none"],
    ["gpt-5.3-codex", "low"],
    ["o3", "low"],
    ["gpt-5.6-sol", "none"],
    ["gpt-4o", null]
  ] as const) {
    it(`of ${model} is ${none} where none is asked for`, () => {
      expect(gptEffort(model, "none")).toBe(none)
    })
  }

  it("of newer models is none in Chat Completions with tools, which they refuse otherwise", () => {
    expect(chatEffort("gpt-5.6-sol", "high", true)).toBe("none")
    expect(chatEffort("openai/gpt-5.4", null, true)).toBe("none")
    expect(chatEffort("gpt-5.6-sol", "high", false)).toBe("high")
    expect(chatEffort("gpt-5.2", "high", true)).toBe("high")
    expect(chatEffort("qwen3", null, true)).toBeNull()
  })
})
