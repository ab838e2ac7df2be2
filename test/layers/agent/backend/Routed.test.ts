import { describe, expect } from "bun:test"
import { Effect, Exit, Layer, Ref, Stream } from "effect"
import { builtInPrices } from "../../../../src/domain/agent/Prices.ts"
import { AgentEvent } from "../../../../src/domain/run/AgentEvent.ts"
import type { Phase } from "../../../../src/domain/run/BackendChoice.ts"
import { type Chain, routed } from "../../../../src/layers/agent/backend/Routed.ts"
import { withBudget } from "../../../../src/layers/agent/backend/withBudget.ts"
import { Backend, BackendFailed, BackendRefused } from "../../../../src/services/agent/Backend.ts"
import { Budget, limit as limitOf } from "../../../../src/services/agent/Budget.ts"
import { PriceList } from "../../../../src/services/agent/PriceList.ts"
import { FailPolicy } from "../../../../src/services/run/FailPolicy.ts"
import { type Block, backendContract, blocked } from "../../../support/backendContract.ts"
import { everyTask } from "../../../support/builders.ts"
import { it } from "../../../support/effect.ts"
import * as Memory from "../../../support/MemoryRecorder.ts"
import * as Scripted from "../../../support/ScriptedBackend.ts"

const named = (name: string, script: Scripted.Script) =>
  Effect.map(Backend.pipe(Effect.provide(Scripted.layer(script))), (backend) => ({ ...backend, name }))

const everywhere = (chain: Chain): Record<Phase, Chain> => ({
  intent: chain,
  alternatives: chain,
  "per-stack-reviews": chain,
  "per-stack-parse": chain,
  arbiter: chain,
  merge: chain,
  verify: chain,
  fix: chain,
  test: chain,
  pr_feedback: chain
})

const answers: Record<string, Scripted.Reply> = {
  Intent: { intent: "to add" },
  Alternatives: { issues: [] },
  StackReview: { review: "fine", issues: [] },
  ParseReview: { issues: [] },
  Arbitrate: { findings: [] },
  Merge: { notes: [] },
  Verify: { verdicts: [] },
  Fix: { outcomes: [] }
}
const answering: Scripted.Script = (task) => Effect.succeed(answers[task._tag] ?? {})
const failing: Scripted.Script = () =>
  Effect.fail(new BackendFailed({ backend: "first", retryable: true, cause: "boom" }))

const layerOf = (...scripts: ReadonlyArray<Scripted.Script>) =>
  Layer.effect(
    Backend,
    Effect.gen(function* () {
      const [first, ...others] = yield* Effect.forEach(scripts, (script, at) => named(`b${at}`, script))
      if (first === undefined) return yield* Effect.die("no script")
      return routed(everywhere([first, ...others]), yield* FailPolicy, 3)
    })
  ).pipe(Layer.provideMerge(FailPolicy.layer), Layer.provideMerge(Memory.layer))

backendContract("several backends, the first of which fails,", {
  tasks: everyTask,
  answering: layerOf(failing, answering),
  blocking: (block: Block) => layerOf(failing, () => blocked(block))
})

const intent = everyTask.find(({ _tag }) => _tag === "Intent")!
const review = everyTask.find(({ _tag }) => _tag === "StackReview")!
const alternatives = everyTask.find(({ _tag }) => _tag === "Alternatives")!
const said = Effect.gen(function* () {
  return yield* Stream.runCollect((yield* Backend).execute(intent))
})

describe("several backends", () => {
  it.effect("report when a fallback answers, and why", () =>
    Effect.gen(function* () {
      const events = yield* said
      expect(events[0]).toMatchObject({ _tag: "TurnEnd", stopReason: "failed" })
      expect(events.at(-1)).toMatchObject({ _tag: "Result", output: { intent: "to add" } })
      expect(yield* FailPolicy.use((policy) => policy.degraded)).toEqual([
        {
          step: "intent",
          error: "BackendFailed",
          detail: "the first backend failed: boom; b1 is used instead"
        }
      ])
    }).pipe(Effect.provide(layerOf(failing, answering)))
  )

  it.effect("fail as the last of them fails", () =>
    Effect.gen(function* () {
      expect(Exit.isFailure(yield* Effect.exit(said))).toBe(true)
      expect(yield* FailPolicy.use((policy) => policy.degraded)).toHaveLength(1)
    }).pipe(Effect.provide(layerOf(failing, failing)))
  )

  it.effect("leave the task to the static checks if the user configured them", () =>
    Effect.gen(function* () {
      const first = yield* named("first", failing)
      const backend = routed({ ...everywhere([first, "static"]), intent: ["static"] }, yield* FailPolicy, 3)
      expect(backend.phases?.has("intent")).toBe(false)
      expect(backend.phases?.has("merge")).toBe(true)
      for (const task of everyTask) {
        expect((yield* Effect.flip(Stream.runDrain(backend.execute(task))))._tag).toBe("NoModel")
      }
      const [noted] = yield* FailPolicy.use((policy) => policy.degraded)
      expect(noted).toMatchObject({
        error: "BackendFailed",
        detail: expect.stringContaining("static is used instead")
      })
    }).pipe(Effect.provide(FailPolicy.layer.pipe(Layer.provideMerge(Memory.layer))))
  )

  it.effect("leave the task to the static checks if the only backend has refused", () =>
    Effect.gen(function* () {
      const refused = new BackendRefused({ backend: "first", reason: "HTTP 401", remedy: "check the key" })
      const first = { ...(yield* named("first", answering)), check: Effect.fail(refused) }
      const backend = routed(everywhere([first, "static"]), yield* FailPolicy, 3)
      yield* backend.check ?? Effect.void
      expect((yield* Effect.flip(Stream.runDrain(backend.execute(intent))))._tag).toBe("NoModel")
      expect(yield* FailPolicy.use((policy) => policy.degraded)).toMatchObject([{ step: "check" }])
    }).pipe(Effect.provide(FailPolicy.layer.pipe(Layer.provideMerge(Memory.layer))))
  )

  it.effect("are chosen by phase", () =>
    Effect.gen(function* () {
      const reviewer = yield* named("reviewer", answering)
      const other = yield* named("other", () => Effect.succeed({ intent: "from the other" }))
      const backend = routed({ ...everywhere([reviewer]), intent: [other] }, yield* FailPolicy, 3)
      expect(backend.name).toBe("reviewer")
      const events = yield* Stream.runCollect(backend.execute(intent))
      expect(events.at(-1)).toMatchObject({ output: { intent: "from the other" } })
    }).pipe(Effect.provide(FailPolicy.layer.pipe(Layer.provideMerge(Memory.layer))))
  )
})

describe("a backend with a limit", () => {
  const costing = (costUsd: number | null, over: Partial<{ readonly model: string; readonly tokens: number }> = {}) =>
    Backend.of({
      name: "cli",
      model: over.model ?? "",
      fanout: 1,
      execute: () =>
        Stream.make(
          AgentEvent.make({
            _tag: "Cost",
            timestamp: "2026-01-01T00:00:00.000Z",
            costUsd,
            promptTokens: over.tokens ?? 10,
            completionTokens: 0,
            cachedTokens: null,
            reasoningTokens: null,
            model: null
          }),
          AgentEvent.make({ _tag: "Result", timestamp: "2026-01-01T00:00:00.000Z", output: { intent: "x" } })
        )
    })
  const limited = (backend: Backend["Service"]) =>
    Effect.gen(function* () {
      return withBudget(backend, yield* Budget, yield* PriceList)
    })
  const asked = (backend: Backend["Service"]) => Effect.exit(Stream.runDrain(backend.execute(review)))
  const within = (limit: number) => Effect.provide(Layer.merge(limitOf({ usd: limit, isDefault: false }), prices))
  const prices = Layer.succeed(PriceList, {
    read: Effect.succeed({
      prices: { ...builtInPrices, byModel: new Map([["m", { input: 1, output: 1, cachedInput: 1, cacheWrite: 1 }]]) },
      problems: []
    })
  })

  it.effect("answers until the limit is reached, and is not called after it", () =>
    Effect.gen(function* () {
      const asks = yield* Ref.make(0)
      const backend = costing(0.6)
      const counting = {
        ...backend,
        execute: () =>
          Stream.unwrap(
            Effect.as(
              Ref.update(asks, (n) => n + 1),
              backend.execute(review)
            )
          )
      }
      const cli = yield* limited(counting)
      expect(Exit.isSuccess(yield* asked(cli))).toBe(true)
      const second = yield* Effect.flip(Stream.runDrain(cli.execute(review)))
      expect(second).toMatchObject({ _tag: "BackendFailed", retryable: false })
      expect(second.message).toContain("$0.60 of $1.00 are spent, and the next answer may cost $0.60")
      expect(Exit.isFailure(yield* asked(cli))).toBe(true)
      expect(yield* Ref.get(asks)).toBe(1)
      const optional = yield* Effect.flip(Stream.runDrain(cli.execute(alternatives)))
      expect(optional.message).toContain("is kept for the agents that every review needs")
    }).pipe(within(1))
  )

  it.effect("keeps a whole answer that reaches the limit", () =>
    Effect.gen(function* () {
      expect(Exit.isSuccess(yield* asked(yield* limited(costing(1))))).toBe(true)
    }).pipe(within(1))
  )

  it.effect("does not wait when nothing else runs, however sums are rounded", () =>
    Effect.gen(function* () {
      const cli = yield* limited(costing(0.05))
      for (let n = 0; n < 6; n++) expect([n, Exit.isSuccess(yield* asked(cli))]).toEqual([n, true])
      expect(Exit.isFailure(yield* asked(cli))).toBe(true)
    }).pipe(within(0.3))
  )

  const measured = (costSource: "provisional" | "reported", costUsd: number | null) =>
    AgentEvent.make({
      _tag: "Metrics",
      timestamp: "2026-01-01T00:00:00.000Z",
      messageId: "1",
      promptTokens: 10,
      completionTokens: 0,
      cachedTokens: null,
      reasoningTokens: null,
      costUsd,
      costSource,
      model: null
    })

  it.effect("continues with unpriced turns if it reports their cost at the end", () =>
    Effect.gen(function* () {
      const cli = costing(0.6)
      const events = Stream.concat(Stream.make(measured("provisional", null)), cli.execute(review))
      const told = yield* limited({ ...cli, execute: () => events })
      expect(Exit.isSuccess(yield* asked(told))).toBe(true)
      expect(Exit.isFailure(yield* asked(yield* limited(costing(0.5))))).toBe(true)
    }).pipe(within(1))
  )

  it.effect("uses up the budget if it ended without reporting its cost", () =>
    Effect.gen(function* () {
      const silent = Stream.make(
        measured("provisional", null),
        AgentEvent.make({ _tag: "Result", timestamp: "2026-01-01T00:00:00.000Z", output: { intent: "x" } })
      )
      yield* asked(yield* limited({ ...costing(0), execute: () => silent }))
      const refused = yield* Effect.flip(Stream.runDrain((yield* limited(costing(0.1))).execute(review)))
      expect(refused.message).toContain("what an answer that was cut off has cost is not known")
    }).pipe(within(100))
  )

  it.effect("is priced by its tokens if it reports no cost, and stopped if the price is unknown", () =>
    Effect.gen(function* () {
      expect(Exit.isSuccess(yield* asked(yield* limited(costing(null, { model: "m", tokens: 100_000 }))))).toBe(true)
      const unknown = yield* Effect.flip(Stream.runDrain((yield* limited(costing(null))).execute(review)))
      expect(unknown.message).toContain("prices.toml")
    }).pipe(within(1))
  )
})
