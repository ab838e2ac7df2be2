/** Exact counts of OpenAI's encodings, by gpt-tokenizer. An encoding is loaded when the first text is counted. */
import { Effect, Layer } from "effect"
import { type Encoding, Tokenizer } from "../../../services/pack/Tokenizer.ts"

const loaders = {
  o200k_base: () => import("gpt-tokenizer/encoding/o200k_base"),
  cl100k_base: () => import("gpt-tokenizer/encoding/cl100k_base")
}

const asText = { disallowedSpecial: new Set<string>() }

export const layer = (encoding: Encoding) =>
  Layer.effect(
    Tokenizer,
    Effect.gen(function* () {
      const loaded = yield* Effect.cached(Effect.promise(loaders[encoding]))
      return Tokenizer.of({
        encoding,
        count: (text) => Effect.map(loaded, ({ countTokens }) => countTokens(text, asText))
      })
    })
  )
