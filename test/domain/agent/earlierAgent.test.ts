import { describe, expect, test } from "bun:test"
import type { AgentRef } from "../../../src/domain/agent/AgentRef.ts"
import { earlierAgent, earlierEvents, partOf, withoutStop } from "../../../src/domain/agent/earlierAgent.ts"
import { RefsOfEvents } from "../../../src/domain/agent/RefsOfEvents.ts"
import { AgentEvent } from "../../../src/domain/run/AgentEvent.ts"
import { ended, input, result, run, step, turn } from "../../support/refs.ts"

const submitted: AgentRef = { _tag: "Output", id: "o", at: "t", name: "submit_review", content: { review: "Fine." } }

describe("what the log of an earlier agent says", () => {
  test("a submitted answer counts, also if the kill came before the end of the run", () => {
    const refs = [run(), input("go"), step(), turn("", "c1"), submitted]
    expect(earlierAgent(refs, "submit_review")).toEqual({ _tag: "Answered", output: { review: "Fine." } })
  })

  test("the answers of several calls are one, but not those of an earlier run", () => {
    const answers = ["a", "b"].map((each): AgentRef => ({ ...submitted, content: { issues: [each] } }))
    const first = [run(), input("go"), step(), turn("", "c1"), submitted, ended("done")]
    const refs = [...first, run(), input("again"), step(2), turn("", "c2"), ...answers]
    expect(earlierAgent(refs, "submit_review")).toEqual({ _tag: "Answered", output: { issues: ["a", "b"] } })
    const begun = [...first, run(), input("again")]
    expect(earlierAgent(begun, "submit_review")).toEqual({ _tag: "Answered", output: { review: "Fine." } })
  })

  test("an answer of another kind, or a text of a run that did not end, is none", () => {
    expect(earlierAgent([run(), input("go"), step(), turn("", "c1"), submitted], "submit_intent")._tag).toBe("Stopped")
    expect(earlierAgent([run(), input("go"), step(), turn("So far")], "submit_review")._tag).toBe("Unusable")
  })

  test("a text is the answer of a run that is done", () => {
    const refs = [run(), input("go"), step(), turn("It is fine."), ended("done")]
    expect(earlierAgent(refs, "submit_review")).toEqual({ _tag: "Answered", output: null })
  })

  test("an agent stops at every ref before its answer, and its log without the stop continues", () => {
    const refs = [run(), input("go"), step(), turn("", "c1"), result("c1", "found")]
    for (let kept = 2; kept <= refs.length; kept++) {
      const log = [...refs.slice(0, kept), ended("aborted")]
      expect(earlierAgent(withoutStop(log), "submit_review")._tag).toBe("Stopped")
    }
    expect(withoutStop([...refs, ended("refused")])).toHaveLength(refs.length + 1)
  })
})

describe("a context that was asked for more after its answer", () => {
  const answer = (review: string): AgentRef => ({ ...submitted, content: { review } })
  const first = [run(), input("go"), step(), turn("", "c1"), result("c1", "Taken."), answer("One."), ended("done")]
  const more = [run(), input("and the rest", "follow-up"), step(2), turn("", "c2"), result("c2", "Taken.")]
  const whole = [...first, ...more, answer("Two."), ended("done")]

  test("has an answer to each of them", () => {
    expect(earlierAgent(whole, "submit_review", 0)).toEqual({ _tag: "Answered", output: { review: "One." } })
    expect(earlierAgent(whole, "submit_review", 1)).toEqual({ _tag: "Answered", output: { review: "Two." } })
    expect(partOf(whole, 2)).toBeNull()
    expect([...(partOf(whole, 0) ?? []), ...(partOf(whole, 1) ?? [])]).toEqual(whole)
  })

  test("was stopped in the last one only", () => {
    const killed = [...first, ...more.slice(0, 2)]
    expect(earlierAgent(killed, "submit_review", 0)).toEqual({ _tag: "Answered", output: { review: "One." } })
    expect(earlierAgent(killed, "submit_review", 1)._tag).toBe("Stopped")
    const withoutAnswer = [...first.filter(({ _tag }) => _tag !== "Output"), ...more.slice(0, 2)]
    expect(earlierAgent(withoutAnswer, "submit_review", 0)._tag).toBe("Unusable")
  })

  test("has the events of each once, and those of the second continue the first", () => {
    const events = [0, 1].map((part) => earlierEvents("openai", ["rubric"], whole, part))
    const prompted = events.map((each) => each.flatMap((event) => (event._tag === "Prompted" ? [event] : [])))
    expect(prompted.map((each) => each.map(({ continues, user }) => [user[0]?.text, continues]))).toEqual([
      [["go", false]],
      [["and the rest", true]]
    ])
    expect(events.map((each) => each.filter(({ _tag }) => _tag === "Metrics").length)).toEqual([1, 1])
  })
})

test("the cost of an answer whose usage was lost in the kill is unknown, and not zero", () => {
  const usages = (refs: ReadonlyArray<AgentRef>) =>
    earlierEvents("openai", [], refs).flatMap((event) => (event._tag === "Metrics" ? [event.messageId] : []))
  const begun = [run(), input("go"), step()]
  expect(usages([...begun, submitted])).toEqual([""])
  expect(usages([...begun, turn("", "c1"), submitted])).toHaveLength(1)
  expect(usages([...begun, submitted, turn("", "c1")])).toHaveLength(1)
  expect(usages(begun)).toEqual([])
})

describe("the refs of an agent outside the runtime", () => {
  const at = "2026-01-01T00:00:00.000Z"
  const events = [
    AgentEvent.make({ _tag: "Thinking", timestamp: at, text: "Hm." }),
    AgentEvent.make({ _tag: "Text", timestamp: at, text: "I look" }),
    AgentEvent.make({ _tag: "Text", timestamp: at, text: " around." }),
    AgentEvent.make({ _tag: "ToolStart", timestamp: at, id: "c", name: "Read", input: { path: "a" } }),
    AgentEvent.make({ _tag: "ToolResult", timestamp: at, id: "c", output: "text", isError: false }),
    AgentEvent.make({ _tag: "TurnEnd", timestamp: at, messageId: "m", stopReason: "end_turn" }),
    AgentEvent.make({
      _tag: "Cost",
      timestamp: at,
      costUsd: 0.5,
      promptTokens: 10,
      completionTokens: 2,
      cachedTokens: null,
      reasoningTokens: null,
      model: "m-1"
    }),
    AgentEvent.make({ _tag: "Result", timestamp: at, output: { review: "Fine." } })
  ]
  const folded = (given: ReadonlyArray<AgentEvent>) => {
    let made = 0
    const fold = new RefsOfEvents("submit_review", () => `${++made}`)
    const begun = fold.begin({ context: "x", type: "task", key: "k", args: {} }, [{ text: "go", lasting: false }], at)
    return [...begun, ...given.flatMap((event) => fold.take(event))]
  }

  test("give its calls, its joined text, its cost and its answer back", () => {
    const refs = folded(events)
    expect(earlierAgent(refs, "submit_review")).toEqual({ _tag: "Answered", output: { review: "Fine." } })
    const back = earlierEvents("claude", [], refs)
    expect(back.flatMap((event) => (event._tag === "Text" ? [event.text] : []))).toEqual(["I look around."])
    for (const tag of ["Thinking", "ToolStart", "ToolResult", "TurnEnd", "Cost"] as const) {
      expect(back.filter((event) => event._tag === tag)).toEqual(events.filter((event) => event._tag === tag))
    }
  })

  test("are no answer before the result", () => {
    for (let kept = 0; kept < events.length; kept++) {
      expect(earlierAgent(folded(events.slice(0, kept)), "submit_review")._tag).not.toBe("Answered")
    }
  })
})
