import { describe, expect } from "bun:test"
import { Effect, Fiber, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { ModelRequest } from "../../../../src/domain/agent/ModelTurn.ts"
import { respondent } from "../../../../src/layers/agent/backend/ModelRespondent.ts"
import { Model } from "../../../../src/services/agent/Model.ts"
import { it } from "../../../support/effect.ts"
import { modelError, type ScriptedSaying, saying, scriptedModel } from "../../../support/scriptedModel.ts"

const usage = { promptTokens: 9, cachedTokens: 4, completionTokens: 3, reasoningTokens: 1, costUsd: null }

/** The events and requests of a question to a model that says this, turn by turn; time passes by itself. */
const answered = Effect.fnUntraced(function* (turns: ReadonlyArray<ScriptedSaying>, contextTokens = 200_000) {
  const requests: Array<ModelRequest> = []
  const model = yield* Model.pipe(Effect.provide(scriptedModel(saying(...turns), requests, { contextTokens })))
  const question = { system: ["Answer."], user: ["The pack.", "Why?"] }
  const events: Array<string> = []
  const running = yield* respondent("openai", model, "high")
    .execute(question)
    .pipe(
      Stream.runForEach((event) =>
        Effect.sync(() => void events.push("text" in event ? `${event._tag} ${event.text}` : event._tag))
      ),
      Effect.result,
      Effect.forkChild
    )
  yield* TestClock.adjust("10 minutes")
  return { events, requests, result: yield* Fiber.join(running) }
})

describe("a model that answers a question", () => {
  it.effect("gets two messages and no tools, and may use all tokens that the model has for an answer", () =>
    Effect.gen(function* () {
      const { events, requests } = yield* answered([{ thinking: "Hm, well.", text: "Because.", usage }])
      expect(events).toEqual([
        "Prompted",
        "Metrics",
        "Thinking ",
        "Thinking Hm, well.",
        "Text Because",
        "Text .",
        "Metrics",
        "TurnEnd",
        "Result"
      ])
      expect(requests).toMatchObject([
        { system: ["Answer."], tools: [], answer: null, effort: "high", maxTokens: 16_000 }
      ])
      expect(
        requests[0]!.messages.map(({ parts, role }) => [role, parts.map((part) => "text" in part && part.text)])
      ).toEqual([
        ["user", ["The pack."]],
        ["user", ["Why?"]]
      ])
      expect((yield* answered([{ text: "x" }], 8_000)).requests[0]!.maxTokens).toBe(2_000)
    })
  )

  it.effect("is asked again after a failure without any text, at most five times", () =>
    Effect.gen(function* () {
      const busy: ScriptedSaying = { silent: true, error: modelError("rate-limited", { retryAfterMillis: 60_000 }) }
      const twice = yield* answered([busy, { thinking: "Hm.", error: modelError("overloaded") }, { text: "Because." }])
      expect(twice.result._tag).toBe("Success")
      expect(twice.requests).toHaveLength(3)
      expect(twice.events.filter((event) => event === "TurnEnd")).toHaveLength(3)
      const { requests, result } = yield* answered([{ silent: true, error: modelError("overloaded") }])
      expect([requests.length, result._tag]).toEqual([5, "Failure"])
    })
  )

  it.effect("is not asked again after some text, a fault that stays, or for a long wait", () =>
    Effect.gen(function* () {
      for (const turn of [
        { text: "Bec", error: modelError("overloaded") },
        { silent: true, error: modelError("not-allowed") },
        { silent: true, error: modelError("context-too-long") },
        { silent: true, error: modelError("rate-limited", { retryAfterMillis: 600_000 }) }
      ] as const) {
        const { requests, result } = yield* answered([turn])
        expect([requests.length, result._tag]).toEqual([1, "Failure"])
      }
    })
  )
})
