/** Asks a model's service for the list of its models: is it there, and does it take the key? Sends nothing else. */
import { Effect, Option, Schema } from "effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import { networkMessage } from "../../agent/model/http/responseFault.ts"

export interface Reached {
  readonly reachable: boolean
  /** It is there, and does not know the key. */
  readonly refused: boolean
  readonly words: string
}

class Unreachable extends Schema.TaggedError<Unreachable>()("Unreachable", { cause: Schema.Defect() }) {
  override get message() {
    return networkMessage(this.cause)
  }
}

const patience = "10 seconds"

export const reach = Effect.fnUntraced(function* (url: string, headers: Readonly<Record<string, string>>) {
  const fetch = yield* FetchHttpClient.Fetch
  const answer = yield* Effect.tryPromise({
    // Never where a redirection leads: the key goes with it.
    try: (signal) => fetch(url, { headers, signal, redirect: "manual" }),
    catch: (cause) => new Unreachable({ cause })
  }).pipe(Effect.timeoutOption(patience), Effect.result)
  if (answer._tag === "Failure") return unreachable(answer.failure.message)
  if (Option.isNone(answer.success)) return unreachable(`no answer within ${patience}`)
  const { status } = answer.success.value
  return reached(status)
})

/** A key that may not list models may still ask one: only 401 says that it is no key. */
const reached = (status: number): Reached => {
  const words =
    status >= 200 && status < 300
      ? "it answers"
      : status === 401
        ? "it answers, and refuses the key (401)"
        : status === 403
          ? "it answers, and does not tell this key its models (403)"
          : `it answers with ${status}`
  return { reachable: true, refused: status === 401, words }
}

const unreachable = (why: string): Reached => ({
  reachable: false,
  refused: false,
  words: `it cannot be reached: ${why}`
})
