/** A step of an agent while its events arrive. */
import type { Schema } from "effect"
import { addUsage, type CostSource, type Usage, unknownUsage } from "../agent/Usage.ts"
import { isJsonObject } from "../system/jsonObject.ts"
import { Observation, ObservationResult, StepMetrics, ToolCall, type TrajectoryStep } from "./Trajectory.ts"

type Fields = Omit<TrajectoryStep, "step_id">
export type Extra = Readonly<Record<string, Schema.Json>>

interface ToolResult {
  readonly id: string
  readonly output: string
  readonly isError: boolean
}

export class StepDraft {
  readonly at: string
  /** In characters. */
  size = 0
  #extra: Extra = {}
  readonly #text = new Pieces("")
  readonly #thinking = new Pieces("\n")
  /** By their ids, which are unique in a step. */
  readonly #calls = new Map<string, ToolCall>()
  readonly #results: Array<ObservationResult> = []
  readonly #unanswered = new Set<string>()
  readonly #failedTools = new Set<string>()
  readonly #kept = new Map<string, ReadonlyArray<Schema.Json>>()
  #usage: Usage = unknownUsage
  #costSource: CostSource = "none"
  #model: string | null = null

  constructor(at: string) {
    this.at = at
  }

  addText(text: string): void {
    this.#text.add(text)
    this.size += text.length
  }

  addExtra(extra: Extra): void {
    this.#extra = { ...this.#extra, ...extra }
  }

  addThinking(text: string): void {
    this.#thinking.add(text)
    this.size += text.length
  }

  addToolCall(id: string, name: string, input: Schema.Json): void {
    const call = { tool_call_id: id, function_name: name, arguments: argumentsOf(input) }
    this.size += name.length + JSON.stringify(input).length
    if (this.#calls.has(id)) this.#keep("repeated_tool_calls", call)
    else {
      this.#calls.set(id, ToolCall.make(call))
      this.#unanswered.add(id)
    }
  }

  /** False if this step made no such call. */
  addToolResult({ id, isError, output }: ToolResult): boolean {
    if (!this.#calls.has(id)) return false
    this.#results.push(ObservationResult.make({ source_call_id: id, content: output }))
    this.#unanswered.delete(id)
    if (isError) this.#failedTools.add(id)
    this.size += output.length
    return true
  }

  /** Keeps a result of another step's call in a list in `extra`. */
  keepToolResult(list: string, { id, isError, output }: ToolResult, more: Extra = {}): void {
    this.#keep(list, { tool_call_id: id, content: output, is_error: isError, ...more })
    this.size += output.length
  }

  #keep(list: string, value: Schema.Json): void {
    this.#kept.set(list, [...(this.#kept.get(list) ?? []), value])
  }

  addUsage(usage: Usage, model: string | null, costSource: CostSource): void {
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

  /** The step without its number. `model` is the run's, for an answer that names none. */
  fields(model: string | null): Fields {
    const message = this.#text.joined
    const thinking = this.#thinking.joined
    const metrics = metricsOf(this.#usage, this.#costSource)
    const isAnswer =
      message !== "" ||
      thinking !== "" ||
      this.#calls.size > 0 ||
      metrics !== null ||
      "structured_output" in this.#extra
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
        ...this.#extra,
        ...Object.fromEntries(this.#kept),
        ...(failed.length === 0 ? {} : { failed_tool_calls: failed })
      }
    }
  }
}

/** Text that arrives in many pieces, joined from time to time to keep few strings. */
class Pieces {
  readonly #separator: string
  readonly #blocks: Array<string> = []
  #pieces: Array<string> = []

  constructor(separator: string) {
    this.#separator = separator
  }

  add(piece: string): void {
    this.#pieces.push(piece)
    if (this.#pieces.length < 4096) return
    this.#blocks.push(this.#pieces.join(this.#separator))
    this.#pieces = []
  }

  get joined(): string {
    return [...this.#blocks, ...this.#pieces].join(this.#separator)
  }
}

/** The format requires an object; any other input is its field `input`. */
const argumentsOf = (input: Schema.Json): Extra => (isJsonObject(input) ? input : { input })

const metricsOf = (usage: Usage, costSource: CostSource): StepMetrics | null => {
  const { cachedTokens, cacheWrittenTokens, completionTokens, costUsd, promptTokens, reasoningTokens } = usage
  if (Object.values(usage).every((value) => value === null)) return null
  const extra: Extra = {
    ...(reasoningTokens === null ? {} : { reasoning_tokens: reasoningTokens }),
    ...(cacheWrittenTokens === null ? {} : { cache_written_tokens: cacheWrittenTokens }),
    ...(costUsd === null ? {} : { cost_source: costSource })
  }
  return StepMetrics.make({
    ...(promptTokens === null ? {} : { prompt_tokens: promptTokens }),
    ...(completionTokens === null ? {} : { completion_tokens: completionTokens }),
    ...(cachedTokens === null ? {} : { cached_tokens: cachedTokens }),
    ...(costUsd === null ? {} : { cost_usd: costUsd }),
    ...(Object.keys(extra).length === 0 ? {} : { extra })
  })
}
