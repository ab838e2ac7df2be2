/** Why a request has no readable answer, from the error of the network or an SDK, or from the response. */
import { Duration, Effect } from "effect"
import { isJsonObject } from "../../../../domain/system/jsonObject.ts"
import type { ModelError } from "../../../../services/agent/Model.ts"
import { networkErrorText } from "../../../../services/system/networkErrorText.ts"
import { httpFault, retryAfterMillis } from "../modelFault.ts"
import type { Fault } from "../TurnDecoder.ts"

/** `retryAfter`: the wait that the provider asks for, in milliseconds. */
export type Fail = (fault: Fault, retryAfter?: number | null) => ModelError

/** From an error of an SDK: a response with an error status, or no response. */
export const thrownError = (cause: unknown, fail: Fail, now: number): ModelError => {
  const { error, headers, message, status } = thrownFields(cause)
  if (status === null) return fail(networkFault(cause))
  if (status < 400) return fail(redirectionFault(status))
  const body = error ?? message.replace(/^\d{3} /, "")
  return fail(httpFault(status, body), headers === null ? null : retryAfterMillis(headers, now))
}

/** Both SDKs throw errors with these fields. */
const thrownFields = (cause: unknown) => {
  const fields: { readonly [name: string]: unknown } =
    typeof cause === "object" && cause !== null ? { ...cause, message: Reflect.get(cause, "message") } : {}
  return {
    status: typeof fields.status === "number" ? fields.status : null,
    headers: fields.headers instanceof Headers ? fields.headers : null,
    error: isJsonObject(fields.error) ? fields.error : undefined,
    message: typeof fields.message === "string" ? fields.message : ""
  }
}

/** From a response with an error status that no SDK has turned into an error. */
export const responseError = (response: Response, fail: Fail, now: number): Effect.Effect<ModelError> =>
  Effect.tryPromise(() => response.text()).pipe(
    Effect.orElseSucceed(() => ""),
    Effect.map((body) =>
      response.status < 400
        ? fail(redirectionFault(response.status))
        : fail(httpFault(response.status, body), retryAfterMillis(response.headers, now))
    )
  )

const redirectionFault = (status: number): Fault => ({
  kind: "rejected",
  status,
  detail: "it responded with a redirect"
})

/** No route, refused, reset, or a stream that cannot be decompressed. */
const networkFault = (cause: unknown): Fault => {
  const detail = networkErrorText(cause)
  // From an SDK that decodes its own kind of stream (Bedrock's), not from the network.
  const kind = /could not parse|checksum|unrecognized header type/i.test(detail) ? "malformed" : "unreachable"
  return { kind, status: null, detail }
}

/** The same for a response that had begun. */
export const lostFault = (cause: unknown): Fault => {
  const fault = networkFault(cause)
  return fault.kind === "unreachable" ? { ...fault, kind: "cut-off" } : fault
}

export const stalledFault = (waited: Duration.Input): Fault => ({
  kind: "stalled",
  status: null,
  detail: `no data for ${Duration.format(Duration.fromInputUnsafe(waited))}`
})

/** A page of a proxy or a portal is not an answer; a response without a content type may be one. */
export const contentFault = (response: Response): Fault | null => {
  const type = contentType(response)
  if (type === "" || /^(?:text\/event-stream|text\/plain|application\/(?:json|x-ndjson|octet-stream))\b/.test(type)) {
    return null
  }
  return { kind: "malformed", status: response.status, detail: `it responded with ${type}` }
}

export const isJson = (response: Response): boolean => /^application\/json\b/.test(contentType(response))

const contentType = (response: Response): string => response.headers.get("content-type")?.toLowerCase() ?? ""
