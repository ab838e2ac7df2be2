/**
 * Requests to GitHub's API: with the token, to its own host only, within limits of time and size.
 *
 * A rate limit is waited for if that is short, because GitHub then has done nothing. Reading is repeated after an error of
 * the server or the network; writing is not. After the first few, requests that write are a second apart: GitHub blocks
 * a client that writes more than 80 times a minute.
 */
import { Clock, type Duration, Effect, Redacted, Result } from "effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import { isJsonObject, type JsonObject } from "../../domain/system/jsonObject.ts"
import { oneLine } from "../../domain/text/Printable.ts"
import {
  type ForgeError,
  ForgeLimited,
  ForgeNotFound,
  ForgeRefused,
  ForgeRejected,
  ForgeUnavailable,
  ForgeUnexpected
} from "../../services/forge/ForgeError.ts"
import { bytesAtMost } from "../../services/system/bytesAtMost.ts"
import { networkErrorText } from "../../services/system/networkErrorText.ts"
import { retryAfterMillis } from "../agent/model/modelFault.ts"

export interface Ask {
  readonly method: "GET" | "POST" | "PUT" | "PATCH"
  /** A path of the API, or a whole address of its host. */
  readonly at: string
  readonly body?: JsonObject
  /** Does it only read? Absent: `GET`. */
  readonly reads?: boolean
  /** For an error: "pull request #7 of acme/shop". */
  readonly what: string
}

export interface Answer {
  readonly json: unknown
  /** The address of the next page. */
  readonly next: string | null
}

export interface GitHubHost {
  /** Without a slash at its end. */
  readonly api: string
  readonly token: Redacted.Redacted
  readonly waits?: Waits
}

export interface Waits {
  readonly answer: Duration.Input
  /** In milliseconds, before the first repetition; each further one takes twice as long. */
  readonly repeat: number
  /** In milliseconds: a longer rate limit is an error. */
  readonly limit: number
}

const defaultWaits: Waits = { answer: "30 seconds", repeat: 500, limit: 60_000 }

/** This many requests write without a pause. */
const unpacedWrites = 10
/** In milliseconds, from the begin of one to the begin of the next. Source: GitHub's best practices for its REST API. */
const writePace = 1000

/** In milliseconds: a longer wait is announced. */
const longWait = 10_000
const mostTries = 4
const mostRedirects = 3
/** In bytes. A page of a hundred comments of the longest size has 6.5 MB. */
const largestAnswer = 32_000_000
/** Of a hundred entries. */
const mostPages = 100

export const gitHubRequests = ({ api, token, waits = defaultWaits }: GitHubHost) =>
  Effect.map(HttpClient.HttpClient, (client) => {
    const secret = Redacted.value(token)
    const { origin } = new URL(api)
    const headers = {
      accept: "application/vnd.github+json",
      authorization: `Bearer ${secret}`,
      "user-agent": "dd",
      "x-github-api-version": "2022-11-28"
    }

    let writes = 0
    let nextWrite = 0
    const pace = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const at = ++writes <= unpacedWrites ? now : Math.max(now, nextWrite)
      nextWrite = at + writePace
      if (writes === unpacedWrites + 10) {
        yield* Effect.logInfo("there is much to write: one request a second, as the forge demands")
      }
      if (at > now) yield* Effect.sleep(at - now)
    })

    const fetchOnce = Effect.fnUntraced(
      function* ({ body, method, what }: Ask, url: URL) {
        const plain = HttpClientRequest.make(method)(url.href, { headers })
        const request = body === undefined ? plain : HttpClientRequest.bodyJsonUnsafe(plain, body)
        const response = yield* client.execute(request)
        const bytes = yield* bytesAtMost(response.stream, largestAnswer)
        return { what, status: response.status, headers: response.headers, bytes }
      },
      Effect.scoped,
      // No headers about dd's own spans.
      Effect.provideService(HttpClient.TracerPropagationEnabled, false),
      Effect.mapError((error) => new ForgeUnavailable({ detail: detailOf(networkErrorText(error), secret) })),
      Effect.timeoutOrElse({
        duration: waits.answer,
        orElse: () => Effect.fail(new ForgeUnavailable({ detail: "it took too long" }))
      })
    )

    const sendOnce = Effect.fnUntraced(function* (ask: Ask) {
      if (!isRead(ask)) yield* pace
      let url = new URL(ask.at.startsWith("/") ? api + ask.at : ask.at)
      for (let hops = 0; ; hops++) {
        if (url.origin !== origin)
          return yield* new ForgeUnexpected({ detail: `it names another host, ${url.host}; check GITHUB_API_URL` })
        const response = yield* fetchOnce(ask, url)
        const location = response.headers.location
        if (response.status < 300 || response.status >= 400 || location === undefined) {
          return yield* Effect.fromResult(answerOf(response, secret, yield* Clock.currentTimeMillis))
        }
        if (hops === mostRedirects || !URL.canParse(location, url.href)) {
          return yield* new ForgeUnexpected({ detail: "it redirects without an end" })
        }
        if (ask.method !== "GET" && response.status !== 307 && response.status !== 308) {
          return yield* new ForgeUnexpected({ detail: "it redirects a request that writes" })
        }
        url = new URL(location, url)
      }
    })

    const send = Effect.fnUntraced(function* (ask: Ask) {
      for (let tries = 1; ; tries++) {
        const answer = yield* Effect.result(sendOnce(ask))
        if (Result.isSuccess(answer)) return answer.success
        const wait = tries === mostTries ? null : waitBefore(answer.failure, ask, waits, tries)
        if (wait === null) return yield* answer.failure
        if (wait >= longWait)
          yield* Effect.logInfo(`waiting ${Math.ceil(wait / 1000)} s for the rate limit of the forge`)
        yield* Effect.sleep(wait)
      }
    })

    /** All entries of a list. */
    const all = Effect.fnUntraced(function* (ask: Ask) {
      const entries: Array<unknown> = []
      let at: string | null = `${ask.at}${ask.at.includes("?") ? "&" : "?"}per_page=100`
      for (let pages = 0; at !== null; pages++) {
        if (pages === mostPages)
          return yield* new ForgeUnexpected({ detail: `${ask.what} has more than ${mostPages} pages` })
        const answer: Answer = yield* send({ ...ask, at })
        if (!Array.isArray(answer.json)) return yield* new ForgeUnexpected({ detail: `${ask.what} is not a list` })
        entries.push(...answer.json)
        at = answer.next
      }
      return entries
    })

    /** The data of a GraphQL answer, which has status 200 also for an error. */
    const graphql = Effect.fnUntraced(function* (query: string, variables: JsonObject, what: string) {
      const reads = query.startsWith("query")
      const body = { query, variables }
      const { json } = yield* send({ method: "POST", at: graphqlAddress(api), body, reads, what })
      const failure = graphqlError(json, what, secret)
      if (failure !== null) return yield* failure
      return isJsonObject(json) ? json.data : undefined
    })

    return { send, all, graphql }
  })

const isRead = ({ method, reads }: Ask): boolean => reads ?? method === "GET"

/** In milliseconds; null: the request is not repeated. */
const waitBefore = (error: ForgeError, ask: Ask, { limit, repeat }: Waits, tries: number): number | null => {
  if (error._tag === "ForgeLimited") return error.seconds * 1000 <= limit ? error.seconds * 1000 : null
  return error._tag === "ForgeUnavailable" && isRead(ask) ? repeat * 2 ** (tries - 1) : null
}

interface Response {
  readonly what: string
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly bytes: Uint8Array
}

const answerOf = (
  { bytes, headers, status, what }: Response,
  secret: string,
  now: number
): Result.Result<Answer, ForgeError> => {
  const text = new TextDecoder().decode(bytes)
  const json = jsonOf(text)
  const detail = detailOf(messageOf(json, text), secret) || `status ${status}`
  if (status < 300) {
    if (bytes.length > largestAnswer) return Result.fail(new ForgeUnexpected({ detail: "it is too large" }))
    if (json === undefined && text !== "")
      return Result.fail(new ForgeUnexpected({ detail: "it is not JSON; check GITHUB_API_URL" }))
    return Result.succeed({ json, next: nextPage(headers.link ?? "") })
  }
  const limit = limitSeconds(status, headers, detail, now)
  if (limit !== null) return Result.fail(new ForgeLimited({ seconds: limit, detail }))
  if (status === 401 || status === 403)
    return Result.fail(new ForgeRefused({ status, detail, needed: neededIn(headers) }))
  if (status === 404 || status === 410) return Result.fail(new ForgeNotFound({ what }))
  if (status >= 500 || status === 408) return Result.fail(new ForgeUnavailable({ detail: `${status}: ${detail}` }))
  return Result.fail(new ForgeRejected({ detail: `${status}: ${detail}` }))
}

/** Null if no rate limit is reached. Source: GitHub's documents on the primary and the secondary limit. */
const limitSeconds = (status: number, headers: Response["headers"], detail: string, now: number): number | null => {
  if (status !== 403 && status !== 429) return null
  const wait = retryAfterMillis({ get: (name) => headers[name] ?? null }, now)
  if (wait !== null) return wait / 1000
  const isUsedUp = headers["x-ratelimit-remaining"] === "0"
  const reset = Number(headers["x-ratelimit-reset"])
  if (isUsedUp && reset > 0) return Math.max(1, reset - now / 1000)
  return status === 429 || isUsedUp || /rate limit|abuse/i.test(detail) ? 60 : null
}

/** The permissions that the request would need, from the headers for fine-grained and for classic tokens. */
const neededIn = (headers: Response["headers"]): string => {
  if (/^required/.test(headers["x-github-sso"] ?? "")) return "authorization for single sign-on"
  const permissions = headers["x-accepted-github-permissions"]
  if (permissions !== undefined && permissions !== "") return `the permission ${clean(permissions)}`
  const scopes = headers["x-accepted-oauth-scopes"]
  return scopes === undefined || scopes === "" ? "" : `the scope ${clean(scopes)}`
}

const graphqlError = (json: unknown, what: string, secret: string): ForgeError | null => {
  const errors = isJsonObject(json) && Array.isArray(json.errors) ? json.errors.filter(isJsonObject) : []
  const [first] = errors
  if (first === undefined) return null
  const detail = detailOf(String(first.message ?? ""), secret)
  switch (first.type) {
    case "NOT_FOUND":
      return new ForgeNotFound({ what })
    case "FORBIDDEN":
    case "INSUFFICIENT_SCOPES":
      return new ForgeRefused({ status: 403, detail, needed: "" })
    case "RATE_LIMITED":
      return new ForgeLimited({ seconds: 60, detail })
    default:
      return new ForgeRejected({ detail })
  }
}

/** `https://host/api/v3` of an own server has its GraphQL beside it. */
const graphqlAddress = (api: string): string => `${api.replace(/\/v3$/, "")}/graphql`

const nextPage = (link: string): string | null =>
  link
    .split(",")
    .flatMap((part) => /^\s*<([^>]+)>\s*;.*\brel="?next"?/.exec(part)?.[1] ?? [])
    .at(0) ?? null

const jsonOf = (text: string): unknown => Result.getOrUndefined(Result.try((): unknown => JSON.parse(text)))

/** The message and the single errors of GitHub's error. */
const messageOf = (json: unknown, text: string): string => {
  if (!isJsonObject(json)) return text
  const errors = Array.isArray(json.errors) ? json.errors : []
  const details = errors.map((error) =>
    isJsonObject(error) ? String(error.message ?? error.code ?? "") : String(error)
  )
  return [String(json.message ?? ""), ...details].filter((part) => part !== "").join(": ")
}

const detailOf = (text: string, secret: string): string => clean(text.slice(0, 2000).replaceAll(secret, "[token]"))

const clean = (text: string): string => oneLine(text).slice(0, 200).toWellFormed()
