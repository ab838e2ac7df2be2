import { describe, expect } from "bun:test"
import { Effect, Exit, Fiber, Layer, Ref, Stream } from "effect"
import { TestClock } from "effect/testing"
import { nothingExplored } from "../../../../src/domain/code/Exploration.ts"
import { AgentEvent } from "../../../../src/domain/run/AgentEvent.ts"
import { withRetries } from "../../../../src/layers/agent/backend/withRetries.ts"
import { Agent } from "../../../../src/services/agent/Agent.ts"
import {
  Backend,
  type BackendError,
  BackendFailed,
  BackendUnavailable
} from "../../../../src/services/agent/Backend.ts"
import { FailPolicy } from "../../../../src/services/run/FailPolicy.ts"
import { change } from "../../../support/builders.ts"
import { it } from "../../../support/effect.ts"
import * as Memory from "../../../support/MemoryRecorder.ts"

const intent = { _tag: "Intent", change: change(), exploration: nothingExplored } as const
const at = "2026-01-01T00:00:00.000Z"
const spent = AgentEvent.make({
  _tag: "Cost",
  timestamp: at,
  promptTokens: 10,
  completionTokens: 3,
  cachedTokens: null,
  reasoningTokens: null,
  costUsd: 0.5,
  model: null
})
const answer = AgentEvent.make({ _tag: "Result", timestamp: at, output: { intent: "x" } })
const boom = new BackendFailed({ backend: "cli", retryable: true, cause: "boom" })

/** Spends, and then fails or answers. `tries` counts. */
const backendThat = (outcome: (nth: number) => Effect.Effect<void, BackendError>) => {
  let tries = 0
  const backend = withRetries(
    {
      name: "cli",
      model: "m",
      fanout: 1,
      execute: () =>
        Stream.suspend(() => Stream.concat(Stream.make(spent), Stream.fromEffect(Effect.as(outcome(++tries), answer))))
    },
    300
  )
  return { backend, tries: () => tries }
}
const exitOf = (backend: Backend["Service"]) =>
  Effect.forkChild(Effect.exit(Stream.runCollect(backend.execute(intent))))

describe("a task of a coding CLI", () => {
  it.effect("is tried again after a transient failure, and the cost of every try counts", () => {
    const { backend, tries } = backendThat((nth) => (nth < 3 ? Effect.fail(boom) : Effect.void))
    const layer = Agent.layer.pipe(
      Layer.provide(Layer.succeed(Backend, backend)),
      Layer.provide(FailPolicy.layer),
      Layer.provideMerge(Memory.layer)
    )
    return Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(
        Agent.use((agent) => agent.invoke(intent, { phase: "intent" }, { intent: "" }))
      )
      yield* TestClock.adjust("60 seconds")
      expect(yield* Fiber.join(fiber)).toEqual({ intent: "x" })
      expect(tries()).toBe(3)
      expect((yield* Agent.use((agent) => agent.spent)).usd).toBe(1.5)
      const events = yield* Ref.get(yield* Memory.RecordedEvents)
      const failedTurns = events.filter(
        (event) => event._tag === "Agent" && event.event._tag === "TurnEnd" && event.event.stopReason === "failed"
      )
      expect(failedTurns).toHaveLength(2)
    }).pipe(Effect.provide(layer))
  })

  it.effect("waits longer each time, three tries at most, and fails as the last", () => {
    const { backend, tries } = backendThat(() => Effect.fail(boom))
    return Effect.gen(function* () {
      const fiber = yield* exitOf(backend)
      yield* TestClock.adjust("999 millis")
      expect(tries()).toBe(1)
      yield* TestClock.adjust("1 second")
      expect(tries()).toBe(2)
      yield* TestClock.adjust("1 second")
      expect(tries()).toBe(2)
      yield* TestClock.adjust("60 seconds")
      expect(yield* Fiber.join(fiber)).toEqual(Exit.fail(boom))
      expect(tries()).toBe(3)
    })
  })

  for (const [what, error] of [
    ["a permanent failure", new BackendFailed({ backend: "cli", retryable: false, cause: "boom" })],
    ["a backend that cannot be reached", new BackendUnavailable({ backend: "cli", cause: "gone" })]
  ] as const) {
    it.effect(`is not tried again after ${what}`, () => {
      const { backend, tries } = backendThat(() => Effect.fail(error))
      return Effect.gen(function* () {
        expect(yield* Fiber.join(yield* exitOf(backend))).toEqual(Exit.fail(error))
        expect(tries()).toBe(1)
      })
    })
  }

  it.effect("is not tried again where its deadline leaves no time, and fails at once", () => {
    const { backend, tries } = backendThat(() => Effect.andThen(Effect.sleep("299500 millis"), Effect.fail(boom)))
    return Effect.gen(function* () {
      const fiber = yield* exitOf(backend)
      yield* TestClock.adjust("299500 millis")
      expect(yield* Fiber.join(fiber)).toEqual(Exit.fail(boom))
      expect(tries()).toBe(1)
    })
  })

  it.effect("is not tried again after an interruption or a defect", () => {
    const dying = backendThat(() => Effect.die("a defect"))
    const hanging = backendThat(() => Effect.never)
    return Effect.gen(function* () {
      expect(Exit.hasDies(yield* Fiber.join(yield* exitOf(dying.backend)))).toBe(true)
      const fiber = yield* exitOf(hanging.backend)
      yield* TestClock.adjust("1 second")
      yield* Fiber.interrupt(fiber)
      yield* TestClock.adjust("60 seconds")
      expect([dying.tries(), hanging.tries()]).toEqual([1, 1])
    })
  })
})
