/** What every embedder does. Each implementation runs it in its own test. */
import { describe, expect } from "bun:test"
import { Effect, Layer, Logger, type Scope } from "effect"
import { emptyBase, withSessions } from "../../src/domain/dream/artifacts/ArtifactBase.ts"
import { artifactsOf } from "../../src/domain/dream/artifacts/artifactsOf.ts"
import { similarity } from "../../src/domain/dream/similar/lexicalVector.ts"
import { digest } from "../../src/layers/dream/spoolPlace.ts"
import { artifactsLike, Embedder } from "../../src/services/dream/Embedder.ts"
import type { Redactor } from "../../src/services/secret/Redactor.ts"
import { it } from "./effect.ts"
import { day, firstDay, profileOf, repair, seen } from "./sessionProfiles.ts"

type EmbedderLayer = Layer.Layer<Embedder, never, Redactor>

/** The vectors of these texts, and the warnings. */
export const embedded = (layer: EmbedderLayer, texts: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const warnings: Array<string> = []
    const logger = Logger.make(({ message }) => {
      warnings.push(String(message))
    })
    const embedding = yield* Embedder.use(({ embed }) => embed(texts)).pipe(
      Effect.provide(Layer.merge(layer, Logger.layer([logger])))
    )
    return { ...embedding, warnings }
  })

/** `embedder`: the name that its vectors have. */
export const embedderContract = (
  name: string,
  embedder: string,
  makeLayer: Effect.Effect<EmbedderLayer, never, Scope.Scope>
) => {
  const promise = (title: string, texts: ReadonlyArray<string>, body: (found: Found) => void) =>
    it.live(title, () =>
      Effect.gen(function* () {
        const found = yield* embedded(yield* makeLayer, texts)
        expect([found.warnings, found.embedder]).toEqual([[], embedder])
        body(found)
      })
    )
  const subjects = ["cart", "price", "order", "stock", "refund", "coupon", "invoice", "basket", "payment", "shipment"]
  const places = ["parser", "server", "worker", "router", "cache", "logger", "queue"]
  const many = Array.from({ length: 70 }, (_, at) => `${subjects[at % 10]} in ${places[at % 7]}`)

  describe(`the embedder ${name}`, () => {
    promise("makes a vector of length 1 for each text, all with the same number of dimensions", many, (found) => {
      expect(found.vectors).toHaveLength(many.length)
      expect(new Set(found.vectors.map(({ length }) => length))).toEqual(new Set([found.dims]))
      for (const vector of found.vectors) expect(similarity(vector, vector)).toBeCloseTo(1, 4)
    })

    promise("keeps the order of many texts: each is most like itself", [...many, ...many], ({ vectors }) => {
      many.forEach((_, at) => {
        const cosines = vectors.slice(70).map((vector) => similarity(vector, vectors[at]!))
        expect(cosines.indexOf(Math.max(...cosines))).toBe(at)
      })
    })

    promise("makes no vectors without texts", [], ({ vectors }) => {
      expect(vectors).toEqual([])
    })

    it.live("finds the repair of an error by its signature", () =>
      Effect.gen(function* () {
        const signature = "ENOENT: no such file or directory, open <q>"
        const contributions = [
          seen("a", repair("EACCES: permission denied, open <q>", "change the owner")),
          seen("b", repair(signature, "create the missing directory"))
        ]
        const base = withSessions(emptyBase, [profileOf("s", { contributions })], firstDay * day, digest)
        const artifacts = artifactsOf(base, firstDay * day, digest)
        const [first] = yield* artifactsLike(artifacts, signature).pipe(Effect.provide(yield* makeLayer))
        expect(first).toMatchObject({ fix_action: "create the missing directory" })
      })
    )
  })
}

type Found = Effect.Success<ReturnType<typeof embedded>>
