/** Applying fixes to files of the user: all of them or none, also when dd is killed at any of its renames. */
import { describe, expect } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { ConfigProvider, Effect, FileSystem, Layer } from "effect"
import { systemError } from "effect/PlatformError"
import * as Platform from "../../../src/layers/system/Platform.ts"
import { Git } from "../../../src/services/change/Git.ts"
import type { PatchedFile, Tree } from "../../../src/services/fix/FixTree.ts"
import { apply as applyFixes, restore as restoreFiles } from "../../../src/services/fix/userTree.ts"
import { RunningProcess } from "../../../src/services/system/RunningProcess.ts"
import { it } from "../../support/effect.ts"
import { makeDirectory, makeRepository } from "../../support/repository.ts"

const encode = (text: string) => new TextEncoder().encode(text)
const names = ["a.py", "b/b.py", "c.py", "d.py"]
const before = (name: string) => `${name} before\n`
const after = (name: string) => `${name} after\n`

const treeWith = (files: ReadonlyArray<PatchedFile>): Tree =>
  ({ files: Effect.succeed(files), merged: () => Effect.succeed(null) }) as unknown as Tree

const fixes = treeWith(names.map((path) => ({ path, before: encode(before(path)), after: encode(after(path)) })))

/** The file system, whose `nth` rename of a file ends as given. */
const renaming = (nth: number, end: Effect.Effect<void, ReturnType<typeof systemError>>) =>
  Layer.effect(
    FileSystem.FileSystem,
    Effect.map(FileSystem.FileSystem, (fs) => {
      let renames = 0
      return { ...fs, rename: (from, to) => (++renames === nth ? end : fs.rename(from, to)) }
    })
  ).pipe(Layer.provideMerge(Platform.layer))

/** The life of a process: another one has started when `isOver`. */
const world = (home: string, platform: Layer.Layer<FileSystem.FileSystem>, isOver: boolean) =>
  Layer.merge(
    Git.layer,
    Layer.succeed(RunningProcess, {
      self: { pid: 7, started: null },
      isRunning: () => Effect.succeed(!isOver)
    })
  ).pipe(
    Layer.provideMerge(platform),
    Layer.provideMerge(Platform.layer),
    Layer.provideMerge(ConfigProvider.layer(ConfigProvider.fromUnknown({ DD_HOME: home })))
  )

const start = Effect.gen(function* () {
  const repository = yield* makeRepository
  for (const name of names) repository.write(name, before(name))
  repository.commit("first")
  const home = yield* makeDirectory
  const texts = () => names.map((name) => readFileSync(repository.path(name), "utf8"))
  const apply = Effect.gen(function* () {
    const opened = yield* Git.use((git) => git.open(repository.root))
    return yield* applyFixes(opened, fixes)
  })
  const restore = restoreFiles(repository.root).pipe(Effect.provide(world(home, Platform.layer, true)))
  const journals = () => readdirSync(join(home, "applying"))
  return { repository, home, texts, apply, restore, journals }
})

const killed = Effect.die("killed")
const live = (home: string) => world(home, Platform.layer, false)

describe("applying fixes", () => {
  it.effect("changes every file, and leaves no plan", () =>
    Effect.gen(function* () {
      const { apply, home, journals, texts } = yield* start
      expect((yield* Effect.provide(apply, live(home))).paths).toEqual(names)
      expect(texts()).toEqual(names.map(after))
      expect(journals()).toEqual([])
    })
  )

  it.effect("can be taken back, but not over an edit of the user", () =>
    Effect.gen(function* () {
      const { apply, home, repository, texts } = yield* start
      const { undo } = yield* Effect.provide(apply, live(home))
      repository.write(names[0] ?? "", "mine")
      expect((yield* Effect.flip(undo)).message).toContain("it was edited")
      expect(texts()).toEqual(["mine", ...names.slice(1).map(after)])
      repository.write(names[0] ?? "", after(names[0] ?? ""))
      yield* undo
      expect(texts()).toEqual(names.map(before))
    })
  )

  for (const nth of [1, 2, 3, 4]) {
    it.effect(`killed at rename ${nth}, is undone by the next run`, () =>
      Effect.gen(function* () {
        const { apply, home, journals, repository, restore, texts } = yield* start
        const exit = yield* Effect.exit(Effect.provide(apply, world(home, renaming(nth, killed), false)))
        expect(exit._tag).toBe("Failure")
        expect(texts()).toEqual(names.map((name, at) => (at < nth - 1 ? after(name) : before(name))))
        expect(yield* restore).toEqual([
          { found: nth === 1 ? "untouched" : "partial", fixed: names.slice(0, nth - 1), edited: [], failure: null }
        ])
        expect(texts()).toEqual(names.map(before))
        expect([journals(), repository.git("status", "--porcelain")]).toEqual([[], ""])
        expect(yield* restore).toEqual([])
      })
    )

    it.effect(`writes every file back where rename ${nth} fails, and leaves no plan`, () =>
      Effect.gen(function* () {
        const { apply, home, journals, texts } = yield* start
        const full = Effect.fail(
          systemError({ _tag: "Unknown", module: "FileSystem", method: "rename", description: "no space left" })
        )
        const { message } = yield* Effect.flip(Effect.provide(apply, world(home, renaming(nth, full), false)))
        expect(message).toContain(names[nth - 1]!)
        expect([texts(), journals()]).toEqual([names.map(before), []])
      })
    )
  }

  it.effect("does not overwrite what the user edited after the kill", () =>
    Effect.gen(function* () {
      const { apply, home, repository, restore, texts } = yield* start
      yield* Effect.exit(Effect.provide(apply, world(home, renaming(3, killed), false)))
      repository.write("a.py", "mine\n").write(".dd-mine.draft", "mine\n")
      expect(yield* restore).toEqual([{ found: "edited", fixed: ["b/b.py"], edited: ["a.py"], failure: null }])
      expect(texts()).toEqual(["mine\n", after("b/b.py"), before("c.py"), before("d.py")])
      expect(readdirSync(repository.root)).toContain(".dd-mine.draft")
    })
  )

  it.effect("applies nothing over what a killed run left, and touches nothing of a run that works", () =>
    Effect.gen(function* () {
      const { apply, home, texts } = yield* start
      yield* Effect.exit(Effect.provide(apply, world(home, renaming(3, killed), false)))
      const left = texts()
      const { message } = yield* Effect.flip(Effect.provide(apply, world(home, Platform.layer, true)))
      expect(message).toContain("a killed run left fixes half applied here")
      expect(texts()).toEqual(left)
      const other = Effect.flatMap(makeDirectory, restoreFiles)
      expect(yield* Effect.provide(other, live(home))).toEqual([])
      expect(texts()).toEqual(left)
    })
  )
})
