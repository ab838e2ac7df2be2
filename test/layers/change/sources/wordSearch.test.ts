import { describe, expect } from "bun:test"
import { rmSync } from "node:fs"
import { Effect, Fiber, Layer } from "effect"
import type { HeadSide, Side } from "../../../../src/domain/change/Change.ts"
import { eachAlone, type WordPlace } from "../../../../src/domain/change/WordPlace.ts"
import { defaultLimits, make, type WordSearchLimits } from "../../../../src/layers/change/sources/wordSearch.ts"
import * as Platform from "../../../../src/layers/system/Platform.ts"
import { Git } from "../../../../src/services/change/Git.ts"
import type { Repository } from "../../../../src/services/change/openRepository.ts"
import { it } from "../../../support/effect.ts"
import { makeRepository, type TestRepository } from "../../../support/repository.ts"

const live = Git.layer.pipe(Layer.provide(Platform.layer))

/** A search in the last commit or the index, with what git was asked meanwhile. */
const searching = Effect.fnUntraced(function* (
  test: TestRepository,
  of: "Commit" | "Index" | "Worktree" = "Commit",
  limits: Partial<WordSearchLimits> = {},
  expects: Parameters<typeof make>[3] = "few questions"
) {
  const git = yield* Git
  const repository = yield* git.open(test.root)
  const side: HeadSide = of === "Commit" ? { _tag: "Commit", sha: repository.head.sha! } : { _tag: of }
  const asked: Array<string> = []
  const note = (call: string) => Effect.sync(() => asked.push(call))
  const counted = Git.of({
    ...git,
    mentioning: (...args) => Effect.andThen(note("grep"), git.mentioning(...args)),
    places: (...args) => Effect.andThen(note("grep"), git.places(...args)),
    joinedBlobs: (...args) => Effect.andThen(note("cat-file"), git.joinedBlobs(...args))
  })
  const search = yield* make(repository, side, listingOf(git, repository, side), expects, {
    ...defaultLimits,
    ...limits
  }).pipe(Effect.provideService(Git, counted))
  return { search, asked, git, repository, side }
})

const listingOf = (git: Git["Service"], repository: Repository, side: Side) =>
  Effect.map(
    side._tag === "Commit" ? git.lsTree(repository, side.sha) : git.lsFiles(repository),
    (entries) => new Map(entries.map((entry) => [entry.path, entry]))
  )

const said = (places: ReadonlyArray<WordPlace>) =>
  places.map(({ line, path, word }) => `${path}:${line} ${word}`).sort()

const world = Effect.map(makeRepository, (repository) => {
  repository.write("bin.py", Uint8Array.from([112, 111, 114, 116, 0, 10, 112, 111, 114, 116]))
  repository.write(".gitattributes", "*.py binary\n").link("link.py", "port")
  repository.commit("one", {
    "a.py": "import port\nreport = port.open\nport\n",
    "b c/ü.py": "# größe port?\nport?\n",
    "copy.py": "import port\nreport = port.open\nport\n",
    "c.pyi": "port: int\n",
    "none.py": "ports\n",
    "empty.py": "",
    "o.go": "port\n"
  })
  return repository
})

describe("words in the files of a side", () => {
  for (const of of ["Commit", "Index"] as const) {
    it.live(`are found as git finds them, in ${of === "Commit" ? "a commit" : "the index"}`, () =>
      Effect.gen(function* () {
        const test = yield* world
        if (of === "Index") test.write("staged.py", "port\n").git("add", "staged.py")
        const { asked, git, repository, search, side } = yield* searching(test, of)
        const endings = [".py", ".pyi"]
        for (const words of [["port"], ["port?", "größe"], ["nowhere"], ["ports", "report", "open"]]) {
          const expected = yield* git.mentioning(repository, side, words, endings)
          expect((yield* search.mentioning(words, endings)).toSorted()).toEqual(expected.toSorted())
          // Git lists one of the words that begin at a place: each is asked for by itself.
          const each = yield* Effect.forEach(words, (word) => git.places(repository, side, [word], endings))
          expect(said(yield* search.places(eachAlone(words), endings))).toEqual(said(each.flat()))
        }
        expect(asked).toEqual(["grep", "cat-file"])
      }).pipe(Effect.provide(live))
    )
  }

  it.live("are asked of git when nothing else is asked, or of other files", () =>
    Effect.gen(function* () {
      const { asked, search } = yield* searching(yield* world)
      expect(yield* search.mentioning(["port"], [".go"])).toEqual(["o.go"])
      expect(yield* search.mentioning(["port"], [".pyi"])).toEqual(["c.pyi"])
      expect(asked).toEqual(["grep", "grep"])
      expect(yield* search.mentioning(["port"], [".pyi", ".go"])).toEqual(["c.pyi", "o.go"])
      expect(asked).toEqual(["grep", "grep", "cat-file"])
    }).pipe(Effect.provide(live))
  )

  it.live("are read before the first question where many are expected, if they are not many themselves", () =>
    Effect.gen(function* () {
      const test = yield* world
      const many = yield* searching(test, "Commit", {}, "many questions")
      expect(yield* many.search.mentioning(["port"], [".go"])).toEqual(["o.go"])
      expect(yield* many.search.mentioning(["port"], [".pyi", ".go"])).toEqual(["c.pyi", "o.go"])
      expect(many.asked).toEqual(["cat-file", "cat-file"])
      // Five texts end in .py.
      const { asked, search } = yield* searching(test, "Commit", { filesAhead: 4 }, "many questions")
      for (let time = 0; time < 2; time++) expect((yield* search.mentioning(["port"], [".py"])).length).toBe(4)
      expect(asked).toEqual(["grep", "cat-file"])
    }).pipe(Effect.provide(live))
  )

  it.live("are read once for all who ask at the same time", () =>
    Effect.gen(function* () {
      const { asked, search } = yield* searching(yield* world)
      yield* search.mentioning(["port"], [".py"])
      const all = yield* Effect.forEach(["port", "open", "ports"], (word) => search.mentioning([word], [".py"]), {
        concurrency: "unbounded"
      })
      expect(all.map((paths) => paths.length)).toEqual([4, 2, 1])
      expect(asked).toEqual(["grep", "cat-file"])
    }).pipe(Effect.provide(live))
  )

  it.live("are read together for all who wait meanwhile", () =>
    Effect.gen(function* () {
      const { asked, search } = yield* searching(yield* world)
      const endings = [".py", ".pyi", ".go"]
      for (const ending of endings) yield* search.mentioning(["port"], [ending])
      const all = yield* Effect.forEach(endings, (ending) => search.mentioning(["port"], [ending]), {
        concurrency: "unbounded"
      })
      expect(all.map((paths) => paths.length)).toEqual([4, 1, 1])
      // The first is not kept waiting for the others.
      expect(asked).toEqual(["grep", "grep", "grep", "cat-file", "cat-file"])
      yield* search.mentioning(["port"], endings)
      expect(asked).toHaveLength(5)
    }).pipe(Effect.provide(live))
  )

  it.live("are read of those that fit, where all who wait are too many", () =>
    Effect.gen(function* () {
      // Five texts end in .py, and one in each of the others.
      const { asked, search } = yield* searching(yield* world, "Commit", { files: 6, bytes: 1_000_000 })
      const endings = [".py", ".pyi", ".go"]
      const ask = Effect.forEach(endings, (ending) => search.mentioning(["port"], [ending]), {
        concurrency: "unbounded"
      })
      for (let time = 0; time < 4; time++) {
        expect((yield* ask).map((paths) => paths.length)).toEqual([4, 1, 1])
      }
      expect(asked.filter((call) => call === "cat-file")).toHaveLength(2)
      // Three at first, and one each time after that for the one that did not fit.
      expect(asked.filter((call) => call === "grep")).toHaveLength(6)
    }).pipe(Effect.provide(live))
  )

  it.live("are read ahead where more will be asked of files that were asked of before", () =>
    Effect.gen(function* () {
      const { asked, search } = yield* searching(yield* world)
      yield* search.soon([".py"])
      yield* search.mentioning(["port"], [".py"])
      expect(asked).toEqual(["grep"])
      yield* search.soon([".py"])
      yield* search.soon([".py"])
      expect((yield* search.mentioning(["port"], [".py"])).length).toBe(4)
      expect(asked).toEqual(["grep", "cat-file"])
    }).pipe(Effect.provide(live))
  )

  it.live("are read ahead of the first question where many are expected, if they are not many themselves", () =>
    Effect.gen(function* () {
      const test = yield* world
      const many = yield* searching(test, "Commit", {}, "many questions")
      yield* many.search.soon([".py"])
      expect((yield* many.search.mentioning(["port"], [".py"])).length).toBe(4)
      expect(many.asked).toEqual(["cat-file"])
      // Five texts end in .py.
      const { asked, search } = yield* searching(test, "Commit", { filesAhead: 4 }, "many questions")
      yield* search.soon([".py"])
      yield* search.mentioning(["port"], [".py"])
      expect(asked).toEqual(["grep"])
    }).pipe(Effect.provide(live))
  )

  it.live("are read by the next one when whoever reads them is interrupted", () =>
    Effect.gen(function* () {
      const { asked, search } = yield* searching(yield* world)
      const endings = [".py", ".go"]
      for (const ending of endings) yield* search.mentioning(["port"], [ending])
      const first = yield* Effect.forkChild(search.mentioning(["port"], [".py"]), { startImmediately: true })
      const second = yield* Effect.forkChild(search.mentioning(["port"], [".go"]), { startImmediately: true })
      yield* Fiber.interrupt(first)
      expect(yield* Fiber.join(second)).toEqual(["o.go"])
      expect((yield* search.mentioning(["port"], [".py"])).length).toBe(4)
      expect(asked.filter((call) => call === "grep")).toHaveLength(2)
    }).pipe(Effect.provide(live))
  )

  it.live("are asked of git each time where the files are too many or too large", () =>
    Effect.gen(function* () {
      const test = yield* world
      for (const limits of [
        { files: 2, bytes: 1_000_000 },
        { files: 100, bytes: 50 }
      ]) {
        const { asked, search } = yield* searching(test, "Commit", limits)
        for (let time = 0; time < 3; time++) {
          const paths = yield* search.mentioning(["port"], [".py"])
          expect(paths.toSorted()).toEqual(["a.py", "b c/ü.py", "bin.py", "copy.py"])
        }
        expect(asked.filter((call) => call === "grep")).toHaveLength(3)
        expect(asked.filter((call) => call === "cat-file").length).toBeLessThanOrEqual(1)
      }
    }).pipe(Effect.provide(live))
  )

  it.live("are asked of git each time where it has not got all of the files", () =>
    Effect.gen(function* () {
      const test = yield* world
      const { asked, git, repository, search, side } = yield* searching(test)
      const lost = (yield* listingOf(git, repository, side)).get("none.py")!.oid
      expect(yield* search.mentioning(["port"], [".pyi"])).toEqual(["c.pyi"])
      rmSync(test.path(".git", "objects", lost.slice(0, 2), lost.slice(2)))
      for (let time = 0; time < 2; time++) {
        const paths = yield* search.mentioning(["port"], [".py"])
        expect(paths.toSorted()).toEqual(["a.py", "b c/ü.py", "bin.py", "copy.py"])
      }
      expect(asked).toEqual(["grep", "grep", "cat-file", "grep"])
    }).pipe(Effect.provide(live))
  )

  it.live("are asked of git in the working tree, with what is not tracked yet", () =>
    Effect.gen(function* () {
      const test = (yield* world).write("new.py", "port\n")
      const { asked, search } = yield* searching(test, "Worktree")
      for (let time = 0; time < 2; time++) {
        expect((yield* search.mentioning(["port"], [".py"])).includes("new.py")).toBe(true)
      }
      expect(asked).toEqual(["grep", "grep"])
    }).pipe(Effect.provide(live))
  )

  it.live("hand on the texts they were found in", () =>
    Effect.gen(function* () {
      const { git, repository, search, side } = yield* searching(yield* world)
      yield* search.mentioning(["port"], [".py"])
      yield* search.mentioning(["port"], [".py"])
      const listing = yield* listingOf(git, repository, side)
      const text = (path: string) => search.bytes(listing.get(path)!.oid)
      expect(new TextDecoder().decode(text("none.py")!)).toBe("ports\n")
      expect(text("empty.py")).toEqual(new Uint8Array())
      expect(text("o.go")).toBe(null)
    }).pipe(Effect.provide(live))
  )
})
