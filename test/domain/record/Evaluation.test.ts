import { describe, expect, test } from "bun:test"
import { pathsRead } from "../../../src/domain/record/agentReads.ts"
import { type EvaluationInput, evaluate, hasReview } from "../../../src/domain/record/Evaluation.ts"
import { ToolCall, Trajectory, TrajectoryAgent, TrajectoryStep } from "../../../src/domain/record/Trajectory.ts"
import { record } from "../../support/builders.ts"

const trajectory = (...calls: ReadonlyArray<readonly [string, Record<string, string>]>) =>
  Trajectory.make({
    schema_version: "ATIF-v1.6",
    session_id: "s",
    agent: TrajectoryAgent.make({ name: "a", version: "1" }),
    steps: [
      TrajectoryStep.make({ step_id: 1, source: "user", message: "", timestamp: "2026-01-01T00:00:00Z" }),
      TrajectoryStep.make({
        step_id: 2,
        source: "agent",
        message: "done",
        timestamp: "2026-01-01T00:00:12.340Z",
        tool_calls: calls.map(([name, given], n) =>
          ToolCall.make({ tool_call_id: `t${n}`, function_name: name, arguments: given })
        ),
        extra: { daydream_phase: "deep" }
      })
    ]
  })

const withExtra = (told: Trajectory, extra: NonNullable<TrajectoryStep["extra"]>) => {
  const [first, ...rest] = told.steps
  return Trajectory.make({ ...told, steps: [first, ...rest.map((step) => TrajectoryStep.make({ ...step, extra }))] })
}

const input = (over: Partial<EvaluationInput> = {}): EvaluationInput => ({
  sessionId: "s",
  directory: null,
  isStatic: false,
  root: trajectory(),
  siblings: new Map(),
  cost: { usd: null, source: "unknown", promptTokens: null, completionTokens: null, cachedTokens: null },
  diffFiles: ["src/a.py", "src/b.py"],
  ledger: [],
  records: [],
  dedup: null,
  findings: 0,
  report: null,
  verdicts: null,
  formatValid: true,
  ...over
})

describe("evidence of a review", () => {
  const reviewedBy = (step: Partial<TrajectoryStep>) => {
    const own = trajectory()
    const [first, answer] = own.steps
    const steps = answer === undefined ? [] : [TrajectoryStep.make({ ...answer, ...step })]
    const siblings = new Map([["deep-python", Trajectory.make({ ...own, steps: [first, ...steps] })]])
    return [hasReview({ root: trajectory(), siblings }), evaluate(input({ siblings })).training_signals.length]
  }
  const extra = { daydream_call: 1 }
  const called = ToolCall.make({ tool_call_id: "t0", function_name: "Read", arguments: {} })

  test("is an answer, a thought, a tool call or a structured output", () => {
    expect(reviewedBy({ extra })).toEqual([true, 1])
    expect(reviewedBy({ extra, message: "", reasoning_content: "Hm." })).toEqual([true, 1])
    expect(reviewedBy({ extra, message: "", tool_calls: [called] })).toEqual([true, 1])
    expect(reviewedBy({ extra: { ...extra, structured_output: {} }, message: "" })).toEqual([true, 1])
  })

  test("is no call that failed, nor the text of its error", () => {
    const failed = { ...extra, error: "529 overloaded", error_subtype: "BackendFailed" }
    expect(reviewedBy({ extra: failed, message: "" })).toEqual([false, 0])
    expect(reviewedBy({ extra: failed, message: "529 overloaded" })).toEqual([false, 0])
    expect(reviewedBy({ extra: { ...failed, error_subtype: "AgentReplyInvalid" }, message: "prose" })).toEqual([
      true,
      1
    ])
  })
})

describe("judging a run", () => {
  test("has unknown values for no data: without findings there is no grounding and no cost of a finding", () => {
    const judged = evaluate(input({ cost: { ...input().cost, usd: 1 } }))
    expect(judged.grounding.grounding_rate).toBe(null)
    expect(judged.derived.cost_per_finding_usd).toBe(null)
    expect(judged.derived.reward.composite).toBe(null)
    expect(evaluate(input({ findings: 3 })).derived.cost_per_finding_usd).toBe(null)
  })

  test("counts the cost once for what was shipped", () => {
    const cost = { ...input().cost, usd: 1, promptTokens: 100, cachedTokens: 25 }
    const judged = evaluate(input({ cost, findings: 3 }))
    expect(judged.derived.cost_per_finding_usd).toBe(0.3333)
    expect(judged.cost.cache_hit_rate).toBe(0.25)
    expect(judged.timing.total_wall_clock_seconds).toBe(12.3)
  })

  test("covers the files that the result calls reviewed, and no others", () => {
    const ledger = [
      { path: "src/a.py", status: "reviewed", reason: "" },
      { path: "src/b.py", status: "unread", reason: "not shown to the model, and the model did not read it" }
    ] as const
    const read = trajectory(["Read", { file_path: "src/b.py" }])
    const judged = evaluate(input({ ledger, siblings: new Map([["deep-python", read]]) }))
    expect(judged.coverage).toEqual({ diff_files: 2, files_read: 1, coverage_ratio: 0.5 })
    expect(evaluate(input({ diffFiles: [] })).coverage.coverage_ratio).toBe(1)
  })

  const grounding = (deep: Trajectory, over: Parameters<typeof record>[0] = {}, stack = "python") =>
    evaluate(input({ siblings: new Map([["deep-python", deep]]), records: [{ stack, records: [record(over)] }] }))
      .grounding.grounding_rate

  test("grounds a finding in what its own agent read, the files of its rationale too", () => {
    const read = trajectory(["Read", { file_path: "src/a.py" }])
    expect(grounding(read)).toBe(1)
    expect(grounding(read, { rationale: "It leaks, see src/a.py." })).toBe(1)
    expect(grounding(read, { rationale: "As config.toml says." })).toBe(0)
    expect(grounding(read, {}, "go")).toBe(0)
    for (const call of [
      ["Read", { file_path: "/repository/src/a.py" }],
      ["Grep", { path: "src/a.py", pattern: "x" }],
      ["Bash", { command: "sed -n 1,20p src/a.py | head" }],
      ["shell", { command: "cd /x && cat './src/a.py'" }]
    ] as const) {
      expect(grounding(trajectory(call))).toBe(1)
    }
    // `ba.py` ends with `a.py` and is another file.
    expect(grounding(trajectory(["Read", { file_path: "/x/src/ba.py" }]))).toBe(0)
  })

  test("counts a rule's finding as grounded, whatever the agent read", () => {
    expect(grounding(trajectory(), { rule: "py/bare-except", rationale: "As config.toml says." })).toBe(1)
  })

  test("counts a finding as grounded when the prompt showed its file", () => {
    const shown = [{ path: "src/a.py", side: "head", from: 1, to: 9 }]
    expect(grounding(withExtra(trajectory(), { shown_lines: shown }))).toBe(1)
    expect(grounding(withExtra(trajectory(), { shown_lines: "all of it" }))).toBe(0)
  })

  test("counts no failed read", () => {
    const read = trajectory(["Read", { file_path: "src/a.py" }])
    expect(grounding(withExtra(read, { failed_tool_calls: ["t0"] }))).toBe(0)
  })

  test("asks the ledger what dd's own reviewer read, since it uses no tools", () => {
    const judged = evaluate(
      input({
        isStatic: true,
        ledger: [
          { path: "src/a.py", status: "reviewed", reason: "" },
          { path: "src/b.py", status: "skipped", reason: "generated" }
        ],
        records: [{ stack: "python", records: [record(), record({ file: "src/b.py" })] }]
      })
    )
    expect(judged.coverage.coverage_ratio).toBe(0.5)
    expect(judged.grounding).toMatchObject({ grounded: 1, total: 2, grounding_rate: 0.5 })
  })

  test("counts pairs that look like duplicates, and nothing where none were looked for", () => {
    const dedup = {
      record_alt_pairs: [{ similarity: 0.75 }, { similarity: 0.55 }],
      record_duplicate_pairs: [{ similarity: 1 }]
    }
    expect(evaluate(input({ dedup })).findings.dedup).toEqual({
      record_alt_overlaps: 2,
      record_duplicates: 1,
      avg_overlap_similarity: 0.65
    })
    const none = { record_alt_pairs: [], record_duplicate_pairs: [] }
    expect(evaluate(input({ dedup: none })).findings.dedup?.avg_overlap_similarity).toBe(null)
    expect(evaluate(input()).findings.dedup).toBe(null)
  })

  test("counts what was shipped as merged where no report was kept", () => {
    expect(evaluate(input({ findings: 3 })).findings.merged_review.merged_finding_count).toBe(3)
    expect(evaluate(input({ findings: null })).findings.merged_review.merged_finding_count).toBe(0)
  })

  test("stays quick on a command made to be slow", () => {
    const steps = trajectory(["Bash", { command: `cat ${'"'.repeat(200_000)} ${"a/".repeat(200_000)}` }]).steps
    expect(pathsRead(steps).size).toBeLessThan(2)
  })
})
