/**
 * Vectors of short texts: those that mean the same have a cosine near 1.
 *
 * Never fails. All vectors of one call come from one embedder, so that they can be compared with each other.
 */
import { Context, Effect } from "effect"
import { type Artifact, subjectOf } from "../../domain/dream/Artifact.ts"
import { errorSignature } from "../../domain/dream/errorSignature.ts"
import { mostAlike, namedBy } from "../../domain/dream/similar/alike.ts"

export interface Embedding {
  /** `lexical`, or the name of a model. */
  readonly embedder: string
  /** Numbers in a vector. */
  readonly dims: number
  /** The least cosine of two texts that mean the same. */
  readonly alikeFrom: number
  /** One for each text, in order; of length 1, or all zeros for a text without meaning. */
  readonly vectors: ReadonlyArray<Float32Array>
}

export class Embedder extends Context.Service<
  Embedder,
  { readonly embed: (texts: ReadonlyArray<string>) => Effect.Effect<Embedding> }
>()("dd/services/dream/Embedder") {}

/** Those about a text like this one: of the same error code first, then the most alike, then those that contain the text. */
export const artifactsLike = Effect.fnUntraced(function* (artifacts: ReadonlyArray<Artifact>, text: string) {
  if (artifacts.length === 0) return []
  const signature = errorSignature(text, null)?.masked ?? text
  const { alikeFrom, vectors } = yield* (yield* Embedder).embed([signature, ...artifacts.map(subjectOf)])
  const { byCode, byWords } = namedBy(artifacts, text)
  return [...new Set([...byCode, ...mostAlike(artifacts, vectors[0]!, vectors.slice(1), alikeFrom), ...byWords])]
})
