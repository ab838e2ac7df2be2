/**
 * The calls of a past run by the name of their task, read from its trajectories for a replay.
 *
 * Tokens are those of the recording; its cost is kept separately, because a replay costs nothing. Redacted text stays
 * redacted. Failed calls that were retried are left out; a failed call without a retry fails again.
 */
import { Option, Schema } from "effect"
import { type Degraded, isFallback } from "../change/Degraded.ts"
import { AgentEvent, shownLines } from "../run/AgentEvent.ts"
import { answersIn, reviewsAmong } from "./answersIn.ts"
import { costOfRun } from "./costOfRun.ts"
import { type Content, failedToolCalls, type ToolCall, type Trajectory, type TrajectoryStep } from "./Trajectory.ts"

export interface RecordedCall {
  readonly steps: ReadonlyArray<TrajectoryStep>
  /** The structured reply, if any. */
  readonly output: Schema.Json | null
  /** Why there was no answer; null for any answer, even an invalid one. */
  readonly failure: string | null
}

export interface Recording {
  readonly sessionId: string
  readonly source: "static" | "model"
  /** The backends that reviewed, or else those that answered; "" if unknown or none. */
  readonly backend: string
  readonly model: string
  readonly description: string
  /** Sides of the change: a commit or a word; null if not recorded. */
  readonly base: string | null
  readonly head: string | null
  readonly costUsd: number | null
  /** The failed backends that another one replaced. */
  readonly fallbacks: ReadonlyArray<Degraded>
  /** By the name of the task, in their order. */
  readonly calls: ReadonlyMap<string, ReadonlyArray<RecordedCall>>
}

/** `siblings`: the trajectories that the run's own refers to. */
export const recordingOf = (root: Trajectory, siblings: ReadonlyArray<Trajectory>): Recording => {
  const found: Array<{ readonly number: number; readonly task: string; readonly call: RecordedCall }> = []
  for (const trajectory of [root, ...siblings]) {
    for (const [number, steps] of byCall(trajectory.steps)) {
      const task = taskOf(steps, trajectory)
      if (typeof number === "number" && task !== null) found.push({ number, task, call: callOf(steps) })
    }
  }
  const calls = new Map<string, Array<RecordedCall>>()
  for (const { call, task } of found.sort((a, b) => a.number - b.number)) {
    const before = calls.get(task) ?? []
    // A call after a failed one is its retry.
    if (before.at(-1)?.failure !== null) before.pop()
    before.push(call)
    calls.set(task, before)
  }
  const { extra } = root
  const word = (name: string): string | null => (typeof extra?.[name] === "string" ? extra[name] : null)
  const answerers = reviewsAmong(answersIn(root, siblings)).map(({ backend }) => backend)
  return {
    sessionId: root.session_id,
    source: (word("source") ?? word("backend")) === "static" ? "static" : "model",
    backend: [...new Set(answerers)].join(", "),
    model: root.agent.model_name ?? "",
    description: word("description") ?? "",
    base: word("base"),
    head: word("head"),
    costUsd: costOfRun(root).usd,
    fallbacks: Option.getOrElse(degradedIn(extra?.degraded), () => []).filter(isFallback),
    calls
  }
}

const degradedIn = Schema.decodeUnknownOption(
  Schema.Array(Schema.Struct({ step: Schema.String, error: Schema.String, detail: Schema.String }))
)

const byCall = (steps: ReadonlyArray<TrajectoryStep>): ReadonlyMap<unknown, ReadonlyArray<TrajectoryStep>> =>
  Map.groupBy(steps, ({ extra }) => extra?.daydream_call)

/** The name of the task; in records of an older dd without it, derived from the step and the sibling. */
const taskOf = ([first]: ReadonlyArray<TrajectoryStep>, { extra }: Trajectory): string | null => {
  const recorded = first?.extra?.daydream_task
  if (typeof recorded === "string") return recorded
  const descriptor = typeof extra?.descriptor === "string" ? extra.descriptor : ""
  switch (first?.extra?.daydream_step) {
    case "per-stack-reviews":
      return `review:${descriptor.replace(/^deep-/, "")}`
    case "per-stack-parse":
      return `parse:${descriptor.replace(/^parse-/, "")}`
    case "arbiter":
      return "arbitrate"
    case "intent":
    case "alternatives":
    case "merge":
      return first.extra.daydream_step
    default:
      return null
  }
}

/** Errors of calls that were answered. */
const answerErrors: ReadonlySet<string> = new Set(["AgentReplyInvalid", "AgentReplyCutOff", "AgentRefused"])

const callOf = (all: ReadonlyArray<TrajectoryStep>): RecordedCall => {
  const steps = all.filter(({ source }) => source === "agent")
  const noted = (name: string): Schema.Json | undefined =>
    steps.findLast(({ extra }) => extra?.[name] !== undefined)?.extra?.[name]
  const error = noted("error_subtype")
  const words = noted("error")
  const isCut = error === undefined && noted("partial_step") === true
  const hasFailed = error !== undefined && !answerErrors.has(String(error))
  return {
    steps,
    output: noted("structured_output") ?? null,
    failure: isCut
      ? "the recorded call was interrupted"
      : hasFailed
        ? `as recorded: ${typeof words === "string" && words !== "" ? words : String(error)}`
        : null
  }
}

/** The events of a call, without its `Result`. */
export const eventsOf = ({ steps }: RecordedCall, timestamp: string): ReadonlyArray<AgentEvent> =>
  steps.flatMap((step) => eventsOfStep(step, timestamp))

const eventsOfStep = (step: TrajectoryStep, timestamp: string): ReadonlyArray<AgentEvent> => {
  const { extra, message, metrics, reasoning_content: thinking, tool_calls: calls } = step
  const failed = failedToolCalls(step)
  const events: Array<AgentEvent> = []
  const shown = shownLines(extra?.shown_lines)
  if (shown !== null) events.push(AgentEvent.make({ _tag: "Shown", timestamp, lines: shown }))
  if (thinking) events.push(AgentEvent.make({ _tag: "Thinking", timestamp, text: thinking }))
  const text = textOf(message)
  if (text !== "") events.push(AgentEvent.make({ _tag: "Text", timestamp, text }))
  const begun = new Set<string>()
  for (const call of calls ?? []) {
    if (call.tool_call_id === "" || call.function_name === "" || begun.has(call.tool_call_id)) continue
    begun.add(call.tool_call_id)
    events.push(started(call, timestamp))
  }
  for (const { content, source_call_id: id } of step.observation?.results ?? []) {
    if (!id || !begun.delete(id)) continue
    const output = content === null || content === undefined ? "" : textOf(content)
    events.push(AgentEvent.make({ _tag: "ToolResult", timestamp, id, output, isError: failed.has(id) }))
  }
  if (metrics?.prompt_tokens != null && metrics.completion_tokens != null) {
    const reasoning = metrics.extra?.reasoning_tokens
    events.push(
      AgentEvent.make({
        _tag: "Metrics",
        timestamp,
        messageId: "",
        promptTokens: metrics.prompt_tokens,
        completionTokens: metrics.completion_tokens,
        cachedTokens: metrics.cached_tokens ?? null,
        reasoningTokens:
          typeof reasoning === "number" && Number.isInteger(reasoning) && reasoning >= 0 ? reasoning : null,
        costUsd: 0,
        model: step.model_name ?? null
      })
    )
  }
  const stopReason = extra?.stop_reason
  events.push(
    AgentEvent.make({
      _tag: "TurnEnd",
      timestamp,
      messageId: "",
      ...(typeof stopReason === "string" ? { stopReason } : {})
    })
  )
  return events
}

const started = ({ arguments: input, function_name: name, tool_call_id: id }: ToolCall, timestamp: string) =>
  AgentEvent.make({ _tag: "ToolStart", timestamp, id, name, input })

const textOf = (content: Content): string =>
  typeof content === "string" ? content : content.map(({ text }) => text ?? "").join("")
