/**
 * What Ollama's chat stream says, a line of JSON at a time. Calls come whole and without ids. Pure.
 */
import { Option, Schema } from "effect"
import type { EndReason, ModelEvent } from "../../../domain/agent/ModelTurn.ts"
import {
  callIdOf,
  cutOff,
  type Decoded,
  type Decoder,
  faulty,
  type Hearing,
  nothingCounted,
  notJson,
  objectOf,
  type WireEvent
} from "./Decoder.ts"
import { streamFault } from "./modelFault.ts"
import { endTagged, noTags, type TaggedPart, type ThinkTags, takeTagged } from "./ThinkTags.ts"

export interface OllamaTurn {
  readonly began: boolean
  readonly over: boolean
  readonly tags: ThinkTags
  readonly thinks: boolean
  readonly ids: ReadonlyArray<string>
}

export const ollamaDecoder = (hearing: Hearing): Decoder<OllamaTurn> => ({
  begin: { began: false, over: false, tags: noTags, thinks: false, ids: [] },
  take: (turn, event) => take(turn, event, hearing),
  end: cutOff,
  isOver: (turn) => turn.over
})

const Count = Schema.optionalKey(Schema.NullOr(Schema.Finite))
const MaybeText = Schema.optionalKey(Schema.NullOr(Schema.String))
const Line = Schema.Struct({
  model: MaybeText,
  message: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        content: MaybeText,
        thinking: MaybeText,
        tool_calls: Schema.optionalKey(
          Schema.NullOr(
            Schema.Array(
              Schema.Struct({ function: Schema.Struct({ name: Schema.NonEmptyString, arguments: Schema.Json }) })
            )
          )
        )
      })
    )
  ),
  done: Schema.optionalKey(Schema.NullOr(Schema.Boolean)),
  done_reason: MaybeText,
  prompt_eval_count: Count,
  eval_count: Count
})
const asLine = Schema.decodeUnknownOption(Line)

const take = (turn: OllamaTurn, { data: text }: WireEvent, hearing: Hearing): Decoded<OllamaTurn> => {
  const data = objectOf(text)
  if (data === undefined) return notJson(turn)
  if (data.error !== undefined && data.error !== null) return { turn, said: [], fault: streamFault(data) }
  return Option.match(asLine(data), {
    onNone: () => faulty(turn, "malformed", "a line has another shape"),
    onSome: (line) => hear(turn, line, hearing)
  })
}

const hear = (turn: OllamaTurn, line: typeof Line.Type, hearing: Hearing): Decoded<OllamaTurn> => {
  const said: Array<ModelEvent> = []
  let { tags, thinks } = turn
  const ids = [...turn.ids]
  if (!turn.began) said.push({ _tag: "Began", messageId: `chat_${hearing.turnId}`, model: line.model ?? "" })
  const { thinking, content, tool_calls: calls } = line.message ?? {}
  if (isText(thinking)) {
    said.push({ _tag: "Thinking", text: thinking })
    thinks = true
  }
  const goesOn = isText(content) || (calls ?? []).length > 0
  if (thinks && (goesOn || line.done === true)) {
    said.push({ _tag: "ThinkingEnded" })
    thinks = false
  }
  if (isText(content)) {
    const [next, parts] = takeTagged(tags, content)
    tags = next
    said.push(...parts.map(partSaid))
  }
  for (const { function: called } of calls ?? []) {
    const id = callIdOf("", ids.length, hearing, ids)
    const text = JSON.stringify(called.arguments ?? {})
    ids.push(id)
    said.push(
      { _tag: "CallBegan", id, name: called.name },
      { _tag: "CallArguments", id, text },
      { _tag: "CallEnded", id, name: called.name, arguments: text, truncated: false }
    )
  }
  const after: OllamaTurn = { ...turn, began: true, tags, thinks, ids }
  if (line.done !== true) return { turn: after, said, fault: null }
  said.push(...endTagged(tags).map(partSaid))
  const stopReason = isText(line.done_reason) ? line.done_reason : "stop"
  const reason: EndReason = stopReason === "length" ? "length" : ids.length > 0 ? "calls" : "done"
  said.push(
    {
      _tag: "Used",
      usage: { ...nothingCounted, promptTokens: line.prompt_eval_count ?? 0, completionTokens: line.eval_count ?? 0 }
    },
    { _tag: "Ended", reason, stopReason, verbatim: null }
  )
  return { turn: { ...after, over: true }, said, fault: null }
}

const partSaid = ({ kind, text }: TaggedPart): ModelEvent =>
  kind === "ThinkingEnded" ? { _tag: kind } : { _tag: kind, text }

const isText = (value: string | null | undefined): value is string =>
  value !== null && value !== undefined && value !== ""
