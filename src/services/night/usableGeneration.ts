/** The generation that counts. If it is damaged, the error names the newest one that can take its place. */
import { Effect } from "effect"
import { Corpus } from "./Corpus.ts"
import { NightFileUnusable } from "./NightFileUnusable.ts"

export const usableGeneration = Effect.gen(function* () {
  const corpus = yield* Corpus
  return yield* Effect.catch(corpus.current, (error) =>
    Effect.gen(function* () {
      const kept = yield* corpus.generations
      const move = `Run \`dd dream rollback ${kept[0]?.number ?? 0}\`, then \`dd dream start\`.`
      return yield* new NightFileUnusable({ path: error.path, reason: error.reason, remedy: move })
    })
  )
})
