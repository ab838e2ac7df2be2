import { describe, expect } from "bun:test"
import { rmSync } from "node:fs"
import { Effect, Layer } from "effect"
import * as SourcesGit from "../../../../src/layers/change/sources/Git.ts"
import * as Platform from "../../../../src/layers/system/Platform.ts"
import { BlobFacts } from "../../../../src/services/change/BlobFacts.ts"
import { Changes } from "../../../../src/services/change/Changes.ts"
import { Git } from "../../../../src/services/change/Git.ts"
import { GitTimedOut } from "../../../../src/services/change/GitError.ts"
import { Sources } from "../../../../src/services/change/Sources.ts"
import { it } from "../../../support/effect.ts"
import { makeRepository, type TestRepository } from "../../../support/repository.ts"

/** Keeps what was put, as the cache does. */
const memory = () => {
  const kept = new Map<string, unknown>()
  const layer = Layer.succeed(BlobFacts, {
    get: (reading, keys) => Effect.succeed(keys.map(({ blob }) => kept.get(`${reading} ${blob}`) ?? null)),
    put: (reading, { blob }, value) => Effect.sync(() => void kept.set(`${reading} ${blob}`, value))
  })
  return { kept, layer }
}

/** Git, for which it takes too long to compare the texts of renamed files. */
const slowGit = Layer.effect(
  Git,
  Effect.map(Git, (git) =>
    Git.of({
      ...git,
      history: (repository, asked) =>
        asked.renames === "same"
          ? git.history(repository, asked)
          : Effect.fail(new GitTimedOut({ command: "log", seconds: 1 }))
    })
  )
).pipe(Layer.provide(Git.layer))

/** The subjects and files of the commits before the last commit, newest first. */
const before = (
  repository: Pick<TestRepository, "root">,
  commit: string,
  facts: Layer.Layer<BlobFacts>,
  git: typeof Git.layer = Git.layer
) =>
  Effect.gen(function* () {
    const opened = yield* Git.use((git) => git.open(repository.root))
    const change = yield* Changes.use((changes) => changes.resolve(opened, { _tag: "Commit", commit }))
    const { commits, omitted } = yield* Effect.flatMap(Sources, (sources) => sources.history.commits).pipe(
      Effect.provide(SourcesGit.layer(opened, change).pipe(Layer.provide(facts)))
    )
    const lines = commits.map(({ files, subject }) =>
      [subject, ...files.map(({ oldPath, path, status }) => `${status} ${oldPath ?? ""}>${path}`)].join(" ")
    )
    return [...lines, ...omitted]
  }).pipe(Effect.provide(Changes.layer.pipe(Layer.provideMerge(git), Layer.provideMerge(Platform.layer))))

describe("the history before a change", () => {
  it.live("is the same from git and from the cache, for newer, older and parallel commits", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", { "a.txt": "a line\n".repeat(9), "odd\nname": "1\n" })
      repository.git("mv", "a.txt", "b.txt")
      repository.commit("two", {})
      repository.branch("side").commit("three", { "c.txt": "1\n" })
      repository.checkout("main").commit("four", { "b.txt": "2\n" })
      repository.git("merge", "--quiet", "--no-ff", "-m", "merge", "side")
      repository.commit("five", { "c.txt": "2\n" })
      const { kept, layer } = memory()
      const older = ["two R a.txt>b.txt", "one A >a.txt A >odd\nname"]
      for (const commit of ["main~2", "side", "main", "main~1", "main"]) {
        const cold = yield* before(repository, commit, memory().layer)
        expect(yield* before(repository, commit, layer)).toEqual(cold)
        expect(cold.slice(-2)).toEqual(older)
      }
      expect(yield* before(repository, "main", layer)).toEqual(["merge", "four M >b.txt", "three A >c.txt", ...older])
      kept.set("history commits", { tips: ["0".repeat(40)], names: [], commits: [] })
      expect(yield* before(repository, "side", layer)).toEqual(older)
      kept.set("history commits", "damaged")
      expect(yield* before(repository, "side", layer)).toEqual(older)
    })
  )

  it.live("needs no text of earlier commits, which a partial clone lacks", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", { "a.txt": "a line\n".repeat(9), "moved.txt": "1\n" })
      repository.git("mv", "a.txt", "b.txt")
      repository.git("mv", "moved.txt", "here.txt")
      repository.commit("two", { "b.txt": `${"a line\n".repeat(8)}b\n` })
      repository.commit("three", { "c.txt": "1\n" })
      const blob = repository.git("rev-parse", "HEAD~2:a.txt")
      rmSync(`${repository.root}/.git/objects/${blob.slice(0, 2)}/${blob.slice(2)}`, { force: true })
      expect(yield* before(repository, "HEAD", memory().layer)).toEqual([
        "two D >a.txt A >b.txt R moved.txt>here.txt",
        "one A >a.txt A >moved.txt"
      ])
    })
  )

  it.live("says that git took too long, and stores no poorer history", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", { "a.txt": "1\n" })
      repository.commit("two", { "a.txt": "2\n" })
      const { kept, layer } = memory()
      expect(yield* before(repository, "HEAD", layer, slowGit)).toMatchObject([
        expect.stringContaining("the history of the repository: git log")
      ])
      expect([...kept.keys()]).toEqual([])
    })
  )

  it.live("has no files of the oldest commit of a shallow clone, which seems to add all, and stores nothing", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      for (const subject of ["one", "two", "three", "four"]) repository.commit(subject, { "a.txt": `${subject}\n` })
      const root = repository.path("shallow")
      repository.git("clone", "--quiet", "--depth", "3", `file://${repository.root}`, root)
      const { kept, layer } = memory()
      expect(yield* before({ root }, "HEAD", layer)).toEqual([
        "three M >a.txt",
        "two",
        "commits that this shallow clone does not have"
      ])
      expect([...kept.keys()]).toEqual([])
    })
  )

  it.live("is empty for a first commit", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", { "a.txt": "1\n" })
      expect(yield* before(repository, "HEAD", memory().layer)).toEqual([])
    })
  )
})
