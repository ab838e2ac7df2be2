/**
 * Decodes the output of `claude -p --output-format stream-json --verbose`.
 *
 * A message of the assistant is printed as one line for each of its blocks, all with the message's id and the usage so
 * far; its turn ends when another message begins. Prompt tokens include those read from and written to the cache.
 * Source: the CLI's documentation ("Run Claude Code programmatically", the Agent SDK's message types
 * at code.claude.com/docs).
 */

import { Option, Schema } from "effect"
import { type Usage, unknownUsage } from "../../../../domain/agent/Usage.ts"
import { fieldsOf } from "../../../../domain/system/fieldsOf.ts"
import { MaybeAny, MaybeText, nullish } from "../../nullish.ts"
import { CliDecoder, countOf, dollarsOf, failed, jsonOf, replyIn, sumOf, textOf } from "./CliDecoder.ts"

const ClaudeUsage = Schema.Struct(
  fieldsOf(MaybeAny, ["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"])
)

const Assistant = Schema.Struct({
  message: Schema.Struct({
    ...fieldsOf(MaybeText, ["id", "model", "stop_reason"]),
    content: Schema.Union([Schema.String, Schema.Array(Schema.Unknown)]),
    usage: nullish(ClaudeUsage)
  }),
  /** Set if the request behind the message failed: `rate_limit`, `authentication_failed`. */
  error: MaybeText
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
  content: MaybeAny,
  is_error: nullish(Schema.Boolean)
})

const Result = Schema.Struct({
  ...fieldsOf(MaybeAny, ["result", "structured_output", "total_cost_usd"]),
  subtype: MaybeText,
  is_error: nullish(Schema.Boolean),
  errors: nullish(Schema.Array(Schema.Unknown)),
  usage: nullish(ClaudeUsage)
})

const decodeAssistant = Schema.decodeUnknownOption(Assistant)
const decodeBlock = Schema.decodeUnknownOption(Block)
const decodeUser = Schema.decodeUnknownOption(User)
const decodeToolResult = Schema.decodeUnknownOption(ToolResult)
const decodeResult = Schema.decodeUnknownOption(Result)

/** Kinds without content of the agent's work. */
const ignored: ReadonlySet<string> = new Set([
  "system",
  "stream_event",
  "rate_limit_event",
  "tool_progress",
  "auth_status",
  "keep_alive"
])

/** The CLI's own tool for a structured reply. */
const structured = "StructuredOutput"

export class ClaudeDecoder extends CliDecoder {
  #open: string | null = null
  #stopReason: string | null = null
  #model: string | null = null
  #last: { id: string; text: string } = { id: "", text: "" }
  #hasText = false
  /** Calls of `StructuredOutput`, which are the result and not tools. */
  readonly #structured = new Set<string>()
  #reply: Schema.Json | null = null
  #fault: string | null = null

  protected override read(kind: string, line: unknown) {
    switch (kind) {
      case "assistant":
        return this.decode(decodeAssistant, line, (assistant) => this.#takeMessage(assistant))
      case "user":
        return this.decode(decodeUser, line, (user) => this.#takeResults(user))
      case "result":
        return this.decode(decodeResult, line, (result) => this.#takeResult(result))
      default:
        if (!ignored.has(kind)) this.countUnknown(kind)
    }
  }

  protected override close() {
    if (this.#open !== null) this.endTurn(this.#open, this.#stopReason)
    this.#open = null
    this.#stopReason = null
  }

  #takeMessage({ error, message }: typeof Assistant.Type) {
    const { content, model, stop_reason, usage } = message
    const id = message.id ?? ""
    if (this.#open !== id || id === "") this.close()
    this.#open = id
    this.#stopReason = stop_reason ?? this.#stopReason
    this.#model = model ?? this.#model
    if (this.#last.id !== id || id === "") this.#last = { id, text: "" }
    this.#fault = error ?? this.#fault
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content
    for (const value of blocks) this.decodeBlock(decodeBlock, value, (block) => this.#takeBlock(block))
    if (usage === undefined || usage === null) return
    // The cost of all turns is reported at the end.
    this.measure(usageOf(usage), { messageId: id, model: this.#model, costSource: "provisional" })
  }

  #takeBlock(block: typeof Block.Type) {
    switch (block.type) {
      case "text":
        this.#last.text += block.text
        this.#hasText = true
        return this.emit({ _tag: "Text", text: block.text })
      case "thinking":
        if (block.thinking !== "") this.emit({ _tag: "Thinking", text: block.thinking })
        return
      case "redacted_thinking":
        return
      default: {
        const input = jsonOf(block.input)
        if (block.name !== structured) return this.beginCall(block.id, block.name, input)
        this.#structured.add(block.id)
        this.#reply = input
      }
    }
  }

  #takeResults({ message: { content } }: typeof User.Type) {
    if (typeof content === "string") return
    for (const part of content) {
      const result = Option.getOrNull(decodeToolResult(part))
      // Text of the user's side is from dd or a reminder of the CLI.
      if (result === null || this.#structured.has(result.tool_use_id)) continue
      this.endCall(result.tool_use_id, textOf(result.content), result.is_error === true)
    }
  }

  #takeResult(line: typeof Result.Type) {
    this.close()
    const { usage } = line
    const costUsd = dollarsOf(line.total_cost_usd)
    if (costUsd !== null || (usage !== undefined && usage !== null)) {
      this.total({ ...usageOf(usage ?? {}), costUsd }, this.#model)
    }
    const words = textOf(line.result)
    if (line.is_error === true || (line.subtype ?? "success") !== "success") {
      const errors = (line.errors ?? []).map(textOf)
      const reasons = [line.subtype === "success" ? null : line.subtype, this.#fault, words, ...errors]
      this.result = failed(reasons.filter(Boolean).join(": "), "claude reported a failure without a reason")
      return
    }
    if (!this.#hasText && words !== "") {
      this.#last = { id: "", text: words }
      this.#hasText = true
      this.emit({ _tag: "Text", text: words })
    }
    const given = line.structured_output === undefined ? this.#reply : jsonOf(line.structured_output)
    this.result = { _tag: "Answered", output: given ?? replyIn(this.#last.text) ?? replyIn(words) }
  }
}

const usageOf = (usage: typeof ClaudeUsage.Type): Usage => {
  const cachedTokens = countOf(usage.cache_read_input_tokens)
  const cacheWrittenTokens = countOf(usage.cache_creation_input_tokens)
  return {
    ...unknownUsage,
    promptTokens: sumOf(countOf(usage.input_tokens), cachedTokens, cacheWrittenTokens),
    completionTokens: countOf(usage.output_tokens),
    cachedTokens,
    cacheWrittenTokens
  }
}
