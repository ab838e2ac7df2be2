import { describe, expect } from "bun:test"
import { Cause, Effect, Exit, Fiber, Layer, Ref, Schema } from "effect"
import { ArbiterVerdict } from "../../src/domain/Task.ts"
import * as Scripted from "../../src/layers/backend/Scripted.ts"
import * as Memory from "../../src/layers/recorder/Memory.ts"
import { Agent } from "../../src/services/Agent.ts"
import { Arbiter, applyVerdicts, needSecondOpinion } from "../../src/services/Arbiter.ts"
import { BackendUnavailable } from "../../src/services/Backend.ts"
import { FailPolicy } from "../../src/services/FailPolicy.ts"
import { change, record, stackRecords } from "../support/builders.ts"
import { it } from "../support/effect.ts"

const twoHigh = [
  stackRecords("python", record({ id: 1, severity: "high" }), record({ id: 2, line: 9, severity: "high" }))
]

const arbiterHearing = (script: Scripted.Script) =>
  Arbiter.layer.pipe(
    Layer.provideMerge(Agent.layer),
    Layer.provide(Scripted.layer(script)),
    Layer.provideMerge(FailPolicy.layer),
    Layer.provideMerge(Memory.layer)
  )

const arbitrated = Effect.gen(function* () {
  const arbiter = yield* Arbiter
  const { records, dropped } = yield* arbiter.arbitrate(change(), "an aim", twoHigh)
  const policy = yield* FailPolicy
  const events = yield* Ref.get(yield* Memory.RecordedEvents)
  return {
    ids: records.flatMap((each) => each.records.map((r) => r.id)),
    records: records.flatMap((each) => each.records),
    dropped,
    degraded: yield* policy.degraded,
    events
  }
})

const verdict = (arb_id: number, over: object = {}) => ({ arb_id, ...over })

describe("needSecondOpinion", () => {
  it("asks about high records and about places two stacks rate differently, and no others", () => {
    const asked = needSecondOpinion([
      stackRecords(
        "python",
        record({ id: 1, line: 1, severity: "high" }),
        record({ id: 2, line: 5, severity: "low" }),
        record({ id: 3, line: 8, severity: "low" })
      ),
      stackRecords("react", record({ id: 4, line: 5, severity: "medium" }), record({ id: 5, line: 8, severity: "low" }))
    ])
    expect(asked.map(({ arbId, record }) => [arbId, record.id])).toEqual([
      [1, 1],
      [2, 2],
      [3, 4]
    ])
  })

  it("leaves the structure stack out: its records speak of the whole change", () => {
    expect(needSecondOpinion([stackRecords("structure", record({ severity: "high" }))])).toEqual([])
  })
})

describe("applyVerdicts", () => {
  const all = [stackRecords("go", record({ id: 1 }), record({ id: 2, line: 4 }), record({ id: 3, line: 6 }))]
  const contested = all[0]!.records.map((each, i) => ({ arbId: i + 1, stack: "go", record: each }))

  it.prop(
    "drops exactly what a verdict says not to keep, and never invents or reorders",
    Schema.Array(Schema.Struct({ arb_id: Schema.Literals([1, 2, 3, 4]), keep: Schema.optionalKey(Schema.Boolean) })),
    (verdicts) => {
      const last = new Map(verdicts.map((each) => [each.arb_id, each.keep]))
      const { records, dropped } = applyVerdicts(
        all,
        contested,
        verdicts.map((each) => ArbiterVerdict.make(each))
      )
      const expected = [1, 2, 3].filter((id) => last.get(id as 1) !== false)
      expect(records[0]!.records.map((each) => each.id)).toEqual(expected)
      expect(dropped.length + expected.length).toBe(3)
    }
  )

  it("revises how bad a record is and its words, never where it points", () => {
    const revised = applyVerdicts(all, contested, [
      ArbiterVerdict.make({ arb_id: 1, keep: true, severity: "low", description: "Milder than it looked" })
    ]).records[0]!.records[0]!
    expect([revised.severity, revised.description, revised.file, revised.line]).toEqual([
      "low",
      "Milder than it looked",
      "src/a.py",
      2
    ])
  })
})

describe("Arbiter", () => {
  it.effect("drops only what the arbiter says not to keep, and says why", () =>
    Effect.gen(function* () {
      const { ids, dropped, degraded } = yield* arbitrated
      expect(ids).toEqual([2])
      expect(dropped.map((each) => each.reason)).toEqual(["the arbiter dropped it: guarded above"])
      expect(degraded).toEqual([])
    }).pipe(
      Effect.provide(
        arbiterHearing(() => Effect.succeed({ findings: [verdict(1, { keep: false, rationale: "guarded above" })] }))
      )
    )
  )

  it.effect("keeps a record that a verdict mentions without saying keep", () =>
    Effect.gen(function* () {
      expect((yield* arbitrated).ids).toEqual([1, 2])
    }).pipe(
      Effect.provide(arbiterHearing(() => Effect.succeed({ findings: [verdict(1), verdict(7, { keep: false })] })))
    )
  )

  it.effect("keeps every record, and says so, when the backend is down", () =>
    Effect.gen(function* () {
      const { ids, degraded, events } = yield* arbitrated
      expect(ids).toEqual([1, 2])
      expect(degraded.map(({ step, error }) => [step, error])).toEqual([["arbiter", "BackendUnavailable"]])
      expect(events.some((event) => event._tag === "Degraded")).toBe(true)
    }).pipe(
      Effect.provide(
        arbiterHearing(() => Effect.fail(new BackendUnavailable({ backend: "scripted", cause: "ENOENT" })))
      )
    )
  )

  it.effect("keeps every record when the reply is not what was asked for", () =>
    Effect.gen(function* () {
      const { ids, degraded } = yield* arbitrated
      expect(ids).toEqual([1, 2])
      expect(degraded.map((each) => each.error)).toEqual(["AgentReplyInvalid"])
    }).pipe(Effect.provide(arbiterHearing(() => Effect.succeed("Sure! They both look fine."))))
  )

  it.effect("does not hide a defect", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(arbitrated)
      expect(Exit.isFailure(exit) && Cause.hasDies(exit.cause)).toBe(true)
    }).pipe(Effect.provide(arbiterHearing(() => Effect.die("bug"))))
  )

  it.effect("does not hide an interruption, and records that the call was cut off", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(arbitrated)
      yield* Effect.yieldNow
      yield* Fiber.interrupt(fiber)
      const exit = yield* Fiber.await(fiber)
      expect(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)).toBe(true)
      const events = yield* Ref.get(yield* Memory.RecordedEvents)
      expect(events.findLast((event) => event._tag === "AgentEnded")).toMatchObject({ outcome: "interrupted" })
    }).pipe(Effect.provide(arbiterHearing(() => Effect.never)))
  )
})
