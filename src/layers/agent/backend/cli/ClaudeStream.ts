/**
 * What `claude -p --output-format stream-json --verbose` prints.
 *
 * An assistant's message comes as one line for each of its blocks, all with the message's id and with the usage so far;
 * its turn ends when another message begins. Prompt tokens are all of the input: what was read from and written to the
 * cache too. Sources: reference §4.2; the CLI's documentation ("Run Claude Code programmatically", the Agent SDK's
 * message types at code.claude.com/docs).
 */
import { Option, Schema } from "effect"
import { isTransientFault } from "../../../../domain/agent/transientFault.ts"
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
const Usage = Schema.Struct({
  input_tokens: Schema.optionalKey(Schema.Unknown),
  output_tokens: Schema.optionalKey(Schema.Unknown),
  cache_read_input_tokens: Schema.optionalKey(Schema.Unknown),
  cache_creation_input_tokens: Schema.optionalKey(Schema.Unknown)
})

const Assistant = Schema.Struct({
  message: Schema.Struct({
    id: maybe(Schema.String),
    model: maybe(Schema.String),
    content: Schema.Union([Schema.String, Schema.Array(Schema.Unknown)]),
    usage: maybe(Usage),
    stop_reason: maybe(Schema.String)
  }),
  /** Set where the request behind the message failed: `rate_limit`, `authentication_failed`. */
  error: maybe(Schema.String)
})

const Block = Schema.Union([
  Schema.Struct({ type: Schema.Literal("text"), text: Schema.String }),
  Schema.Struct({ type: Schema.Literal("thinking"), thinking: Schema.String }),
  Schema.Struct({ type: Schema.Literal("redacted_thinking") }),
  Schema.Struct({
    type: Schema.Literals(["tool_use", "server_tool_use"]),
    id: Schema.NonEmptyString,
    name: Schema.NonEmptyString,
    input: Schema.Unknown
  })
])

const User = Schema.Struct({
  message: Schema.Struct({ content: Schema.Union([Schema.String, Schema.Array(Schema.Unknown)]) })
})

const ToolResult = Schema.Struct({
  type: Schema.Literal("tool_result"),
  tool_use_id: Schema.NonEmptyString,
  content: Schema.optionalKey(Schema.Unknown),
  is_error: maybe(Schema.Boolean)
})

const Result = Schema.Struct({
  subtype: maybe(Schema.String),
  is_error: maybe(Schema.Boolean),
  result: Schema.optionalKey(Schema.Unknown),
  structured_output: Schema.optionalKey(Schema.Unknown),
  errors: maybe(Schema.Array(Schema.Unknown)),
  usage: maybe(Usage),
  total_cost_usd: Schema.optionalKey(Schema.Unknown)
})

const decodeAssistant = Schema.decodeUnknownOption(Assistant)
const decodeBlock = Schema.decodeUnknownOption(Block)
const decodeUser = Schema.decodeUnknownOption(User)
const decodeToolResult = Schema.decodeUnknownOption(ToolResult)
const decodeResult = Schema.decodeUnknownOption(Result)
const kindOf = Schema.decodeUnknownOption(Schema.Struct({ type: Schema.String }))

/** Kinds that say nothing of the agent's work. */
const housekeeping: ReadonlySet<string> = new Set([
  "system",
  "stream_event",
  "rate_limit_event",
  "tool_progress",
  "auth_status",
  "keep_alive"
])

/** The CLI's own tool for a structured reply. */
const structured = "StructuredOutput"

export class ClaudeStream implements CliStream {
  readonly #misread = new Misread()
  /** The message whose turn is open. */
  #open: string | null = null
  #stopReason: string | null = null
  #model: string | null = null
  /** The text of the last message. */
  #last: { id: string; text: string } = { id: "", text: "" }
  #saidText = false
  /** Calls of `StructuredOutput`, which are told as the result and not as tools. */
  readonly #silent = new Set<string>()
  readonly #calls = new Calls()
  #reply: Schema.Json | null = null
  /** The last request that failed. */
  #fault: string | null = null
  #outcome: CliOutcome = { _tag: "Unfinished" }

  take(text: string, at: string): ReadonlyArray<AgentEvent> {
    const line = readLine(text)
    if (line._tag === "Noise") return []
    if (line._tag === "Unreadable") return this.#unreadable()
    switch (line.kind) {
      case "assistant":
        return this.#assistant(line.value, at)
      case "user":
        return this.#user(line.value, at)
      case "result":
        return this.#result(line.value, at)
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
    return { events: this.#endTurn(at), unreadable, unknown }
  }

  #unreadable(): ReadonlyArray<AgentEvent> {
    this.#misread.unreadable++
    return []
  }

  #endTurn(at: string): ReadonlyArray<AgentEvent> {
    const messageId = this.#open
    if (messageId === null) return []
    const stopReason = this.#stopReason
    this.#open = null
    this.#stopReason = null
    return [
      AgentEvent.make({
        _tag: "TurnEnd",
        timestamp: at,
        messageId,
        ...(stopReason === null ? {} : { stopReason })
      })
    ]
  }

  #assistant(value: object, at: string): ReadonlyArray<AgentEvent> {
    const line = Option.getOrNull(decodeAssistant(value))
    if (line === null) return this.#unreadable()
    const { content, model, stop_reason, usage } = line.message
    const id = line.message.id ?? ""
    const events: Array<AgentEvent> = []
    if (this.#open !== null && (this.#open !== id || id === "")) events.push(...this.#endTurn(at))
    this.#open = id
    this.#stopReason = stop_reason ?? this.#stopReason
    this.#model = model ?? this.#model
    if (this.#last.id !== id || id === "") this.#last = { id, text: "" }
    if (typeof line.error === "string") this.#fault = line.error
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content
    for (const block of blocks) events.push(...this.#block(block, at))
    if (usage !== undefined && usage !== null) events.push(this.#metrics(usage, id, at))
    return events
  }

  #block(value: unknown, at: string): ReadonlyArray<AgentEvent> {
    const block = Option.getOrNull(decodeBlock(value))
    if (block === null) {
      const kind = Option.getOrNull(kindOf(value))?.type
      if (kind === undefined) this.#misread.unreadable++
      else this.#misread.unknownKind(`assistant ${kind}`)
      return []
    }
    switch (block.type) {
      case "text":
        this.#last.text += block.text
        this.#saidText = true
        return [AgentEvent.make({ _tag: "Text", timestamp: at, text: block.text })]
      case "thinking":
        return block.thinking === "" ? [] : [AgentEvent.make({ _tag: "Thinking", timestamp: at, text: block.thinking })]
      case "redacted_thinking":
        return []
      default: {
        const { id, name } = block
        const input = jsonOf(block.input)
        if (name === structured) {
          this.#silent.add(id)
          this.#reply = input
          return []
        }
        if (!this.#calls.begin(id)) return []
        return [AgentEvent.make({ _tag: "ToolStart", timestamp: at, id, name, input })]
      }
    }
  }

  /** The cost of all turns is reported at the end. */
  #metrics(usage: typeof Usage.Type, messageId: string, at: string): AgentEvent {
    const written = countOf(usage.cache_creation_input_tokens)
    return AgentEvent.make({
      _tag: "Metrics",
      timestamp: at,
      messageId,
      promptTokens: promptOf(usage),
      completionTokens: countOf(usage.output_tokens),
      cachedTokens: countOf(usage.cache_read_input_tokens),
      ...(written === null ? {} : { cacheWrittenTokens: written }),
      reasoningTokens: null,
      costUsd: null,
      costSource: "provisional",
      model: this.#model
    })
  }

  #user(value: object, at: string): ReadonlyArray<AgentEvent> {
    const line = Option.getOrNull(decodeUser(value))
    if (line === null) return this.#unreadable()
    const { content } = line.message
    if (typeof content === "string") return []
    return content.flatMap((part): ReadonlyArray<AgentEvent> => {
      const result = Option.getOrNull(decodeToolResult(part))
      // Text of the user's side is dd's own, or the CLI's reminders.
      if (result === null || this.#silent.has(result.tool_use_id)) return []
      const { tool_use_id: id } = result
      if (!this.#calls.answer(id)) return []
      return [
        AgentEvent.make({
          _tag: "ToolResult",
          timestamp: at,
          id,
          output: wordsOf(result.content),
          isError: result.is_error === true
        })
      ]
    })
  }

  #result(value: object, at: string): ReadonlyArray<AgentEvent> {
    const line = Option.getOrNull(decodeResult(value))
    if (line === null) return this.#unreadable()
    const events = [...this.#endTurn(at)]
    const { usage } = line
    const costUsd = dollarsOf(line.total_cost_usd)
    if (costUsd !== null || (usage !== undefined && usage !== null)) {
      events.push(
        AgentEvent.make({
          _tag: "Cost",
          timestamp: at,
          costUsd,
          promptTokens: promptOf(usage ?? {}),
          completionTokens: countOf(usage?.output_tokens),
          cachedTokens: countOf(usage?.cache_read_input_tokens),
          reasoningTokens: null,
          model: this.#model
        })
      )
    }
    const words = wordsOf(line.result)
    const isFailed = line.is_error === true || (line.subtype ?? "success") !== "success"
    if (isFailed) {
      const errors = (line.errors ?? []).map(wordsOf)
      const reason = [line.subtype === "success" ? null : line.subtype, this.#fault, words, ...errors]
        .filter((each) => each !== null && each !== undefined && each !== "")
        .join(": ")
      this.#outcome = {
        _tag: "Failed",
        reason: reason === "" ? "claude says that it failed, and not why" : reason,
        retryable: isTransientFault(reason)
      }
      return events
    }
    if (!this.#saidText && words !== "") {
      this.#last = { id: "", text: words }
      this.#saidText = true
      events.push(AgentEvent.make({ _tag: "Text", timestamp: at, text: words }))
    }
    const given = line.structured_output === undefined ? this.#reply : jsonOf(line.structured_output)
    this.#outcome = { _tag: "Answered", output: given ?? replyIn(this.#last.text) ?? replyIn(words) }
    return events
  }
}

const promptOf = (usage: typeof Usage.Type): number | null =>
  sumOf(countOf(usage.input_tokens), countOf(usage.cache_read_input_tokens), countOf(usage.cache_creation_input_tokens))
