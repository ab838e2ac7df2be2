/** Decodes Ollama's chat stream, one JSON object per line. Calls are complete and have no ids. */
import { Schema } from "effect"
import { MaybeNumber, MaybeText, nullish } from "../nullish.ts"
import { streamFault } from "./modelFault.ts"
import { endTagged, noTags, type ThinkTags, takeTagged } from "./ThinkTags.ts"
import { isText, objectOf, TurnDecoder, type WireEvent } from "./TurnDecoder.ts"

const CallOf = Schema.Struct({ function: Schema.Struct({ name: Schema.NonEmptyString, arguments: Schema.Json }) })
const Line = Schema.Struct({
  model: MaybeText,
  message: nullish(
    Schema.Struct({ content: MaybeText, thinking: MaybeText, tool_calls: nullish(Schema.Array(CallOf)) })
  ),
  done: nullish(Schema.Boolean),
  done_reason: MaybeText,
  prompt_eval_count: MaybeNumber,
  eval_count: MaybeNumber
})
const asLine = Schema.decodeUnknownOption(Line)

export class OllamaDecoder extends TurnDecoder {
  #tags: ThinkTags = noTags
  #isThinking = false

  read({ data: text }: WireEvent) {
    const data = objectOf(text)
    if (data === undefined) return this.fail("malformed", "an event is not JSON")
    if (data.error !== undefined && data.error !== null) this.fault = streamFault(data)
    else this.decode(asLine, data, (line) => this.#takeLine(line))
  }

  #takeLine(line: typeof Line.Type) {
    if (!this.hasBegun) this.begin("chat", "", line.model)
    const { content, thinking, tool_calls } = line.message ?? {}
    const calls = tool_calls ?? []
    if (isText(thinking)) {
      this.emit({ _tag: "Thinking", text: thinking })
      this.#isThinking = true
    }
    if (this.#isThinking && (isText(content) || calls.length > 0 || line.done === true)) {
      this.emit({ _tag: "ThinkingEnded" })
      this.#isThinking = false
    }
    const [tags, parts] = takeTagged(this.#tags, content ?? "")
    this.#tags = tags
    this.emit(...parts)
    for (const { function: called } of calls) {
      const call = this.beginCall("", this.calls.length, called.name)
      this.extendCall(call, JSON.stringify(called.arguments ?? {}))
      this.endCall(call, true)
    }
    if (line.done === true) this.#endTurn(line)
  }

  #endTurn({ done_reason, eval_count, prompt_eval_count }: typeof Line.Type) {
    this.emit(...endTagged(this.#tags))
    this.used({ promptTokens: prompt_eval_count, completionTokens: eval_count })
    const stopReason = isText(done_reason) ? done_reason : "stop"
    this.end(stopReason === "length" ? "length" : undefined, stopReason, null)
  }
}
