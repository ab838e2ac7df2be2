import { describe, expect } from "bun:test"
import { Result, Schema } from "effect"
import { Trajectory } from "../../../src/domain/record/Trajectory.ts"
import { type Opened, referencesOf, trajectoryViolations } from "../../../src/domain/record/trajectoryViolations.ts"
import { repeatedKeys } from "../../../src/domain/text/json/repeatedKeys.ts"
import { it } from "../../support/effect.ts"

const user = { step_id: 1, timestamp: "2026-01-01T00:00:00Z", source: "user", message: "Review this." }
const agent = {
  step_id: 2,
  timestamp: "2026-01-01T00:00:01.5+00:00",
  source: "agent",
  model_name: "m",
  message: [{ type: "text", text: "x" }],
  reasoning_content: "hm",
  tool_calls: [{ tool_call_id: "t1", function_name: "Read", arguments: {} }],
  observation: { results: [{ source_call_id: "t1", content: "y" }] },
  metrics: { prompt_tokens: 10, completion_tokens: 2, cost_usd: 0.1 }
}
const valid = {
  schema_version: "ATIF-v1.6",
  session_id: "s",
  agent: { name: "daydream", version: "1" },
  steps: [user, agent],
  final_metrics: { total_prompt_tokens: 10, total_completion_tokens: 2, total_cost_usd: 0.1, total_steps: 2 }
}

/** The places and words of what is wrong when `change` is made. */
const wrong = (change: object, files?: ReadonlyMap<string, Opened>) =>
  trajectoryViolations({ ...valid, ...change }, files).map(({ path, problem }) => `${path} ${problem}`)
const wrongStep = (change: object) => wrong({ steps: [user, { ...agent, ...change }] })

describe("a trajectory", () => {
  it("in which nothing is wrong has no violations", () => {
    expect(trajectoryViolations(valid)).toEqual([])
  })

  it("may have null for a field that is not there", () => {
    expect(
      wrong({ notes: null, extra: null, steps: [{ ...user, metrics: null, tool_calls: null }], final_metrics: null })
    ).toEqual([])
  })

  it("shows everything that is wrong at once, in order of place", () => {
    expect(
      wrong({
        schema_version: "ATIF-v9",
        agent: { name: 3 },
        surprise: 1,
        steps: [
          { ...user, step_id: 2, timestamp: "yesterday", model_name: "m" },
          { ...agent, step_id: 5, source: "robot", tool_calls: [{ tool_call_id: "t2", arguments: [] }] }
        ]
      })
    ).toEqual([
      "$.agent.name expected string, got 3",
      "$.agent.version is missing",
      '$.schema_version expected "ATIF-v1.0" | "ATIF-v1.1" | "ATIF-v1.2" | "ATIF-v1.3" | "ATIF-v1.4" | "ATIF-v1.5" | "ATIF-v1.6", got "ATIF-v9"',
      "$.steps[0].model_name is allowed on agent steps only, and this is a user step",
      "$.steps[0].step_id is 2 instead of 1",
      '$.steps[0].timestamp "yesterday" is not a time in ISO 8601 with Z or an offset',
      '$.steps[1].observation.results[0].source_call_id no tool call of this step has the id "t1"',
      '$.steps[1].source expected "system" | "user" | "agent", got "robot"',
      "$.steps[1].step_id is 5 instead of 2",
      "$.steps[1].tool_calls[0].arguments expected object, got a list",
      "$.steps[1].tool_calls[0].function_name is missing",
      "$.surprise is not a field of the format"
    ])
  })

  it("is an object", () => {
    expect([null, [], "x", 1].map((each) => trajectoryViolations(each))).toEqual(
      ["null", "a list", '"x"', "1"].map((kind) => [{ path: "$", problem: `is ${kind}, not a trajectory` }])
    )
  })

  it("has at least one step", () => {
    expect(wrong({ steps: [], final_metrics: {} })).toEqual(["$.steps is empty"])
  })

  it("allows fields of agents on agent steps only, and observations on all steps", () => {
    const { message: _, ...own } = agent
    expect(
      wrong({ steps: [{ ...user, ...own, step_id: 1, source: "system", reasoning_effort: "low" }], final_metrics: {} })
    ).toEqual(
      ["metrics", "model_name", "reasoning_content", "reasoning_effort", "tool_calls"].map(
        (name) => `$.steps[0].${name} is allowed on agent steps only, and this is a system step`
      )
    )
  })

  it("accepts only tool calls of the same step", () => {
    const next = { ...agent, step_id: 3, tool_calls: [], metrics: {} }
    expect(wrong({ steps: [user, agent, next], final_metrics: {} })).toEqual([
      '$.steps[2].observation.results[0].source_call_id no tool call of this step has the id "t1"'
    ])
    expect(wrongStep({ observation: { results: [{ content: "of no call" }, { source_call_id: null }] } })).toEqual([])
  })

  it("has times with Z or an offset", () => {
    for (const timestamp of [
      ...["2026-01-01T00:00:00Z", "2026-01-01T00:00:00.123456+00:00", "2026-01-01T00:00Z", "2028-02-29T23:59:59Z"],
      ...["2026-01-01T00:00:00+02:00", "2026-01-01T00:00:00-0530", "2000-02-29T12:00:00+14:00"]
    ])
      expect([timestamp, wrongStep({ timestamp })]).toEqual([timestamp, []])
    for (const timestamp of [
      ...["2026-02-30T00:00:00Z", "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z"],
      ...["2026-01-01T24:00:00Z", "2026-01-01T23:60:00Z", "2016-12-31T23:59:60Z", "0000-01-01T00:00:00Z"],
      ...["2026-01-01T00:00:00", "2026-13-01T00:00:00Z", "2026-00-10T00:00:00Z", "2026-01-00T00:00:00Z"],
      ...["2026-01-01", "", "2026-01-01T00:00:00+24:00", "2026-01-01T00:00:00+02:60", "2026-01-01T00:00:00Z\n"]
    ])
      expect([timestamp, wrongStep({ timestamp }).length]).toEqual([timestamp, 1])
  })

  it("has no tool call id twice in a step", () => {
    const call = { tool_call_id: "t1", function_name: "Read", arguments: {} }
    expect(wrongStep({ tool_calls: [call, { ...call, function_name: "Grep" }, call] })).toEqual([
      '$.steps[1].tool_calls[1].tool_call_id repeats the id "t1" of an earlier tool call of this step',
      '$.steps[1].tool_calls[2].tool_call_id repeats the id "t1" of an earlier tool call of this step'
    ])
  })

  it("may repeat a tool call id in another step, since some services number the calls of each turn anew", () => {
    const again = { ...agent, step_id: 3 }
    expect(wrong({ final_metrics: null, steps: [user, agent, again] })).toEqual([])
  })

  it("has amounts that are finite and not negative, and integral tokens", () => {
    const metrics = { prompt_tokens: 10, completion_tokens: 2, cost_usd: 0.1 }
    const amount = (change: object) =>
      wrongStep({ metrics: { ...metrics, ...change } }).map((line) => line.split(" ")[0])
    for (const cost_usd of [-0.1, Number.POSITIVE_INFINITY, Number.NaN]) {
      expect(amount({ cost_usd })).toContain("$.steps[1].metrics.cost_usd")
    }
    for (const prompt_tokens of [-1, 1.5, 1e300, 2 ** 53]) {
      expect(amount({ prompt_tokens })).toContain("$.steps[1].metrics.prompt_tokens")
    }
    expect(wrong({ final_metrics: { total_cost_usd: -1 } })[0]).toStartWith("$.final_metrics.total_cost_usd")
    expect(wrong({ final_metrics: { total_steps: 2, total_prompt_tokens: Number.MAX_VALUE } }).length).toBeGreaterThan(
      0
    )
  })

  it("has step ids that are 1, 2, 3, and none twice", () => {
    expect(wrong({ steps: [user, { ...agent, step_id: 1 }] })).toEqual(["$.steps[1].step_id is 1 instead of 2"])
  })

  it("has no key twice in an object, at any depth and however it is escaped", () => {
    const keys = (text: string) => repeatedKeys(text).map((path) => path.join("."))
    expect(keys('{"a": 1, "b": {"a": 1}, "c": [{"a": 1}, {"a": {"d": "{\\"a\\":", "e": [1, 2, 3]}}]}')).toEqual([])
    expect(keys(`{"a": "${"x\\n".repeat(5_000_000)}", "a": 2}`)).toEqual(["a"])
    expect(keys('{"a": 1, "a": 2, "c": [0, {"x": 1, "y": 2, "x": 3}], "\\u0061": 3}')).toEqual(["a", "c.1.x", "a"])
    expect(trajectoryViolations(valid, null, [["steps", 1, "message"]])).toEqual([
      { path: "$.steps[1].message", problem: "is repeated" }
    ])
  })

  it("has content parts that are text or an image, not both and not neither", () => {
    const image = { media_type: "image/png", path: "a.png" }
    expect(
      wrongStep({
        message: [
          { type: "image", source: image },
          { type: "text", text: "" }
        ]
      })
    ).toEqual([])
    expect(
      wrongStep({
        message: [
          { type: "image", text: "x" },
          { type: "text", source: image }
        ]
      })
    ).toEqual([
      "$.steps[1].message[0].source is missing from a part of type image",
      "$.steps[1].message[0].text does not belong to a part of type image",
      "$.steps[1].message[1].source does not belong to a part of type text",
      "$.steps[1].message[1].text is missing from a part of type text"
    ])
  })

  it("has totals that are the sums over its steps", () => {
    expect(
      wrong({ final_metrics: { total_prompt_tokens: 20, total_cached_tokens: 1, total_cost_usd: 0.1, total_steps: 3 } })
    ).toEqual([
      "$.final_metrics.total_cached_tokens is 1, but the steps add up to 0",
      "$.final_metrics.total_prompt_tokens is 20, but the steps add up to 10",
      "$.final_metrics.total_steps is 3, but the trajectory has 2 steps"
    ])
    expect(wrong({ final_metrics: { total_steps: 3 }, notes: "One step was left out." })).toEqual([])
  })

  it("takes no sum for wrong by a rounding of floats", () => {
    const tenths = Array.from({ length: 10 }, (_, at) => ({
      step_id: at + 1,
      source: "agent",
      message: "",
      metrics: { cost_usd: 0.1 }
    }))
    expect(wrong({ steps: tenths, final_metrics: { total_cost_usd: 1 } })).toEqual([])
  })

  it("quotes a key that is no plain name", () => {
    expect(wrong({ "a b": 1 })).toEqual(['$["a b"] is not a field of the format'])
  })
})

describe("what a trajectory refers to", () => {
  const ref = (trajectory_path: string, session_id = "s") => ({
    content: "Dispatched",
    subagent_trajectory_ref: [{ session_id, trajectory_path }]
  })
  const parent = (...results: ReadonlyArray<object>) => ({
    steps: [user, { ...agent, tool_calls: [], observation: { results } }]
  })
  const sibling = (prompt: number, session_id = "s"): Opened => ({
    _tag: "Document",
    document: { ...valid, session_id, final_metrics: { total_prompt_tokens: prompt } }
  })

  it("is listed with its place; pages on the network are not files", () => {
    const image = (path: string) => ({ type: "image", source: { media_type: "image/png", path } })
    const document = {
      steps: [
        { ...user, message: [image("a.png"), image("https://example.com/b.png")] },
        { ...agent, observation: { results: [{ content: [image("c.png")] }, ref("trajectories/x.json")] } }
      ]
    }
    expect(referencesOf(document).map(({ file, kind }) => [file, kind])).toEqual([
      ["a.png", "image"],
      ["c.png", "image"],
      ["trajectories/x.json", "trajectory"]
    ])
  })

  it("exists, is a trajectory, and has the session that refers to it", () => {
    const files = new Map<string, Opened>([
      ["a.json", sibling(1)],
      ["b.json", { _tag: "Missing" }],
      ["c.json", { _tag: "File" }],
      ["d.json", sibling(1, "other")]
    ])
    expect(wrong(parent(ref("a.json"), ref("b.json"), ref("c.json"), ref("d.json")), files)).toEqual([
      '$.steps[1].observation.results[1].subagent_trajectory_ref[0].trajectory_path the file "b.json" does not exist',
      '$.steps[1].observation.results[2].subagent_trajectory_ref[0].trajectory_path "c.json" is not a trajectory',
      '$.steps[1].observation.results[3].subagent_trajectory_ref[0].session_id is "s", but the trajectory is of session "other"'
    ])
  })

  it("counts into the totals of a complete run, each once", () => {
    const final_metrics = { total_prompt_tokens: 15, extra: { daydream_metric_scope: "whole_run_including_forks" } }
    const both = { ...parent(ref("a.json"), ref("a.json")), final_metrics }
    expect(wrong(both, new Map([["a.json", sibling(5)]]))).toEqual([])
    expect(wrong(both, new Map([["a.json", sibling(6)]]))).toEqual([
      "$.final_metrics.total_prompt_tokens is 15, but the steps and the trajectories referred to add up to 16"
    ])
    expect(wrong(both)).toEqual([])
  })
})

describe("any JSON", () => {
  const decode = Schema.decodeUnknownResult(Schema.toCodecJson(Trajectory), { onExcessProperty: "error" })
  const json = Schema.Record(
    Schema.Literals(["steps", "agent", "session_id", "schema_version", "extra", "x"]),
    Schema.Json
  )

  it.prop("is checked without a failure, and valid only if the classes accept it too", json, (value) => {
    const violations = trajectoryViolations(value)
    if (violations.length === 0) expect(Result.isSuccess(decode(value))).toBe(true)
    if (Result.isFailure(decode(value))) expect(violations.length).toBeGreaterThan(0)
  })
})
