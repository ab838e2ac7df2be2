/**
 * The `jsonl` format: the events of a review, one JSON object per line.
 *
 * `context` comes first, then `step` and `heartbeat` while the review runs, one `finding` each, one `suppressed` for each
 * suppressed finding, `brief`, and `complete` or `error` at the end.
 */
import type { RunEvent } from "../../../domain/run/RunEvent.ts"
import { plainJson } from "../../text/plainJson.ts"
import { countBySeverity } from "../../text/Tally.ts"
import { findingJson, schemaVersion, suppressedJson } from "./JsonReport.ts"
import { type Mask, type Presentable, type Words, wordsFor } from "./Presentable.ts"
import type { RenderContext } from "./RenderContext.ts"

/** The complete stream of a review that has ended, for a file: without steps and heartbeats. */
export const renderJsonLines = (review: Presentable, context: RenderContext): string => {
  const { coverage, agentsPlanned, degraded, run } = review.result
  return (
    contextLine(
      {
        session_id: run.sessionId,
        flow: run.flow,
        backend: run.backend,
        description: run.description,
        files: coverage.filesInDiff,
        agents_planned: agentsPlanned
      },
      context.version
    ) +
    degraded.map(({ step, error, detail }) => stepLine(step, "degraded", detail === "" ? error : detail)).join("") +
    resultLines(review, context)
  )
}

export const resultLines = (review: Presentable, context: Pick<RenderContext, "exitCode">): string => {
  const { brief, findings, suppressed } = review.exact()
  return (
    findings.map((finding) => line({ type: "finding", finding: findingJson(finding) })).join("") +
    suppressed.map((each) => line({ type: "suppressed", ...suppressedJson(each) })).join("") +
    (brief === null ? "" : line({ type: "brief", brief })) +
    completeLine(review, context.exitCode)
  )
}

/** Undefined for events that are not in the stream. */
export const eventLine = (event: RunEvent, version: string, mask: Mask): string | undefined => {
  const words: Words = wordsFor(mask)
  switch (event._tag) {
    case "RunStarted":
      return contextLine(
        {
          session_id: words.line(event.sessionId),
          flow: words.line(event.flow),
          backend: words.line(event.backend),
          description: words.line(event.description),
          files: event.files,
          agents_planned: event.agentsPlanned,
          ...(event.pass === undefined ? {} : { pass: event.pass })
        },
        version
      )
    case "StepStarted":
      return stepLine(words.line(event.step), "started", "")
    case "StepEnded":
      return stepLine(words.line(event.step), "ended", words.line(event.summary))
    case "StepSkipped":
      return stepLine(words.line(event.step), "skipped", words.line(event.reason))
    case "Degraded":
      return stepLine(words.line(event.step), "degraded", words.line(event.detail === "" ? event.error : event.detail))
    case "AgentStarted":
    case "Agent":
    case "AgentEnded":
    case "TestsEnded":
    case "RunEnded":
      return undefined
  }
}

/** Milliseconds since the start, and the running steps. */
export const heartbeatLine = (elapsedMs: number, running: ReadonlyArray<string>): string =>
  line({ type: "heartbeat", elapsed_ms: elapsedMs, running })

export const errorLine = (
  failure: { readonly _tag: string; readonly message: string },
  exitCode: number,
  mask: Mask
): string =>
  line({ type: "error", error: failure._tag, message: wordsFor(mask).line(failure.message), exit: exitOf(exitCode) })

export const exitMeaning = (exitCode: number): string => meanings.get(exitCode) ?? "failed"

const meanings = new Map([
  [0, "pass"],
  [1, "findings at or above --fail-on"],
  [2, "usage or configuration"],
  [3, "could not run"],
  [4, "inconclusive"],
  [130, "interrupted"],
  [143, "terminated"]
])

type StepState = "started" | "ended" | "skipped" | "degraded"

interface RunContext {
  readonly session_id: string
  readonly flow: string
  readonly backend: string
  readonly description: string
  readonly files: number
  readonly agents_planned: number
  /** Of `--loop`: each pass has a line of its own. */
  readonly pass?: number
}

const contextLine = (run: RunContext, version: string): string =>
  line({ type: "context", schema_version: schemaVersion, tool: { name: "dd", version }, ...run })

const stepLine = (step: string, state: StepState, detail: string): string => line({ type: "step", step, state, detail })

const completeLine = ({ result }: Presentable, exitCode: number): string =>
  line({
    type: "complete",
    status: result.status,
    counts: {
      findings: result.findings.length,
      ...countBySeverity(result.findings),
      new: result.findings.filter((finding) => finding.new).length,
      dropped: result.dropped.length,
      suppressed: result.suppressed.length,
      degraded: result.degraded.length,
      files_in_diff: result.coverage.filesInDiff,
      files_reviewed: result.coverage.filesReviewed,
      files_unread: result.coverage.files.filter((file) => file.status === "unread").length
    },
    exit: exitOf(exitCode)
  })

const exitOf = (code: number) => ({ code, meaning: exitMeaning(code) })

const line = (event: { readonly type: string; readonly [key: string]: unknown }): string => `${plainJson(event)}\n`
