import { describe, expect } from "bun:test"
import { spawnSync } from "node:child_process"
import { rmSync } from "node:fs"
import { Effect, Layer } from "effect"
import type { Change, Selection } from "../../../../src/domain/change/Change.ts"
import * as NoFacts from "../../../../src/layers/change/facts/None.ts"
import * as SourcesGit from "../../../../src/layers/change/sources/Git.ts"
import * as Platform from "../../../../src/layers/system/Platform.ts"
import { Changes } from "../../../../src/services/change/Changes.ts"
import { Git } from "../../../../src/services/change/Git.ts"
import { Sources, type SourceText } from "../../../../src/services/change/Sources.ts"
import { it } from "../../../support/effect.ts"
import { makeRepository, type TestRepository, tryGit } from "../../../support/repository.ts"

const live = Changes.layer.pipe(Layer.provideMerge(Git.layer), Layer.provideMerge(Platform.layer))

/** Opens the change and hands its sources, and how often git was asked for blobs and lists, to a test. */
const reading = <A, E>(
  repository: TestRepository,
  selection: Selection,
  use: (sources: Sources["Service"], asked: { readonly calls: Array<string> }, change: Change) => Effect.Effect<A, E>
) =>
  Effect.gen(function* () {
    const git = yield* Git
    const opened = yield* git.open(repository.root)
    const change = yield* (yield* Changes).resolve(opened, selection)
    const asked = { calls: [] as Array<string> }
    const count = (call: string) => Effect.sync(() => asked.calls.push(call))
    const counted = Git.of({
      ...git,
      lsTree: (...args) => Effect.andThen(count("lsTree"), git.lsTree(...args)),
      lsFiles: (...args) => Effect.andThen(count("lsFiles"), git.lsFiles(...args)),
      readBlobs: (...args) => Effect.andThen(count("readBlobs"), git.readBlobs(...args)),
      joinedBlobs: (...args) => Effect.andThen(count("joinedBlobs"), git.joinedBlobs(...args)),
      mentioning: (...args) => Effect.andThen(count("mentioning"), git.mentioning(...args))
    })
    const layer = SourcesGit.layer(opened, change).pipe(Layer.provide([Layer.succeed(Git, counted), NoFacts.layer]))
    return yield* Sources.use((sources) => use(sources, asked, change)).pipe(Effect.provide(layer))
  }).pipe(Effect.provide(live))

const said = (text: SourceText) =>
  text._tag === "Text" ? text.text : text._tag === "Link" ? `-> ${text.target}` : text._tag
const both = (sources: Sources["Service"], path: string) =>
  Effect.all([Effect.map(sources.base(path), said), Effect.map(sources.head(path), said)])

const byDefault: Selection = { _tag: "Default" }

describe("sources from git", () => {
  it.live("returns both sides of a commit: added, deleted, renamed, linked, binary, large and untouched", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const body = "a line that stays\n".repeat(9)
      repository.commit("one", { same: "same\n", gone: "gone\n", old: body, edit: "1\n", "moved/from": "moved\n" })
      repository.remove("moved/from").write("moved/to", "moved\n")
      repository.remove("gone").remove("old").link("link", "../outside").write("bin", Uint8Array.of(1, 0))
      repository.write("large", "x".repeat(2_000_001))
      repository.commit("two", { edit: "2\n", new: `${body}end\n`, fresh: "fresh\n" })
      yield* reading(repository, byDefault, (sources) =>
        Effect.gen(function* () {
          expect(yield* both(sources, "edit")).toEqual(["1\n", "2\n"])
          expect(yield* both(sources, "fresh")).toEqual(["Absent", "fresh\n"])
          expect(yield* both(sources, "gone")).toEqual(["gone\n", "Absent"])
          expect(yield* both(sources, "old")).toEqual([body, "Absent"])
          expect(yield* both(sources, "new")).toEqual(["Absent", `${body}end\n`])
          expect(yield* both(sources, "moved/from")).toEqual(["moved\n", "Absent"])
          expect(yield* both(sources, "moved/to")).toEqual(["Absent", "moved\n"])
          expect(yield* both(sources, "same")).toEqual(["same\n", "same\n"])
          expect(yield* both(sources, "link")).toEqual(["Absent", "-> ../outside"])
          expect(yield* sources.head("bin")).toEqual({ _tag: "Binary", bytes: 2 })
          expect(yield* sources.head("large")).toEqual({ _tag: "TooLarge", bytes: 2_000_001 })
          for (const odd of ["nowhere", "", ".", "../repo/edit", "/etc/passwd", "*"]) {
            expect(yield* both(sources, odd)).toEqual(["Absent", "Absent"])
          }
          expect(yield* sources.headPaths).toEqual(["bin", "edit", "fresh", "large", "link", "moved/to", "new", "same"])
        })
      )
    })
  )

  it.live("reads all files of a diff in one process, and nothing twice", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const names = Array.from({ length: 40 }, (_, i) => `f${i}`)
      repository.commit("one", Object.fromEntries(names.map((name) => [name, `${name} old\n`])))
      repository.commit("two", Object.fromEntries(names.map((name) => [name, `${name} new\n`])))
      yield* reading(repository, byDefault, (sources, asked) =>
        Effect.gen(function* () {
          yield* sources.preload(names, names)
          for (const name of names) expect(yield* both(sources, name)).toEqual([`${name} old\n`, `${name} new\n`])
          expect(asked.calls).toEqual(["readBlobs"])
        })
      )
    })
  )

  it.live("reads the files of the changed files' languages once, for all searches", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", { "a.py": "old\n", "user.py": "import a\n", "user.md": "a\n" })
      repository.commit("two", { "a.py": "new\n" })
      yield* reading(repository, byDefault, (sources, asked) =>
        Effect.gen(function* () {
          expect(yield* sources.mentioning(["a"], [".py"])).toEqual(["user.py"])
          expect(yield* sources.mentioning(["new"], [".py"])).toEqual(["a.py"])
          expect(asked.calls.filter((call) => call !== "lsTree")).toEqual(["joinedBlobs"])
        })
      )
    })
  )

  it.live("lists a tree once, however many questions come at the same time", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", { a: "1\n", b: "1\n", c: "1\n" })
      repository.commit("two", { a: "2\n" })
      yield* reading(repository, byDefault, (sources, asked) =>
        Effect.gen(function* () {
          const texts = yield* Effect.all(
            ["b", "c", "b", "nowhere"].map((path) => sources.head(path)),
            { concurrency: 4 }
          )
          expect(texts.map(said)).toEqual(["1\n", "1\n", "1\n", "Absent"])
          yield* sources.headPaths
          expect(asked.calls.filter((call) => call === "lsTree")).toEqual(["lsTree"])
        })
      )
    })
  )

  it.live(
    "lists a folder as the base has it: neither what was added, nor without what was removed, nor what is deeper",
    () =>
      Effect.gen(function* () {
        const repository = yield* makeRepository
        repository.commit("one", {
          "rules/a": "a",
          "rules/gone": "g",
          "rules/deep/x": "x",
          "rules.md": "m",
          other: "1"
        })
        repository.remove("rules/gone")
        repository.commit("two", { "rules/a": "b", "rules/added": "n", other: "2" })
        const folder = (selection: Selection) =>
          reading(repository, selection, (sources) => sources.baseFolder("rules"))
        expect(yield* folder(byDefault)).toEqual(["rules/a", "rules/gone"])
        repository.write("rules/untracked", "u").write("other", "3")
        expect(yield* folder({ _tag: "Base", base: "HEAD" })).toEqual(["rules/a", "rules/added"])
        expect(yield* reading(repository, byDefault, (sources) => sources.baseFolder("nowhere"))).toEqual([])
      })
  )

  it.live("never takes an added file's text for its base, whatever is read with it", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", { same: "same\n", edit: "1\n" })
      repository.commit("two", { edit: "2\n", "policy.toml": "loose\n" })
      yield* reading(repository, byDefault, (sources) =>
        Effect.gen(function* () {
          yield* sources.preload(["same", "policy.toml", "edit"])
          expect(yield* both(sources, "policy.toml")).toEqual(["Absent", "loose\n"])
          expect(yield* both(sources, "same")).toEqual(["same\n", "same\n"])
        })
      )
    })
  )

  it.live("returns the index for what is staged", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", { a: "1\n", b: "1\n" })
      repository.write("a", "2\n").git("add", "a")
      repository.write("a", "3\n").write("u", "u\n")
      yield* reading(repository, { _tag: "Staged" }, (sources) =>
        Effect.gen(function* () {
          expect(yield* both(sources, "a")).toEqual(["1\n", "2\n"])
          expect(yield* both(sources, "b")).toEqual(["1\n", "1\n"])
          expect(yield* both(sources, "u")).toEqual(["Absent", "Absent"])
          expect(yield* sources.headPaths).toEqual(["a", "b"])
        })
      )
    })
  )

  it.live("returns the working tree as the disk has it, untracked and deleted files included", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", { a: "1\n", b: "1\n", gone: "1\n" })
      repository.write("a", "2\r\n").write("new", "\ufeffn\n").remove("gone")
      yield* reading(repository, byDefault, (sources) =>
        Effect.gen(function* () {
          yield* sources.preload(["a", "new", "gone"], ["a", "new", "gone"])
          expect(yield* sources.head("a")).toEqual({ _tag: "Text", text: "2\r\n", lines: ["2"] })
          expect(yield* both(sources, "new")).toEqual(["Absent", "n\n"])
          expect(yield* both(sources, "gone")).toEqual(["1\n", "Absent"])
          expect(yield* both(sources, "b")).toEqual(["1\n", "1\n"])
          expect(yield* sources.headPaths).toEqual(["a", "b", "new"])
        })
      )
    })
  )

  it.live("names the blob of a file just where the text is that blob's", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", { a: "1\n", b: "1\n", gone: "1\n" })
      repository.write("a", "2\n").write("new", "n\n").remove("gone").link("link", "b")
      const blob = (path: string) => repository.git("rev-parse", `HEAD:${path}`)
      yield* reading(repository, byDefault, (sources) =>
        Effect.gen(function* () {
          const head = (path: string) => sources.blobOf("head", path)
          const base = (path: string) => sources.blobOf("base", path)
          expect([yield* head("b"), yield* base("b")]).toEqual([blob("b"), blob("b")])
          expect([yield* head("a"), yield* base("a")]).toEqual([null, blob("a")])
          expect([yield* head("new"), yield* base("new"), yield* head("gone")]).toEqual([null, null, null])
          expect([yield* head("link"), yield* head("nowhere")]).toEqual([null, null])
        })
      )
    })
  )

  it.live("never leaves the working tree, opens its .git, a device or a FIFO, or follows a link", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", { a: "1\n", "dir/x": "1\n" })
      repository.write("../secret", "secret\n").write("a", "2\n")
      repository.link("out", "..").link("passwd", "/etc/passwd").link("null", "/dev/null").link("git", ".git")
      repository.link("inside", "dir").link("dangling", "nowhere")
      spawnSync("mkfifo", [repository.path("fifo")])
      yield* reading(repository, byDefault, (sources) =>
        Effect.gen(function* () {
          const head = (path: string) => Effect.map(sources.head(path), said)
          expect(yield* head("passwd")).toBe("-> /etc/passwd")
          expect(yield* head("null")).toBe("-> /dev/null")
          expect(yield* head("dangling")).toBe("-> nowhere")
          for (const path of [
            "out/secret",
            "../secret",
            "a/../../secret",
            "/etc/passwd",
            ".git/config",
            ".GIT/config",
            "git/config",
            "dir/.git/x",
            "fifo",
            "a\0b",
            "./a",
            ""
          ]) {
            expect([path, yield* head(path)]).toEqual([path, "Unreadable"])
          }
          expect(yield* head("inside/x")).toBe("1\n")
          expect(yield* head("dir")).toBe("Absent")
          expect(yield* head("a/b")).toBe("Absent")
        })
      )
    })
  )

  it.live("returns files with a filter unchanged: a large-file pointer stays a pointer", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", { ".gitattributes": "*.bin filter=lfs\n", "x.bin": "pointer\n" })
      repository.git("config", "filter.lfs.smudge", "tr a-z A-Z")
      repository.git("config", "filter.lfs.clean", "tr A-Z a-z")
      repository.git("config", "filter.lfs.required", "true")
      repository.write("x.bin", "POINTER 2\n")
      yield* reading(repository, byDefault, (sources) =>
        Effect.gen(function* () {
          expect(yield* both(sources, "x.bin")).toEqual(["pointer\n", "POINTER 2\n"])
        })
      )
    })
  )

  it.live("returns files that a sparse checkout left out", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", { "a/x": "x\n", "b/y": "y\n" })
      repository.git("sparse-checkout", "set", "a")
      repository.write("a/x", "2\n")
      yield* reading(repository, byDefault, (sources, _, change) =>
        Effect.gen(function* () {
          expect(change.diff.files.map((file) => file.path)).toEqual(["a/x"])
          expect(yield* both(sources, "b/y")).toEqual(["y\n", "y\n"])
          expect(yield* sources.headPaths).toEqual(["a/x", "b/y"])
        })
      )
    })
  )

  it.live("shows the change of a submodule, without a text", () =>
    Effect.gen(function* () {
      const inner = yield* makeRepository
      inner.commit("inner", { i: "1\n" })
      const repository = yield* makeRepository
      repository.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.root, "sub")
      repository.commit("one", { a: "1\n" })
      const moved = inner.commit("inner two", { i: "2\n" })
      repository.git("-C", "sub", "-c", "protocol.file.allow=always", "fetch", "--quiet", inner.root)
      repository.git("-C", "sub", "checkout", "--quiet", moved)
      yield* reading(repository, byDefault, (sources, _, change) =>
        Effect.gen(function* () {
          expect(change.diff.files.map((file) => [file.path, file.newMode])).toEqual([["sub", "160000"]])
          expect(yield* both(sources, "sub")).toEqual(["Absent", "Absent"])
          expect(yield* sources.headPaths).toEqual([".gitmodules", "a"])
        })
      )
      repository.commit("two")
      yield* reading(repository, byDefault, (sources) =>
        Effect.gen(function* () {
          expect(yield* both(sources, "sub")).toEqual(["Absent", "Absent"])
          expect(yield* sources.headPaths).toEqual([".gitmodules", "a"])
        })
      )
    })
  )

  it.live("reads a name that is not UTF-8 by its object", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one")
      const oid = repository.write("../content", "bytes\n").git("hash-object", "-w", "../content")
      const entry = Buffer.concat([Buffer.from(`100644 ${oid}\t`), Buffer.of(0xff), Buffer.from("\n")])
      expect(tryGit(repository.root, ["update-index", "--index-info"], entry).status).toBe(0)
      repository.git("commit", "--quiet", "--message", "two")
      yield* reading(repository, { _tag: "Commit", commit: "HEAD" }, (sources) =>
        Effect.gen(function* () {
          expect(yield* both(sources, "\\xff")).toEqual(["Absent", "bytes\n"])
        })
      )
    })
  )

  it.live("reports why an object cannot be read, and goes on with the others", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", { a: "1\n", b: "1\n", far: "far away\n" })
      repository.commit("two", { a: "2\n" })
      const oid = repository.git("rev-parse", "HEAD:far")
      rmSync(repository.path(".git/objects", oid.slice(0, 2), oid.slice(2)), { force: true })
      yield* reading(repository, byDefault, (sources) =>
        Effect.gen(function* () {
          const far = yield* sources.head("far")
          expect(far._tag === "Unreadable" && far.reason).toContain("not in this clone")
          expect(yield* both(sources, "a")).toEqual(["1\n", "2\n"])
        })
      )
      yield* reading(repository, byDefault, (sources) =>
        Effect.gen(function* () {
          rmSync(repository.path(".git/HEAD"))
          const text = yield* sources.head("b")
          expect(text._tag === "Unreadable" && text.reason).toContain("git")
          // What git had said before stays said.
          expect(yield* sources.headPaths).toEqual(["a", "b", "far"])
        })
      )
    })
  )

  it.live("reverses an applied patch to get its base", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", { a: "1\n2\n3\n", gone: "gone\n", same: "same\n" })
      repository.write("a", "1\ntwo\n3\n").write("new", "new\n").remove("gone").git("add", "--all")
      const text = repository.gitBytes("diff", "--cached")
      repository.write("same", "edited since\n")
      yield* reading(repository, { _tag: "Patch", origin: "-", text }, (sources) =>
        Effect.gen(function* () {
          expect(yield* both(sources, "a")).toEqual(["1\n2\n3\n", "1\ntwo\n3\n"])
          expect(yield* both(sources, "new")).toEqual(["Absent", "new\n"])
          expect(yield* both(sources, "gone")).toEqual(["gone\n", "Absent"])
          expect(yield* both(sources, "same")).toEqual(["edited since\n", "edited since\n"])
        })
      )
    })
  )
})
