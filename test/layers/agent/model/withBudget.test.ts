import { describe, expect } from "bun:test"
import { Deferred, Effect, Exit, Fiber, Layer, Stream } from "effect"
import type { ModelEvent, ModelRequest } from "../../../../src/domain/agent/ModelTurn.ts"
import { builtInPrices } from "../../../../src/domain/agent/Prices.ts"
import { withBudget } from "../../../../src/layers/agent/model/withBudget.ts"
import { Budget, limit as limitOf } from "../../../../src/services/agent/Budget.ts"
import { Model, ModelError } from "../../../../src/services/agent/Model.ts"
import { PriceList } from "../../../../src/services/agent/PriceList.ts"
import { it } from "../../../support/effect.ts"

/** A dollar for a million tokens of either kind. */
const prices = Layer.succeed(PriceList, {
  read: Effect.succeed({
    prices: {
      ...builtInPrices,
      byModel: new Map([
        ["m", { input: 1, output: 1, cachedInput: 1, cacheWrite: 1 }],
        ["cached", { input: 1, output: 1, cachedInput: 0.1, cacheWrite: 1 }],
        ["dear", { input: 1, output: 1, cachedInput: 1, cacheWrite: 2 }]
      ])
    },
    problems: []
  })
})

const request = (over: Partial<ModelRequest> = {}): ModelRequest => ({
  model: "m",
  system: [],
  tools: [],
  messages: [{ role: "user", parts: [{ _tag: "Text", text: "hello", lasting: false }] }],
  choice: "auto",
  answer: null,
  maxTokens: 500_000,
  effort: null,
  ...over
})

const used = (completionTokens: number): ModelEvent => ({
  _tag: "Used",
  usage: { promptTokens: 0, cachedTokens: null, completionTokens, reasoningTokens: null, costUsd: null }
})

const modelSaying = (events: Stream.Stream<ModelEvent, ModelError>) => {
  let asked = 0
  const limits: Array<number> = []
  const model = Model.of({
    provider: "p",
    model: "m",
    tools: "native",
    room: { contextTokens: 1_000_000, outputTokens: 1_000_000 },
    fanout: 4,
    converse: ({ maxTokens }) => {
      asked++
      limits.push(maxTokens)
      return events
    }
  })
  return { model, limits, asked: () => asked }
}

/** By default, the whole answer is reserved. */
const budgeted = (model: Model["Service"], usual = Number.POSITIVE_INFINITY) =>
  Effect.gen(function* () {
    return withBudget(model, yield* Budget, yield* PriceList, usual)
  })

const within = (usd: number | null, isDefault = false) =>
  Effect.provide(Layer.merge(limitOf(usd === null ? null : { usd, isDefault }), prices))
const turn = (model: Model["Service"], asked = request()) => Effect.exit(Stream.runDrain(model.converse(asked)))

/** Lets everything else go as far as it can. */
const settled = Effect.repeat(Effect.yieldNow, { times: 50 })

describe("a model with a limit", () => {
  it.effect("is called as long as the budget covers its maximum cost", () =>
    Effect.gen(function* () {
      const { asked, model } = modelSaying(Stream.make(used(400_000)))
      const limited = yield* budgeted(model)
      expect(Exit.isSuccess(yield* turn(limited))).toBe(true)
      // 0.40 are spent; the next turn may cost 0.50 more than its request.
      expect(Exit.isSuccess(yield* turn(limited))).toBe(true)
      const third = yield* Effect.flip(Stream.runDrain(limited.converse(request())))
      expect(third.kind).toBe("over-budget")
      expect(third.message).toContain("$0.80 of $1.30 are spent")
      expect(third.retryable).toBe(false)
      expect(asked()).toBe(2)
      expect(yield* (yield* Budget).stopped).toBe(true)
    }).pipe(within(1.3))
  )

  it.effect("reserves the maximum cost of running turns: a turn that fits without them waits and is not refused", () =>
    Effect.gen(function* () {
      const go = yield* Deferred.make<void>()
      const { asked, model } = modelSaying(Stream.fromEffect(Effect.as(Deferred.await(go), used(1))))
      const limited = yield* budgeted(model)
      const turns = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(turn(limited)))
      yield* settled
      expect(asked()).toBe(1)
      yield* Deferred.succeed(go, undefined)
      for (const each of turns) expect(Exit.isSuccess(yield* Fiber.join(each))).toBe(true)
      expect(asked()).toBe(3)
      expect(yield* (yield* Budget).stopped).toBe(false)
    }).pipe(within(0.9))
  )

  it.effect(
    "reserves an answer of usual length, a short one if there is no more, and lets the answer be as long as that",
    () =>
      Effect.gen(function* () {
        const go = yield* Deferred.make<void>()
        const { limits, model } = modelSaying(Stream.fromEffect(Effect.as(Deferred.await(go), used(10_000))))
        const limited = yield* budgeted(model, 40_000)
        const turns = yield* Effect.forEach([1, 2, 3, 4, 5], () => Effect.forkChild(turn(limited)))
        yield* settled
        // The usual answer, for which the third waits.
        expect(limits.map((tokens) => Math.floor(tokens / 1_000))).toEqual([40, 40])
        yield* Deferred.succeed(go, undefined)
        for (const each of turns) expect(Exit.isSuccess(yield* Fiber.join(each))).toBe(true)
        expect(limits.map((tokens) => Math.floor(tokens / 1_000))).toEqual([40, 40, 40, 40, 40])
        // $0.05 are spent, then $0.06, $0.07 and $0.08.
        yield* turn(limited)
        yield* turn(limited)
        yield* turn(limited)
        expect(limits.slice(5).map((tokens) => Math.floor(tokens / 1_000))).toEqual([40, 20, 20])
        const refused = yield* Effect.flip(Stream.runDrain(limited.converse(request({ maxTokens: 20_001 }))))
        expect(refused.message).toContain("$0.08 of $0.10 are spent, and the next answer may cost $0.02")
        yield* turn(limited, request({ maxTokens: 10_000 }))
        expect(limits.at(-1)).toBe(10_000)
      }).pipe(within(0.1))
  )

  it.effect("gives an answer that was cut off the length that it needs, or is not called", () =>
    Effect.gen(function* () {
      const { asked, limits, model } = modelSaying(Stream.make(used(20_000)))
      const limited = yield* budgeted(model, 10_000)
      yield* turn(limited)
      // A quarter of the limit, and then more than a quarter of the rest.
      yield* turn(limited, request({ leastTokens: 40_000 }))
      expect(limits.map((tokens) => Math.floor(tokens / 1_000))).toEqual([24, 40])
      expect(Exit.isFailure(yield* turn(limited, request({ leastTokens: 80_000 })))).toBe(true)
      expect(asked()).toBe(2)
    }).pipe(within(0.1))
  )

  it.effect(
    "under the default limit allows an answer all that is free, and holds only a usual one, so that others run beside it",
    () =>
      Effect.gen(function* () {
        const go = yield* Deferred.make<void>()
        const { limits, model } = modelSaying(Stream.fromEffect(Effect.as(Deferred.await(go), used(100_000))))
        const limited = yield* budgeted(model, 100_000)
        const turns = yield* Effect.forEach([1, 2, 3], () =>
          Effect.forkChild(turn(limited, request({ maxTokens: 640_000 })))
        )
        yield* settled
        expect(limits.map((tokens) => Math.round(tokens / 10_000))).toEqual([64, 64, 64])
        yield* Deferred.succeed(go, undefined)
        for (const each of turns) expect(Exit.isSuccess(yield* Fiber.join(each))).toBe(true)
        // 0.3 are spent: the next answers may have what is left.
        yield* turn(limited, request({ maxTokens: 900_000 }))
        expect(Math.round(limits[3]! / 10_000)).toBe(70)
      }).pipe(within(1, true))
  )

  it.effect("by default does not refuse a model without a price, and counts one with a price", () =>
    Effect.gen(function* () {
      const { asked, model } = modelSaying(Stream.make(used(400_000)))
      const limited = yield* budgeted(model)
      expect(Exit.isSuccess(yield* turn(limited, request({ model: "unknown" })))).toBe(true)
      yield* turn(limited)
      yield* turn(limited)
      const refused = yield* Effect.flip(Stream.runDrain(limited.converse(request())))
      expect(refused.message).toContain("$0.80 of $1.00 (the default limit; max_cost sets another) are spent")
      expect(asked()).toBe(3)
    }).pipe(within(1, true))
  )

  it.effect("lets an answer be as long as the request allows while there is enough", () =>
    Effect.gen(function* () {
      const { limits, model } = modelSaying(Stream.make(used(1)))
      yield* turn(yield* budgeted(model, 20_000))
      expect(limits).toEqual([500_000])
    }).pipe(within(10))
  )

  it.effect("refuses one that waited, once what was spent meanwhile leaves it no room", () =>
    Effect.gen(function* () {
      const go = yield* Deferred.make<void>()
      const { asked, model } = modelSaying(Stream.fromEffect(Effect.as(Deferred.await(go), used(450_000))))
      const limited = yield* budgeted(model)
      const first = yield* Effect.forkChild(turn(limited))
      const second = yield* Effect.forkChild(Effect.flip(Stream.runDrain(limited.converse(request()))))
      yield* settled
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(first)
      expect((yield* Fiber.join(second)).message).toContain("$0.45 of $0.90 are spent")
      expect(asked()).toBe(1)
    }).pipe(within(0.9))
  )

  it.effect("removes one that was interrupted while it waited", () =>
    Effect.gen(function* () {
      const go = yield* Deferred.make<void>()
      const { asked, model } = modelSaying(Stream.fromEffect(Effect.as(Deferred.await(go), used(1))))
      const limited = yield* budgeted(model)
      const [first, second] = [yield* Effect.forkChild(turn(limited)), yield* Effect.forkChild(turn(limited))]
      yield* settled
      yield* Fiber.interrupt(second)
      yield* Fiber.interrupt(first)
      yield* Deferred.succeed(go, undefined)
      expect(Exit.isSuccess(yield* turn(limited))).toBe(true)
      expect(asked()).toBe(2)
    }).pipe(within(0.9))
  )

  it.effect("reserves the cost of writing the complete request to a cache, and pays for what was written", () =>
    Effect.gen(function* () {
      const usage = { promptTokens: 400_000, cachedTokens: null, cacheWrittenTokens: 400_000, completionTokens: 0 }
      const { model } = modelSaying(
        Stream.make({ _tag: "Used", usage: { ...usage, reasoningTokens: null, costUsd: null } })
      )
      const limited = yield* budgeted(model)
      const long = request({ model: "dear", maxTokens: 1, system: ["x".repeat(3_000_000)] })
      const refused = yield* Effect.flip(Stream.runDrain(limited.converse(long)))
      expect(refused.message).toContain("the next answer may cost $2.00")
      yield* turn(limited, request({ model: "dear", maxTokens: 1 }))
      yield* turn(limited, request({ model: "dear", maxTokens: 1 }))
      const spent = yield* Effect.flip(Stream.runDrain(limited.converse(request({ model: "dear", maxTokens: 1 }))))
      expect(spent.message).toContain("$1.60 of $1.50")
    }).pipe(within(1.5))
  )

  it.effect("pays the price of the requested model if the one that answered has none", () =>
    Effect.gen(function* () {
      const usage = {
        promptTokens: 400_000,
        cachedTokens: null,
        completionTokens: 0,
        reasoningTokens: null,
        costUsd: null
      }
      const { model } = modelSaying(
        Stream.make({ _tag: "Began", messageId: "1", model: "gateway/dear" }, { _tag: "Used", usage })
      )
      const limited = yield* budgeted(model)
      yield* turn(limited, request({ model: "dear", maxTokens: 1 }))
      const refused = yield* Effect.flip(Stream.runDrain(limited.converse(request({ maxTokens: 1_000_000 }))))
      expect(refused.message).not.toContain("$0.00 of")
    }).pipe(within(1))
  )

  it.effect("pays the price of the model that answered", () =>
    Effect.gen(function* () {
      const usage = { promptTokens: 400_000, cachedTokens: null, cacheWrittenTokens: 400_000, completionTokens: 0 }
      const { model } = modelSaying(
        Stream.make(
          { _tag: "Began", messageId: "1", model: "dear" },
          { _tag: "Used", usage: { ...usage, reasoningTokens: null, costUsd: null } }
        )
      )
      const limited = yield* budgeted(model)
      yield* turn(limited, request({ maxTokens: 1 }))
      const refused = yield* Effect.flip(Stream.runDrain(limited.converse(request({ maxTokens: 800_000 }))))
      expect(refused.message).toContain("$0.80 of $1.00 are spent")
    }).pipe(within(1))
  )

  it.effect("delays a turn beside another if a turn that was cut off may have cost the rest", () =>
    Effect.gen(function* () {
      const go = yield* Deferred.make<void>()
      const cut = new ModelError({
        provider: "p",
        model: "m",
        kind: "unreachable",
        status: null,
        retryAfterMillis: null,
        detail: ""
      })
      const began = Stream.make<[ModelEvent]>({ _tag: "Began", messageId: "1", model: "m" })
      const turns = [
        Stream.concat(began, Stream.fail(cut)),
        Stream.fromEffect(Effect.as(Deferred.await(go), used(1))),
        Stream.make(used(1))
      ]
      const { asked, model } = modelSaying(Stream.suspend(() => turns.shift() ?? Stream.empty))
      const limited = yield* budgeted(model)
      yield* turn(limited)
      const second = yield* Effect.forkChild(turn(limited, request({ maxTokens: 300_000 })))
      yield* settled
      // 0.50 may be spent and 0.30 are held back: 0.50 more are too much until these are free.
      const third = yield* Effect.forkChild(turn(limited))
      yield* settled
      expect(asked()).toBe(2)
      yield* Deferred.succeed(go, undefined)
      for (const each of [second, third]) expect(Exit.isSuccess(yield* Fiber.join(each))).toBe(true)
      expect(asked()).toBe(3)
    }).pipe(within(1.2))
  )

  it.effect("is not called if its price is unknown", () =>
    Effect.gen(function* () {
      const { asked, model } = modelSaying(Stream.make(used(1)))
      const refused = yield* Effect.flip(
        Stream.runDrain((yield* budgeted(model)).converse(request({ model: "other" })))
      )
      expect(refused.message).toContain("add it to prices.toml")
      expect(asked()).toBe(0)
    }).pipe(within(100))
  )

  it.effect("charges an interrupted turn, and frees what was reserved for it", () =>
    Effect.gen(function* () {
      const { model } = modelSaying(Stream.concat(Stream.make(used(300_000)), Stream.never))
      const limited = yield* budgeted(model)
      const heard = yield* Deferred.make<void>()
      const fiber = yield* Effect.forkChild(
        Stream.runForEach(limited.converse(request()), () => Deferred.succeed(heard, undefined))
      )
      yield* Deferred.await(heard)
      yield* Fiber.interrupt(fiber)
      const refused = yield* Effect.flip(Stream.runDrain(limited.converse(request({ maxTokens: 800_000 }))))
      expect(refused.message).toContain("$0.30 of $1.00 are spent, and")
    }).pipe(within(1))
  )

  it.effect("counts a turn that broke before it reported its usage at its maximum price", () =>
    Effect.gen(function* () {
      const broken = new ModelError({
        provider: "p",
        model: "m",
        kind: "unreachable",
        status: null,
        retryAfterMillis: null,
        detail: ""
      })
      const began: ModelEvent = { _tag: "Began", messageId: "1", model: "m" }
      const cut = modelSaying(Stream.concat(Stream.make(began), Stream.fail(broken)))
      const limited = yield* budgeted(cut.model)
      yield* turn(limited)
      yield* turn(limited)
      // Twice 0.50 of answers that nobody saw the end of.
      const refused = yield* Effect.flip(Stream.runDrain(limited.converse(request())))
      expect(refused.kind).toBe("over-budget")
      expect(cut.asked()).toBe(2)
    }).pipe(within(1.3))
  )

  it.effect("counts what was heard of a turn that broke where the provider had counted less by then", () =>
    Effect.gen(function* () {
      const text: ModelEvent = { _tag: "Text", text: "x".repeat(900_000) }
      const cut = modelSaying(Stream.concat(Stream.make(used(1), text), Stream.never))
      const limited = yield* budgeted(cut.model)
      const heard = yield* Deferred.make<void>()
      const fiber = yield* Effect.forkChild(
        Stream.runForEach(limited.converse(request()), ({ _tag }) =>
          _tag === "Text" ? Deferred.succeed(heard, undefined) : Effect.void
        )
      )
      yield* Deferred.await(heard)
      yield* Fiber.interrupt(fiber)
      const refused = yield* Effect.flip(Stream.runDrain(limited.converse(request({ maxTokens: 800_000 }))))
      expect(refused.message).toContain("$0.000001 of $1.00 are spent, up to $0.30 more by answers that were cut off")
    }).pipe(within(1))
  )

  it.effect(
    "expects what an earlier request began with from the cache, until the provider does not have it there",
    () =>
      Effect.gen(function* () {
        const long = (text: string) =>
          request({
            model: "cached",
            maxTokens: 1_000,
            messages: [
              {
                role: "user",
                parts: [
                  { _tag: "Text", text: "x".repeat(900_000), lasting: true },
                  { _tag: "Text", text, lasting: false }
                ]
              }
            ]
          })
        const answering = (cachedTokens: number) =>
          modelSaying(
            Stream.make<Array<ModelEvent>>({
              _tag: "Used",
              usage: { promptTokens: 1_000, cachedTokens, completionTokens: 1, reasoningTokens: null, costUsd: 0.3 }
            })
          )
        const kept = answering(900)
        const limited = yield* budgeted({ ...kept.model, cachesPrefixes: true })
        // The first costs 0.30 for its input; the second would not fit into the rest, if its beginning had to be paid again.
        expect(Exit.isSuccess(yield* turn(limited, long("a")))).toBe(true)
        expect(Exit.isSuccess(yield* turn(limited, long("b")))).toBe(true)
        expect(Exit.isSuccess(yield* turn(yield* budgeted(kept.model), long("c")))).toBe(false)
      }).pipe(within(0.65))
  )

  it.effect("expects from the cache only what ends where agents begin to differ, or with a message", () =>
    Effect.gen(function* () {
      const told = (lasting: ReadonlyArray<string>, own: string) =>
        request({
          model: "cached",
          maxTokens: 1_000,
          messages: [
            {
              role: "user",
              parts: [
                ...lasting.map((text) => ({ _tag: "Text" as const, text, lasting: true })),
                { _tag: "Text", text: own, lasting: false }
              ]
            }
          ]
        })
      const long = "x".repeat(900_000)
      const { model } = modelSaying(
        Stream.make<Array<ModelEvent>>({
          _tag: "Used",
          usage: { promptTokens: 1_000, cachedTokens: 900, completionTokens: 1, reasoningTokens: null, costUsd: 0.3 }
        })
      )
      const limited = yield* budgeted({ ...model, cachesPrefixes: true })
      expect(Exit.isSuccess(yield* turn(limited, told([long, "the diff of one"], "a")))).toBe(true)
      expect(Exit.isSuccess(yield* turn(limited, told([long, "the diff of another"], "b")))).toBe(false)
      expect(Exit.isSuccess(yield* turn(limited, told([long, "the diff of one"], "b")))).toBe(true)
    }).pipe(within(0.6))
  )

  it.effect("expects nothing from a cache that has not served a long beginning", () =>
    Effect.gen(function* () {
      const long = request({
        model: "cached",
        maxTokens: 1_000,
        messages: [{ role: "user", parts: [{ _tag: "Text", text: "x".repeat(900_000), lasting: true }] }]
      })
      const lost = modelSaying(
        Stream.make<Array<ModelEvent>>({
          _tag: "Used",
          usage: { promptTokens: 1_000, cachedTokens: 0, completionTokens: 1, reasoningTokens: null, costUsd: 0.1 }
        })
      )
      const limited = yield* budgeted({ ...lost.model, cachesPrefixes: true })
      yield* turn(limited, long)
      yield* turn(limited, long)
      yield* turn(limited, long)
      expect(lost.asked()).toBe(2)
    }).pipe(within(0.45))
  )

  it.effect("counts nothing for a turn that never began", () =>
    Effect.gen(function* () {
      const refused = new ModelError({
        provider: "p",
        model: "m",
        kind: "overloaded",
        status: 529,
        retryAfterMillis: null,
        detail: ""
      })
      const { asked, model } = modelSaying(Stream.fail(refused))
      const limited = yield* budgeted(model)
      yield* turn(limited)
      yield* turn(limited)
      yield* turn(limited)
      expect(asked()).toBe(3)
    }).pipe(within(0.9))
  )

  it.effect("gains nothing from a provider that reports negative counts", () =>
    Effect.gen(function* () {
      const { asked, model } = modelSaying(Stream.make(used(-5_000_000)))
      const limited = yield* budgeted(model)
      yield* turn(limited)
      expect(Exit.isFailure(yield* turn(limited, request({ maxTokens: 1_000_000 })))).toBe(true)
      expect(asked()).toBe(1)
    }).pipe(within(0.9))
  )

  it.effect("is as it is where there is no limit", () =>
    Effect.gen(function* () {
      const { model } = modelSaying(Stream.make(used(1)))
      expect(yield* budgeted(model)).toBe(model)
    }).pipe(within(null))
  )

  it.effect("asks an agent to answer while every running agent and one that judges can still pay for an answer", () =>
    Effect.gen(function* () {
      const { model } = modelSaying(Stream.make(used(100_000)))
      const limited = yield* budgeted(model, 100_000)
      const budget = yield* Budget
      const alone = limited.mustAnswer ?? (() => Effect.die("no limit"))
      yield* budget.join
      // 0.1 for the turn, 0.1 for an answer and one of a judge, of 0.45.
      expect(yield* alone(request())).toBe(false)
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* budget.join
          expect(yield* alone(request())).toBe(false)
          yield* budget.join
          // Three agents: 0.1 for the turn and 0.4 for the answers.
          expect(yield* budget.hurried).toBe(false)
          expect(yield* alone(request())).toBe(true)
          expect(yield* budget.hurried).toBe(true)
        })
      )
      expect(yield* alone(request())).toBe(false)
      yield* turn(limited)
      yield* turn(limited)
      expect(yield* alone(request())).toBe(true)
      // An unknown price does not stop anybody.
      expect(yield* alone(request({ model: "unknown" }))).toBe(false)
    }).pipe(Effect.scoped, within(0.45))
  )

  it.effect("tells how many more agents like those until now can be paid", () =>
    Effect.gen(function* () {
      const budget = yield* Budget
      expect(yield* budget.agentsLeft).toBe(Number.POSITIVE_INFINITY)
      for (const usd of [0.1, 0.3]) yield* Effect.scoped(Effect.andThen(budget.join, budget.spend(usd)))
      // 0.7 are left, and an agent cost 0.2.
      expect(yield* budget.agentsLeft).toBe(3)
      yield* budget.spend(0.5)
      expect(yield* budget.agentsLeft).toBe(1)
    }).pipe(within(1.1))
  )
})
