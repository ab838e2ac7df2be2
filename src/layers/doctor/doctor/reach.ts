/** Requests the list of models from a service, to check that it can be reached and accepts the key. */
import { Effect, Option, Schema } from "effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import { networkMessage } from "../../agent/model/http/responseFault.ts"

export interface Reached {
  readonly reachable: boolean
  /** It responds, but rejects the key. */
  readonly refused: boolean
  readonly words: string
}

class Unreachable extends Schema.TaggedError<Unreachable>()("Unreachable", { cause: Schema.Defect() }) {
  override get message() {
    return networkMessage(this.cause)
  }
}

const timeout = "10 seconds"

export const reach = Effect.fnUntraced(function* (url: string, headers: Readonly<Record<string, string>>) {
  const fetch = yield* FetchHttpClient.Fetch
  const answer = yield* Effect.tryPromise({
    // A redirect would receive the key.
    try: (signal) => fetch(url, { headers, signal, redirect: "manual" }),
    catch: (cause) => new Unreachable({ cause })
  }).pipe(Effect.timeoutOption(timeout), Effect.result)
  if (answer._tag === "Failure") return unreachable(answer.failure.message)
  if (Option.isNone(answer.success)) return unreachable(`no answer within ${timeout}`)
  const { status } = answer.success.value
  return reached(status)
})

/** A key that may not list models may still use one: only 401 means that the key is wrong. */
const reached = (status: number): Reached => {
  const words =
    status >= 200 && status < 300
      ? "reachable"
      : status === 401
        ? "reachable, but it refuses the key (401)"
        : status === 403
          ? "reachable, but this key may not list models (403)"
          : `reachable, but it responds with ${status}`
  return { reachable: true, refused: status === 401, words }
}

const unreachable = (why: string): Reached => ({
  reachable: false,
  refused: false,
  words: `unreachable: ${why}`
})
