/** Speaks the Messages API as its provider does: event names, block indices, signatures, cumulative usage, pings. */
import { type Fields, fields, hashOf } from "./requestRules/fields.ts"
import { asksForThinking, messagesFaults, signatureOf } from "./requestRules/messagesRules.ts"
import { argumentsOf, type Dialect, inPieces, type ScriptedTurn, underRules, usageOf } from "./scriptedTurn.ts"
import { type Heard, startServer, type WireServer } from "./wireServer.ts"

const event = (name: string, data: unknown): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`

const stops = {
  done: "end_turn",
  calls: "tool_use",
  length: "max_tokens",
  refusal: "refusal",
  filtered: "refusal",
  pause: "pause_turn"
} as const

const typeOf = (status: number): string =>
  ({
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    529: "overloaded_error"
  })[status] ?? "api_error"

const errorOf = (type: string, message: string) => ({ type: "error", error: { type, message }, request_id: "req_1" })

/** The blocks of a turn. Ids and signatures are others for each request. */
const blocksOf = ({ calls = [], text, thinking }: ScriptedTurn, heard: Heard, nth: number): ReadonlyArray<Fields> => [
  ...(thinking === undefined
    ? []
    : [{ type: "thinking", thinking, signature: signatureOf(heard.body ?? {}, thinking, nth) }]),
  ...(text === undefined ? [] : [{ type: "text", text }]),
  ...calls.map(({ id, input, name }, at) => ({
    type: "tool_use",
    id: id ?? `toolu_${nth}_${at}_${hashOf(heard.text)}`,
    name,
    input: fields(input)
  }))
]

const eventsOf = (turn: ScriptedTurn, heard: Heard, nth: number): ReadonlyArray<string> => {
  const usage = usageOf(turn)
  const input = usage !== null && {
    input_tokens: usage.prompt - usage.cached - (usage.written ?? 0),
    cache_creation_input_tokens: usage.written ?? 0,
    cache_read_input_tokens: usage.cached
  }
  const events = [
    event("message_start", {
      type: "message_start",
      message: {
        id: `msg_${nth}`,
        type: "message",
        role: "assistant",
        model: heard.body?.model ?? "",
        content: [],
        stop_reason: null,
        stop_sequence: null,
        ...(input !== false && { usage: { ...input, output_tokens: 1 } })
      }
    }),
    event("ping", { type: "ping" })
  ]
  let index = 0
  const block = (content_block: unknown, deltas: ReadonlyArray<unknown>): void => {
    events.push(event("content_block_start", { type: "content_block_start", index, content_block }))
    for (const delta of deltas) events.push(event("content_block_delta", { type: "content_block_delta", index, delta }))
    events.push(event("content_block_stop", { type: "content_block_stop", index }))
    index++
  }
  let call = 0
  for (const { id, name, signature, text, thinking, type } of blocksOf(turn, heard, nth)) {
    if (type === "thinking") {
      block({ type, thinking: "", signature: "" }, [
        ...inPieces(String(thinking)).map((piece) => ({ type: "thinking_delta", thinking: piece })),
        { type: "signature_delta", signature }
      ])
    } else if (type === "text") {
      block(
        { type, text: "" },
        inPieces(String(text)).map((piece) => ({ type: "text_delta", text: piece }))
      )
    } else {
      block({ type, id, name, input: {} }, [
        { type: "input_json_delta", partial_json: "" },
        ...inPieces(argumentsOf(turn, call++)).map((partial_json) => ({ type: "input_json_delta", partial_json }))
      ])
    }
  }
  const stop_reason = stops[turn.stop ?? ((turn.calls ?? []).length > 0 ? "calls" : "done")]
  events.push(
    event("message_delta", {
      type: "message_delta",
      delta: { stop_reason, stop_sequence: null },
      usage: {
        ...input,
        ...(usage !== null && {
          output_tokens: usage.completion,
          output_tokens_details: { thinking_tokens: usage.reasoning }
        })
      }
    }),
    event("message_stop", { type: "message_stop" })
  )
  return events
}

export const messagesDialect: Dialect = {
  events: eventsOf,
  given: (turn, heard, nth) => ({ content: blocksOf(turn, heard, nth), isPause: turn.stop === "pause" }),
  faults: messagesFaults,
  thinks: ({ body }) =>
    fields(body?.thinking).type === "enabled" ? "always" : asksForThinking(body ?? {}) ? "maybe" : "never",
  noise: [
    event("ping", { type: "ping" }),
    ": keep-alive\n\n",
    event("vellum_hint", { type: "vellum_hint", index: 0, delta: { type: "x" } }),
    "event: heartbeat\ndata: soon\n\n"
  ],
  errorEvent: (error) =>
    event(
      "error",
      errorOf({ overloaded: "overloaded_error", "rate-limited": "rate_limit_error", fault: "api_error" }[error], "no")
    ),
  errorBody: (status, message) => errorOf(typeOf(status), message),
  broken: 'event: content_block_delta\ndata: {"type":"content_block_delta","index":\n\n',
  contentType: "text/event-stream; charset=utf-8"
}

/** A server of the Messages API whose turns are a function of the request. */
export const startAnthropic = (script: (heard: Heard, nth: number) => ScriptedTurn): Promise<WireServer> =>
  startServer(underRules(() => messagesDialect, script))
