import { describe, expect } from "bun:test"
import { rmSync } from "node:fs"
import { Effect, Layer } from "effect"
import type { HeadSide } from "../../../src/domain/change/Change.ts"
import * as Platform from "../../../src/layers/system/Platform.ts"
import { Git } from "../../../src/services/change/Git.ts"
import { blamedLines, commitsIn, historyCommits } from "../../../src/services/change/gitHistory.ts"
import type { Repository } from "../../../src/services/change/openRepository.ts"
import { it } from "../../support/effect.ts"
import { makeRepository, type TestRepository, tryGit } from "../../support/repository.ts"

const live = Git.layer.pipe(Layer.provide(Platform.layer))

const opening = <A, E, R>(
  repository: TestRepository,
  use: (git: Git["Service"], opened: Repository) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const git = yield* Git
    return yield* use(git, yield* git.open(repository.root))
  }).pipe(Effect.provide(live))

const bytes = (text: string) => new TextEncoder().encode(text)

describe("git's history", () => {
  it.live("lists each commit with the files it touched, whatever their names", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const body = "a line\n".repeat(20)
      repository.commit("one", { "a.txt": body, "\nodd\tname": "1\n", ":100644 100644 a b M": "1\n" })
      repository.git("mv", "a.txt", "ü b.txt")
      repository.write("\u0001", "1\n").git("add", "--all")
      repository.git("commit", "--quiet", "--allow-empty-message", "--message", "")
      repository.commit(`${"1".repeat(40)}\n\nbody`, { "c.txt": "1\n" })
      const found = yield* opening(repository, (git, opened) =>
        git.history(opened, { from: opened.head.sha!, path: null, skip: 0, limit: 9 })
      )
      expect(found.map(({ author, date, subject }) => [author, date, subject])).toEqual([
        ["Ada", "2026-01-02", "1".repeat(40)],
        ["Ada", "2026-01-02", ""],
        ["Ada", "2026-01-02", "one"]
      ])
      const touched = found.map(({ files }) => files.map(({ oldPath, path, status }) => [status, oldPath, path]))
      expect(touched[0]).toEqual([["A", null, "c.txt"]])
      expect(touched[1]).toEqual([
        ["A", null, "\u0001"],
        ["R", "a.txt", "ü b.txt"]
      ])
      expect(touched[2]?.map(([, , path]) => path).toSorted()).toEqual(["\nodd\tname", ":100644 100644 a b M", "a.txt"])
    })
  )

  it.live("pages, keeps merges and empty commits, and with a path names all that came with it", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", { "src/a.txt": "1\n", "b.txt": "1\n" })
      repository.branch("side").commit("two", { "b.txt": "2\n" })
      repository.checkout("main").commit("nothing")
      repository.git("merge", "--quiet", "--no-ff", "-m", "merge", "side")
      repository.commit("three", { "src/a.txt": "2\n", "c.txt": "1\n", "src*": "1\n" })
      const subjects = (path: string | null, skip = 0, limit = 9) =>
        opening(repository, (git, opened) =>
          Effect.map(git.history(opened, { from: opened.head.sha!, path, skip, limit }), (found) =>
            found.map(({ files, subject }) => `${subject} ${files.map((file) => file.path).join(",")}`.trim())
          )
        )
      const all = yield* subjects(null)
      expect(all.toSorted()).toEqual([
        "merge",
        "nothing",
        "one b.txt,src/a.txt",
        "three c.txt,src*,src/a.txt",
        "two b.txt"
      ])
      expect([...(yield* subjects(null, 0, 2)), ...(yield* subjects(null, 2, 9))]).toEqual(all)
      expect(yield* subjects("src/a.txt")).toEqual(["three c.txt,src*,src/a.txt", "one b.txt,src/a.txt"])
      expect(yield* subjects("src")).toEqual(["three c.txt,src*,src/a.txt", "one b.txt,src/a.txt"])
      expect(yield* subjects("src*")).toEqual(["three c.txt,src*,src/a.txt"])
      expect(yield* subjects("nowhere")).toEqual([])
    })
  )

  it.live("returns the commit of each line, committed or not", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const one = repository.commit("one\ttab", { "a b.txt": "1\n2\n3\n" })
      const two = repository.commit("two", { "a b.txt": "1\ntwo\n3\n" })
      yield* opening(repository, (git, opened) =>
        Effect.gen(function* () {
          const shown = (asked: { readonly from: string } | { readonly text: string }, first = 1, last = 3) =>
            Effect.map(git.blame(opened, { path: "a b.txt", first, last, ...asked }), (lines) =>
              lines.map(
                ({ line, sha, subject }) => `${line} ${sha === null ? "-" : `${sha === one ? 1 : 2} ${subject}`}`
              )
            )
          expect(yield* shown({ from: two })).toEqual(["1 1 one\ttab", "2 2 two", "3 1 one\ttab"])
          expect(yield* shown({ from: one }, 2, 2)).toEqual(["2 1 one\ttab"])
          expect(yield* shown({ text: "0\n1\ntwo\n3\n" }, 1, 4)).toEqual([
            "1 -",
            "2 1 one\ttab",
            "3 2 two",
            "4 1 one\ttab"
          ])
          const asked = { path: "a b.txt", first: 2, last: 2, limit: 9 }
          expect((yield* git.lineHistory(opened, { ...asked, from: two })).map(({ sha }) => sha)).toEqual([two, one])
          expect((yield* git.lineHistory(opened, { ...asked, from: two, limit: 1 })).map(({ sha }) => sha)).toEqual([
            two
          ])
        })
      )
    })
  )

  it.live("reads names and blame from the commits, whatever the configuration of the repository", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", { "a.txt": "a line of some length 1\n" })
      const two = repository.commit("two", { "a.txt": "a line of some length 2\n" })
      repository.write("../mailmap", "Mallory <mallory@evil> Ada <ada@example.com>\n").write("../ignored", `${two}\n`)
      repository.git("config", "blame.ignoreRevsFile", repository.path("../ignored"))
      repository.git("config", "mailmap.file", repository.path("../mailmap"))
      repository.git("config", "log.mailmap", "true")
      const plain = new TextDecoder().decode(tryGit(repository.root, ["blame", "a.txt"]).stdout)
      expect(plain).toContain("Mallory")
      expect(plain).not.toContain(two.slice(0, 7))
      const said = yield* opening(repository, (git, opened) =>
        Effect.gen(function* () {
          const from = opened.head.sha!
          const blamed = yield* git.blame(opened, { from, path: "a.txt", first: 1, last: 1 })
          const logged = yield* git.history(opened, { from, path: null, skip: 0, limit: 1 })
          return [...blamed, ...logged].map(({ author, sha }) => [author, sha])
        })
      )
      expect(said).toEqual([
        ["Ada", two],
        ["Ada", two]
      ])
    })
  )

  it.live("does not read through a link that took a folder's place", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", { "dir/a.txt": "1\n" })
      repository.write("../outside/a.txt", "stolen\n")
      rmSync(repository.path("dir"), { recursive: true })
      repository.link("dir", "../outside")
      const blamed = yield* opening(repository, (git, opened) =>
        git.blame(opened, { text: "1\n", path: "dir/a.txt", first: 1, last: 1 })
      )
      expect(blamed.map(({ sha, subject }) => [sha !== null, subject])).toEqual([[true, "one"]])
    })
  )

  it.live("finds the files that contain a text, on the requested side, attributes or not", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const first = repository.commit("one", {
        "a.txt": "a.b(\n",
        "deep/é d.txt": "xa.b(x\n",
        "c.txt": "A.B(\n",
        "d.txt": "axb(\n",
        ".gitattributes": "*.txt binary\n",
        ".gitignore": "ignored.txt\n"
      })
      repository.git("config", "grep.patternType", "perl")
      repository.write("a.txt", "gone\n").write("new.txt", "a.b(\n").write("ignored.txt", "a.b(\n")
      yield* opening(repository, (git, opened) =>
        Effect.gen(function* () {
          const found = (
            side: HeadSide,
            literals: ReadonlyArray<string>,
            ignoreCase = false,
            under: string | null = null
          ) => Effect.map(git.containing(opened, side, literals, { ignoreCase, under }), (paths) => paths.toSorted())
          const commit = { _tag: "Commit", sha: first } as const
          expect(yield* found(commit, ["a.b("])).toEqual(["a.txt", "deep/é d.txt"])
          expect(yield* found(commit, ["a.b("], true)).toEqual(["a.txt", "c.txt", "deep/é d.txt"])
          expect(yield* found(commit, ["a.b("], false, "deep")).toEqual(["deep/é d.txt"])
          expect(yield* found(commit, ["nope", "axb"])).toEqual(["d.txt"])
          expect(yield* found({ _tag: "Worktree" }, ["a.b("])).toEqual(["deep/é d.txt", "new.txt"])
          expect(yield* found({ _tag: "Index" }, ["a.b("])).toEqual(["a.txt", "deep/é d.txt"])
          expect(yield* found({ _tag: "Empty" }, ["a.b("])).toEqual([])
          expect(yield* found(commit, ["", "\n", "-e"])).toEqual([])
        })
      )
    })
  )

  it("reads whatever comes, also what git never prints", () => {
    expect(historyCommits(bytes(""))).toEqual([])
    expect(historyCommits(bytes(`\0${"a".repeat(40)}`))).toEqual([
      { sha: "a".repeat(40), parents: [], author: "", date: "", time: 0, subject: "", files: [] }
    ])
    expect(blamedLines(bytes("\tonly text\nauthor x\n"))).toEqual([
      { line: 0, sha: null, author: "", date: "", subject: "" }
    ])
    const odd = `${"a".repeat(40)} 1 1 1\nauthor A\nauthor-time 99999999999999999\nsummary s\n\tx`
    expect(blamedLines(bytes(odd))).toEqual([{ line: 1, sha: "a".repeat(40), author: "A", date: "", subject: "s" }])
  })
})

describe("progress of reading history", () => {
  it.effect("counts the commits of the output, also those without a parent and merges", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("One", { a: "1" })
      tryGit(repository.root, ["checkout", "-q", "-b", "side"])
      repository.commit("Two", { b: "2" })
      tryGit(repository.root, ["checkout", "-q", "main"])
      repository.commit("Three", { c: "3" })
      tryGit(repository.root, ["merge", "-q", "--no-ff", "-m", "Both", "side"])
      let count = 0
      const commits = yield* opening(repository, (git, opened) =>
        git.history(opened, {
          from: "HEAD",
          path: null,
          skip: 0,
          limit: 10,
          onOutput: (chunk) => {
            count += commitsIn(chunk)
          }
        })
      )
      expect([commits.length, count]).toEqual([4, 4])
    })
  )
})
