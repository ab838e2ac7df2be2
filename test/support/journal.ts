/** Journals for tests: lines as a recorder would write them, a second apart. */
import type { Schema } from "effect"
import type { JournalLine } from "../../src/domain/record/TrajectoryJournal.ts"
import { AgentEvent } from "../../src/domain/run/AgentEvent.ts"
import { RunEvent } from "../../src/domain/run/RunEvent.ts"

export const session = "00000000-0000-4000-8000-000000000001"

/** A process that is nobody's: no boot has this name. */
export const gone = { pid: 4_000_000, started: { boot: "no such boot", ticks: "1" } }

export const timeOf = (second: number): string => new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString()
const timestamp = timeOf(0)

export const begun: JournalLine = {
  journal: 1,
  at: timeOf(0),
  sessionId: session,
  agent: { name: "daydream", version: "1.2.3" },
  target: "/repo",
  process: gone
}

/** The lines of a run in which this happened. */
export const journalOf = (events: ReadonlyArray<RunEvent>): ReadonlyArray<JournalLine> => [
  begun,
  ...events.map((event, index) => ({ at: timeOf(index + 1), event }))
]

export const started = (flow = "deep", model = ""): RunEvent =>
  RunEvent.make({
    _tag: "RunStarted",
    sessionId: session,
    flow,
    backend: "scripted",
    model,
    description: "branch feature against main",
    files: 1,
    agentsPlanned: 4
  })
export const ended = RunEvent.make({ _tag: "RunEnded", status: "complete", findings: 2 })
export const stepStarted = (step: string) => RunEvent.make({ _tag: "StepStarted", step })
export const stepEnded = (step: string) => RunEvent.make({ _tag: "StepEnded", step, summary: "" })
export const asked = (call: number, phase = "intent", fork: string | null = null, prompt = `prompt ${call}`) =>
  RunEvent.make({ _tag: "AgentStarted", call, task: phase, phase, fork, prompt })
export const answered = (call: number, outcome: "ok" | "failed" | "interrupted" = "ok") =>
  RunEvent.make({
    _tag: "AgentEnded",
    call,
    outcome,
    ...(outcome === "failed" ? { error: "AgentTimedOut", detail: "it took too long" } : {})
  })

/** What is sent; a text that begins with `#` was sent before. */
export const prompted = (
  call: number,
  {
    continues = false,
    system = [],
    user
  }: {
    readonly system?: ReadonlyArray<string>
    readonly user: ReadonlyArray<string>
    readonly continues?: boolean
  }
) => {
  const block = (text: string) => (text.startsWith("#") ? { sha256: text.slice(1) } : { text, sha256: text })
  const event = { backend: "b", continues, system: system.map(block), user: user.map(block) }
  return says(call, AgentEvent.make({ _tag: "Prompted", timestamp, ...event }))
}

const says = (call: number, event: AgentEvent) => RunEvent.make({ _tag: "Agent", call, event })

export const text = (call: number, words: string) =>
  says(call, AgentEvent.make({ _tag: "Text", timestamp, text: words }))
export const thinks = (call: number, words: string) =>
  says(call, AgentEvent.make({ _tag: "Thinking", timestamp, text: words }))
export const tool = (call: number, id: string, input: Schema.Json = { path: "a.py" }) =>
  says(call, AgentEvent.make({ _tag: "ToolStart", timestamp, id, name: "Read", input }))
export const result = (call: number, id: string, output = `output of ${id}`, isError = false) =>
  says(call, AgentEvent.make({ _tag: "ToolResult", timestamp, id, output, isError }))
export const turnEnd = (call: number, stopReason?: string) =>
  says(call, AgentEvent.make({ _tag: "TurnEnd", timestamp, messageId: "", ...(stopReason ? { stopReason } : {}) }))
export const reply = (call: number, output: Schema.Json | null = null) =>
  says(call, AgentEvent.make({ _tag: "Result", timestamp, output }))
export const measured = (
  call: number,
  promptTokens: number,
  messageId = "",
  model: string | null = null,
  costSource?: "reported" | "computed"
) =>
  says(
    call,
    AgentEvent.make({
      _tag: "Metrics",
      timestamp,
      messageId,
      promptTokens,
      completionTokens: 2,
      cachedTokens: 1,
      reasoningTokens: 1,
      costUsd: 0.25,
      ...(costSource === undefined ? {} : { costSource }),
      model
    })
  )
/** A turn has begun, and its usage is not known yet. */
export const announced = (call: number) =>
  says(
    call,
    AgentEvent.make({
      _tag: "Metrics",
      timestamp,
      messageId: "",
      promptTokens: null,
      completionTokens: null,
      cachedTokens: null,
      reasoningTokens: null,
      costUsd: null,
      model: null
    })
  )
export const billed = (call: number, promptTokens: number, costUsd: number | null = null) =>
  says(
    call,
    AgentEvent.make({
      _tag: "Cost",
      timestamp,
      costUsd,
      promptTokens,
      completionTokens: null,
      cachedTokens: null,
      reasoningTokens: null,
      model: null
    })
  )
