import { describe, expect } from "bun:test"
import { labelOf, sequenceContributions, workflowsOf } from "../../../../src/domain/dream/tasks/workflows.ts"
import { viewOfSession } from "../../../../src/domain/dream/viewOfSession.ts"
import { it } from "../../../support/effect.ts"
import { edit, eventsOf, fail, prompt, read, run } from "../../../support/sessionEvents.ts"

type Given = Parameters<typeof eventsOf>[0]

const viewOf = (...parts: ReadonlyArray<Given[number] | Given>) => viewOfSession(eventsOf([prompt(), ...parts].flat()))!
const found = (...parts: ReadonlyArray<Given[number] | Given>) =>
  workflowsOf(viewOf(...parts)).map(({ steps }) => steps)
const edits = (count: number, folder = "src"): Given =>
  Array.from({ length: count }, (_, at) => edit(`${folder}/a${at}.ts`)).flat()

describe("a workflow", () => {
  it("is what was done before a check that succeeds, if trust rose", () => {
    const view = viewOf(
      read("test/a.test.ts"),
      edits(4),
      edit("test/a.test.ts"),
      fail("bun test", "Error: no"),
      edit("src/a.ts"),
      run("bun test")
    )
    expect(workflowsOf(view)).toEqual([
      {
        steps: [
          "read the tests",
          "edit the source",
          "edit the tests",
          "run bun test",
          "fix the failures",
          "run bun test again"
        ],
        trustDelta: expect.any(Number)
      }
    ])
    expect(workflowsOf(view)[0]!.trustDelta).toBeGreaterThan(0)
  })

  it("is the same whatever the order of edits between two checks, and whatever else was looked at", () => {
    const one = found(read("tsconfig.json"), edit("tsconfig.json"), edits(5), run("tsc"))
    const other = found(
      edits(3),
      run("ls"),
      read("src/b.ts"),
      edit("tsconfig.json"),
      edits(2),
      read("tsconfig.json"),
      run("tsc")
    )
    expect(other).toEqual(one)
    expect(one).toEqual([["read the settings", "edit the settings", "edit the source", "run tsc"]])
  })

  it("ends with all checks that succeed one after the other", () => {
    expect(found(edits(5), run("tsc"), read("src/a.ts"), run("eslint src"))).toEqual([
      ["edit the source", "run tsc", "run eslint"]
    ])
  })

  it("begins anew after a commit", () => {
    const steps = found(
      edit("package.json"),
      edits(5),
      run("git commit -am 'a'"),
      read("docs/a.md"),
      edits(5),
      run("tsc")
    )
    expect(steps).toEqual([["read the documentation", "edit the source", "run tsc"]])
  })

  it("is none with fewer than three steps, with a check that fails at the end, or without a gain of trust", () => {
    expect(found(edits(5), run("tsc"))).toEqual([])
    expect(found(read("test/a.test.ts"), edits(5), fail("tsc", "Error: no"))).toEqual([])
    expect(found(read("test/a.test.ts"), edit("src/a.ts"), run("tsc"))).toEqual([])
  })
})

describe("what a session adds to a sequence", () => {
  it("is how often it succeeded, with the mean gain of trust", () => {
    const workflow = { steps: ["a", "b", "c"], trustDelta: 4 }
    expect(sequenceContributions([workflow, { ...workflow, trustDelta: 8 }], "Fix the cart")).toEqual([
      {
        key: "a\nb\nc",
        body: { type: "SuccessfulSequence", label: "bug fix", steps: ["a", "b", "c"] },
        s: 2,
        f: 0,
        trustDelta: 6
      }
    ])
  })

  it("is labelled by the goal of the session", () => {
    expect(labelOf("Add a page of orders")).toBe("feature implementation")
    expect(labelOf("Refactor the client")).toBe("refactoring")
    expect(labelOf("hm")).toBe("change")
  })
})
