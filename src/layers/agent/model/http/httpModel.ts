/**
 * A model over HTTP: one request for each turn, and its streamed answer, from bytes to `ModelEvent`s.
 *
 * No request is repeated. Closing or interrupting the stream aborts the request and closes the connection. Any byte (a
 * comment, a ping, half a character) shows that the server is working; silence for longer than the endpoint's timeouts
 * is `stalled`. The size of a response is bounded.
 */
import { Clock, type Duration, Effect, Option, Random, Redacted, Stream } from "effect"
import type { ModelEvent, ModelRequest } from "../../../../domain/agent/ModelTurn.ts"
import type { ModelRoom } from "../../../../domain/pack/ModelRoom.ts"
import { Model, type ModelError } from "../../../../services/agent/Model.ts"
import { modelError } from "../modelFault.ts"
import type { TurnContext, TurnDecoder } from "../TurnDecoder.ts"
import type { Endpoint } from "./Endpoint.ts"
import { type Frames, type Framing, framesOf } from "./frames.ts"
import {
  contentFault,
  type Fail,
  isJson,
  lostFault,
  responseError,
  stalledFault,
  thrownError
} from "./responseFault.ts"

/** A request that is ready; aborted by its signal. */
type Send = Effect.Effect<(signal: AbortSignal) => Promise<Response>>

export interface ModelOptions {
  readonly endpoint: Endpoint
  readonly model: string
  readonly room: ModelRoom
  readonly fanout: number
}

export interface HttpModel extends ModelOptions {
  readonly provider: string
  /** `none` for models too small to call tools, `words` for those that call them in their text. */
  readonly tools: "native" | "words" | "none"
  readonly cachesPrefixes?: boolean
  /** A free request that needs the key and the model; null if the provider has none. */
  readonly check: Send | null
  readonly send: (request: ModelRequest) => Send
  readonly framing?: Framing
  readonly decoder: (context: TurnContext, request: ModelRequest) => TurnDecoder
}

export const httpModel = (options: HttpModel): Model["Service"] => {
  const { cachesPrefixes = false, fanout, model, provider, room, tools } = options
  return Model.of({
    ...(options.check === null ? {} : { check: checkModel(options, options.check) }),
    provider,
    model,
    tools,
    room,
    fanout,
    cachesPrefixes,
    converse: (request) =>
      streamTurn(options, {
        ...request,
        model: request.model === "" ? model : request.model,
        // A model that cannot call tools is offered none.
        tools: tools === "native" ? request.tools : []
      })
  })
}

/** The time that a server has to close after the end of a turn, so that the connection can be reused. */
const closeGrace: Duration.Input = "250 millis"

/** The stream of one turn; its request is sent when the stream is run. */
const streamTurn = (options: HttpModel, request: ModelRequest): Stream.Stream<ModelEvent, ModelError> =>
  Stream.unwrap(
    Effect.gen(function* () {
      const { timeouts } = options.endpoint
      const fail = failureOf({ ...options, model: request.model })
      const within = (timeout: Duration.Input) =>
        Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.fail(fail(stalledFault(timeout))) })
      const signal = yield* closedWithScope
      const now = yield* Clock.currentTimeMillis
      const send = yield* options.send(request)
      const response = yield* Effect.tryPromise({
        try: () => send(signal),
        catch: (cause) => thrownError(cause, fail, now)
      }).pipe(within(timeouts.answer))
      if (!response.ok) {
        return yield* responseError(response, fail, now).pipe(within(timeouts.silence), Effect.flatMap(Effect.fail))
      }
      const fault = contentFault(response)
      if (fault !== null) return yield* fail(fault)
      const reader = response.body?.getReader()
      if (reader === undefined) {
        return yield* fail({ kind: "malformed", status: null, detail: "the answer has no body" })
      }
      const turnId = (yield* Random.nextIntBetween(0, 2 ** 32)).toString(16).padStart(8, "0")
      const decoder = options.decoder({ turnId, takenIds: callIdsOf(request) }, request)
      const frames = framesOf(isJson(response) ? "whole" : (options.framing ?? "events"))
      const read = (timeout: Duration.Input) =>
        Effect.tryPromise({ try: () => reader.read(), catch: (cause) => fail(lostFault(cause)) }).pipe(within(timeout))

      /** The turn has ended: the rest is ignored, but the connection may be kept. */
      const isClosed = read(closeGrace).pipe(
        Effect.map(({ done }) => done),
        Effect.orElseSucceed(() => true)
      )

      return Stream.paginate(null, () =>
        Effect.gen(function* () {
          if (decoder.fault !== null) return yield* fail(decoder.fault)
          if (decoder.isOver) return [[], (yield* isClosed) ? Option.none() : Option.some(null)] as const
          const { done, value } = yield* read(timeouts.silence)
          readFrames(decoder, done ? frames.end() : frames.take(value), done)
          // Events before the fault are emitted first.
          const isDone = done && decoder.fault === null
          return [decoder.takeEvents(), isDone ? Option.none() : Option.some(null)] as const
        })
      )
    })
  )

/** Reads events until one is invalid; `isLast`: nothing follows them. */
const readFrames = (decoder: TurnDecoder, { events, fault }: Frames, isLast: boolean): void => {
  for (const event of events) {
    if (decoder.isOver || decoder.fault !== null) return
    decoder.read(event)
  }
  if (decoder.isOver || decoder.fault !== null) return
  if (fault !== null) decoder.fault = fault
  else if (isLast) decoder.close()
}

const failureOf = ({ endpoint, model, provider }: Pick<HttpModel, "endpoint" | "model" | "provider">): Fail => {
  const key = endpoint.key === null ? null : Redacted.value(endpoint.key)
  return (fault, retryAfter = null) => modelError({ provider, model, key }, fault, retryAfter)
}

/** Aborts a request when the scope closes, and closes a connection whose answer was not read to its end. */
const closedWithScope = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    (held) => Effect.sync(() => held.abort())
  ),
  ({ signal }) => signal
)

const checkTimeout: Duration.Input = "10 seconds"

/**
 * Sends a free request. Fails if the provider cannot be reached, sends nothing, rejects the key or does not have the
 * model. Any other response is accepted, because not every server has this endpoint.
 */
export const checkModel = (
  options: Pick<HttpModel, "endpoint" | "model" | "provider">,
  request: Send
): Effect.Effect<void, ModelError> =>
  Effect.gen(function* () {
    const fail = failureOf(options)
    const now = yield* Clock.currentTimeMillis
    const send = yield* request
    const signal = yield* closedWithScope
    yield* Effect.tryPromise({
      try: () => send(signal),
      catch: (cause) => thrownError(cause, fail, now)
    }).pipe(
      Effect.flatMap((response) =>
        response.ok ? Effect.void : Effect.flatMap(responseError(response, fail, now), Effect.fail)
      ),
      Effect.timeoutOrElse({
        duration: checkTimeout,
        orElse: () => Effect.fail(fail({ ...stalledFault(checkTimeout), kind: "unreachable" }))
      }),
      Effect.catch((error) => (isConclusive(error) ? Effect.fail(error) : Effect.void))
    )
  }).pipe(Effect.scoped)

/**
 * A 404 can also mean that the server lacks this endpoint, so it counts only if it names the model and not the path.
 */
const isConclusive = ({ detail, kind, model, status }: ModelError): boolean =>
  kind === "unreachable" ||
  status === 401 ||
  (status === 404 && kind === "not-allowed" && detail.includes(model) && !detail.includes("/models"))

const callIdsOf = ({ messages }: ModelRequest): ReadonlySet<string> =>
  new Set(messages.flatMap(({ parts }) => parts.flatMap((part) => (part._tag === "Call" ? [part.id] : []))))
