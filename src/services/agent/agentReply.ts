/**
 * The answer of one backend call, and the reply in it: decoded with the schema of the task, or a typed error. An answer
 * that was refused, cut off or cannot be read is an error, never an empty reply.
 */
import { Effect, Option, Predicate, Schema } from "effect"
import { decodeReply, faultsIn, fittingReply, normalizedReply } from "../../domain/agent/ModelReply.ts"
import type { RunCost } from "../../domain/agent/RunCost.ts"
import { label, type Task } from "../../domain/agent/Task.ts"
import { type CallUsage, costOfCall, countUsage, noCallUsage, totalUsage } from "../../domain/agent/Usage.ts"
import type { AgentEvent } from "../../domain/run/AgentEvent.ts"
import { exactJson, salvage } from "../../domain/text/json/modelJson.ts"
import { plural } from "../../domain/text/plural.ts"

export class AgentReplyInvalid extends Schema.TaggedError<AgentReplyInvalid>()("AgentReplyInvalid", {
  backend: Schema.String,
  task: Schema.String,
  /** The length instead of the reply, which may be long. */
  replyLength: Schema.Int,
  cause: Schema.Defect()
}) {
  override get message() {
    // Without the task and the length, so that the same failure of several tasks is one message.
    return `dd cannot read the answer of ${this.backend}: it is not in the format that was asked for; run again, or choose another --model`
  }
}

export class AgentReplyCutOff extends Schema.TaggedError<AgentReplyCutOff>()("AgentReplyCutOff", {
  backend: Schema.String,
  task: Schema.String,
  replyLength: Schema.Int,
  /** The provider's name for it; "" if only the text shows it. */
  stopReason: Schema.String
}) {
  override get message() {
    const why = this.stopReason === "" ? "" : ` (${this.stopReason})`
    return `the answer of ${this.backend} to ${this.task} ends after ${this.replyLength} characters, before it is complete${why}`
  }
}

export class AgentRefused extends Schema.TaggedError<AgentRefused>()("AgentRefused", {
  backend: Schema.String,
  task: Schema.String,
  stopReason: Schema.String
}) {
  override get message() {
    return `${this.backend} refused ${this.task} (${this.stopReason})`
  }
}

/** An answer that is sent back for repair, and the error if repair fails. */
export class ReplyUnusable extends Schema.TaggedError<ReplyUnusable>()("ReplyUnusable", {
  error: Schema.Union([AgentReplyInvalid, AgentReplyCutOff]),
  repair: Schema.Struct({ answer: Schema.String, fault: Schema.String }),
  /** The answer, if it is text without a reply. */
  prose: Schema.NullOr(Schema.String),
  /** What `decodeReply` reads without the entries that do not fit, if all else fits; and what is missing. */
  rest: Schema.NullOr(Schema.Struct({ given: Schema.Unknown, missing: Schema.String }))
}) {
  override get message() {
    return this.error.message
  }
}

/** Collects the data of the events of one call. */
export class CallAnswer {
  usage: CallUsage = noCallUsage
  output: Schema.Json | null = null
  stopReason = ""
  /** The last model that an event named. */
  model = ""
  /** Models whose cost the backend did not report. */
  readonly computedFor = new Set<string>()
  /** The last backend that received a prompt. */
  backend: string
  /** Text by turn; the answer is in the last turn with text. */
  readonly #turns: Array<Array<string>> = [[]]

  constructor(backend: string) {
    this.backend = backend
  }

  take(event: AgentEvent): void {
    if (event._tag === "Prompted") this.backend = event.backend
    if (event._tag === "Metrics" || event._tag === "Cost") this.model = event.model ?? this.model
    this.usage = countUsage(this.usage, event)
    if (event._tag === "Text") this.#turns.at(-1)?.push(event.text)
    if (event._tag === "Result") this.output = event.output
    if (event._tag === "TurnEnd") {
      this.stopReason = event.stopReason ?? ""
      this.#turns.push([])
    }
  }

  get cost(): RunCost {
    const { cachedTokens, completionTokens, promptTokens } = totalUsage(this.usage)
    return { ...costOfCall(this.usage), promptTokens, completionTokens, cachedTokens }
  }

  get text(): string {
    return this.#turns.map((turn) => turn.join("")).join("")
  }

  get asText(): string {
    return this.output === null ? this.lastTurn || this.text : JSON.stringify(this.output)
  }

  get lastTurn(): string {
    return this.#turns.map((turn) => turn.join("")).findLast((text) => text.trim() !== "") ?? ""
  }
}

/** Stop reasons of providers. */
const refusalReasons: ReadonlySet<string> = new Set(["refusal", "refused", "content_filter", "filtered", "safety"])
const cutOffReasons: ReadonlySet<string> = new Set([
  "max_tokens",
  "max_output_tokens",
  "length",
  "model_context_window_exceeded",
  "incomplete"
])

/** Why an answer is not complete, by its stop reason; null if it is. */
export const stopOf = (stopReason: string): "refused" | "cut off" | null => {
  const stopped = stopReason.toLowerCase()
  return refusalReasons.has(stopped) ? "refused" : cutOffReasons.has(stopped) ? "cut off" : null
}

/**
 * The reply in an answer: the structured result, else JSON in the text of the last turn, else in all of the text.
 */
export const replyIn = Effect.fnUntraced(function* <T extends Task>(task: T, answer: CallAnswer) {
  const { asText, backend, lastTurn, output, stopReason, text } = answer
  const name = label(task)
  const stop = output === null ? stopOf(stopReason) : null
  if (stop === "refused") return yield* new AgentRefused({ backend, task: name, stopReason })
  const cutOff = () =>
    new ReplyUnusable({
      error: new AgentReplyCutOff({ backend, task: name, replyLength: asText.length, stopReason }),
      repair: {
        answer: shortened(asText),
        fault: "- the answer was cut off before its end: give all of it again, in fewer words"
      },
      prose: null,
      rest: null
    })
  if (stop === "cut off") return yield* cutOff()
  const found = output === null ? salvaged(lastTurn, text) : ({ _tag: "Found", value: output, whole: true } as const)
  if (found._tag === "CutOff") return yield* cutOff()
  const value = found._tag === "Found" ? found.value : null
  const given = found._tag === "Found" ? normalizedReply(task._tag, value, found.whole) : value
  return yield* decodeReply<T["_tag"]>(task._tag, given).pipe(
    Effect.mapError(
      (cause) =>
        new ReplyUnusable({
          error: new AgentReplyInvalid({ backend, task: name, replyLength: asText.length, cause }),
          repair: {
            answer: shortened(asText),
            fault: found._tag === "Nothing" ? "- there is no JSON in the answer" : faultsIn(cause)
          },
          prose: output === null && isProse(asText, value) ? asText : null,
          rest: restOf(task, backend, given, cause)
        })
    )
  )
})

const restOf = (task: Task, backend: string, given: unknown, cause: Schema.SchemaError) => {
  const fitting = fittingReply(task._tag, given, cause)
  if (fitting === null) return null
  const faults = faultsIn(cause).replace(/^- /, "").replaceAll("\n- ", "; ")
  const count = `${fitting.refused} of ${plural(fitting.entries, "entry", "entries")}`
  const missing = `${backend} answered ${label(task)} with ${count} that do not fit the reply format and are not used: ${faults}`
  return { given: fitting.given, missing }
}

const salvaged = (lastTurn: string, text: string) => {
  const found = salvage(lastTurn)
  return found._tag === "Nothing" && text !== lastTurn ? salvage(text) : found
}

/** Text without JSON, or with JSON that is not a reply, such as a quoted piece of configuration. */
const isProse = (text: string, found: unknown): boolean =>
  text.trim() !== "" && Option.isNone(exactJson(text)) && !(Predicate.isObject(found) && "issues" in found)

/** The beginning and the end of a long answer. */
const shortened = (text: string): string => {
  if (text.length <= longestAnswer) return text
  const half = longestAnswer / 2
  return `${text.slice(0, half)}\n[... ${text.length - longestAnswer} characters ...]\n${text.slice(-half)}`
}

const longestAnswer = 24_000
