import { describe, expect, test } from "bun:test"
import { confidenceOf, isUsuallyRight, noneJudged, type Verdicts } from "../../../src/domain/finding/Judged.ts"

const onCommits = (commits: Verdicts) => ({ ...noneJudged, commits })

describe("the confidence of a rule", () => {
  test("is what its page states while fewer than ten findings are judged", () => {
    const nine = onCommits({ true: 0, arguable: 0, false: 9 })
    expect(isUsuallyRight(nine)).toBeNull()
    expect(confidenceOf(nine, "HIGH")).toBe("HIGH")
    expect(confidenceOf(noneJudged, "MEDIUM")).toBe("MEDIUM")
  })

  test("is high if four of five are true or arguable and three of five are true, on commits and trees together", () => {
    const right = { commits: { true: 4, arguable: 1, false: 1 }, trees: { true: 2, arguable: 1, false: 1 } }
    expect(confidenceOf(right, "MEDIUM")).toBe("HIGH")
  })

  test("is medium if more are false or arguable", () => {
    expect(confidenceOf(onCommits({ true: 7, arguable: 0, false: 3 }), "HIGH")).toBe("MEDIUM")
    expect(confidenceOf(onCommits({ true: 5, arguable: 5, false: 0 }), "HIGH")).toBe("MEDIUM")
  })
})
