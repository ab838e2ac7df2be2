/** Answers of a model with faults, through the compiled binary: what was paid is used as far as it can be. */
import { describe, expect, test } from "bun:test"
import type { Asked } from "../support/Asked.ts"
import { modelReviews, nameOf, services } from "../support/modelReviews.ts"
import { agreeable, type Script, submitOf } from "../support/modelServer.ts"
import type { ScriptedTurn } from "../support/scriptedTurn.ts"

const defects = [
  ["total = price / count", "Division by zero for an empty cart"],
  ["names = sorted(people)[0]", "No first name without people"],
  ["rate = float(text.strip())", "A comma in the text ends the import"]
] as const
const gap = "\n".repeat(30)
const claim = (nth: 0 | 1 | 2) => ({
  title: defects[nth][1],
  description: `${defects[nth][1]}; check it before.`,
  file: "a.py",
  line: 30 * nth + 1,
  endLine: null,
  severity: "high",
  confidence: "HIGH",
  quote: defects[nth][0],
  rationale: "The line then ends with an error.",
  evidence: `a.py:${30 * nth + 1}`,
  suggestion: null
})
const review = (issues: ReadonlyArray<object>) => ({
  name: "submit_review",
  input: { review: "", issues, coverage: [{ path: "a.py", status: "reviewed", reason: "" }] }
})
const broken = { ...claim(1), title: "" }

/** `answer`: of the reviewer of Python. */
const world = async (answer: (asked: Asked) => ScriptedTurn) => {
  const isReviewer = (asked: Asked) => asked.told.includes("# Profile: python")
  const script: Script = (asked, nth) => (isReviewer(asked) ? answer(asked) : agreeable(asked, nth))
  const at = await modelReviews((repository) => {
    repository.commit("Begin", { "README.md": "# Shop\n" })
    repository.branch("feature").commit("Add", { "a.py": `${defects.map(([line]) => line).join(gap)}\n` })
  }, script)
  const reviewed = async ([backend, env]: (typeof services)[number], model = "claude-sonnet-4-5") =>
    (await at.report(["--backend", backend, "--model", model], env)).result
  return { ...at, reviewed, ofReviewer: () => at.asked.filter(isReviewer) }
}

const claimed = ({ findings }: { findings: ReadonlyArray<{ title: string }> }) =>
  defects.flatMap(([, title], nth) => (findings.some((each) => each.title === title) ? [nth] : []))

describe("an answer of a reviewer with a claim that does not fit", () => {
  for (const service of services) {
    test(`over ${nameOf(service)}: is requested once more; the other claims count, and the report names the missing one`, async () => {
      await using at = await world(() => ({ calls: [review([claim(0), broken, claim(2)])] }))
      const result = await at.reviewed(service)
      expect(claimed(result)).toEqual([0, 2])
      expect(at.ofReviewer()).toHaveLength(2)
      expect(at.ofReviewer()[1]?.told).toContain("- issues.1.title: ")
      expect(result.degraded).toMatchObject([{ step: "per-stack-reviews", error: "EntriesRefused" }])
      expect(result.degraded[0].detail).toContain("1 of 3 entries that do not fit the reply format and are not used")
      expect(result.coverage.files_reviewed).toBe(1)
    })
  }

  test("counts in whole after its repair", async () => {
    await using at = await world(({ told }) => ({
      calls: [review([claim(0), told.includes("# Once more") ? claim(1) : broken, claim(2)])]
    }))
    const result = await at.reviewed(services[0])
    expect(claimed(result)).toEqual([0, 1, 2])
    expect(result.degraded).toEqual([])
  })
})

describe("two answers in one turn", () => {
  for (const service of services) {
    test(`over ${nameOf(service)}: count both`, async () => {
      await using at = await world(() => ({ calls: [review([claim(0)]), review([claim(1), claim(2)])] }))
      const result = await at.reviewed(service)
      expect(claimed(result)).toEqual([0, 1, 2])
      expect(at.ofReviewer()).toHaveLength(1)
    })
  }
})

describe("a reviewer that reads the same file again and again", () => {
  for (const [service, model] of [
    ...services.map((service) => [service, "claude-sonnet-4-5"] as const),
    // Always thinks, so it cannot be forced to call a tool.
    [services[0], "claude-sonnet-5"]
  ] as const) {
    test(`over ${nameOf(service)}, ${model}: is asked for its answer, which is used`, async () => {
      // Some servers cannot be told which tool is to be called: they get no other.
      const isAsked = ({ choice, told, tools }: Asked) =>
        choice === "submit_review" || tools.length === 1 || told.includes("Call submit_review now")
      await using at = await world((asked) =>
        isAsked(asked) && submitOf(asked) === "submit_review"
          ? { calls: [review([claim(0)])] }
          : { calls: [{ name: "read_file", input: { path: "a.py" } }] }
      )
      const result = await at.reviewed(service, model)
      expect(at.ofReviewer().filter(isAsked)).toHaveLength(1)
      expect(at.ofReviewer().length).toBeLessThan(10)
      expect(claimed(result)).toEqual([0])
      expect(result.degraded).toEqual([])
    })
  }
})
