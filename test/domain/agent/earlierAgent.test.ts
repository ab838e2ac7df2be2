import { describe, expect, test } from "bun:test"
import type { AgentRef } from "../../../src/domain/agent/AgentRef.ts"
import { earlierAgent, earlierEvents } from "../../../src/domain/agent/earlierAgent.ts"

const at = "2026-01-01T00:00:00.000Z"
const usage = { promptTokens: 10, completionTokens: 5, cachedTokens: 0, reasoningTokens: null, costUsd: null }
const input: AgentRef = { _tag: "Input", id: "1", at, type: "task", words: [{ text: "Review.", lasting: false }] }
const output: AgentRef = { _tag: "Output", id: "2", at, name: "submit_review", content: { issues: [] } }
const turn: AgentRef = {
  _tag: "Turn",
  id: "3",
  at,
  messageId: "m",
  model: "x",
  stopReason: "end",
  parts: [],
  verbatim: null,
  usage
}

const usages = (refs: ReadonlyArray<AgentRef>) =>
  earlierEvents("openai", [], refs).flatMap((event) => (event._tag === "Metrics" ? [event.promptTokens] : []))

describe("an agent of an earlier run", () => {
  test("has answered if its output was written, also if the kill came before the end of the turn", () => {
    expect(earlierAgent([input, output], "submit_review")).toEqual({ _tag: "Answered", output: { issues: [] } })
    expect(earlierAgent([input], "submit_review")._tag).toBe("Stopped")
    expect(earlierAgent([], "submit_review")._tag).toBe("Unusable")
  })

  test("whose usage was lost in the kill has an unknown cost, and not none", () => {
    expect(usages([input, output, turn])).toEqual([10])
    expect(usages([input, output])).toEqual([null])
  })
})
