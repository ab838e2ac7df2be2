/** A step of an agent while it is being told: what it says so far, and what becomes of it once it is complete. */
import type { Schema } from "effect"
import { addUsage, type CostSource, nothingKnown, type Usage } from "../agent/Usage.ts"
import { Observation, ObservationResult, StepMetrics, ToolCall, type TrajectoryStep } from "./Trajectory.ts"

type Fields = Omit<TrajectoryStep, "step_id">
export type Extra = Readonly<Record<string, Schema.Json>>

interface Heard {
  readonly id: string
  readonly output: string
  readonly isError: boolean
}

export class TrajectoryDraft {
  readonly at: string
  /** Characters it holds. */
  size = 0
  #notes: Extra = {}
  readonly #text = new Pieces("")
  readonly #thinking = new Pieces("\n")
  /** By their ids, which are unique in a step. */
  readonly #calls = new Map<string, ToolCall>()
  readonly #results: Array<ObservationResult> = []
  readonly #unanswered = new Set<string>()
  readonly #failedTools = new Set<string>()
  readonly #kept = new Map<string, Array<Schema.Json>>()
  #usage: Usage = nothingKnown
  #costSource: CostSource = "none"
  #model: string | null = null

  constructor(at: string) {
    this.at = at
  }

  say(text: string): void {
    this.#text.add(text)
    this.size += text.length
  }

  /** Adds to the step's `extra`. */
  note(notes: Extra): void {
    this.#notes = { ...this.#notes, ...notes }
  }

  think(text: string): void {
    this.#thinking.add(text)
    this.size += text.length
  }

  call(id: string, name: string, input: Schema.Json): void {
    const call = { tool_call_id: id, function_name: name, arguments: argumentsOf(input) }
    this.size += name.length + JSON.stringify(input).length
    if (this.#calls.has(id)) this.#keep("repeated_tool_calls", call)
    else {
      this.#calls.set(id, ToolCall.make(call))
      this.#unanswered.add(id)
    }
  }

  /** False when this step made no such call. */
  answer({ id, isError, output }: Heard): boolean {
    if (!this.#calls.has(id)) return false
    this.#results.push(ObservationResult.make({ source_call_id: id, content: output }))
    this.#unanswered.delete(id)
    if (isError) this.#failedTools.add(id)
    this.size += output.length
    return true
  }

  /** Keeps a result that belongs to no call of this step, in a list of its `extra`. */
  keep(list: string, { id, isError, output }: Heard, more: Extra = {}): void {
    this.#keep(list, { tool_call_id: id, content: output, is_error: isError, ...more })
    this.size += output.length
  }

  #keep(list: string, what: Schema.Json): void {
    const kept = this.#kept.get(list) ?? []
    kept.push(what)
    this.#kept.set(list, kept)
  }

  use(usage: Usage, model: string | null, costSource: CostSource): void {
    this.#usage = addUsage(this.#usage, usage)
    if (usage.costUsd !== null) this.#costSource = this.#costSource === "computed" ? "computed" : costSource
    this.#model = model ?? this.#model
  }

  get usage(): Usage {
    return this.#usage
  }

  get unanswered(): ReadonlySet<string> {
    return this.#unanswered
  }

  /** Everything of the step but its number. `model` is the run's, where the step names none and something was answered. */
  fields(model: string | null): Fields {
    const message = this.#text.joined
    const thinking = this.#thinking.joined
    const metrics = metricsOf(this.#usage, this.#costSource)
    const isAnswer =
      message !== "" ||
      thinking !== "" ||
      this.#calls.size > 0 ||
      metrics !== null ||
      "structured_output" in this.#notes
    const name = isAnswer ? (this.#model ?? model) : null
    const failed = [...this.#failedTools]
    return {
      timestamp: this.at,
      source: "agent",
      ...(name === null ? {} : { model_name: name }),
      message,
      ...(thinking === "" ? {} : { reasoning_content: thinking }),
      ...(this.#calls.size === 0 ? {} : { tool_calls: [...this.#calls.values()] }),
      ...(this.#results.length === 0 ? {} : { observation: Observation.make({ results: this.#results }) }),
      ...(metrics === null ? {} : { metrics }),
      extra: {
        ...this.#notes,
        ...Object.fromEntries(this.#kept),
        ...(failed.length === 0 ? {} : { failed_tool_calls: failed })
      }
    }
  }
}

/** Text that comes in any number of pieces, without holding as many strings. */
class Pieces {
  readonly #between: string
  readonly #blocks: Array<string> = []
  #pieces: Array<string> = []

  constructor(between: string) {
    this.#between = between
  }

  add(piece: string): void {
    this.#pieces.push(piece)
    if (this.#pieces.length < 4096) return
    this.#blocks.push(this.#pieces.join(this.#between))
    this.#pieces = []
  }

  get joined(): string {
    return [...this.#blocks, ...this.#pieces].join(this.#between)
  }
}

/** The format wants an object; whatever else a tool was called with stands under `input`. */
const argumentsOf = (input: Schema.Json): Extra => (isObject(input) ? input : { input })

const isObject = (value: Schema.Json): value is Extra =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Null when nothing is known. */
const metricsOf = (usage: Usage, costSource: CostSource): StepMetrics | null => {
  const { cachedTokens, cacheWrittenTokens, completionTokens, costUsd, promptTokens, reasoningTokens } = usage
  if (Object.values(usage).every((value) => value === null)) return null
  return StepMetrics.make({
    ...(promptTokens === null ? {} : { prompt_tokens: promptTokens }),
    ...(completionTokens === null ? {} : { completion_tokens: completionTokens }),
    ...(cachedTokens === null ? {} : { cached_tokens: cachedTokens }),
    ...(costUsd === null ? {} : { cost_usd: costUsd }),
    ...(reasoningTokens === null && cacheWrittenTokens === null && costUsd === null
      ? {}
      : {
          extra: {
            ...(reasoningTokens === null ? {} : { reasoning_tokens: reasoningTokens }),
            ...(cacheWrittenTokens === null ? {} : { cache_written_tokens: cacheWrittenTokens }),
            ...(costUsd === null ? {} : { cost_source: costSource })
          }
        })
  })
}
