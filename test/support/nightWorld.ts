/** A repository with a corpus, reviewed by the compiled binary; its findings are of `py/mutable-default`. */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import type { Generation } from "../../src/domain/night/Generation.ts"
import { corpusOf } from "../../src/layers/night/corpus/corpusFiles.ts"
import * as Directory from "../../src/layers/night/corpus/Directory.ts"
import * as Platform from "../../src/layers/system/Platform.ts"
import { Corpus } from "../../src/services/night/Corpus.ts"
import { dd } from "./binary.ts"
import { generationAfter } from "./generations.ts"
import { run } from "./inProcess.ts"
import { scratch, systemPath } from "./process.ts"
import { initRepository } from "./repository.ts"

const remoteUrl = "git@github.com:acme/shop.git"

export const mutable = (name: string): string => `def ${name}(items=[]):\n    items.append(1)\n    return items\n`

export const nightWorld = () => {
  const place = scratch()
  const repository = initRepository(join(place.path, "repo"))
  const home = join(place.path, "home")
  const own = join(home, ".daydream")
  mkdirSync(home)
  repository.git("remote", "add", "origin", remoteUrl)
  const env: Record<string, string> = { PATH: systemPath, HOME: home }
  return {
    repository,
    own,
    env,
    call: (...args: ReadonlyArray<string>) => run([dd, ...args], { cwd: repository.root, env }),
    ...corpusIn(own, { remoteUrl, root: repository.root }),
    [Symbol.dispose]: () => place[Symbol.dispose]()
  }
}

/** The corpus of a repository. `own`: dd's own directory. */
export const corpusIn = (own: string, repository: Parameters<typeof corpusOf>[0]) => {
  const project = corpusOf(repository)
  const use = <A, E>(work: (corpus: Corpus["Service"]) => Effect.Effect<A, E>) =>
    Effect.runPromise(
      Corpus.use(work).pipe(
        Effect.provide(Directory.layerOf(own, project).pipe(Layer.provide(Platform.layer))),
        Effect.scoped
      )
    )
  return {
    project,
    folder: join(own, "learned", project),
    current: () => use((corpus) => corpus.current),
    /** Commits the next generation, as a night does. */
    learn: (fields: Partial<Generation>) =>
      use((corpus) =>
        Effect.scoped(
          Effect.gen(function* () {
            yield* corpus.own({ run: "night-1", pid: 1, host: "here", outputDir: "/reports/night-1" })
            const next = generationAfter(yield* corpus.current, fields)
            yield* corpus.commit(next)
            return next
          })
        )
      )
  }
}
