import { describe, expect } from "bun:test"
import { Cause, Effect, Exit, Fiber, Layer, Logger, Ref, References } from "effect"
import { FailPolicy } from "../../../src/services/run/FailPolicy.ts"
import { it } from "../../support/effect.ts"
import * as Memory from "../../support/MemoryRecorder.ts"

const failed = Effect.fail({ _tag: "BackendUnavailable", message: "the model could not be reached" })

const stepLogger = (warned: Array<string>) =>
  Logger.make(({ fiber, message }) => {
    const { step } = fiber.getRef(References.CurrentLogAnnotations)
    warned.push(`${step}: ${message}`)
  })

const world = (policy: Layer.Layer<FailPolicy, never, never>, warned: Array<string> = []) =>
  policy.pipe(Layer.provideMerge(Logger.layer([stepLogger(warned)])))

const lenient = FailPolicy.layer.pipe(Layer.provideMerge(Memory.layer))

describe("FailPolicy", () => {
  it.effect("a failed step returns its input", () =>
    Effect.gen(function* () {
      const policy = yield* FailPolicy
      expect(yield* failed.pipe(policy.open("arbiter", ["given"]))).toEqual(["given"])
    }).pipe(Effect.provide(lenient))
  )

  it.effect("a fallback leaves a warning, an event and an entry; success leaves none", () => {
    const warned: Array<string> = []
    return Effect.gen(function* () {
      const policy = yield* FailPolicy
      expect(yield* Effect.succeed(1).pipe(policy.open("intent", 0))).toBe(1)
      expect(yield* policy.degraded).toEqual([])
      yield* failed.pipe(policy.open("arbiter", 0))
      const entry = { step: "arbiter", error: "BackendUnavailable", detail: "the model could not be reached" }
      expect(yield* policy.degraded).toEqual([entry])
      expect(yield* Ref.get(yield* Memory.RecordedEvents)).toEqual([{ _tag: "Degraded", ...entry }])
      yield* policy.warn
      expect(warned).toEqual(["arbiter: the model could not be reached"])
    }).pipe(Effect.provide(world(lenient, warned).pipe(Layer.provideMerge(lenient))))
  })

  it.effect("keeps entries of concurrent items in the order of the items, also after an interruption", () =>
    Effect.gen(function* () {
      const policy = yield* FailPolicy
      const say = (detail: string) => policy.degrade({ step: "s", error: "E", detail })
      const later = (turns: number) => Effect.forEach(Array.from({ length: turns }), () => Effect.yieldNow)
      yield* say("before")
      yield* policy.together([3, 2, 1], (n) => Effect.andThen(later(10 * n), say(`${n}`)))
      yield* say("after")
      const fiber = yield* Effect.forkChild(
        policy.together([1, 2], (n) => Effect.andThen(say(`stopped ${n}`), Effect.never))
      )
      yield* later(10)
      yield* Fiber.interrupt(fiber)
      const details = (yield* policy.degraded).map(({ detail }) => detail)
      expect(details).toEqual(["before", "3", "2", "1", "after", "stopped 1", "stopped 2"])
    }).pipe(Effect.provide(lenient))
  )

  it.effect("logs each entry once, with its step", () => {
    const warned: Array<string> = []
    return Effect.gen(function* () {
      const policy = yield* FailPolicy
      const say = (step: string, detail: string) => policy.degrade({ step, error: "E", detail })
      yield* say("intent", "the same")
      yield* say("merge", "the same")
      yield* policy.warn
      yield* say("merge", "another")
      yield* policy.warn
      expect(warned).toEqual(["intent: the same", "merge: the same", "merge: another"])
    }).pipe(Effect.provide(world(lenient, warned).pipe(Layer.provideMerge(lenient))))
  })

  it.effect("warns at the end of a run that failed or was interrupted", () =>
    Effect.gen(function* () {
      for (const end of [Effect.fail("broken"), Effect.interrupt]) {
        const warned: Array<string> = []
        const run = FailPolicy.use((policy) => policy.degrade({ step: "intent", error: "E", detail: "down" }))
        yield* Effect.exit(Effect.provide(Effect.andThen(run, end), world(lenient, warned)))
        expect(warned).toEqual(["intent: down"])
      }
    })
  )

  it.effect("begins those that are to be first, and keeps answers and words in the order of all", () =>
    Effect.gen(function* () {
      const policy = yield* FailPolicy
      const begun: Array<number> = []
      const answers = yield* policy.together(
        [1, 2, 3, 4],
        (n) =>
          Effect.sync(() => begun.push(n)).pipe(
            Effect.andThen(policy.degrade({ step: "s", error: "E", detail: `${n}` })),
            Effect.as(n * 10)
          ),
        (n) => n > 2
      )
      expect(begun).toEqual([3, 4, 1, 2])
      expect(answers).toEqual([10, 20, 30, 40])
      expect((yield* policy.degraded).map(({ detail }) => detail)).toEqual(["1", "2", "3", "4"])
    }).pipe(Effect.provide(lenient))
  )

  it.effect("hides neither a defect nor an interruption", () =>
    Effect.gen(function* () {
      const policy = yield* FailPolicy
      const died = yield* Effect.exit(Effect.die("bug").pipe(policy.open("arbiter", 0)))
      expect(Exit.isFailure(died) && Cause.hasDies(died.cause)).toBe(true)
      const fiber = yield* Effect.forkChild(Effect.never.pipe(policy.open("arbiter", 0)))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(fiber)
      expect(Exit.hasInterrupts(yield* Fiber.await(fiber))).toBe(true)
      expect(yield* policy.degraded).toEqual([])
    }).pipe(Effect.provide(lenient))
  )
})
