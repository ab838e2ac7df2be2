/**
 * The repository around a change: the paths of both sides, and the data that imports are resolved with.
 *
 * The data files of each side are read from that side. Bounded; never fails.
 */
import { Context, Effect, Layer } from "effect"
import { basePaths } from "../../domain/change/basePaths.ts"
import type { Change } from "../../domain/change/Change.ts"
import { type Repository, repositoryOf } from "../../domain/code/Repository.ts"
import { dataFiles } from "../../languages/imports.ts"
import { readTexts } from "../change/readTexts.ts"
import { Sources } from "../change/Sources.ts"
import { oncePerKey } from "../system/oncePerKey.ts"

const dataFilesRead = 400

export interface BothSides {
  readonly base: Repository
  readonly head: Repository
}

export class Surroundings extends Context.Service<
  Surroundings,
  {
    /** Computed once per change. The data files nearest to the changed files are read first. */
    readonly around: (change: Change) => Effect.Effect<BothSides>
  }
>()("dd/services/code/Surroundings") {
  static readonly layer = Layer.effect(
    Surroundings,
    Effect.gen(function* () {
      const sources = yield* Sources

      const sidesOf = oncePerKey<Change, BothSides>()

      const compute = Effect.fn("Surroundings.around")(function* (change: Change) {
        const subjects = change.diff.files.map(({ path }) => path)
        const paths = yield* sources.headPaths
        const before = basePaths(paths, change.diff)
        const wanted = dataFiles(subjects, paths).slice(0, dataFilesRead)
        const head = repositoryOf(paths, yield* readTexts(sources, wanted))
        const wantedBefore = dataFiles(subjects, before).slice(0, dataFilesRead)
        const base = repositoryOf(before, yield* readTexts(sources, wantedBefore, "base"))
        const sides: BothSides = { base, head }
        return sides
      })

      return Surroundings.of({ around: (change) => sidesOf(change, compute(change)) })
    })
  )
}
