/**
 * The fault of a request, from its HTTP status and the provider's message.
 *
 * Total and pure. The detail is one clean line of at most 300 characters and never contains the key.
 */

import { isJsonObject } from "../../../domain/system/jsonObject.ts"
import { oneLine } from "../../../domain/text/Printable.ts"
import { ModelError, type ModelErrorKind } from "../../../services/agent/Model.ts"
import { type Fault, objectOf } from "./TurnDecoder.ts"

const longestDetail = 300

/** The codes and the message of an error, wherever they are in the answer. */
export interface ErrorWords {
  /** `overloaded_error`, `rate_limit_exceeded`, `529`. */
  readonly codes: ReadonlyArray<string>
  readonly message: string
}

/** From an error body or event: `{error: {type, code, message}}`, `{type, message}`, `{error: "..."}` or plain text. */
export const errorWords = (body: unknown): ErrorWords => {
  if (typeof body === "string") {
    const inside = objectOf(body)
    return inside === undefined ? { codes: [], message: body } : errorWords(inside)
  }
  if (Array.isArray(body)) return body.length === 0 ? { codes: [], message: "" } : errorWords(body[0])
  if (!isJsonObject(body)) return { codes: [], message: "" }
  const error = isJsonObject(body.error) ? body.error : typeof body.error === "string" ? {} : body
  const message = [error.message, body.error, body.message, body.detail].find(isText) ?? ""
  const codes = [error.type, error.code, error.status].filter(isCode).map(String)
  return { codes, message }
}

export const httpFault = (status: number, body: unknown): Fault => {
  const { codes, message } = errorWords(body)
  return { kind: kindOfStatus(status, codes, message), status, detail: message === "" ? (codes[0] ?? "") : message }
}

export const streamFault = (body: unknown): Fault => {
  const { codes, message } = errorWords(body)
  const status = codes.map(Number).find((code) => code >= 300 && code < 600) ?? null
  const kind = status === null ? kindOfCodes(codes, message) : kindOfStatus(status, codes, message)
  return { kind: kind ?? "provider-fault", status, detail: message === "" ? (codes[0] ?? "") : message }
}

const kindOfStatus = (status: number, codes: ReadonlyArray<string>, message: string): ModelErrorKind => {
  if (status < 400) return "rejected"
  if (status === 413) return "context-too-long"
  const named = kindOfCodes(codes, message)
  if (status === 429) return named === "not-allowed" ? named : "rate-limited"
  if (status === 503 || status === 529) return "overloaded"
  if (status >= 500 || status === 408 || status === 409) return named === "overloaded" ? named : "provider-fault"
  if (status === 401 || status === 402 || status === 403 || status === 404) return "not-allowed"
  return named === "context-too-long" || named === "not-allowed" ? named : "rejected"
}

/** From codes and message alone; null if they are unknown. */
const kindOfCodes = (codes: ReadonlyArray<string>, message: string): ModelErrorKind | null => {
  if (codes.includes("request_too_large") || contextWords.test(`${codes.join(" ")} ${message}`)) {
    return "context-too-long"
  }
  if (/insufficient_quota|credit balance/i.test(`${codes.join(" ")} ${message}`)) return "not-allowed"
  for (const code of codes) {
    const kind = kinds[code]
    if (kind !== undefined) return kind
  }
  return null
}

const contextWords =
  /prompt is too long|context_length_exceeded|exceed_context_size|maximum context length|(?:exceeds?|larger than|greater than|longer than) (?:the |this |its )?(?:model'?s? |available |maximum )*context|input is too long|context size has been exceeded/i

/** Source: the error types of the SDKs (`ErrorType`, `ResponseError.code`) and of Bedrock's streams. */
const kinds: { readonly [code: string]: ModelErrorKind } = {
  overloaded_error: "overloaded",
  slow_down: "overloaded",
  service_unavailable: "overloaded",
  server_is_overloaded: "overloaded",
  rate_limit_error: "rate-limited",
  rate_limit_exceeded: "rate-limited",
  authentication_error: "not-allowed",
  permission_error: "not-allowed",
  billing_error: "not-allowed",
  not_found_error: "not-allowed",
  invalid_api_key: "not-allowed",
  model_not_found: "not-allowed",
  invalid_request_error: "rejected",
  invalid_prompt: "rejected",
  api_error: "provider-fault",
  timeout_error: "provider-fault",
  server_error: "provider-fault",
  throttlingException: "rate-limited",
  serviceUnavailableException: "overloaded",
  validationException: "rejected",
  accessDeniedException: "not-allowed",
  internalServerException: "provider-fault",
  modelStreamErrorException: "provider-fault",
  modelTimeoutException: "provider-fault"
}

/**
 * The wait in milliseconds that a provider asks for: `retry-after-ms`, or `retry-after` in seconds or as a date; null
 * if there is none. Never negative.
 */
export const retryAfterMillis = (headers: Pick<Headers, "get">, now: number): number | null => {
  const exact = headers.get("retry-after-ms")
  if (exact !== null && plainNumber.test(exact.trim())) return Number(exact)
  const header = headers.get("retry-after")?.trim() ?? ""
  if (plainNumber.test(header)) return Number(header) * 1000
  // A date contains the name of a month; `Date.parse` accepts much else.
  const date = /[a-z]{3}/i.test(header) ? Date.parse(header) : Number.NaN
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}

const plainNumber = /^\d+(?:\.\d+)?$/

/** A provider's text for display: one line, bounded, without the key or anything that looks like one. */
export const cleanDetail = (text: string, key: string | null): string => {
  // Cut first, because a hostile server may send a large text.
  const some = text.slice(0, 20 * longestDetail)
  const keyless = (key === null || key === "" ? some : some.replaceAll(key, "[key]"))
    .replace(/\bsk-[\w*.-]{6,}/g, "[key]")
    .replace(/\bBearer\s+[^\s"',;]+/gi, "Bearer [key]")
  const line = oneLine(keyless)
  return line.length <= longestDetail ? line : `${line.slice(0, longestDetail - 1).trimEnd()}…`
}

export const modelError = (
  who: { readonly provider: string; readonly model: string; readonly key: string | null },
  fault: Fault,
  retryAfter: number | null = null
): ModelError =>
  new ModelError({
    provider: who.provider,
    model: who.model,
    kind: fault.kind,
    status: fault.status,
    retryAfterMillis: retryAfter,
    detail: cleanDetail(fault.detail, who.key)
  })

const isText = (value: unknown): value is string => typeof value === "string" && value !== ""
const isCode = (value: unknown): value is string | number =>
  typeof value === "number" || (typeof value === "string" && value !== "")
