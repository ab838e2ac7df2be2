/**
 * Vectors from a server that the user runs or chose, by OpenAI's or Ollama's API.
 *
 * Texts are redacted before they are sent. No request is repeated, and no redirect is followed. If the server fails or
 * returns vectors that cannot be compared, all vectors of the call are lexical, with a warning.
 */
import { type Duration, Effect, Layer, Redacted, Schema } from "effect"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import { normalised } from "../../../domain/dream/similar/lexicalVector.ts"
import type { EmbedderApi } from "../../../domain/run/ReviewSettings.ts"
import { isJsonObject } from "../../../domain/system/jsonObject.ts"
import { oneLine } from "../../../domain/text/Printable.ts"
import { Embedder } from "../../../services/dream/Embedder.ts"
import { Redactor } from "../../../services/secret/Redactor.ts"
import { bytesAtMost } from "../../../services/system/bytesAtMost.ts"
import { networkErrorText } from "../../../services/system/networkErrorText.ts"
import { ollamaOrigin } from "../../agent/model/chatServer.ts"
import { errorWords } from "../../agent/model/modelFault.ts"
import { jsonOf } from "../../agent/model/TurnDecoder.ts"
import { lexicalEmbedding } from "./Lexical.ts"

export class EmbedderFailed extends Schema.TaggedError<EmbedderFailed>()("EmbedderFailed", {
  address: Schema.String,
  detail: Schema.String
}) {
  override get message() {
    return `${this.address} returned no vectors, so texts are compared by their words: ${this.detail}`
  }
}

export interface HttpEmbedder {
  readonly api: EmbedderApi
  /** From the user's own configuration, never from a repository. */
  readonly baseUrl: string
  readonly model: string
  readonly key: Redacted.Redacted | null
  readonly alikeFrom: number
  /** For one request; a local server may load its model first. */
  readonly timeout?: Duration.Input
}

const defaultTimeout: Duration.Input = "30 seconds"

/** Texts in one request. Some servers refuse more by default. */
const mostTexts = 32
/** In characters. Models cut longer texts, or refuse them. */
const longestText = 2_000
/** In bytes: 32 vectors of 4,096 numbers have 3 MB. */
const largestAnswer = 16_000_000

export const layer = (options: HttpEmbedder) =>
  Layer.effect(
    Embedder,
    Effect.gen(function* () {
      const client = yield* HttpClient.HttpClient
      const redactor = yield* Redactor
      const { alikeFrom, baseUrl, key, model, timeout = defaultTimeout } = options
      const address = addressOf(options)
      const headers = {
        "user-agent": "dd",
        ...(key === null ? {} : { authorization: `Bearer ${Redacted.value(key)}` })
      }
      const fail = (detail: string) => new EmbedderFailed({ address: baseUrl, detail: cleanDetail(detail, key) })

      const vectorsOf = Effect.fnUntraced(
        function* (input: ReadonlyArray<string>) {
          const plain = HttpClientRequest.post(address, { headers })
          const response = yield* client.execute(HttpClientRequest.bodyJsonUnsafe(plain, { model, input }))
          const bytes = yield* bytesAtMost(response.stream, largestAnswer)
          if (bytes.length > largestAnswer) return yield* fail("the answer is too large")
          const text = new TextDecoder().decode(bytes)
          const json = jsonOf(text)
          if (response.status < 200 || response.status >= 300) {
            return yield* fail(`status ${response.status}: ${errorWords(json ?? text).message}`)
          }
          const vectors = readVectors(options.api, json, input.length)
          return typeof vectors === "string" ? yield* fail(vectors) : vectors
        },
        Effect.scoped,
        // No headers about dd's own spans.
        Effect.provideService(HttpClient.TracerPropagationEnabled, false),
        Effect.mapError((error) => (error._tag === "EmbedderFailed" ? error : fail(networkErrorText(error)))),
        Effect.timeoutOrElse({ duration: timeout, orElse: () => Effect.fail(fail("it took too long")) })
      )

      return Embedder.of({
        embed: (texts) =>
          Effect.gen(function* () {
            const input = texts.map((text) => redactor.text(text).slice(0, longestText).toWellFormed())
            const vectors = (yield* Effect.forEach(batches(input), vectorsOf)).flat()
            const dims = vectors[0]?.length ?? 0
            if (vectors.some(({ length }) => length !== dims)) return yield* fail("its vectors have different lengths")
            return { embedder: model, dims, alikeFrom, vectors }
          }).pipe(
            Effect.catchTag("EmbedderFailed", (error) =>
              Effect.as(Effect.logWarning(error.message), lexicalEmbedding(texts))
            )
          )
      })
    })
  ).pipe(
    Layer.provide(FetchHttpClient.layer),
    // A redirect could receive the key and the texts.
    Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "manual" }))
  )

/** An address of OpenAI's API that is only a host lacks its usual path. */
const addressOf = ({ api, baseUrl }: Pick<HttpEmbedder, "api" | "baseUrl">): string => {
  if (api === "ollama") return `${ollamaOrigin(baseUrl)}/api/embed`
  return `${baseUrl.replace(/\/+$/, "")}${new URL(baseUrl).pathname === "/" ? "/v1" : ""}/embeddings`
}

/** Vectors in the order of the texts, or why the answer has none. */
export const readVectors = (api: EmbedderApi, answer: unknown, texts: number): ReadonlyArray<Float32Array> | string => {
  const list = isJsonObject(answer) ? (api === "ollama" ? answer.embeddings : inOrder(answer.data)) : undefined
  if (!Array.isArray(list)) return "the answer has no list of vectors"
  if (list.length !== texts) return `it has ${list.length} vectors for ${texts} texts`
  return list.every(isVector)
    ? list.map((numbers) => normalised(Float32Array.from(numbers)))
    : "the answer has a vector that is not a list of numbers"
}

/** OpenAI's API numbers the vectors; servers without numbers keep the order. */
const inOrder = (data: unknown): unknown => {
  if (!Array.isArray(data) || !data.every(isJsonObject)) return undefined
  const placed = data.map(({ embedding, index }, at) => ({ embedding, at: index === undefined ? at : index }))
  const numbers = new Set(placed.map(({ at }) => at))
  if (placed.some((_, at) => !numbers.has(at))) return undefined
  return placed.toSorted((a, b) => Number(a.at) - Number(b.at)).map(({ embedding }) => embedding)
}

/** Of numbers that a 32-bit vector can hold: others would make every cosine meaningless. */
const isVector = (value: unknown): value is ReadonlyArray<number> =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((each) => typeof each === "number" && Number.isFinite(Math.fround(each)))

const batches = (texts: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> =>
  Array.from({ length: Math.ceil(texts.length / mostTexts) }, (_, at) =>
    texts.slice(at * mostTexts, (at + 1) * mostTexts)
  )

const cleanDetail = (text: string, key: Redacted.Redacted | null): string => {
  const plain = text.slice(0, 2_000)
  const hidden = key === null ? plain : plain.replaceAll(Redacted.value(key), "[key]")
  return oneLine(hidden).slice(0, 200).toWellFormed()
}
