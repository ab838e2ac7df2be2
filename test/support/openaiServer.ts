/** Speaks the Responses API and Chat Completions as their servers do. */
import { chatFaults } from "./requestRules/chatRules.ts"
import { type Fields, fields, hashOf } from "./requestRules/fields.ts"
import { isOpenAi, isReasoning } from "./requestRules/openAiModel.ts"
import { encryptedOf, responsesFaults } from "./requestRules/responsesRules.ts"
import { argumentsOf, type Dialect, inPieces, type ScriptedTurn, underRules, usageOf } from "./scriptedTurn.ts"
import { type Heard, startServer, type WireServer } from "./wireServer.ts"

const errorOf = (code: string | null, type: string, message: string) => ({
  error: { message, type, param: null, code }
})

const errorBody = (status: number, message: string) =>
  errorOf(
    ({ 401: "invalid_api_key", 404: "model_not_found", 429: "rate_limit_exceeded" } as Record<number, string>)[
      status
    ] ?? null,
    status >= 500 ? "server_error" : "invalid_request_error",
    message
  )

const codeOf = {
  overloaded: "server_is_overloaded",
  "rate-limited": "rate_limit_exceeded",
  fault: "server_error"
} as const

// --- Responses ---

/** The output items of a turn. Ids and encrypted content are others for each request. */
const itemsOf = (turn: ScriptedTurn, heard: Heard, nth: number): ReadonlyArray<Fields> => {
  const { calls = [], stop, text, thinking } = turn
  const own = `${nth}_${hashOf(heard.text)}`
  const refusal = { type: "refusal", refusal: text }
  const part = stop === "refusal" ? refusal : { type: "output_text", text, annotations: [] }
  return [
    ...(thinking === undefined
      ? []
      : [
          {
            id: `rs_${own}`,
            type: "reasoning",
            summary: [{ type: "summary_text", text: thinking }],
            ...(isEncryptedFor(heard) ? { encrypted_content: encryptedOf(`rs_${own}`, thinking) } : {}),
            status: "completed"
          }
        ]),
    ...(text === undefined
      ? []
      : [{ id: `msg_${own}`, type: "message", role: "assistant", content: [part], status: "completed" }]),
    ...calls.map(({ id, name }, at) => {
      const written = argumentsOf(turn, at)
      return {
        id: `fc_${own}_${at}`,
        type: "function_call",
        call_id: id ?? `call_${own}_${at}`,
        name,
        arguments: written,
        status: written === JSON.stringify(turn.calls?.[at]?.input ?? {}) ? "completed" : "incomplete"
      }
    })
  ]
}

const isEncryptedFor = ({ body }: Heard): boolean =>
  Array.isArray(body?.include) && body.include.includes("reasoning.encrypted_content")

const responsesEvents = (turn: ScriptedTurn, heard: Heard, nth: number): ReadonlyArray<string> => {
  const usage = usageOf(turn)
  let sequence = 0
  const events: Array<string> = []
  const say = (type: string, fields: Record<string, unknown>): void => {
    events.push(`event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sequence++, ...fields })}\n\n`)
  }
  const response = (status: string, more: Record<string, unknown> = {}) => ({
    id: `resp_${nth}`,
    object: "response",
    model: heard.body?.model ?? "",
    status,
    error: null,
    incomplete_details: null,
    output: [],
    usage: null,
    ...more
  })
  say("response.created", { response: response("in_progress") })
  say("response.in_progress", { response: response("in_progress") })
  const output: Array<unknown> = []
  const item = (
    began: Record<string, unknown>,
    parts: (at: { item_id: unknown; output_index: number }) => void,
    whole: Record<string, unknown>
  ): void => {
    const output_index = output.length
    say("response.output_item.added", { output_index, item: { ...began, status: "in_progress" } })
    parts({ item_id: began.id, output_index })
    const done = { ...began, ...whole }
    say("response.output_item.done", { output_index, item: done })
    output.push(done)
  }
  const refused = turn.stop === "refusal"
  for (const whole of itemsOf(turn, heard, nth)) {
    const { id, type } = whole
    if (type === "reasoning") {
      const thinking = turn.thinking ?? ""
      item(
        { id, type, summary: [], encrypted_content: "" },
        (at) => {
          say("response.reasoning_summary_part.added", {
            ...at,
            summary_index: 0,
            part: { type: "summary_text", text: "" }
          })
          for (const delta of inPieces(thinking))
            say("response.reasoning_summary_text.delta", { ...at, summary_index: 0, delta })
          say("response.reasoning_summary_text.done", { ...at, summary_index: 0, text: thinking })
        },
        whole
      )
    } else if (type === "message") {
      const text = turn.text ?? ""
      const part = fields(Array.isArray(whole.content) ? whole.content[0] : null)
      item(
        { id, type, role: "assistant", content: [] },
        (at) => {
          say("response.content_part.added", { ...at, content_index: 0, part: { ...part, text: "" } })
          const kind = refused ? "response.refusal.delta" : "response.output_text.delta"
          for (const delta of inPieces(text)) say(kind, { ...at, content_index: 0, delta, logprobs: [] })
          say(refused ? "response.refusal.done" : "response.output_text.done", {
            ...at,
            content_index: 0,
            text,
            refusal: text
          })
          say("response.content_part.done", { ...at, content_index: 0, part })
        },
        whole
      )
    } else {
      const written = String(whole.arguments)
      item(
        { id, type, call_id: whole.call_id, name: whole.name, arguments: "" },
        (where) => {
          for (const delta of inPieces(written)) say("response.function_call_arguments.delta", { ...where, delta })
          if (whole.status === "completed")
            say("response.function_call_arguments.done", { ...where, arguments: written })
        },
        whole
      )
    }
  }
  const done = {
    output,
    usage: usage && {
      input_tokens: usage.prompt,
      input_tokens_details: {
        cached_tokens: usage.cached,
        ...(usage.written === undefined ? {} : { cache_write_tokens: usage.written })
      },
      output_tokens: usage.completion,
      output_tokens_details: { reasoning_tokens: usage.reasoning },
      total_tokens: usage.prompt + usage.completion
    }
  }
  const cut = turn.stop === "length" ? "max_output_tokens" : turn.stop === "filtered" ? "content_filter" : null
  if (cut === null) say("response.completed", { response: response("completed", done) })
  else
    say("response.incomplete", { response: response("incomplete", { ...done, incomplete_details: { reason: cut } }) })
  return events
}

const responsesEvent = (type: string, fields: Record<string, unknown>): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: 99, ...fields })}\n\n`

export const responsesDialect: Dialect = {
  events: responsesEvents,
  given: (turn, heard, nth) => ({ content: itemsOf(turn, heard, nth), isPause: false }),
  faults: responsesFaults,
  thinks: ({ body }) => {
    const model = String(body?.model)
    const isAble = isReasoning(model) || !isOpenAi(model)
    return isAble && fields(body?.reasoning).effort !== "none" ? "maybe" : "never"
  },
  noise: [
    ": keep-alive\n\n",
    responsesEvent("response.unheard_of.delta", { delta: "x" }),
    "event: keepalive\ndata: soon\n\n",
    responsesEvent("keepalive", {})
  ],
  errorEvent: (error) => responsesEvent("error", { code: codeOf[error], message: "no", param: null }),
  errorBody,
  broken: 'event: response.output_text.delta\ndata: {"type":"response.output_te\n\n',
  contentType: "text/event-stream; charset=utf-8"
}

// --- Chat Completions ---

/** What servers of Chat Completions do differently. */
export interface ChatHabits {
  /** Where thinking is put. Default `reasoning_content`. */
  readonly thinkingIn?: "reasoning_content" | "reasoning" | "content"
  /** Calls come whole, in one delta each. */
  readonly wholeCalls?: boolean
  /** Calls have no id, or all the same. */
  readonly callIds?: "none" | "same"
  /** Calls have no index. */
  readonly noIndex?: boolean
  /** Usage is never told. */
  readonly noUsage?: boolean
  /** The stream ends without `[DONE]`. */
  readonly noDone?: boolean
  /** Instead of `tool_calls`, the reason is `stop`. */
  readonly alwaysStop?: boolean
}

const finishes = {
  done: "stop",
  calls: "tool_calls",
  length: "length",
  refusal: "stop",
  filtered: "content_filter",
  pause: "stop"
} as const

const chatEvents =
  (habits: ChatHabits) =>
  (turn: ScriptedTurn, heard: Heard, nth: number): ReadonlyArray<string> => {
    const usage = usageOf(turn)
    const chunk = (fields: Record<string, unknown>): string =>
      `data: ${JSON.stringify({
        id: `chatcmpl-${nth}`,
        object: "chat.completion.chunk",
        created: 1,
        model: heard.body?.model ?? "",
        ...fields
      })}\n\n`
    const delta = (said: Record<string, unknown>): string =>
      chunk({ choices: [{ index: 0, delta: said, finish_reason: null }] })
    const events = [delta({ role: "assistant", content: "" })]
    const place = habits.thinkingIn ?? "reasoning_content"
    if (turn.thinking !== undefined) {
      const pieces = inPieces(place === "content" ? `<think>\n${turn.thinking}\n</think>\n\n` : turn.thinking, 5)
      for (const piece of pieces) events.push(delta({ [place]: piece }))
    }
    const refused = turn.stop === "refusal"
    for (const piece of inPieces(turn.text ?? "")) events.push(delta(refused ? { refusal: piece } : { content: piece }))
    for (const [at, { id, name }] of (turn.calls ?? []).entries()) {
      const index = habits.noIndex === true ? {} : { index: at }
      const own = id ?? `call_${nth}_${at}`
      const named = habits.callIds === "none" ? {} : { id: habits.callIds === "same" ? "call_0" : own }
      const written = argumentsOf(turn, at)
      const call = (args: string) => ({ ...index, ...named, type: "function", function: { name, arguments: args } })
      if (habits.wholeCalls === true) {
        events.push(delta({ tool_calls: [call(written)] }))
        continue
      }
      events.push(delta({ tool_calls: [call("")] }))
      for (const piece of inPieces(written)) {
        events.push(delta({ tool_calls: [{ ...index, function: { arguments: piece } }] }))
      }
    }
    const finish = finishes[turn.stop ?? ((turn.calls ?? []).length > 0 ? "calls" : "done")]
    const finish_reason = habits.alwaysStop === true ? "stop" : finish
    events.push(chunk({ choices: [{ index: 0, delta: {}, finish_reason }] }))
    if (habits.noUsage !== true && usage !== null) {
      events.push(
        chunk({
          choices: [],
          usage: {
            prompt_tokens: usage.prompt,
            completion_tokens: usage.completion,
            total_tokens: usage.prompt + usage.completion,
            prompt_tokens_details: {
              cached_tokens: usage.cached,
              ...(usage.written === undefined ? {} : { cache_write_tokens: usage.written })
            },
            completion_tokens_details: { reasoning_tokens: usage.reasoning }
          }
        })
      )
    }
    if (habits.noDone !== true) events.push("data: [DONE]\n\n")
    return events
  }

export const chatDialect = (habits: ChatHabits = {}): Dialect => ({
  events: chatEvents(habits),
  given: () => ({ content: [], isPause: false }),
  faults: chatFaults,
  thinks: ({ body }) => (body?.reasoning_effort === "none" ? "never" : "maybe"),
  noise: [": OPENROUTER PROCESSING\n\n", ": ping - 2026-01-01\n\n", 'data: {"object":"chat.noise"}\n\n'],
  errorEvent: (error) =>
    `data: ${JSON.stringify({ error: { message: "no", type: codeOf[error], code: { overloaded: 503, "rate-limited": 429, fault: 502 }[error] } })}\n\n`,
  errorBody,
  broken: 'data: {"id":"chatcmpl-1","choices":[{"index":0,"del\n\n',
  contentType: "text/event-stream; charset=utf-8"
})

/** A server whose turns are a function of the request, whichever of the two protocols it is asked in. */
export const startOpenAi = (
  script: (heard: Heard, nth: number) => ScriptedTurn,
  habits: ChatHabits = {}
): Promise<WireServer> =>
  startServer(underRules(({ path }) => (path.endsWith("/responses") ? responsesDialect : chatDialect(habits)), script))
