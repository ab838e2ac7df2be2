import { describe, expect } from "bun:test"
import { rmSync } from "node:fs"
import { Effect, Fiber, Layer } from "effect"
import type { HeadSide, Side } from "../../../../src/domain/change/Change.ts"
import { eachAlone, type WordPlace } from "../../../../src/domain/change/WordPlace.ts"
import { defaultLimits, make, type WordSearchLimits } from "../../../../src/layers/change/sources/wordSearch.ts"
import * as Platform from "../../../../src/layers/system/Platform.ts"
import { BlobFacts } from "../../../../src/services/change/BlobFacts.ts"
import { Git } from "../../../../src/services/change/Git.ts"
import type { Repository } from "../../../../src/services/change/openRepository.ts"
import { makeReadFailures } from "../../../../src/services/change/ReadFailures.ts"
import { it } from "../../../support/effect.ts"
import { makeRepository, type TestRepository } from "../../../support/repository.ts"

const live = Git.layer.pipe(Layer.provide(Platform.layer))

/** Facts in memory, kept from one search to the next. */
const factsIn = (stored: Map<string, unknown>): BlobFacts["Service"] => ({
  get: (_, keys) => Effect.succeed(keys.map(({ blob }) => stored.get(blob) ?? null)),
  put: (_, { blob }, value) => Effect.sync(() => stored.set(blob, value))
})

/** A search in the last commit, the index or the working tree, with the calls of git that it made. */
const searching = Effect.fnUntraced(function* (
  test: TestRepository,
  of: "Commit" | "Index" | "Worktree" = "Commit",
  { limits = {}, stored = new Map() }: { limits?: Partial<WordSearchLimits>; stored?: Map<string, unknown> } = {}
) {
  const git = yield* Git
  const repository = yield* git.open(test.root)
  const side: HeadSide = of === "Commit" ? { _tag: "Commit", sha: repository.head.sha! } : { _tag: of }
  const calls: Array<string> = []
  const note = (call: string) => Effect.sync(() => calls.push(call))
  const counted = Git.of({
    ...git,
    mentioning: (...args) => Effect.andThen(note("grep"), git.mentioning(...args)),
    places: (...args) => Effect.andThen(note("grep"), git.places(...args)),
    joinedBlobs: (...args) => Effect.andThen(note(`cat-file ${args[1].length}`), git.joinedBlobs(...args))
  })
  const failures = makeReadFailures()
  const allLimits = { ...defaultLimits, ...limits }
  const search = yield* make(repository, side, listingOf(git, repository, side), failures, allLimits).pipe(
    Effect.provideService(Git, counted),
    Effect.provideService(BlobFacts, factsIn(stored))
  )
  return { search, calls, git, repository, side, failures: failures.all }
})

const listingOf = (git: Git["Service"], repository: Repository, side: Side) =>
  Effect.map(
    side._tag === "Commit" ? git.lsTree(repository, side.sha) : git.lsFiles(repository),
    (entries) => new Map(entries.map((entry) => [entry.path, entry]))
  )

const placeTexts = (places: ReadonlyArray<WordPlace>) =>
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

const pythonFiles = ["a.py", "b c/ü.py", "bin.py", "copy.py"]

describe("a search for words", () => {
  for (const of of ["Commit", "Index"] as const) {
    it.live(`finds in ${of === "Commit" ? "a commit" : "the index"} what git finds`, () =>
      Effect.gen(function* () {
        const test = yield* world
        if (of === "Index") test.write("staged.py", "port\n").git("add", "staged.py")
        const { calls, git, repository, search, side } = yield* searching(test, of)
        const endings = [".py", ".pyi"]
        for (const words of [["port"], ["port?", "größe"], ["nowhere"], ["?"], ["ports", "report", "open"]]) {
          const expected = yield* git.mentioning(repository, side, words, endings)
          expect((yield* search.mentioning(words, endings)).toSorted()).toEqual(expected.toSorted())
          // Git lists one of the words that begin at a place, so each is searched for alone.
          const each = yield* Effect.forEach(words, (word) => git.places(repository, side, [word], endings))
          expect(placeTexts(yield* search.places(eachAlone(words), endings))).toEqual(
            placeTexts(each.flatMap(({ places }) => places))
          )
        }
        expect(calls).toEqual([`cat-file ${of === "Index" ? 7 : 6}`])
      }).pipe(Effect.provide(live))
    )
  }

  it.live("leaves out vendored files, also if git runs it", () =>
    Effect.gen(function* () {
      const test = yield* world
      test.commit("two", {
        "vendor/x.py": "port\n",
        "src/node_modules/y/z.py": "port\n",
        "deps/d.py": "port\n",
        "lib/deps/own.py": "port\n"
      })
      for (const { search } of [
        yield* searching(test),
        yield* searching(test, "Commit", { limits: { unknown: 0 } }),
        yield* searching(test, "Worktree")
      ]) {
        const found = yield* search.mentioning(["port"], [".py"])
        expect(found.toSorted()).toEqual([...pythonFiles, "lib/deps/own.py"])
      }
    }).pipe(Effect.provide(live))
  )

  it.live("reads in a later run only the files that have the words", () =>
    Effect.gen(function* () {
      const test = yield* world
      const stored = new Map<string, unknown>()
      yield* (yield* searching(test, "Commit", { stored })).search.mentioning(["port"], [".py"])
      const { calls, search } = yield* searching(test, "Commit", { stored })
      expect(yield* search.mentioning(["nowhere"], [".py"])).toEqual([])
      expect(calls).toEqual([])
      expect(yield* search.mentioning(["report"], [".py"])).toEqual(["a.py", "copy.py"])
      // Both are one blob.
      expect(calls).toEqual(["cat-file 1"])
      expect(yield* search.places([{ words: ["ports", "open"], enough: 2 }], [".py"])).toEqual([])
      expect(calls).toHaveLength(1)
    }).pipe(Effect.provide(live))
  )

  it.live("reads a file once for all searches at the same time", () =>
    Effect.gen(function* () {
      const { calls, search } = yield* searching(yield* world)
      yield* search.soon([".py"])
      const all = yield* Effect.forEach(["port", "open", "ports"], (word) => search.mentioning([word], [".py"]), {
        concurrency: "unbounded"
      })
      expect(all.map((paths) => paths.length)).toEqual([4, 2, 1])
      expect(calls).toEqual(["cat-file 5"])
    }).pipe(Effect.provide(live))
  )

  it.live("is repeated by the next one if it is interrupted", () =>
    Effect.gen(function* () {
      const { search } = yield* searching(yield* world)
      const first = yield* Effect.forkChild(search.mentioning(["port"], [".py"]), { startImmediately: true })
      const second = yield* Effect.forkChild(search.mentioning(["port"], [".go"]), { startImmediately: true })
      yield* Fiber.interrupt(first)
      expect(yield* Fiber.join(second)).toEqual(["o.go"])
      expect((yield* search.mentioning(["port"], [".py"])).length).toBe(4)
    }).pipe(Effect.provide(live))
  )

  it.live("is run by git if too many files are unknown, or those with the words are too large", () =>
    Effect.gen(function* () {
      const test = yield* world
      for (const limits of [{ unknown: 2 }, { bytes: 50 }]) {
        const { calls, search } = yield* searching(test, "Commit", { limits })
        for (let time = 0; time < 2; time++) {
          expect((yield* search.mentioning(["port"], [".py"])).toSorted()).toEqual(pythonFiles)
        }
        expect(calls.filter((call) => call === "grep")).toHaveLength(2)
      }
    }).pipe(Effect.provide(live))
  )

  it.live("counts a blob that is missing as one with the words, unless its filter excludes them", () =>
    Effect.gen(function* () {
      const stored = new Map<string, unknown>()
      const test = yield* world
      const known = yield* searching(test, "Commit", { stored })
      const listing = yield* listingOf(known.git, known.repository, known.side)
      const lose = (path: string) => {
        const { oid } = listing.get(path)!
        rmSync(test.path(".git", "objects", oid.slice(0, 2), oid.slice(2)))
      }
      const unknown = yield* searching(test)
      yield* known.search.mentioning(["port"], [".py"])
      lose("none.py")
      const { calls, failures, search } = unknown
      expect((yield* search.mentioning(["port"], [".py"])).toSorted()).toEqual([...pythonFiles, "none.py"].toSorted())
      expect(yield* failures).toEqual([])
      yield* search.places([{ words: ["port"], enough: 1 }], [".py"])
      expect((yield* failures).map(({ detail }) => detail)).toEqual([
        expect.stringContaining("not checked: files that could not be read (none.py): this clone lacks objects")
      ])
      expect(calls.filter((call) => call === "grep")).toEqual([])

      const cached = yield* searching(test, "Commit", { stored })
      expect((yield* cached.search.mentioning(["port"], [".py"])).toSorted()).toEqual(pythonFiles)
      lose("a.py")
      const again = yield* searching(test, "Commit", { stored })
      expect((yield* again.search.mentioning(["port"], [".py"])).toSorted()).toEqual(pythonFiles)
      expect([yield* cached.failures, yield* again.failures]).toEqual([[], []])
    }).pipe(Effect.provide(live))
  )

  it.live("is run by git in the working tree, with untracked files", () =>
    Effect.gen(function* () {
      const test = (yield* world).write("new.py", "port\n")
      const { calls, search } = yield* searching(test, "Worktree")
      expect((yield* search.mentioning(["port"], [".py"])).includes("new.py")).toBe(true)
      expect(calls).toEqual(["grep"])
    }).pipe(Effect.provide(live))
  )

  it.live("keeps the texts that it read", () =>
    Effect.gen(function* () {
      const { git, repository, search, side } = yield* searching(yield* world)
      yield* search.mentioning(["port"], [".py"])
      const listing = yield* listingOf(git, repository, side)
      const text = (path: string) => search.bytes(listing.get(path)!.oid)
      expect(new TextDecoder().decode(text("none.py")!)).toBe("ports\n")
      expect(text("empty.py")).toEqual(new Uint8Array())
      expect(text("o.go")).toBe(null)
    }).pipe(Effect.provide(live))
  )
})
