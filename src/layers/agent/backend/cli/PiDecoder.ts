/**
 * Decodes the output of `pi --mode json`: a session header, then its events.
 *
 * A message is read when it ends. Prompt tokens include those read from and written to the cache. A turn that called
 * tools is not the last, nor is one that another follows, however late. Pi retries by itself, so only the last turn's
 * error counts. Source: pi's documentation (packages/coding-agent/docs/json.md).
 */

import { Schema } from "effect"
import { addUsage, type Usage, unknownUsage } from "../../../../domain/agent/Usage.ts"
import { fieldsOf } from "../../../../domain/system/fieldsOf.ts"
import { MaybeAny, MaybeText, nullish } from "../../nullish.ts"
import { CliDecoder, contentOf, countOf, dollarsOf, failed, jsonOf, replyIn, sumOf, textOf } from "./CliDecoder.ts"

const PiUsage = Schema.Struct({
  ...fieldsOf(MaybeAny, ["input", "output", "cacheRead", "cacheWrite"]),
  cost: nullish(Schema.Struct({ total: MaybeAny }))
})

const Message = Schema.Struct({
  role: Schema.String,
  content: Schema.optionalKey(Schema.Union([Schema.String, Schema.Array(Schema.Unknown)])),
  usage: nullish(PiUsage),
  ...fieldsOf(MaybeText, ["model", "responseModel", "responseId", "stopReason", "errorMessage"])
})

type Message = typeof Message.Type

const decodeMessage = Schema.decodeUnknownOption(Schema.Struct({ message: Message }))
const decodeStart = Schema.decodeUnknownOption(
  Schema.Struct({
    toolCallId: Schema.NonEmptyString,
    toolName: Schema.NonEmptyString,
    args: MaybeAny
  })
)
const decodeEnd = Schema.decodeUnknownOption(
  Schema.Struct({
    toolCallId: Schema.NonEmptyString,
    toolName: nullish(Schema.NonEmptyString),
    result: MaybeAny,
    isError: nullish(Schema.Boolean)
  })
)
const decodeBlock = Schema.decodeUnknownOption(
  Schema.Union([
    Schema.Struct({ type: Schema.Literal("text"), text: Schema.String }),
    Schema.Struct({ type: Schema.Literal("thinking"), thinking: Schema.String }),
    Schema.Struct({ type: Schema.Literals(["toolCall", "image"]) })
  ])
)

/** Kinds whose content another kind repeats completely. */
const ignored: ReadonlySet<string> = new Set([
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

export class PiDecoder extends CliDecoder {
  #last = ""
  #used: Usage = unknownUsage
  #model: string | null = null

  protected override read(kind: string, line: unknown) {
    switch (kind) {
      case "message_end":
        return this.decode(decodeMessage, line, ({ message }) => this.#takeMessage(message))
      case "turn_start":
        // The agent continues: the text so far was not its answer.
        if (this.result._tag === "Answered") this.result = { _tag: "Unfinished" }
        return
      case "turn_end":
        return this.decode(decodeMessage, line, ({ message }) => this.#takeTurn(message))
      case "tool_execution_start":
        return this.decode(decodeStart, line, ({ args, toolCallId, toolName }) =>
          this.beginCall(toolCallId, toolName, jsonOf(args))
        )
      case "tool_execution_end":
        return this.decode(decodeEnd, line, ({ isError, result, toolCallId }) =>
          this.endCall(toolCallId, textOf(contentOf(result)), isError === true)
        )
      default:
        if (!ignored.has(kind)) this.countUnknown(kind)
    }
  }

  protected override close() {
    const { completionTokens, costUsd, promptTokens } = this.#used
    if (promptTokens !== null || completionTokens !== null || costUsd !== null) this.total(this.#used, this.#model)
  }

  #takeMessage({ content = [], role }: Message) {
    if (role !== "assistant") return
    const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content
    let text = ""
    for (const value of blocks) {
      this.decodeBlock(decodeBlock, value, (block) => {
        if (block.type === "text") {
          text += block.text
          if (block.text !== "") this.emit({ _tag: "Text", text: block.text })
        } else if (block.type === "thinking" && block.thinking !== "") {
          this.emit({ _tag: "Thinking", text: block.thinking })
        }
      })
    }
    if (text.trim() !== "") this.#last = text
  }

  #takeTurn({ errorMessage, model, responseId, responseModel, stopReason, usage }: Message) {
    this.#model = responseModel ?? model ?? this.#model
    const messageId = responseId ?? ""
    if (stopReason === "error" || stopReason === "aborted") {
      this.result = failed(errorMessage ?? "", `pi's turn ended as ${stopReason}`)
    } else if (stopReason === "toolUse") this.result = { _tag: "Unfinished" }
    else this.result = { _tag: "Answered", output: replyIn(this.#last) }
    if (usage !== undefined && usage !== null) {
      const used = usageOf(usage)
      this.#used = addUsage(this.#used, used)
      this.measure(used, { messageId, model: this.#model })
    }
    this.endTurn(messageId, stopReason)
  }
}

const usageOf = (usage: typeof PiUsage.Type): Usage => ({
  ...unknownUsage,
  promptTokens: sumOf(countOf(usage.input), countOf(usage.cacheRead), countOf(usage.cacheWrite)),
  completionTokens: countOf(usage.output),
  cachedTokens: countOf(usage.cacheRead),
  costUsd: dollarsOf(usage.cost?.total)
})
