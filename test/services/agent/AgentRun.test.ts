/** One suite for both protocols: the same scripted turns, natively and in words. Ids are those of docs/agent-runtime.md. */
import { describe, expect } from "bun:test"
import { Deferred, Effect, Ref } from "effect"
import type { ModelRequest } from "../../../src/domain/ModelTurn.ts"
import { ask, chat, echo, only, runtimeSaying, submit, toldLast } from "../../support/agentWorld.ts"
import { it } from "../../support/effect.ts"
import { saying } from "../../support/scriptedModel.ts"

for (const tools of ["native", "words"] as const) {
  describe(`a run, ${tools}`, () => {
    it.effect("C1 answers what is sent to a context at rest in one run", () => {
      const requests: Array<ModelRequest> = []
      return Effect.gen(function* () {
        const end = yield* ask(chat(), "hello")
        expect(end.stopReason).toBe("done")
        expect(end.text).toBe("hi there")
        expect(only(end.chain, "Run")).toHaveLength(1)
        expect(toldLast(requests[0])).toContain("hello")
      }).pipe(Effect.provide(runtimeSaying(saying({ text: "hi there" }), requests, { tools })))
    })

    it.effect("C15 gives the model the result of each call in its next turn, in the order of the calls", () => {
      const requests: Array<ModelRequest> = []
      const script = saying(
        {
          calls: [
            { name: "echo", input: { say: "one" } },
            { name: "echo", input: { say: "two" } }
          ]
        },
        { text: "both" }
      )
      return Effect.gen(function* () {
        const end = yield* ask(chat({ actions: [echo()] }), "go")
        expect(end.steps).toBe(2)
        expect(only(end.chain, "Result").map(({ output }) => output)).toEqual(["one", "two"])
        expect(toldLast(requests[1])).toMatch(/one[\s\S]*two/)
      }).pipe(Effect.provide(runtimeSaying(script, requests, { tools })))
    })

    it.effect("takes a structured answer and ends", () =>
      Effect.gen(function* () {
        const end = yield* ask(chat({ outputs: [submit()] }), "go")
        expect(end.answer).toEqual({ name: "submit", value: { answer: 42 } })
        expect(end.steps).toBe(1)
      }).pipe(
        Effect.provide(runtimeSaying(saying({ calls: [{ name: "submit", input: { answer: 42 } }] }), [], { tools }))
      )
    )

    it.effect("C12 begins an action before the turn has ended", () =>
      Effect.gen(function* () {
        const began = yield* Deferred.make<void>()
        const order = yield* Ref.make<ReadonlyArray<string>>([])
        const action = echo({
          act: (say) =>
            Effect.andThen(Deferred.succeed(began, undefined), Effect.succeed({ text: say, isError: false }))
        })
        const before = Effect.andThen(
          Deferred.await(began),
          Ref.update(order, (all) => [...all, "turn ends"])
        )
        const script = saying({ calls: [{ name: "echo", input: { say: "x" } }], before }, { text: "ok" })
        const end = yield* ask(chat({ actions: [action] }), "go").pipe(
          Effect.provide(runtimeSaying(script, [], { tools }))
        )
        expect(end.stopReason).toBe("done")
        expect(yield* Ref.get(order)).toEqual(["turn ends"])
      })
    )
  })
}
