import { describe, expect, test } from "bun:test"
import { whyNoLoop } from "../../src/programs/fixSteps.ts"

const topic = { branch: "topic", baseBranch: "main" }
const none: ReadonlySet<string> = new Set()

describe("a loop", () => {
  test("runs on a branch with another base and a clean tree", () => {
    expect(whyNoLoop(topic, none)).toBe(null)
    expect(whyNoLoop(topic, new Set([".daydream/diff.patch", "nested/"]))).toBe(null)
  })

  test("names the first files that are not committed", () => {
    const edited = new Set(["f.py", "e.py", "d.py", "c.py", "b.py", "a.py"])
    expect(whyNoLoop(topic, edited)).toEndWith("ignore a.py, b.py, c.py, d.py, e.py and 1 more")
  })

  test("does not run on a detached HEAD, or on a branch that is its own base", () => {
    expect(whyNoLoop({ branch: null, baseBranch: "main" }, none)).toContain("HEAD is detached")
    expect(whyNoLoop({ branch: "main", baseBranch: "main" }, none)).toContain("its own base")
    expect(whyNoLoop({ branch: "main" }, none)).toContain("its own base")
  })
})
