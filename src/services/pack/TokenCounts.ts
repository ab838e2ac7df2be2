/** The tokens of texts, counted once for each content and kept between runs. */
import { Context, Effect, Layer } from "effect"
import { Digest } from "effect/crypto"
import { BlobFacts } from "../change/BlobFacts.ts"
import { Tokenizer } from "./Tokenizer.ts"

const encoder = new TextEncoder()

export class TokenCounts extends Context.Service<
  TokenCounts,
  {
    /** In the order of the texts. */
    readonly of: (texts: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<number>>
    /** SHA-256 in hexadecimal. */
    readonly digestOf: (text: string) => Effect.Effect<string>
  }
>()("dd/services/pack/TokenCounts") {
  static readonly layer = Layer.effect(
    TokenCounts,
    Effect.gen(function* () {
      const { count, encoding } = yield* Tokenizer
      const facts = yield* BlobFacts
      const digest = yield* Digest.Digest

      const digestOf = (text: string) => digest.digestHex(Digest.sha256, encoder.encode(text))

      const of = Effect.fn("TokenCounts.of")(function* (texts: ReadonlyArray<string>) {
        const keys = yield* Effect.forEach(texts, (text) =>
          Effect.map(digestOf(text), (sha) => ({ grammar: null, blob: `${encoding}:${sha}` }))
        )
        const known = yield* facts.get("tokens", keys)
        return yield* Effect.forEach(texts, (text, at) => {
          const stored = known[at]
          if (typeof stored === "number" && Number.isSafeInteger(stored) && stored >= 0) return Effect.succeed(stored)
          return Effect.tap(count(text), (tokens) => facts.put("tokens", keys[at]!, tokens))
        })
      })

      return TokenCounts.of({ of, digestOf })
    })
  )
}
