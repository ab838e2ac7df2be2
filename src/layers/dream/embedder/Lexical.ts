/** The default: vectors of the words of texts, without a model and without a network. */
import { Effect, Layer } from "effect"
import { alikeFrom } from "../../../domain/dream/similar/alike.ts"
import { lexicalDimensions, lexicalVector } from "../../../domain/dream/similar/lexicalVector.ts"
import { Embedder, type Embedding } from "../../../services/dream/Embedder.ts"

export const lexicalEmbedding = (texts: ReadonlyArray<string>): Embedding => ({
  embedder: "lexical",
  dims: lexicalDimensions,
  alikeFrom,
  vectors: texts.map(lexicalVector)
})

export const layer = Layer.succeed(
  Embedder,
  Embedder.of({ embed: (texts) => Effect.sync(() => lexicalEmbedding(texts)) })
)
