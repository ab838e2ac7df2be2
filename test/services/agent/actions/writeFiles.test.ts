import { describe, expect } from "bun:test"
import { spawnSync } from "node:child_process"
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync
} from "node:fs"
import { Effect, FileSystem, Path, Result } from "effect"
import type { GuardedKind } from "../../../../src/domain/agent/guardedPath.ts"
import { repositoryPath } from "../../../../src/domain/agent/repositoryPath.ts"
import * as Platform from "../../../../src/layers/system/Platform.ts"
import { makeWriteFiles } from "../../../../src/services/agent/actions/writeFiles.ts"
import type { ActionAnswer } from "../../../../src/services/agent/runtime/Action.ts"
import { askOf } from "../../../support/acting.ts"
import { it } from "../../../support/effect.ts"
import { hostilePaths } from "../../../support/hostilePaths.ts"
import { makeRepository, type TestRepository } from "../../../support/repository.ts"

const shown = { path: (path: string) => path, words: (text: string) => text }

/** The writing tools on a working tree, told in one text. */
const writing = (
  root: string,
  allow: ReadonlyArray<GuardedKind> = [],
  change: (fs: FileSystem.FileSystem) => FileSystem.FileSystem = (fs) => fs
) =>
  Effect.gen(function* () {
    const fs = change(yield* FileSystem.FileSystem)
    const paths = yield* Path.Path
    const writeTo = (only: string) => askOf(makeWriteFiles({ fs, paths }, shown, { root, allow }, only))
    return (name: string, input: Input, only?: string) =>
      Effect.map(
        writeTo(only ?? Result.getOrElse(repositoryPath(input.path), () => ""))(name, input),
        ({ isError, text }: ActionAnswer) => (isError ? `ERROR ${text}` : text)
      )
  }).pipe(Effect.provide(Platform.layer))

interface Input {
  readonly path: string
  readonly [field: string]: string
}
type Call = readonly [name: string, input: Input]
const edit = (path: string, old: string, fresh: string): Call => ["edit_file", { path, old, new: fresh }]
const create = (path: string, content = "new\n"): Call => ["create_file", { path, content }]
const remove = (path: string): Call => ["delete_file", { path }]

const text = (repository: TestRepository, path: string) => readFileSync(repository.path(path), "utf8")
/** Every name in the tree but git's own: nothing may be left aside. */
const names = (repository: TestRepository) =>
  readdirSync(repository.root, { recursive: true, encoding: "utf8" })
    .filter((name) => !/^\.git(\/|$)/.test(name))
    .toSorted()

const makeTree = Effect.map(makeRepository, (repository) => {
  repository.commit("one", { "src/a.ts": "one\ntwo\n", "run.sh": "#!/bin/sh\n", "w.txt": "a\r\nb\r\n" })
  chmodSync(repository.path("run.sh"), 0o755)
  return repository
})

describe("writing tools", () => {
  it.live("edit, create and delete files, and leave nothing else behind", () =>
    Effect.gen(function* () {
      const repository = yield* makeTree
      const ask = yield* writing(repository.root)
      expect(yield* ask(...edit("./src/a.ts", "two", "zwei"))).toBe("src/a.ts edited at line 2")
      expect(text(repository, "src/a.ts")).toBe("one\nzwei\n")
      expect(yield* ask(...edit("run.sh", "sh\n", "sh\nset -e\n"))).toBe("run.sh edited at line 1")
      expect(lstatSync(repository.path("run.sh")).mode & 0o777).toBe(0o755)
      expect(yield* ask(...edit("w.txt", "a\nb", "x\ny"))).toBe("w.txt edited at line 1")
      expect(text(repository, "w.txt")).toBe("x\r\ny\r\n")
      expect(yield* ask(...create("deep/er/b.ts", "é\n"))).toBe("deep/er/b.ts created")
      expect(text(repository, "deep/er/b.ts")).toBe("é\n")
      expect(lstatSync(repository.path("deep/er/b.ts")).nlink).toBe(1)
      expect(yield* ask(...remove("run.sh"))).toBe("run.sh deleted")
      expect(names(repository)).toEqual(["deep", "deep/er", "deep/er/b.ts", "src", "src/a.ts", "w.txt"])
    })
  )

  it.live("write only the file of the task", () =>
    Effect.gen(function* () {
      const repository = yield* makeTree
      const ask = yield* writing(repository.root)
      for (const call of [edit("w.txt", "a", "x"), create("b.ts"), remove("run.sh"), edit("src/../w.txt", "a", "x")]) {
        expect(yield* ask(...call, "src/a.ts")).toStartWith("ERROR ")
      }
      expect(yield* ask(...create("b.ts"), "src/a.ts")).toBe(
        "ERROR b.ts may not be written: this task may change only src/a.ts"
      )
      expect(yield* ask(...edit("./src/a.ts", "two", "zwei"), "src/a.ts")).toBe("src/a.ts edited at line 2")
      expect(names(repository)).toEqual(["run.sh", "src", "src/a.ts", "w.txt"])
      expect(text(repository, "w.txt")).toBe("a\r\nb\r\n")
    })
  )

  it.live("report why they refuse, and change nothing", () =>
    Effect.gen(function* () {
      const repository = yield* makeTree
      repository.write("bin", Uint8Array.of(1, 0)).write("latin", Uint8Array.of(0xe9)).write("bom", "\ufeffx\n")
      repository.write("large", "x".repeat(2_000_001))
      spawnSync("mkfifo", [repository.path("pipe")])
      const before = names(repository)
      const ask = yield* writing(repository.root)
      const refusals = [
        [edit("src/a.ts", "three", "x"), "is not in the file"],
        [edit("src/a.ts", "o", "x"), "2 times"],
        [edit("src/a.ts", "", "x"), "arguments"],
        [edit("src/b.ts", "one", "x"), "create_file makes a new file"],
        [edit("src", "one", "x"), "it is a folder"],
        [edit("src/a.ts/b", "one", "x"), "is a file, not a folder"],
        [edit("bin", "\u0001", "x"), "not UTF-8 text"],
        [edit("latin", "x", "y"), "not UTF-8 text"],
        [edit("large", "x", "y"), "more than 2000000"],
        [edit("pipe", "x", "y"), "not a regular file"],
        [edit("src/a.ts", "one", "y".repeat(2_000_001)), "more than 2000000"],
        [create("src/a.ts"), "edit_file changes it"],
        [create("src"), "edit_file changes it"],
        [create("src/a.ts/b"), "is a file, not a folder"],
        [create("n.ts", "[REDACTED_API_KEY]"), "[REDACTED_...]"],
        [create("n.ts", "y".repeat(2_000_001)), "more than 2000000"],
        [create("n/"), "names a folder"],
        [remove("nowhere"), "does not exist"],
        [remove("src"), "it is a folder"],
        [remove("pipe"), "not a regular file"]
      ] as const
      for (const [call, reason] of refusals) {
        const answer = yield* ask(...call)
        expect([call, answer]).toEqual([call, expect.stringContaining(reason)])
        expect(answer).toStartWith("ERROR")
      }
      expect(names(repository)).toEqual(before)
      expect(text(repository, "src/a.ts")).toBe("one\ntwo\n")
      expect(yield* ask(...edit("bom", "x", "y"))).toBe("bom edited at line 1")
      expect(text(repository, "bom")).toBe("\ufeffy\n")
    })
  )

  it.live("refuse hostile paths, files that are executed elsewhere, and generated files", () =>
    Effect.gen(function* () {
      const repository = yield* makeTree
      const before = names(repository)
      const ask = yield* writing(repository.root)
      const guarded = [
        ".github/workflows/ci.yml",
        ".husky/pre-commit",
        "package-lock.json",
        ".GitHub/Workflows/x.yml",
        "Jenkinsfile",
        ".envrc",
        ".gitmodules"
      ]
      for (const path of [...hostilePaths, ...guarded]) {
        for (const call of [edit(path, "a", "b"), create(path), remove(path)]) {
          expect([path.slice(0, 40), yield* ask(...call)]).toEqual([path.slice(0, 40), expect.stringMatching(/^ERROR/)])
        }
      }
      expect(names(repository)).toEqual(before)
      expect(existsSync(repository.path("../outside.txt"))).toBe(false)
      expect(existsSync(repository.path(".git/hooks/x"))).toBe(false)
      const allowed = yield* writing(repository.root, ["ci", "lockfiles"])
      expect(yield* allowed(...create(".github/workflows/ci.yml"))).toBe(".github/workflows/ci.yml created")
      expect(yield* allowed(...create("Cargo.lock"))).toBe("Cargo.lock created")
      expect(yield* allowed(...create(".husky/pre-commit"))).toContain("may not be written")
      expect(yield* allowed(...create(".git/hooks/pre-commit"))).toContain("git's own files")
    })
  )

  it.live("follow no link, and write into no other repository", () =>
    Effect.gen(function* () {
      const repository = yield* makeTree
      repository.write("../outside/a.txt", "outside\n")
      repository.link("file-link", "../outside/a.txt").link("dir-link", "../outside").link("inner-link", "src")
      repository.link("dangling", "../outside/none.txt").link("src/up", "..").link("loop", "loop")
      repository.write("sub/.git", "gitdir: elsewhere\n").write("sub/x.c", "int x;\n")
      const ask = yield* writing(repository.root)
      const paths = ["file-link", "dir-link/a.txt", "inner-link/a.ts", "src/up/src/a.ts", "loop/x", "sub/x.c", "loop"]
      for (const path of paths) {
        for (const call of [edit(path, "o", "x"), remove(path)]) {
          expect([path, yield* ask(...call)]).toEqual([
            path,
            expect.stringMatching(/^ERROR .*(link|another repository)/)
          ])
        }
      }
      for (const path of [
        "dangling",
        "dir-link/new.txt",
        "inner-link/new.ts",
        "src/up/new.ts",
        "sub/new.c",
        "loop/x",
        "loop"
      ]) {
        expect([path, yield* ask(...create(path))]).toEqual([path, expect.stringMatching(/^ERROR/)])
      }
      expect(text(repository, "../outside/a.txt")).toBe("outside\n")
      expect(readdirSync(repository.path("../outside"))).toEqual(["a.txt"])
      expect(readdirSync(repository.path("sub")).toSorted()).toEqual([".git", "x.c"])
      expect(text(repository, "src/a.ts")).toBe("one\ntwo\n")
    })
  )

  it.live("detect that a folder became a link meanwhile, and change nothing outside", () =>
    Effect.gen(function* () {
      for (const call of [edit("src/a.ts", "one", "evil"), create("src/new.ts", "evil\n"), remove("src/a.ts")]) {
        const repository = yield* makeTree
        repository.write("../outside/a.ts", "one\n")
        let swapped = 0
        const swap = Effect.sync(() => {
          if (swapped++ > 0) return
          renameSync(repository.path("src"), repository.path("moved"))
          symlinkSync("../outside", repository.path("src"))
        })
        // Whoever else may write in the tree does so at the last moment: before the draft is written, or the file moved.
        const ask = yield* writing(repository.root, [], (fs) => ({
          ...fs,
          writeFile: (path, data, options) => Effect.andThen(swap, fs.writeFile(path, data, options)),
          rename: (from, to) => Effect.andThen(swap, fs.rename(from, to))
        }))
        expect([call, yield* ask(...call)]).toEqual([call, expect.stringContaining("changed meanwhile")])
        expect(swapped).toBeGreaterThan(0)
        expect(readdirSync(repository.path("../outside"))).toEqual(["a.ts"])
        expect(text(repository, "../outside/a.ts")).toBe("one\n")
        expect([readdirSync(repository.path("moved")), text(repository, "moved/a.ts")]).toEqual([
          ["a.ts"],
          "one\ntwo\n"
        ])
      }
    })
  )

  it.live("leave the old file complete and no draft when the disk fails", () =>
    Effect.gen(function* () {
      const repository = yield* makeTree
      mkdirSync(repository.path("ro"))
      const before = names(repository)
      const ask = yield* writing(repository.root, [], (fs) => ({
        ...fs,
        rename: () => fs.rename("/nowhere/a", "/nowhere/b"),
        link: () => fs.link("/nowhere/a", "/nowhere/b")
      }))
      expect(yield* ask(...edit("src/a.ts", "one", "x"))).toStartWith("ERROR")
      expect(yield* ask(...create("new.ts"))).toStartWith("ERROR")
      expect(names(repository)).toEqual(before)
      expect(text(repository, "src/a.ts")).toBe("one\ntwo\n")
      const gone = yield* writing(`${repository.root}/nowhere`)
      expect(yield* gone(...create("a.ts"))).toStartWith("ERROR")
    })
  )

  it.live("allow one of many calls to create the same file", () =>
    Effect.gen(function* () {
      const repository = yield* makeTree
      const ask = yield* writing(repository.root)
      const answers = yield* Effect.forEach(
        Array.from({ length: 20 }, (_, at) => at),
        (at) => ask(...create("x/y.txt", `${at}\n`)),
        { concurrency: "unbounded" }
      )
      expect(answers.filter((answer) => answer === "x/y.txt created").length).toBe(1)
      expect(readdirSync(repository.path("x"))).toEqual(["y.txt"])
    })
  )
})
