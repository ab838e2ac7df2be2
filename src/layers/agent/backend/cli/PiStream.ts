/**
 * What `pi --mode json` prints: a session's header, then its events.
 *
 * A message is told when it ends. Prompt tokens are all of the input, what was read from and written to the cache too.
 * A turn that called tools is not its last, and neither is one that another follows: the next may be long in coming. Pi
 * tries again by itself, so only the last turn's error counts. Sources: reference §4.4; pi's documentation
 * (packages/coding-agent/docs/json.md).
 */
import { Option, Schema } from "effect"
import { isTransientFault } from "../../../../domain/agent/transientFault.ts"
import { addUsage, type Usage, unknownUsage } from "../../../../domain/agent/Usage.ts"
import { AgentEvent } from "../../../../domain/run/AgentEvent.ts"
import {
  Calls,
  type CliEnd,
  type CliOutcome,
  type CliStream,
  countOf,
  dollarsOf,
  jsonOf,
  Misread,
  readLine,
  replyIn,
  sumOf,
  wordsOf
} from "./CliStream.ts"

const maybe = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

const PiUsage = Schema.Struct({
  input: Schema.optionalKey(Schema.Unknown),
  output: Schema.optionalKey(Schema.Unknown),
  cacheRead: Schema.optionalKey(Schema.Unknown),
  cacheWrite: Schema.optionalKey(Schema.Unknown),
  cost: maybe(Schema.Struct({ total: Schema.optionalKey(Schema.Unknown) }))
})

const Message = Schema.Struct({
  role: Schema.String,
  content: Schema.optionalKey(Schema.Union([Schema.String, Schema.Array(Schema.Unknown)])),
  usage: maybe(PiUsage),
  model: maybe(Schema.String),
  responseModel: maybe(Schema.String),
  responseId: maybe(Schema.String),
  stopReason: maybe(Schema.String),
  errorMessage: maybe(Schema.String)
})

const decodeMessage = Schema.decodeUnknownOption(Schema.Struct({ message: Message }))
const decodeStart = Schema.decodeUnknownOption(
  Schema.Struct({
    toolCallId: Schema.NonEmptyString,
    toolName: Schema.NonEmptyString,
    args: Schema.optionalKey(Schema.Unknown)
  })
)
const decodeEnd = Schema.decodeUnknownOption(
  Schema.Struct({
    toolCallId: Schema.NonEmptyString,
    toolName: maybe(Schema.NonEmptyString),
    result: Schema.optionalKey(Schema.Unknown),
    isError: maybe(Schema.Boolean)
  })
)
const decodeBlock = Schema.decodeUnknownOption(
  Schema.Union([
    Schema.Struct({ type: Schema.Literal("text"), text: Schema.String }),
    Schema.Struct({ type: Schema.Literal("thinking"), thinking: Schema.String }),
    Schema.Struct({ type: Schema.Literals(["toolCall", "image"]) })
  ])
)
const contentOf = Schema.decodeUnknownOption(Schema.Struct({ content: Schema.Unknown }))
const kindOf = Schema.decodeUnknownOption(Schema.Struct({ type: Schema.String }))

/** Kinds that say nothing that another does not say whole. */
const housekeeping: ReadonlySet<string> = new Set([
  "session",
  "agent_start",
  "agent_end",
  "message_start",
  "message_update",
  "tool_execution_update",
  "queue_update",
  "compaction_start",
  "compaction_end",
  "auto_compaction_start",
  "auto_compaction_end",
  "auto_retry_start",
  "auto_retry_end"
])

export class PiStream implements CliStream {
  readonly #misread = new Misread()
  readonly #calls = new Calls()
  #last = ""
  #used: Usage = unknownUsage
  #model: string | null = null
  #outcome: CliOutcome = { _tag: "Unfinished" }

  take(text: string, at: string): ReadonlyArray<AgentEvent> {
    const line = readLine(text)
    if (line._tag === "Noise") return []
    if (line._tag === "Unreadable") return this.#unreadable()
    switch (line.kind) {
      case "message_end":
        return this.#messageEnded(line.value, at)
      case "turn_start":
        // It goes on: whatever it said until now was not its answer.
        if (this.#outcome._tag === "Answered") this.#outcome = { _tag: "Unfinished" }
        return []
      case "turn_end":
        return this.#turnEnded(line.value, at)
      case "tool_execution_start":
        return this.#toolStarted(line.value, at)
      case "tool_execution_end":
        return this.#toolEnded(line.value, at)
      default:
        if (!housekeeping.has(line.kind)) this.#misread.unknownKind(line.kind)
        return []
    }
  }

  get outcome(): CliOutcome {
    return this.#outcome
  }

  end(at: string): CliEnd {
    const { unknown, unreadable } = this.#misread
    const { cachedTokens, completionTokens, costUsd, promptTokens } = this.#used
    const isMeasured = promptTokens !== null || completionTokens !== null || costUsd !== null
    const events = isMeasured
      ? [
          AgentEvent.make({
            _tag: "Cost",
            timestamp: at,
            costUsd,
            promptTokens,
            completionTokens,
            cachedTokens,
            reasoningTokens: null,
            model: this.#model
          })
        ]
      : []
    return { events, unreadable, unknown }
  }

  #unreadable(): ReadonlyArray<AgentEvent> {
    this.#misread.unreadable++
    return []
  }

  #messageEnded(value: object, at: string): ReadonlyArray<AgentEvent> {
    const line = Option.getOrNull(decodeMessage(value))
    if (line === null) return this.#unreadable()
    const { content = [], role } = line.message
    if (role !== "assistant") return []
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content
    let said = ""
    const events = blocks.flatMap((each): ReadonlyArray<AgentEvent> => {
      const block = Option.getOrNull(decodeBlock(each))
      if (block === null) {
        const kind = Option.getOrNull(kindOf(each))?.type
        if (kind === undefined) this.#misread.unreadable++
        else this.#misread.unknownKind(`assistant ${kind}`)
        return []
      }
      if (block.type === "text") {
        said += block.text
        return block.text === "" ? [] : [AgentEvent.make({ _tag: "Text", timestamp: at, text: block.text })]
      }
      if (block.type !== "thinking" || block.thinking === "") return []
      return [AgentEvent.make({ _tag: "Thinking", timestamp: at, text: block.thinking })]
    })
    if (said.trim() !== "") this.#last = said
    return events
  }

  #turnEnded(value: object, at: string): ReadonlyArray<AgentEvent> {
    const line = Option.getOrNull(decodeMessage(value))
    if (line === null) return this.#unreadable()
    const { errorMessage, model, responseId, responseModel, stopReason, usage } = line.message
    this.#model = responseModel ?? model ?? this.#model
    const messageId = responseId ?? ""
    const reason = errorMessage ?? ""
    this.#outcome =
      stopReason === "error" || stopReason === "aborted"
        ? {
            _tag: "Failed",
            reason: reason === "" ? `pi's turn ended as ${stopReason}` : reason,
            retryable: isTransientFault(reason)
          }
        : stopReason === "toolUse"
          ? { _tag: "Unfinished" }
          : { _tag: "Answered", output: replyIn(this.#last) }
    const events: Array<AgentEvent> = []
    const used = usage === undefined || usage === null ? unknownUsage : usageOf(usage)
    this.#used = addUsage(this.#used, used)
    if (used !== unknownUsage) {
      const { cachedTokens, completionTokens, costUsd, promptTokens } = used
      events.push(
        AgentEvent.make({
          _tag: "Metrics",
          timestamp: at,
          messageId,
          promptTokens,
          completionTokens,
          cachedTokens,
          reasoningTokens: null,
          costUsd,
          model: this.#model
        })
      )
    }
    const end = { _tag: "TurnEnd", timestamp: at, messageId } as const
    events.push(AgentEvent.make(stopReason === undefined || stopReason === null ? end : { ...end, stopReason }))
    return events
  }

  #toolStarted(value: object, at: string): ReadonlyArray<AgentEvent> {
    const line = Option.getOrNull(decodeStart(value))
    if (line === null) return this.#unreadable()
    const { toolCallId: id, toolName: name } = line
    if (!this.#calls.begin(id)) return []
    return [AgentEvent.make({ _tag: "ToolStart", timestamp: at, id, name, input: jsonOf(line.args) })]
  }

  #toolEnded(value: object, at: string): ReadonlyArray<AgentEvent> {
    const line = Option.getOrNull(decodeEnd(value))
    if (line === null) return this.#unreadable()
    const { toolCallId: id } = line
    if (!this.#calls.answer(id)) return []
    const content = Option.match(contentOf(line.result), {
      onNone: () => line.result,
      onSome: ({ content }) => content
    })
    return [
      AgentEvent.make({
        _tag: "ToolResult",
        timestamp: at,
        id,
        output: wordsOf(content),
        isError: line.isError === true
      })
    ]
  }
}

const usageOf = (usage: typeof PiUsage.Type): Usage => ({
  promptTokens: sumOf(countOf(usage.input), countOf(usage.cacheRead), countOf(usage.cacheWrite)),
  completionTokens: countOf(usage.output),
  cachedTokens: countOf(usage.cacheRead),
  // Pi knows what it costs.
  cacheWrittenTokens: null,
  reasoningTokens: null,
  costUsd: dollarsOf(usage.cost?.total)
})
