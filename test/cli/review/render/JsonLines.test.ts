import { describe, expect } from "bun:test"
import {
  errorLine,
  eventLine,
  exitMeaning,
  heartbeatLine,
  renderJsonLines
} from "../../../../src/cli/review/render/JsonLines.ts"
import { printedSchema, renderJson } from "../../../../src/cli/review/render/JsonReport.ts"
import { AgentEvent } from "../../../../src/domain/run/AgentEvent.ts"
import { RunEvent } from "../../../../src/domain/run/RunEvent.ts"
import { plainRedaction } from "../../../../src/domain/secret/Redaction.ts"
import { it } from "../../../support/effect.ts"
import { breachesOf } from "../../../support/jsonSchema.ts"
import { present, sampleContext, sampleResult } from "../../../support/sampleReview.ts"

const events = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))

describe("the stream of events", () => {
  it("begins with the context and ends with what it all came to", () => {
    const stream = events(renderJsonLines(present(sampleResult), { ...sampleContext, exitCode: 1 }))
    expect(stream.map((event) => event.type)).toEqual([
      "context",
      ...Array(7).fill("finding"),
      "suppressed",
      "complete"
    ])
    expect(stream[0]).toMatchObject({ schema_version: 1, flow: "deep", files: 9, agents_planned: 10 })
    expect(stream.at(-1)).toEqual({
      type: "complete",
      status: "complete",
      counts: {
        findings: 7,
        high: 3,
        medium: 3,
        low: 1,
        new: 7,
        dropped: 1,
        suppressed: 1,
        degraded: 0,
        files_in_diff: 9,
        files_reviewed: 7,
        files_unread: 0
      },
      exit: { code: 1, meaning: "findings at or above --fail-on" }
    })
  })

  it("has a line for each suppressed finding, as the json report has it", () => {
    const suppressed = events(renderJsonLines(present(sampleResult), sampleContext)).at(-2)
    const [inReport] = JSON.parse(renderJson(present(sampleResult), sampleContext)).suppressed
    expect(suppressed).toEqual({ type: "suppressed", ...inReport })
    expect(suppressed).toMatchObject({
      by: "billing/report.py:8",
      finding: { id: 8, rule: "meta/debug-print", file: "billing/report.py" }
    })
  })

  it("prints findings in the shape of the json report", () => {
    const { $defs } = JSON.parse(printedSchema())
    const breaches = breachesOf({ ...$defs.Finding, $defs })
    const found = events(renderJsonLines(present(sampleResult), sampleContext)).filter(({ type }) => type === "finding")
    for (const { finding } of found) expect(breaches(finding)).toEqual([])
  })

  it("follows a run step by step, without the text of agents", () => {
    const line = (event: RunEvent) => eventLine(event, "0.1.0", plainRedaction.text)
    expect(events(line(RunEvent.cases.StepStarted.make({ step: "intent" })) ?? "")).toEqual([
      { type: "step", step: "intent", state: "started", detail: "" }
    ])
    expect(
      events(line(RunEvent.cases.Degraded.make({ step: "arbiter", error: "BackendFailed", detail: "" })) ?? "")
    ).toEqual([{ type: "step", step: "arbiter", state: "degraded", detail: "BackendFailed" }])
    const said = AgentEvent.cases.Text.make({ timestamp: "2026-03-01T10:15:00Z", text: "hm" })
    expect(line(RunEvent.cases.Agent.make({ call: 1, event: said }))).toBeUndefined()
  })

  it("strips and masks what it passes on", () => {
    const detail = `\x1b[31mAKIA${"Q7R2T9W4X6Y1Z3B5"}\nnext`
    const line =
      eventLine(RunEvent.cases.StepSkipped.make({ step: "intent", reason: detail }), "0.1.0", plainRedaction.text) ?? ""
    expect(line.split("\n")).toHaveLength(2)
    expect(events(line)[0].detail).toBe("[REDACTED_API_KEY] next")
  })

  it("contains a heartbeat, and the error of a failure", () => {
    expect(events(heartbeatLine(15_000, ["review:python"]))).toEqual([
      { type: "heartbeat", elapsed_ms: 15_000, running: ["review:python"] }
    ])
    expect(events(errorLine({ _tag: "NotARepository", message: "no git here" }, 3, plainRedaction.text))).toEqual([
      { type: "error", error: "NotARepository", message: "no git here", exit: { code: 3, meaning: "could not run" } }
    ])
  })

  it("has words for every exit code dd uses", () => {
    for (const code of [0, 1, 2, 3, 4, 130, 143]) expect(exitMeaning(code)).not.toBe("failed")
  })
})
