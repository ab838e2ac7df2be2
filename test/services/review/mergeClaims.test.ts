import { describe, expect } from "bun:test"
import { Effect, Layer } from "effect"
import { noCost } from "../../../src/domain/agent/RunCost.ts"
import { ReviewRecord } from "../../../src/domain/finding/Finding.ts"
import { alternativeRecords } from "../../../src/domain/finding/MergedItem.ts"
import { MergeNote } from "../../../src/domain/finding/MergeNote.ts"
import { Agent, type AgentError } from "../../../src/services/agent/Agent.ts"
import { AgentTimedOut } from "../../../src/services/agent/AgentCalls.ts"
import { type MergeRequest, mergeClaims } from "../../../src/services/review/mergeClaims.ts"
import { FailPolicy } from "../../../src/services/run/FailPolicy.ts"
import { Recorder } from "../../../src/services/run/Recorder.ts"
import { it } from "../../support/effect.ts"

const record = ReviewRecord.make({
  id: 1,
  description: "Missing null check in parser",
  file: "a.py",
  line: 3,
  confidence: "HIGH",
  severity: "high",
  rationale: "It may be None.",
  evidence: "a.py:3"
})

const stack = (name: string) => ({ stack: { name, files: ["a.py"] }, records: [record] })
const request: MergeRequest = {
  intent: "i",
  stacks: [stack("go"), stack("python")],
  alternatives: alternativeRecords([]),
  failures: {},
  single: false
}

/** An agent that answers every task alike and counts its calls. */
const merged = (hasModel: boolean, answer: Effect.Effect<unknown, AgentError>, asked = request) =>
  Effect.gen(function* () {
    let calls = 0
    const agent = Agent.of({
      name: "scripted",
      hasModel: () => hasModel,
      withoutModel: () => Effect.die("nothing but a merge is asked for"),
      // The one task a merger may ask is Merge; its reply is `answer`.
      invoke: () => {
        calls++
        return answer as Effect.Effect<never, AgentError>
      },
      review: () => Effect.die("no stack is reviewed here"),
      refused: Effect.never,
      countUnused: Effect.void,
      spent: Effect.succeed({ ...noCost, doubts: new Map() })
    })
    const layer = Layer.succeed(Agent, agent).pipe(
      Layer.provideMerge(FailPolicy.layer),
      Layer.provide(
        Layer.succeed(
          Recorder,
          Recorder.watching(() => Effect.void)
        )
      )
    )
    return yield* Effect.gen(function* () {
      const items = yield* mergeClaims(asked)
      const degraded = yield* (yield* FailPolicy).degraded
      return { items, degraded, calls }
    }).pipe(Effect.provide(layer))
  })

const note = Effect.succeed({ notes: [MergeNote.make({ id: 1, note: "Both callers pass None." })] })

describe("mergeClaims", () => {
  it.effect("calls no model when rules did the review", () =>
    Effect.gen(function* () {
      const { items, calls } = yield* merged(false, note)
      expect(calls).toBe(0)
      expect(items.map((item) => [item.lens, item.stacks])).toEqual([["cross-stack", ["go", "python"]]])
    })
  )

  it.effect("merges the text of a model", () =>
    Effect.gen(function* () {
      const { items, calls } = yield* merged(true, note)
      expect(calls).toBe(1)
      expect(items[0]!.record.rationale).toBe("It may be None. Both callers pass None.")
    })
  )

  it.effect("keeps every item, and reports it, when the model does not answer", () =>
    Effect.gen(function* () {
      const down = Effect.fail(new AgentTimedOut({ backend: "x", task: "merge", seconds: 1 }))
      const { items, degraded } = yield* merged(true, down)
      expect(items).toHaveLength(1)
      expect(degraded.map((entry) => [entry.step, entry.error])).toEqual([["cross-stack-merge", "AgentTimedOut"]])
    })
  )

  it.effect("does not pay a model for one stack or for nothing", () =>
    Effect.gen(function* () {
      expect((yield* merged(true, note, { ...request, stacks: [stack("go")] })).calls).toBe(0)
      expect((yield* merged(true, note, { ...request, stacks: [] })).calls).toBe(0)
      // One reviewer of the whole change, beside structure.
      expect((yield* merged(true, note, { ...request, single: true })).calls).toBe(0)
    })
  )
})
