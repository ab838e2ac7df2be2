/** Vectors from a server: what is sent, and what happens when it does not return vectors. */
import { describe, expect } from "bun:test"
import { Effect, Redacted } from "effect"
import { lexicalVector } from "../../../../src/domain/dream/similar/lexicalVector.ts"
import * as Http from "../../../../src/layers/dream/embedder/Http.ts"
import { it } from "../../../support/effect.ts"
import { embedded, embedderContract } from "../../../support/embedderContract.ts"
import { type Heard, type Reply, wireServer } from "../../../support/wireServer.ts"

type Api = Http.HttpEmbedder["api"]
const apis: ReadonlyArray<Api> = ["openai", "ollama"]

const json = (value: unknown, over: Partial<Reply> = {}): Reply => ({
  headers: { "content-type": "application/json" },
  pieces: [JSON.stringify(value)],
  ...over
})

const inputOf = ({ body }: Heard): ReadonlyArray<string> => (body?.input ?? []) as ReadonlyArray<string>

/** How often each letter occurs: not of length 1. */
const letters = (text: string) =>
  [..."abcdefghijklmnopqrstuvwxyz"].map((letter) => text.toLowerCase().split(letter).length - 1)

const answerOf = (api: Api, vectors: ReadonlyArray<unknown>): unknown =>
  api === "ollama"
    ? { model: "m", embeddings: vectors }
    : {
        object: "list",
        // In another order: the numbers count.
        data: vectors.map((embedding, index) => ({ object: "embedding", index, embedding })).toReversed()
      }

const options = (api: Api, baseUrl: string, over: Partial<Http.HttpEmbedder> = {}): Http.HttpEmbedder => ({
  api,
  baseUrl,
  model: "nomic-embed-text",
  key: null,
  alikeFrom: 0.7,
  ...over
})

const server = (api: Api) => wireServer((heard) => json(answerOf(api, inputOf(heard).map(letters))))

for (const api of apis) {
  embedderContract(
    `of a server with ${api}'s API`,
    "nomic-embed-text",
    Effect.map(server(api), ({ url }) => Http.layer(options(api, url)))
  )
}

describe("what is sent", () => {
  for (const api of apis) {
    it.live(`at most 32 texts in a request of ${api}'s API, with the model and the key`, () =>
      Effect.gen(function* () {
        const { heard, url } = yield* server(api)
        const texts = Array.from({ length: 40 }, (_, at) => `text ${at}`)
        const key = Redacted.make("k-1234")
        yield* embedded(Http.layer(options(api, url, { key })), texts)
        expect(heard.map((each) => [each.method, each.path, each.headers.authorization])).toEqual(
          Array.from({ length: 2 }, () => ["POST", api === "ollama" ? "/api/embed" : "/v1/embeddings", "Bearer k-1234"])
        )
        expect(heard.map(({ body }) => body)).toEqual([
          { model: "nomic-embed-text", input: texts.slice(0, 32) },
          { model: "nomic-embed-text", input: texts.slice(32) }
        ])
      })
    )
  }

  it.live("the address as it is configured, with the path of the API or without", () =>
    Effect.gen(function* () {
      const { heard, url } = yield* wireServer((each) =>
        json(answerOf(each.path === "/api/embed" ? "ollama" : "openai", inputOf(each).map(letters)))
      )
      yield* embedded(Http.layer(options("openai", `${url}/v1/`)), ["a"])
      yield* embedded(Http.layer(options("openai", `${url}/v1beta/openai`)), ["a"])
      yield* embedded(Http.layer(options("ollama", `${url}/v1`)), ["a"])
      expect(heard.map(({ path }) => path)).toEqual(["/v1/embeddings", "/v1beta/openai/embeddings", "/api/embed"])
    })
  )

  it.live("no secret, and no key that is not configured", () =>
    Effect.gen(function* () {
      const { heard, url } = yield* server("openai")
      const secret = `ghp_${"a1B2".repeat(9)}`
      yield* embedded(Http.layer(options("openai", url)), [`remote: invalid token ${secret}`])
      expect(heard[0]!.text).toContain("remote: invalid token")
      expect(heard[0]!.text).not.toContain(secret)
      expect(heard[0]!.headers.authorization).toBeUndefined()
    })
  )
})

describe("without vectors that can be compared, texts are compared by their words, with a warning", () => {
  const texts = ["ENOENT: no such file", "permission denied"]
  const three = [1, 2, 3]
  const faults: Readonly<Record<string, readonly [reply: Reply, words: string]>> = {
    "an error": [json({ error: { message: "model not found" } }, { status: 404 }), "status 404: model not found"],
    "a redirect": [{ status: 307, headers: { location: "/elsewhere" }, pieces: [] }, "status 307"],
    "a page": [{ pieces: ["<html>sign in</html>"] }, "no list of vectors"],
    "too few vectors": [json(answerOf("openai", [three])), "1 vectors for 2 texts"],
    "vectors of different lengths": [json(answerOf("openai", [three, [1, 2]])), "different lengths"],
    "a vector without numbers": [json(answerOf("openai", [three, ["1", "2", "3"]])), "not a list of numbers"],
    "an empty vector": [json(answerOf("openai", [[], []])), "not a list of numbers"],
    "a number that is too large": [
      { pieces: ['{"data":[{"embedding":[1]},{"embedding":[1e39]}]}'] },
      "not a list of numbers"
    ],
    "two vectors of one text": [
      json({
        data: [
          { index: 1, embedding: three },
          { index: 1, embedding: three }
        ]
      }),
      "no list of vectors"
    ],
    "an answer that does not end": [{ pieces: ['{"data":['], end: "hold" }, "took too long"],
    "an answer that is cut off": [{ pieces: ['{"data":['], end: "cut" }, "returned no vectors"]
  }
  for (const [name, [reply, words]] of Object.entries(faults)) {
    it.live(name, () =>
      Effect.gen(function* () {
        const { heard, url } = yield* wireServer(() => reply)
        const timeout = reply.end === "hold" ? "50 millis" : "1 minute"
        const found = yield* embedded(Http.layer(options("openai", url, { timeout })), texts)
        expect(found).toMatchObject({ embedder: "lexical", dims: 512, vectors: texts.map(lexicalVector) })
        expect(found.warnings).toEqual([expect.stringContaining(words)])
        expect(found.warnings[0]).toStartWith(`${url} returned no vectors`)
        expect(heard).toHaveLength(1)
      })
    )
  }

  it.live("a later request that fails: no vectors of two embedders are mixed", () =>
    Effect.gen(function* () {
      const { url } = yield* wireServer((heard, nth) =>
        nth === 0 ? json(answerOf("ollama", inputOf(heard).map(letters))) : json({ error: "no" }, { status: 500 })
      )
      const found = yield* embedded(
        Http.layer(options("ollama", url)),
        Array.from({ length: 33 }, () => "text")
      )
      expect([found.embedder, found.vectors.length, found.warnings.length]).toEqual(["lexical", 33, 1])
    })
  )

  it.live("a server that is not there, whose error does not name the key", () =>
    Effect.gen(function* () {
      const gone = yield* Effect.scoped(Effect.map(server("openai"), ({ url }) => url))
      const key = Redacted.make("k-1234")
      const found = yield* embedded(Http.layer(options("openai", gone, { key })), texts)
      expect([found.embedder, found.warnings.length]).toEqual(["lexical", 1])
      const { url } = yield* wireServer(() => json({ error: "bad key k-1234" }, { status: 401 }))
      const [warning] = (yield* embedded(Http.layer(options("openai", url, { key })), texts)).warnings
      expect(warning).toContain("status 401: bad key [key]")
    })
  )
})
