import { describe, expect, test } from "bun:test"
import { Result, Schema } from "effect"
import * as Flow from "../../../src/domain/run/Flow.ts"
import { it } from "../../support/effect.ts"

const deep: Flow.Flow = {
  name: "deep",
  description: "",
  entries: ["explore", "intent", { name: "iterate", steps: ["fix", "test"], maxIterations: 3 }, "arbiter"]
}

const names = (flow: Flow.Flow) => flow.entries.map(Flow.entryName)
const refusal = (result: Result.Result<Flow.Flow, Flow.FlowEditRefused | Flow.FlowInvalid>): string =>
  Result.match(result, { onFailure: (error) => error.message, onSuccess: () => "no refusal" })

describe("an edit", () => {
  test("inserts before and after its anchor", () => {
    expect(names(Result.getOrThrow(Flow.insertBefore(deep, "intent", "scan")))).toEqual([
      "explore",
      "scan",
      "intent",
      "iterate",
      "arbiter"
    ])
    expect(names(Result.getOrThrow(Flow.insertAfter(deep, "arbiter", "scan"))).at(-1)).toBe("scan")
  })

  test("removes, replaces and moves a complete loop group by its name", () => {
    expect(names(Result.getOrThrow(Flow.remove(deep, "iterate")))).toEqual(["explore", "intent", "arbiter"])
    expect(names(Result.getOrThrow(Flow.replace(deep, "iterate", "once")))).toEqual([
      "explore",
      "intent",
      "once",
      "arbiter"
    ])
    expect(names(Result.getOrThrow(Flow.move(deep, "iterate", "before", "explore")))).toEqual([
      "iterate",
      "explore",
      "intent",
      "arbiter"
    ])
  })

  test("moves in both directions", () => {
    expect(names(Result.getOrThrow(Flow.move(deep, "explore", "after", "arbiter")))).toEqual([
      "intent",
      "iterate",
      "arbiter",
      "explore"
    ])
    expect(names(Result.getOrThrow(Flow.move(deep, "arbiter", "before", "intent")))).toEqual([
      "explore",
      "arbiter",
      "intent",
      "iterate"
    ])
  })

  test("changes nothing when an entry is moved beside itself", () => {
    expect(Result.getOrThrow(Flow.move(deep, "intent", "after", "intent"))).toEqual(deep)
  })

  test("may put a group in the place of the group it is made of", () => {
    const longer = { name: "iterate", steps: ["fix", "lint", "test"], maxIterations: "loop" as const }
    expect(Flow.stepNames(Result.getOrThrow(Flow.replace(deep, "iterate", longer)))).toEqual([
      "explore",
      "intent",
      "fix",
      "lint",
      "test",
      "arbiter"
    ])
  })

  test("names the flow, the anchor and the likely spelling when the anchor is not there", () => {
    expect(refusal(Flow.insertBefore(deep, "arbitre", "scan"))).toBe(
      'flow "deep": cannot insert "scan" before "arbitre": "arbitre" is not in the flow (did you mean "arbiter"?)'
    )
  })

  test("names the loop group of a step that it cannot address", () => {
    expect(refusal(Flow.remove(deep, "fix"))).toContain('inside the loop group "iterate"')
    expect(refusal(Flow.insertAfter(deep, "test", "scan"))).toContain('inside the loop group "iterate"')
  })

  test("refuses a name that the flow has already, also inside a group or as a group's step", () => {
    expect(refusal(Flow.insertBefore(deep, "intent", "test"))).toContain('"test" is already in the flow')
    const group = { name: "again", steps: ["scan", "intent"], maxIterations: 1 }
    expect(refusal(Flow.insertBefore(deep, "intent", group))).toContain('"intent" is already in the flow')
    const double = { name: "again", steps: ["scan", "scan"], maxIterations: 1 }
    expect(refusal(Flow.insertBefore(deep, "intent", double))).toContain('"scan" is already in the flow')
  })

  test("refuses what is not a name", () => {
    for (const name of ["", "Scan", "a b", "a--b", "-a", "../x", "a\u001b[31m"]) {
      expect(refusal(Flow.insertBefore(deep, "intent", name))).toContain("is not a name")
    }
  })
})

describe("a definition", () => {
  const flow = (...entries: ReadonlyArray<Flow.FlowEntry>): Flow.Flow => ({ name: "mine", description: "", entries })

  test("is refused when a flow has no steps, a step twice, or a group that never ends or never begins", () => {
    expect(refusal(Flow.define(flow()))).toContain("it has no steps")
    expect(refusal(Flow.define(flow("a", "a")))).toContain('"a" is in it twice')
    expect(refusal(Flow.define(flow({ name: "g", steps: [], maxIterations: 1 })))).toContain("has no steps")
    for (const maxIterations of [0, -1, 1.5, Number.POSITIVE_INFINITY, Number.NaN]) {
      expect(refusal(Flow.define(flow({ name: "g", steps: ["a"], maxIterations })))).toContain("number of iterations")
    }
  })
})

describe("laws of edits", () => {
  const Pool = Schema.Literals(["a", "b", "c", "d", "e"])
  const Some = Schema.Struct({ names: Schema.Array(Pool), anchor: Pool, other: Pool })
  const flowOf = (pool: ReadonlyArray<string>): Flow.Flow => ({
    name: "f",
    description: "",
    entries: [...new Set(pool)]
  })

  it.prop("removing what was inserted restores the flow", Some, ({ names: pool, anchor }) => {
    for (const insert of [Flow.insertBefore, Flow.insertAfter]) {
      const flow = flowOf(pool)
      const back = Result.flatMap(insert(flow, anchor, "new"), (longer) => Flow.remove(longer, "new"))
      if (flow.entries.includes(anchor)) expect(Result.getOrThrow(back)).toEqual(flow)
      else expect(Result.isFailure(back)).toBe(true)
    }
  })

  it.prop("a move keeps every entry once and puts it beside its anchor", Some, ({ names: pool, anchor, other }) => {
    const flow = flowOf(pool)
    if (!flow.entries.includes(anchor) || !flow.entries.includes(other) || anchor === other) return
    const before = Result.getOrThrow(Flow.move(flow, other, "before", anchor))
    expect(before.entries.toSorted()).toEqual(flow.entries.toSorted())
    expect(before.entries.indexOf(other)).toBe(before.entries.indexOf(anchor) - 1)
    const after = Result.getOrThrow(Flow.move(flow, other, "after", anchor))
    expect(after.entries.indexOf(other)).toBe(after.entries.indexOf(anchor) + 1)
  })

  it.prop("a move is a removal and an insertion", Some, ({ names: pool, anchor, other }) => {
    const flow = flowOf(pool)
    if (anchor === other) return
    const moved = Flow.move(flow, other, "before", anchor)
    const longWay = Result.flatMap(Flow.remove(flow, other), (rest) => Flow.insertBefore(rest, anchor, other))
    expect(Result.isSuccess(moved)).toBe(Result.isSuccess(longWay))
    if (Result.isSuccess(moved)) expect(moved.success).toEqual(Result.getOrThrow(longWay))
  })

  it.prop("replacing and replacing back restores the flow", Some, ({ names: pool, anchor }) => {
    const flow = flowOf(pool)
    if (!flow.entries.includes(anchor)) return
    const there = Result.getOrThrow(Flow.replace(flow, anchor, "new"))
    expect(Result.getOrThrow(Flow.replace(there, "new", anchor))).toEqual(flow)
  })

  it.prop("what an edit accepts can be defined, unless it is empty", Some, ({ names: pool, anchor, other }) => {
    const flow = flowOf(pool)
    const edits = [
      Flow.insertBefore(flow, anchor, other),
      Flow.insertAfter(flow, anchor, { name: "g", steps: [other], maxIterations: 2 }),
      Flow.replace(flow, anchor, other),
      Flow.remove(flow, anchor)
    ]
    for (const edited of edits) {
      if (Result.isSuccess(edited) && edited.success.entries.length > 0) {
        expect(Result.isSuccess(Flow.define(edited.success))).toBe(true)
      }
    }
  })
})
