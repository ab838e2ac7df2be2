import { describe, expect } from "bun:test"
import { Cause, Effect, Exit, Fiber, Layer, Ref, Schema } from "effect"
import { ArbiterVerdict } from "../../../src/domain/agent/Task.ts"
import { titleOf } from "../../../src/domain/finding/MergedItem.ts"
import { Agent } from "../../../src/services/agent/Agent.ts"
import { BackendUnavailable } from "../../../src/services/agent/Backend.ts"
import { applyVerdicts, arbitrate, clearVerdicts, needSecondOpinion } from "../../../src/services/review/arbitrate.ts"
import { FailPolicy } from "../../../src/services/run/FailPolicy.ts"
import { change, record, stackRecords } from "../../support/builders.ts"
import { it } from "../../support/effect.ts"
import * as Memory from "../../support/MemoryRecorder.ts"
import * as Scripted from "../../support/ScriptedBackend.ts"

const twoHigh = [
  stackRecords("python", record({ id: 1, severity: "high" }), record({ id: 2, line: 9, severity: "high" }))
]

const arbiterHearing = (script: Scripted.Script) =>
  Agent.layer.pipe(
    Layer.provide(Scripted.layer(script)),
    Layer.provideMerge(FailPolicy.layer),
    Layer.provideMerge(Memory.layer)
  )

const arbitrated = Effect.gen(function* () {
  const { records, dropped } = yield* arbitrate(change(), "an aim", twoHigh)
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

  it("does not ask about what a rule proved, only about the claim that disagrees with it", () => {
    const asked = needSecondOpinion([
      stackRecords(
        "python",
        record({ id: 1, line: 1, severity: "high", rule: "py/eval" }),
        record({ id: 2, line: 5, rule: "py/bare-except" })
      ),
      stackRecords("react", record({ id: 3, line: 5, severity: "low" }))
    ])
    expect(asked.map(({ arbId, record }) => [arbId, record.id])).toEqual([[1, 3]])
  })

  it("leaves the structure stack out: its records are about the complete change", () => {
    expect(needSecondOpinion([stackRecords("structure", record({ severity: "high" }))])).toEqual([])
  })
})

describe("applyVerdicts", () => {
  const all = [stackRecords("go", record({ id: 1 }), record({ id: 2, line: 4 }), record({ id: 3, line: 6 }))]
  const contested = all[0]!.records.map((each, i) => ({ arbId: i + 1, stack: "go", record: each }))

  const applied = (verdicts: ReadonlyArray<ArbiterVerdict>, to = all, asked = contested) =>
    applyVerdicts(to, asked, clearVerdicts(asked, verdicts).verdicts)

  it.prop(
    "drops exactly the records whose verdicts all have keep false, and never invents or reorders",
    Schema.Array(
      Schema.Struct({
        arb_id: Schema.Literals([1, 2, 3, 4]),
        keep: Schema.optionalKey(Schema.Literals([true, false, "false", "true", 0]))
      })
    ),
    (said) => {
      const { dropped, records } = applied(said.map((each) => ArbiterVerdict.make(each)))
      const isDropped = (id: number) => {
        const own = said.filter(({ arb_id }) => arb_id === id)
        return own.length > 0 && own.every(({ keep }) => keep === false)
      }
      const expected = [1, 2, 3].filter((id) => !isDropped(id))
      expect(records[0]!.records.map((each) => each.id)).toEqual(expected)
      expect(dropped.length + expected.length).toBe(3)
    }
  )

  for (const [what, said] of [
    ["there is none", []],
    ["it lacks keep", [{ arb_id: 1, severity: "low", description: "Something else" }]],
    ["keep is a string", [{ arb_id: 1, keep: "false", severity: "low" }]],
    ["keep is null", [{ arb_id: 1, keep: null, description: "Something else" }]],
    [
      "two contradict each other",
      [
        { arb_id: 1, keep: true, severity: "low" },
        { arb_id: 1, keep: false }
      ]
    ],
    [
      "two revise it differently",
      [
        { arb_id: 1, keep: true, severity: "low" },
        { arb_id: 1, keep: true, severity: "medium" }
      ]
    ]
  ] as const) {
    it(`leaves a record exactly as it was when ${what}`, () => {
      const { dropped, records } = applied(said.map((each) => ArbiterVerdict.make(each)))
      expect(records).toEqual(all)
      expect(dropped).toEqual([])
    })
  }

  it("counts a repeated verdict once", () => {
    const twice = [1, 2].map(() => ArbiterVerdict.make({ arb_id: 2, keep: false }))
    expect(applied(twice).records[0]!.records.map(({ id }) => id)).toEqual([1, 3])
  })

  it("revises severity and text, not the place, and drops the title of a replaced description", () => {
    const titled = record({ id: 1, title: "The file is destroyed" })
    const revised = applied(
      [ArbiterVerdict.make({ arb_id: 1, keep: true, severity: "low", description: "Milder than it looked" })],
      [stackRecords("go", titled)],
      [{ arbId: 1, stack: "go", record: titled }]
    ).records[0]!.records[0]!
    expect([revised.severity, revised.description, titleOf(revised), revised.file, revised.line]).toEqual([
      "low",
      "Milder than it looked",
      "Milder than it looked",
      "src/a.py",
      2
    ])
  })

  it("revises nothing by which a kept record would be dropped later", () => {
    const given = all[0]!.records[0]!
    const [revised] = applied([
      ArbiterVerdict.make({
        arb_id: 1,
        keep: true,
        confidence: "LOW",
        description: " ",
        rationale: "",
        evidence: "nowhere.py:1"
      })
    ]).records[0]!.records
    expect(revised).toEqual({ ...given, confidence: "MEDIUM", evidence: `nowhere.py:1; ${given.evidence}` })
  })
})

describe("arbitrate", () => {
  it.effect("drops only what the arbiter refuses, and reports why", () =>
    Effect.gen(function* () {
      const { ids, dropped, degraded } = yield* arbitrated
      expect(ids).toEqual([2])
      expect(dropped.map((each) => each.reason)).toEqual(["the arbiter dropped it: guarded above"])
      expect(degraded).toEqual([])
    }).pipe(
      Effect.provide(
        arbiterHearing(() =>
          Effect.succeed({
            findings: [verdict(1, { keep: false, rationale: "guarded above" }), verdict(2, { keep: true })]
          })
        )
      )
    )
  )

  it.effect("keeps a record that a verdict mentions without saying keep", () =>
    Effect.gen(function* () {
      const { degraded, ids } = yield* arbitrated
      expect(ids).toEqual([1, 2])
      expect(degraded).toEqual([
        {
          step: "arbiter",
          error: "ArbiterUndecided",
          detail:
            "no clear verdict on 2 of 2 claims, which stay as they were: src/a.py:2 (keep is neither true nor false), src/a.py:9 (no verdict)"
        }
      ])
    }).pipe(
      Effect.provide(arbiterHearing(() => Effect.succeed({ findings: [verdict(1), verdict(7, { keep: false })] })))
    )
  )

  it.effect("keeps every record, and reports it, when there are no verdicts", () =>
    Effect.gen(function* () {
      const { degraded, ids } = yield* arbitrated
      expect(ids).toEqual([1, 2])
      expect(degraded.map(({ error, step }) => [step, error])).toEqual([["arbiter", "ArbiterUndecided"]])
    }).pipe(Effect.provide(arbiterHearing(() => Effect.succeed({ findings: [] }))))
  )

  it.effect("keeps every record, and reports it, when the backend is down", () =>
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

  it.effect("keeps every record when the reply is not what was requested", () =>
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
