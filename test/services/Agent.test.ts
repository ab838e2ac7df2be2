import { describe, expect } from "bun:test"
import { Deferred, Effect, Fiber, Layer, Ref, Stream } from "effect"
import { TestClock } from "effect/testing"
import { AgentEvent } from "../../src/domain/AgentEvent.ts"
import { nothingExplored } from "../../src/domain/Exploration.ts"
import * as Scripted from "../../src/layers/backend/Scripted.ts"
import * as Memory from "../../src/layers/recorder/Memory.ts"
import { Agent } from "../../src/services/Agent.ts"
import { Backend, type BackendError, BackendFailed } from "../../src/services/Backend.ts"
import { change } from "../support/builders.ts"
import { it } from "../support/effect.ts"

const asking = (script: Scripted.Script, fanout = 4) =>
  Agent.layer.pipe(Layer.provide(Scripted.layer(script, { fanout })), Layer.provideMerge(Memory.layer))

const intent = { _tag: "Intent", change: change(), exploration: nothingExplored } as const
const alternatives = { ...intent, _tag: "Alternatives", intent: "" } as const
const askIntent = Agent.use((agent) => agent.invoke(intent, { phase: "intent" }))
const askAlternatives = Agent.use((agent) => agent.invoke(alternatives, { phase: "alternatives" }))

const at = "2026-01-01T00:00:00.000Z"
const tokens = { timestamp: at, cachedTokens: 2, reasoningTokens: null, costUsd: 0.5, model: null }

/** A model that has spent something by the time it goes on as `rest` says. */
const metered = (rest: Stream.Stream<AgentEvent, BackendError>) =>
  Agent.layer.pipe(
    Layer.provideMerge(Memory.layer),
    Layer.provide(
      Layer.succeed(Backend, {
        name: "metered",
        model: "m",
        source: "model",
        fanout: 1,
        execute: () =>
          Stream.concat(
            Stream.make(
              AgentEvent.make({ _tag: "Metrics", messageId: "", promptTokens: 10, completionTokens: 3, ...tokens }),
              AgentEvent.make({ _tag: "Cost", promptTokens: 10, completionTokens: 3, ...tokens })
            ),
            rest
          )
      })
    )
  )

describe("Agent", () => {
  it.effect("gives back a structured reply", () =>
    Effect.gen(function* () {
      expect(yield* askIntent).toEqual({ intent: "Open a file." })
    }).pipe(Effect.provide(asking(() => Effect.succeed({ intent: "Open a file." }))))
  )

  it.effect("finds the reply in prose that surrounds it", () =>
    Effect.gen(function* () {
      expect(yield* askIntent).toEqual({ intent: "x" })
    }).pipe(Effect.provide(asking(() => Effect.succeed('Here you are, see meta["a"]:\n```json\n{"intent": "x"}\n```'))))
  )

  it.effect("takes a bare list for the task's one list", () =>
    Effect.gen(function* () {
      expect(yield* askAlternatives).toEqual({ issues: [] })
    }).pipe(Effect.provide(asking(() => Effect.succeed([]))))
  )

  it.effect("types a reply that does not fit, and keeps it out of the message", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(askIntent)
      expect(error._tag).toBe("AgentReplyInvalid")
      expect(error.message).not.toContain("hunter2")
    }).pipe(Effect.provide(asking(() => Effect.succeed({ secret: "hunter2" }))))
  )

  it.effect("gives up at the deadline", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(Effect.flip(askIntent))
      yield* TestClock.adjust("299 seconds")
      expect(fiber.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust("1 second")
      expect((yield* Fiber.join(fiber))._tag).toBe("AgentTimedOut")
    }).pipe(Effect.provide(asking(() => Effect.never)))
  )

  it.effect("never has more calls under way than the backend allows", () => {
    let running = 0
    let most = 0
    const gate = Deferred.makeUnsafe<void>()
    const script: Scripted.Script = () =>
      Effect.gen(function* () {
        most = Math.max(most, ++running)
        yield* Deferred.await(gate)
        running--
        return { intent: "x" }
      })
    return Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 9 }, () => askIntent),
          { concurrency: "unbounded" }
        )
      )
      yield* Effect.yieldNow
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(fiber)
      expect(most).toBe(2)
    }).pipe(Effect.provide(asking(script, 2)))
  })

  it.effect("records the call, every event in order, and how it ended", () =>
    Effect.gen(function* () {
      yield* askIntent
      const events = yield* Ref.get(yield* Memory.RecordedEvents)
      expect(events.map((event) => (event._tag === "Agent" ? event.event._tag : event._tag))).toEqual([
        "AgentStarted",
        "Text",
        "TurnEnd",
        "Result",
        "AgentEnded"
      ])
      expect(events[0]).toMatchObject({ task: "intent", phase: "intent", fork: null })
    }).pipe(Effect.provide(asking(() => Effect.succeed({ intent: "x" }))))
  )

  it.effect("adds up what its calls cost", () =>
    Effect.gen(function* () {
      yield* askIntent
      yield* askIntent
      expect(yield* Agent.use((agent) => agent.spent)).toEqual({
        usd: 1,
        promptTokens: 20,
        completionTokens: 6,
        cachedTokens: 4
      })
    }).pipe(
      Effect.provide(metered(Stream.make(AgentEvent.make({ _tag: "Result", timestamp: at, output: { intent: "x" } }))))
    )
  )

  it.effect("counts what a call cost before it failed", () =>
    Effect.gen(function* () {
      expect((yield* Effect.flip(askIntent))._tag).toBe("BackendFailed")
      expect((yield* Agent.use((agent) => agent.spent)).usd).toBe(0.5)
    }).pipe(
      Effect.provide(
        metered(Stream.fail(new BackendFailed({ backend: "metered", task: "intent", retryable: false, cause: "boom" })))
      )
    )
  )

  it.effect("counts what a call cost before its deadline, and before it was interrupted", () =>
    Effect.gen(function* () {
      const late = yield* Effect.forkChild(Effect.flip(askIntent))
      yield* TestClock.adjust("300 seconds")
      expect((yield* Fiber.join(late))._tag).toBe("AgentTimedOut")
      expect((yield* Agent.use((agent) => agent.spent)).usd).toBe(0.5)
      const stopped = yield* Effect.forkChild(askIntent)
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(stopped)
      expect((yield* Agent.use((agent) => agent.spent)).usd).toBe(1)
    }).pipe(Effect.provide(metered(Stream.never)))
  )
})
