import { describe, expect } from "bun:test"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { ModelEvent, ModelRequest } from "../../../../src/domain/agent/ModelTurn.ts"
import { ModelError } from "../../../../src/services/agent/Model.ts"
import { SharedBeginnings } from "../../../../src/services/agent/runtime/SharedBeginnings.ts"
import { it } from "../../../support/effect.ts"

const request = (own: string, over: Partial<ModelRequest> = {}): ModelRequest => ({
  model: "m",
  system: ["the rubric"],
  tools: [],
  messages: [
    {
      role: "user",
      parts: [
        { _tag: "Text", text: "the diff", lasting: true },
        { _tag: "Text", text: own, lasting: false }
      ]
    }
  ],
  choice: "auto",
  answer: null,
  maxTokens: 1000,
  effort: "high",
  ...over
})

const failure = new ModelError({
  provider: "p",
  model: "m",
  kind: "overloaded",
  status: 529,
  retryAfterMillis: null,
  detail: ""
})

const began: ModelEvent = { _tag: "Began", messageId: "1", model: "m" }
const piece: ModelEvent = { _tag: "Text", text: "I" }

/** What has been sent, each request named by its own text; it is answered when the test says so. */
const waiting = () => {
  const sent: Array<string> = []
  const answers = new Map<string, Deferred.Deferred<ModelEvent, ModelError>>()
  const beginnings = new SharedBeginnings()
  const send = (asked: ModelRequest) => {
    const last = asked.messages.at(-1)?.parts.at(-1)
    const name = last?._tag === "Text" ? last.text : ""
    const answer = Deferred.makeUnsafe<ModelEvent, ModelError>()
    answers.set(name, answer)
    return beginnings.wait(asked).pipe(
      Effect.flatMap((arrived) => {
        sent.push(name)
        arrived(began)
        return Effect.andThen(Effect.map(Deferred.await(answer), arrived), Effect.never)
      }),
      Effect.scoped,
      Effect.exit,
      Effect.forkChild,
      Effect.tap(() => settled)
    )
  }
  const answer = (name: string) => Effect.andThen(Deferred.succeed(answers.get(name)!, piece), settled)
  const fail = (name: string) => Effect.andThen(Deferred.fail(answers.get(name)!, failure), settled)
  return { answer, fail, sent, send }
}

/** Lets everything else go as far as it can. */
const settled = Effect.repeat(Effect.yieldNow, { times: 50 })

describe("requests with the same beginning", () => {
  it.effect("wait for the first piece of one answer, not for its end, and then go all together", () =>
    Effect.gen(function* () {
      const { answer, sent, send } = waiting()
      for (const name of ["a", "b", "c"]) yield* send(request(name))
      expect(sent).toEqual(["a"])
      yield* answer("a")
      expect(sent).toEqual(["a", "b", "c"])
      yield* send(request("d"))
      expect(sent).toEqual(["a", "b", "c", "d"])
    })
  )

  it.effect("wait for another one if the first fails or is interrupted before its answer", () =>
    Effect.gen(function* () {
      const { answer, fail, sent, send } = waiting()
      yield* send(request("a"))
      const second = yield* send(request("b"))
      yield* send(request("c"))
      yield* send(request("d"))
      yield* fail("a")
      expect(sent).toEqual(["a", "b"])
      yield* Fiber.interrupt(second)
      yield* settled
      expect(sent).toEqual(["a", "b", "c"])
      yield* answer("c")
      expect(sent).toEqual(["a", "b", "c", "d"])
    })
  )

  it.effect("are not held by one that waits and is interrupted", () =>
    Effect.gen(function* () {
      const { fail, sent, send } = waiting()
      yield* send(request("a"))
      yield* Fiber.interrupt(yield* send(request("b")))
      yield* send(request("c"))
      yield* fail("a")
      expect(sent).toEqual(["a", "c"])
    })
  )

  it.effect("wait at most ten seconds for a silent one, and the next ones for the first that answers", () =>
    Effect.gen(function* () {
      const { answer, sent, send } = waiting()
      yield* send(request("a"))
      yield* send(request("b"))
      yield* TestClock.adjust("9 seconds")
      yield* send(request("c"))
      expect(sent).toEqual(["a"])
      yield* TestClock.adjust("1 second")
      yield* settled
      expect(sent).toEqual(["a", "b"])
      yield* answer("b")
      expect(sent).toEqual(["a", "b", "c"])
    })
  )

  it.effect("wait only where a cache has their whole beginning: the same model, effort, tools and lasting text", () =>
    Effect.gen(function* () {
      const { sent, send } = waiting()
      const tool = { name: "grep", description: "", input: {} }
      yield* send(request("a"))
      yield* send(request("b", { model: "n" }))
      yield* send(request("c", { effort: "low" }))
      yield* send(request("d", { tools: [tool] }))
      yield* send(request("e", { system: ["another rubric"] }))
      yield* send(request("f", { messages: [{ role: "user", parts: [{ _tag: "Text", text: "f", lasting: false }] }] }))
      expect(sent).toEqual(["a", "b", "c", "d", "e", "f"])
    })
  )
})
