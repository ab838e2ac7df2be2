import { describe, expect, test } from "bun:test"
import { Result } from "effect"
import {
  actionDelta,
  type ConsensusPolicy,
  type CouncilReport,
  councilOf,
  isLabelOf,
  readReport,
  requestedRunners
} from "../../../../src/domain/night/report/council.ts"
import { councilWord } from "../../../../src/domain/night/report/dreamscape.ts"
import vectors from "../../../support/night/vectors.json"

const report = (
  runner: string,
  recommended_kind: string,
  recommended_first_action = "x",
  given: Partial<CouncilReport> = {}
): CouncilReport => ({
  runner,
  headline: "h",
  recommended_kind: recommended_kind as "repair",
  recommended_first_action,
  risks: [],
  opportunities: [],
  confidence: "medium",
  wildcard_idea: "",
  ...given
})

const decided = (policy: ConsensusPolicy, reports: ReadonlyArray<CouncilReport>, failed: ReadonlyArray<string> = []) =>
  councilOf({ requested: [...reports.map(({ runner }) => runner), ...failed], reports, failed, policy })

describe("the council", () => {
  for (const { action, disagreements, dreamscape, failed, kind, reports } of vectors.council) {
    test(`of ${JSON.stringify(reports)} by plurality recommends "${kind}"`, () => {
      const council = decided(
        "plurality",
        reports.map(([runner = "", kind = "", action = ""]) => report(runner, kind, action)),
        failed
      )
      expect(council).toMatchObject({ consensus_kind: kind, recommended_first_action: action ?? "" })
      expect(council.disagreements).toHaveLength(disagreements)
      if (dreamscape !== undefined) expect(councilWord(council)).toBe(dreamscape as "mixed")
    })
  }

  const two = [report("claude", "repair", "A"), report("codex", "research", "B")]
  const three = [...two, report("gemini", "repair", "C")]
  const sure = [
    report("claude", "repair"),
    report("codex", "research", "B", { confidence: "high" }),
    report("gemini", "repair", "C", { confidence: "low" })
  ]

  for (const [policy, reports, kind] of [
    ["majority", two, ""],
    ["majority", three, "repair"],
    ["plurality", two, "repair"],
    ["unanimous", three, ""],
    ["unanimous", [three[0]!, three[2]!], "repair"],
    ["weighted", two, ""],
    ["weighted", three, "repair"],
    ["weighted", sure, ""],
    ["majority", sure, "repair"],
    ["majority", [], ""]
  ] as const) {
    test(`of ${reports.length} under ${policy} recommends "${kind}"`, () => {
      expect(decided(policy, reports).consensus_kind).toBe(kind)
    })
  }

  test("lists every report if there is no consensus", () => {
    expect(decided("majority", two)).toMatchObject({
      recommended_first_action: "",
      disagreements: ["claude prefers repair: A", "codex prefers research: B"]
    })
  })

  test("does not disagree about words", () => {
    const council = decided("majority", [report("a", "repair", "fix it"), report("b", "repair", "repair it")])
    expect(council).toMatchObject({ disagreements: [], recommended_first_action: "fix it" })
    expect(councilWord(council)).toBe("aligned")
  })

  test("of one, or of none, is a single voice", () => {
    expect(councilWord(decided("majority", [report("a", "repair")]))).toBe("single-voice")
    expect(councilWord(null)).toBe("single-voice")
  })

  for (const [runner, label, matches] of vectors.council_runner_label) {
    test(`${matches ? "takes" : "does not take"} "${label}" for ${runner}`, () => {
      expect(isLabelOf(String(runner), String(label))).toBe(matches === true)
    })
  }

  for (const [before = "", action = "", delta = ""] of vectors.council_action_delta) {
    test(`from "${before}" to "${action}" the first move is "${delta}"`, () => {
      expect(actionDelta(before, action)).toBe(delta as "new")
    })
  }

  test("asks each runner once, in alphabetical order", () => {
    expect(requestedRunners(["Codex", "claude", "codex", " "])).toEqual(["claude", "codex"])
  })
})

describe("the report of a runner", () => {
  test("is read within the envelope of claude and without one", () => {
    const plain = report("claude_dream_council", "validate")
    const expected = Result.succeed(report("claude", "validate"))
    expect(readReport("claude", plain)).toEqual(expected)
    expect(readReport("claude", { type: "result", structured_output: plain, cost: 1 })).toEqual(expected)
  })

  for (const [name, returned] of [
    ["has a ninth key", { ...report("claude", "repair"), extra: 1 }],
    ["lacks a key", { ...report("claude", "repair"), risks: undefined }],
    ["recommends a kind that does not exist", report("claude", "celebrate")],
    ["is of another runner", report("codex", "repair")],
    ["is longer than a report may be", report("claude", "repair", "x".repeat(2_001))],
    ["is no object", "repair"]
  ] as const) {
    test(`is refused if it ${name}`, () => {
      expect(Result.isFailure(readReport("claude", returned))).toBe(true)
    })
  }
})
