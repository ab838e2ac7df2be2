// @effect-diagnostics processEnv:off
/** What the clients of all SDKs have in common: they send, retry, follow and read only what dd requests. */
import { Effect } from "effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"

/** One try, no time limit of the SDK's own, no log. */
export const clientDefaults = { maxRetries: 0, timeout: 2 ** 31 - 1, logLevel: "off" } as const

/** Removes the SDKs' headers about this machine, before requests are signed, so that signatures are valid. */
export const privateHeaders = {
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

/**
 * Makes a client without the headers that its SDK would read from the environment: they are for another server, and may
 * contain its key. Synchronous, so that no other code sees the environment without them.
 */
export const withoutCustomHeaders = <Client>(make: () => Client): Client => {
  const kept = ["ANTHROPIC_CUSTOM_HEADERS", "OPENAI_CUSTOM_HEADERS"].flatMap((name) => {
    const value = process.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  for (const [name] of kept) delete process.env[name]
  try {
    return make()
  } finally {
    for (const [name, value] of kept) process.env[name] = value
  }
}

export type Fetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>

/** How much of an error response is read, in bytes. */
const longestError = 64 * 1024

/**
 * The platform's `fetch`, which honours `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`. It follows no redirects, which
 * could receive the key, and bounds error responses.
 */
export const guardedFetch: Effect.Effect<Fetch> = Effect.map(
  Effect.service(FetchHttpClient.Fetch),
  (fetch): Fetch =>
    (url, init) =>
      fetch(url, { ...init, redirect: "manual" }).then((response) =>
        response.ok || response.body === null ? response : withBoundedBody(response, response.body)
      )
)

const withBoundedBody = (response: Response, body: ReadableStream<Uint8Array>): Response => {
  let left = longestError
  const bounded = body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        controller.enqueue(chunk.subarray(0, left))
        left -= chunk.length
        if (left <= 0) controller.terminate()
      }
    })
  )
  const { status, statusText, headers } = response
  return new Response(bounded, { status, statusText, headers })
}
