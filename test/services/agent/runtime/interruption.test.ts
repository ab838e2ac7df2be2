/** F14, over and over: whenever a run is stopped, nothing of it is left, and its context goes on in order. */
import { expect } from "bun:test"
import { Effect, Exit, Fiber, Layer, Queue, Scope } from "effect"
import type { ModelRequest } from "../../../../src/domain/agent/ModelTurn.ts"
import * as InProcess from "../../../../src/layers/agent/memory/InProcess.ts"
import type { ContextEvent } from "../../../../src/services/agent/runtime/AgentContext.ts"
import { AgentRuntime } from "../../../../src/services/agent/runtime/AgentRuntime.ts"
import { MemoryLog } from "../../../../src/services/agent/runtime/MemoryLog.ts"
import { ask, chat, echo, submit } from "../../../support/agentWorld.ts"
import { it } from "../../../support/effect.ts"
import { modelError, type Script, scriptedModel, unpaired } from "../../../support/scriptedModel.ts"

/** In each of four tests: a hundred together. */
const moments = 25
const steps = (times: number) => Effect.repeat(Effect.yieldNow, { times })

const worlds = [
  ["native", 42],
  ["words", 43],
  ["native", 1044],
  ["words", 1045]
] as const

for (const [tools, seed] of worlds) {
  it.effect(`F14 interruptions at random moments leave no action, no stream and no fiber, ${tools}, from ${seed}`, () =>
    Effect.gen(function* () {
      let state: number = seed
      const random = (below: number) => {
        state = (state * 1103515245 + 12345) % 2147483648
        return state % below
      }
      let reached = 0
      for (let moment = 0; moment < moments; moment++) {
        const open = { actions: 0, streams: 0 }
        const within = <A, E, R>(what: keyof typeof open, effect: Effect.Effect<A, E, R>) =>
          Effect.acquireUseRelease(
            Effect.sync(() => void open[what]++),
            () => effect,
            () => Effect.sync(() => void open[what]--)
          )
        const action = echo({
          concurrency: 2,
          act: (say) => within("actions", Effect.as(steps(random(12)), { text: say, isError: false }))
        })
        const script: Script = (_, nth) => {
          const calls = Array.from({ length: 1 + random(5) }, (_, n) => ({
            name: "echo",
            input: { say: `${nth}.${n}` }
          }))
          const before = within("streams", steps(random(12)))
          return {
            thinking: "hm",
            text: "so",
            calls,
            before,
            ...(random(9) === 0 ? { error: modelError("overloaded", { retryAfterMillis: 1 }) } : {})
          }
        }
        const requests: Array<ModelRequest> = []
        yield* Effect.gen(function* () {
          const log = yield* MemoryLog
          const scope = yield* Scope.make()
          const context = yield* Layer.buildWithScope(
            AgentRuntime.layer.pipe(Layer.provide(scriptedModel(script, requests, { tools }))),
            scope
          )
          const runtime = AgentRuntime.of(yield* Effect.provide(AgentRuntime, context))
          const watched = yield* runtime.watch(chat(), { id: "a" }, { everything: true })
          const world = chat({ actions: [action], outputs: [submit()], maxSteps: 30 })
          const run = yield* Effect.forkChild(Effect.provide(ask(world, "go"), context))
          yield* steps(random(300))
          yield* Fiber.interrupt(run)
          expect(open).toEqual({ actions: 0, streams: 0 })
          const asked = requests.length
          reached = Math.max(reached, asked)
          yield* steps(60)
          expect(requests).toHaveLength(asked)
          // Every call that was begun has its result, in what was seen and in the log.
          const seen = yield* Queue.clear(watched)
          expect(unanswered(seen)).toEqual([])
          const refs = yield* log.read("chat:a")
          // Nothing, where it was stopped before it began.
          if (refs.length > 0) expect(refs.at(-1)).toMatchObject({ _tag: "RunEnded", stopReason: "aborted" })
          const quiet = scriptedModel(() => ({ text: "ok" }), requests, { tools })
          // Another process goes on with it, and what it sends is in order.
          const end = yield* ask(world, "and now").pipe(Effect.provide(AgentRuntime.layer.pipe(Layer.provide(quiet))))
          expect(end.stopReason).toBe("done")
          expect(requests.flatMap(({ messages }) => unpaired(messages))).toEqual([])
          yield* Scope.close(scope, Exit.void)
        }).pipe(Effect.scoped, Effect.provide(Layer.fresh(InProcess.layer)))
      }
      expect(reached).toBeGreaterThan(5)
    })
  )
}

const unanswered = (seen: ReadonlyArray<ContextEvent>): ReadonlyArray<string> => {
  const open = new Set<string>()
  for (const each of seen) {
    if (each._tag !== "Ref") continue
    if (each.ref._tag === "Call") open.add(each.ref.callId)
    if (each.ref._tag === "Result") open.delete(each.ref.callId)
  }
  return [...open]
}
