/**
 * One request to a provider and its streamed answer, from bytes to `ModelEvent`s.
 *
 * Nothing is asked twice. Closing or interrupting the stream aborts the request and closes the connection. Whatever
 * comes (a comment, a ping, half a character) shows that the other side lives; silence for longer than `patience` is
 * `stalled`. What a response may hold is bounded. A redirection is not followed, so no key goes where it leads.
 */
import { Clock, Duration, Effect, Option, Random, Redacted, Stream } from "effect"
import * as Sse from "effect/encoding/Sse"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import type { ModelEvent, ModelRequest } from "../../../domain/agent/ModelTurn.ts"
import type { ModelError } from "../../../services/agent/Model.ts"
import { type Decoder, endMark, type Fault, type Hearing, isObject, jsonOf, type WireEvent } from "./Decoder.ts"
import { httpFault, modelError, retryAfterMillis } from "./modelFault.ts"

/** How long silence is borne. */
export interface Patience {
  /** Until the answer begins; a local server may load its model first. */
  readonly answer: Duration.Input
  /** Between two signs of life. */
  readonly silence: Duration.Input
}

export const usualPatience: Patience = { answer: "10 minutes", silence: "5 minutes" }

/** Where requests go, and by whose leave. */
export interface Endpoint {
  readonly key: Redacted.Redacted | null
  /** From the user's own configuration, never from a repository. */
  readonly baseUrl: string
  readonly patience: Patience
}

/** Answers larger than this are no answers: dd asks for 16,000 tokens at most. Characters, framing included. */
const longestAnswer = 16 * 1024 * 1024
/** The same in events, since the smallest ones are work too. */
const mostEvents = 500_000
/** Of an answer that is an error, so much is read. Bytes. */
const longestError = 64 * 1024
/** After the last word, how long the other side may take to close, so that its connection can serve again. */
const farewell: Duration.Input = "250 millis"

/** What a request is sent with. */
export type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>

/** What every SDK client is told: one try, no time limit of its own, nothing written, nothing measured. */
export const noHurry = { maxRetries: 0, timeout: 2 ** 31 - 1, logLevel: "off" } as const

/** What the SDKs tell of this machine in headers is not sent. Before requests are signed, so that signatures hold. */
export const quietHeaders = {
  "user-agent": "dd",
  "x-stainless-lang": null,
  "x-stainless-package-version": null,
  "x-stainless-os": null,
  "x-stainless-arch": null,
  "x-stainless-runtime": null,
  "x-stainless-runtime-version": null,
  "x-stainless-retry-count": null,
  "x-stainless-timeout": null
} as const

/** How the lines of an answer are framed. */
export type Framing = "events" | "lines"

/** The stream of one turn. It is sent once, when somebody listens. */
export const converseOver = <Turn>(
  who: { readonly provider: string; readonly endpoint: Endpoint; readonly framing?: Framing },
  request: ModelRequest,
  sender: Effect.Effect<(signal: AbortSignal) => Promise<Response>>,
  decoderOf: (hearing: Hearing) => Decoder<Turn>
): Stream.Stream<ModelEvent, ModelError> => {
  const { provider, endpoint } = who
  const key = endpoint.key === null ? null : Redacted.value(endpoint.key)
  const named = { provider, model: request.model, key }
  const fail = (fault: Fault, retryAfter: number | null = null) => modelError(named, fault, retryAfter)
  const stalled = (waited: Duration.Input) => fail(stalledFault(waited))

  return Stream.unwrap(
    Effect.gen(function* () {
      const signal = yield* closedWithScope
      const now = yield* Clock.currentTimeMillis
      const send = yield* sender
      const response = yield* Effect.tryPromise({
        try: () => send(signal),
        catch: (cause) => refusalOf(cause, fail, now)
      }).pipe(
        Effect.timeoutOrElse({
          duration: endpoint.patience.answer,
          orElse: () => Effect.fail(stalled(endpoint.patience.answer))
        })
      )
      if (!response.ok) {
        const { silence } = endpoint.patience
        return yield* Effect.timeoutOrElse(refused(response, now), {
          duration: silence,
          orElse: () => Effect.succeed([stalledFault(silence), null] as const)
        }).pipe(Effect.flatMap(([fault, retryAfter]) => Effect.fail(fail(fault, retryAfter))))
      }
      const odd = unreadable(response)
      if (odd !== null) return yield* fail(odd)
      const reader = response.body?.getReader()
      if (reader === undefined) return yield* fail(emptyAnswer)
      const turnId = (yield* Random.nextIntBetween(0, 2 ** 32)).toString(16).padStart(8, "0")
      const decoder = decoderOf({ turnId, takenIds: callIdsOf(request) })
      const frames = framesOf(isJson(response) ? "whole" : (who.framing ?? "events"))

      const read = (patience: Duration.Input) =>
        Effect.tryPromise({ try: () => reader.read(), catch: (cause) => fail(brokenFault(cause)) }).pipe(
          Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.fail(stalled(patience)) })
        )

      /** The last word was said: what follows is not heard, but the connection may be kept. */
      const wait = read(farewell).pipe(
        Effect.map(({ done }) => done),
        Effect.orElseSucceed(() => true)
      )

      return Stream.paginate({ turn: decoder.begin, fault: null as ModelError | null }, ({ turn, fault }) =>
        Effect.gen(function* () {
          if (fault !== null) return yield* fault
          if (decoder.isOver(turn)) {
            const closed = yield* wait
            return [[], closed ? Option.none() : Option.some({ turn, fault })] as const
          }
          const { done, value } = yield* read(endpoint.patience.silence)
          const step = hear(decoder, turn, done ? frames.end() : frames.take(value), done)
          const failed = step.fault === null ? null : fail(step.fault)
          // What was heard before the fault is said first.
          if (failed !== null && step.said.length === 0) return yield* failed
          const next = done && failed === null ? Option.none() : Option.some({ turn: step.turn, fault: failed })
          return [step.said, next] as const
        })
      )
    })
  )
}

/** Aborts a request when the scope closes, and with it a connection whose answer is not read to its end. */
const closedWithScope = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    (held) => Effect.sync(() => held.abort())
  ),
  ({ signal }) => signal
)

/** How long the free question waits for its answer. */
const checkPatience: Duration.Input = "10 seconds"

/**
 * One free question to a provider. Fails where it cannot be reached, stays silent, refuses the key or does not have the
 * model. Any other answer is no failure, because not every server has this endpoint.
 */
export const checkOver = (
  { endpoint, model, provider }: { readonly provider: string; readonly endpoint: Endpoint; readonly model: string },
  sender: Effect.Effect<(signal: AbortSignal) => Promise<Response>>
): Effect.Effect<void, ModelError> =>
  Effect.gen(function* () {
    const key = endpoint.key === null ? null : Redacted.value(endpoint.key)
    const fail = (fault: Fault) => modelError({ provider, model, key }, fault)
    const now = yield* Clock.currentTimeMillis
    const send = yield* sender
    const signal = yield* closedWithScope
    const asked = Effect.tryPromise({
      try: () => send(signal),
      catch: (cause) => refusalOf(cause, fail, now)
    }).pipe(
      Effect.flatMap((response) =>
        response.ok ? Effect.void : Effect.flatMap(refused(response, now), ([fault]) => Effect.fail(fail(fault)))
      ),
      Effect.timeoutOrElse({
        duration: checkPatience,
        orElse: () => Effect.fail(fail({ ...stalledFault(checkPatience), kind: "unreachable" }))
      })
    )
    yield* Effect.catch(asked, (error) => (isConclusive(error) ? Effect.fail(error) : Effect.void))
  }).pipe(Effect.scoped)

/** A 404 can also mean that the server lacks this endpoint, so it counts only when it names the model and not the path. */
const isConclusive = ({ detail, kind, model, status }: ModelError): boolean =>
  kind === "unreachable" ||
  status === 401 ||
  (status === 404 && kind === "not-allowed" && detail.includes(model) && !detail.includes("/models"))

/** Takes events until one is wrong; at the end of the stream, asks the decoder what is missing. */
const hear = <Turn>(decoder: Decoder<Turn>, from: Turn, frames: Frames, done: boolean) => {
  let turn = from
  const said: Array<ModelEvent> = []
  for (const event of frames.events) {
    if (decoder.isOver(turn)) break
    const step = decoder.take(turn, event)
    turn = step.turn
    said.push(...step.said)
    if (step.fault !== null) return { turn, said, fault: step.fault }
  }
  if (frames.fault !== null) return { turn, said, fault: frames.fault }
  if (!done || decoder.isOver(turn)) return { turn, said, fault: null }
  const last = decoder.end(turn)
  return { turn: last.turn, said: [...said, ...last.said], fault: last.fault }
}

interface Frames {
  readonly events: ReadonlyArray<WireEvent>
  readonly fault: Fault | null
}

/** Bytes, in whatever pieces, to events. */
export const framesOf = (framing: Framing | "whole") => {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true })
  const heard: Array<WireEvent> = []
  const parser = Sse.makeParser((event) => {
    if (event._tag === "Event") heard.push({ name: event.event, data: event.data })
  })
  let length = 0
  let count = 0
  let line = ""
  let overrun = false

  const feed = (text: string): Frames => {
    length += text.length
    if (length > longestAnswer) overrun = true
    if (!overrun && framing === "events") overrun = parser.feed(text) !== undefined
    else if (!overrun) {
      line += text
      if (framing === "lines" && text.includes("\n")) {
        const lines = line.split("\n")
        line = lines.pop() ?? ""
        for (const one of lines) if (one.trim() !== "") heard.push({ name: "message", data: one })
      }
    }
    count += heard.length
    if (count > mostEvents) overrun = true
    return { events: heard.splice(0), fault: overrun ? tooMuch : null }
  }

  return {
    take: (bytes: Uint8Array | undefined): Frames =>
      feed(bytes === undefined ? "" : decoder.decode(bytes, { stream: true })),
    /** The last event may lack its blank line, and the last line its end. What is only half of an event is left out. */
    end: (): Frames => {
      const { events, fault } = feed(`${decoder.decode()}\n\n`)
      const last = framing === "whole" && line.trim() !== "" ? [{ name: "message", data: line }] : events
      return { events: last.filter(({ data }) => data === endMark || jsonOf(data) !== undefined), fault }
    }
  }
}

/** Ids of calls that the conversation has. */
const callIdsOf = (request: ModelRequest): ReadonlySet<string> =>
  new Set(
    request.messages.flatMap((message) =>
      message.role === "model" ? message.parts.flatMap((part) => (part._tag === "Call" ? [part.id] : [])) : []
    )
  )

/**
 * The platform's `fetch`, which honours `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`, kept from following redirections
 * and from reading endless errors.
 */
export const fetchAtHome: Effect.Effect<Fetch> = Effect.map(
  Effect.service(FetchHttpClient.Fetch),
  (fetch): Fetch =>
    (url, init) =>
      fetch(url, { ...init, redirect: "manual" }).then((response) =>
        response.ok || response.body === null ? response : bounded(response, response.body)
      )
)

const bounded = (response: Response, body: ReadableStream<Uint8Array>): Response => {
  let left = longestError
  const some = body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        controller.enqueue(chunk.subarray(0, left))
        left -= chunk.length
        if (left <= 0) controller.terminate()
      }
    })
  )
  const { status, statusText, headers } = response
  return new Response(some, { status, statusText, headers })
}

/** What an SDK threw: a response that is no answer, or no response at all. */
const refusalOf = (
  cause: unknown,
  fail: (fault: Fault, retryAfter: number | null) => ModelError,
  now: number
): ModelError => {
  const { status, headers, error, message } = thrownOf(cause)
  if (status === null) return fail(brokenFault(cause), null)
  if (status < 400) return fail(redirection(status), null)
  const body = error === undefined ? message.replace(/^\d{3} /, "") : error
  return fail(httpFault(status, body), headers === null ? null : retryAfterMillis(headers, now))
}

/** A response that is no answer, where no SDK has made an error of it. */
const refused = (response: Response, now: number) =>
  Effect.map(
    Effect.orElseSucceed(
      Effect.tryPromise(() => response.text()),
      () => ""
    ),
    (body): readonly [Fault, number | null] =>
      response.status < 400
        ? [redirection(response.status), null]
        : [httpFault(response.status, body), retryAfterMillis(response.headers, now)]
  )

const redirection = (status: number): Fault => ({ kind: "rejected", status, detail: "it answered with a redirection" })

/** Both SDKs throw errors with these fields. */
const thrownOf = (cause: unknown) => {
  const fields: { readonly [name: string]: unknown } =
    typeof cause === "object" && cause !== null ? { ...cause, message: Reflect.get(cause, "message") } : {}
  return {
    status: typeof fields.status === "number" ? fields.status : null,
    headers: fields.headers instanceof Headers ? fields.headers : null,
    error: isObject(fields.error) ? fields.error : undefined,
    message: typeof fields.message === "string" ? fields.message : ""
  }
}

/** Why a request came to nothing: the words of the platform, the innermost, without what it asks its user. */
export const networkWords = (cause: unknown): string => {
  let at: unknown = cause
  const words: Array<string> = []
  for (let depth = 0; depth < 4 && at instanceof Error; depth++) {
    const code: unknown = Reflect.get(at, "code")
    words.unshift(typeof code === "string" && !at.message.includes(code) ? `${at.message} (${code})` : at.message)
    at = at.cause
  }
  return (words[0] ?? "").replace(
    /\. (?:Is the computer able to access the url\?|For more information, pass `verbose: true`.*)/is,
    ""
  )
}

/** No route, refused, reset, or nothing that can be unpacked. */
const brokenFault = (cause: unknown): Fault => {
  const detail = networkWords(cause)
  // Said by an SDK that unpacks a stream of its own kind (Bedrock's), not by the network.
  const kind = /could not parse|checksum|unrecognized header type/i.test(detail) ? "malformed" : "unreachable"
  return { kind, status: null, detail }
}

const stalledFault = (waited: Duration.Input): Fault => ({
  kind: "stalled",
  status: null,
  detail: `nothing came for ${Duration.format(Duration.fromInputUnsafe(waited))}`
})

const emptyAnswer: Fault = { kind: "malformed", status: null, detail: "the answer has no body" }
const tooMuch: Fault = { kind: "too-much", status: null, detail: "" }

const isJson = (response: Response): boolean => /^application\/json\b/.test(contentType(response))

/** A page of a proxy or a portal is not an answer; a server that does not name what it sends may well be one. */
const unreadable = (response: Response): Fault | null => {
  const type = contentType(response)
  if (type === "" || /^(?:text\/event-stream|text\/plain|application\/(?:json|x-ndjson|octet-stream))\b/.test(type)) {
    return null
  }
  return { kind: "malformed", status: response.status, detail: `it answered ${type}` }
}

const contentType = (response: Response): string => response.headers.get("content-type")?.toLowerCase() ?? ""
