/** The corpus of the repository around the current directory. */

import { Effect, Layer } from "effect"
import * as Directory from "../../layers/night/corpus/Directory.ts"
import { Git } from "../../services/change/Git.ts"
import { dreamHome } from "../dream/dreamHome.ts"
import { CallRefused } from "../system/CallRefused.ts"

export const corpusHere = Layer.unwrap(
  Effect.gen(function* () {
    const home = yield* dreamHome
    const git = yield* Git
    const { remoteUrl, root } = yield* git.open(".")
    if (root === null) return yield* new CallRefused({ reason: "this repository has no working tree: run dd in one" })
    return Directory.layer(home, { remoteUrl, root })
  })
)
