import { describe, expect, test } from "bun:test"
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { ConfigProvider, Effect, Layer } from "effect"
import * as Platform from "../../../src/layers/system/Platform.ts"
import { Git } from "../../../src/services/change/Git.ts"
import { GitMaxOutput, GitTimeout } from "../../../src/services/change/gitCall.ts"
import { nearestRevision } from "../../../src/services/change/gitCommits.ts"
import { childEnvironment } from "../../../src/services/change/gitHardening.ts"
import { BlobReader, commitsOf, indexEntries, nulTexts, rawParents } from "../../../src/services/change/gitOutput.ts"
import type { Repository } from "../../../src/services/change/openRepository.ts"
import { it } from "../../support/effect.ts"
import { initRepository, makeDirectory, makeRepository, type TestRepository, tryGit } from "../../support/repository.ts"

const live = Git.layer.pipe(Layer.provide(Platform.layer))

const withGit = <A, E, R>(use: (git: Git["Service"]) => Effect.Effect<A, E, R>) =>
  Git.use(use).pipe(Effect.provide(live))

const open = (target: string) => withGit((git) => git.open(target))
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
const commitSide = (sha: string) => ({ _tag: "Commit", sha }) as const
const worktree = { _tag: "Worktree" } as const

/** Everything Git can be asked, once. */
const askEverything = (git: Git["Service"], repository: Repository) =>
  Effect.gen(function* () {
    const head = repository.head.sha!
    yield* git.resolve(repository, "HEAD")
    yield* git.commit(repository, "HEAD")
    yield* git.mergeBase(repository, head, head)
    yield* git.refs(repository, ["refs/heads/main"])
    yield* git.log(repository, { from: null, to: head, limit: 9 })
    yield* git.history(repository, { from: head, not: [head], path: null, skip: 0, limit: 9 })
    yield* git.parents(repository, head)
    const [first = commitSide(head)] = (yield* git.parents(repository, head)).map(commitSide)
    yield* git.diff(repository, { base: first, head: commitSide(head) })
    yield* git.diff(repository, { base: { _tag: "Empty" }, head: commitSide(head) })
    yield* git.diff(repository, { base: commitSide(head), head: { _tag: "Index" } })
    yield* git.diff(repository, { base: commitSide(head), head: worktree })
    yield* git.status(repository)
    const files = yield* git.lsFiles(repository)
    const tree = yield* git.lsTree(repository, head)
    yield* git.readBlobs(
      repository,
      [...files, ...tree].map((entry) => entry.oid),
      1000
    )
    yield* git.joinedBlobs(
      repository,
      tree.map((entry) => entry.oid),
      1_000_000
    )
    for (const side of [commitSide(head), { _tag: "Index" } as const, worktree]) {
      yield* git.mentioning(repository, side, ["1", "3"], [".txt", ".ext", ".proc", ".x"])
      yield* git.places(repository, side, ["1", "3"], [".txt", ".ext", ".proc", ".x"])
      yield* git.containing(repository, side, ["1", "3"], { ignoreCase: true, under: null })
    }
    const some = tree.map((entry) => entry.path).filter((path) => /^[a-z]\.(?:txt|ext)$/.test(path))
    for (const path of [...some, null]) yield* git.history(repository, { from: head, path, skip: 0, limit: 9 })
    for (const path of some) {
      yield* git.lineHistory(repository, { from: head, path, first: 1, last: 1, limit: 9 })
      yield* git.blame(repository, { from: head, path, first: 1, last: 1 })
      yield* git.blame(repository, { text: "3\n", path, first: 1, last: 1 })
    }
  })

/** A repository whose configuration runs a program wherever git lets one run; each leaves a marker. */
const makeHostile = (root: string): { readonly repository: TestRepository; readonly markers: string } => {
  const markers = join(root, "markers")
  mkdirSync(markers)
  const repository = initRepository(join(root, "repo"))
  const bin = join(root, "bin")
  mkdirSync(bin)
  const trap = (name: string, body = "cat") => {
    const file = join(bin, name)
    writeFileSync(file, `#!/bin/sh\necho x >> '${markers}/${name}'\n${body}\n`)
    chmodSync(file, 0o755)
    return file
  }
  /** For a place where git asks a shell, which would cut it at a blank. */
  const shell = (name: string, body?: string) => `'${trap(name, body)}'`
  repository.commit("one", { "a.txt": "1\n", "b.ext": "1\n", "c.proc": "1\n", "odd.x": "1\n" })
  repository.commit("two", { "a.txt": "2\n", "b.ext": "2\n" })
  const set = (key: string, value: string) => repository.git("config", key, value)
  set("core.fsmonitor", shell("fsmonitor", "exit 1"))
  set("core.hooksPath", bin)
  for (const hook of ["post-index-change", "post-checkout", "pre-commit", "reference-transaction"]) trap(hook, "exit 0")
  set("core.pager", shell("pager"))
  set("pager.diff", shell("pager-diff"))
  set("pager.log", shell("pager-log"))
  set("core.sshCommand", shell("ssh", "exit 1"))
  set("core.askPass", trap("askpass", "exit 1"))
  set("credential.helper", trap("credential", "exit 1"))
  set("core.alternateRefsCommand", shell("alternate-refs", "exit 0"))
  set("core.editor", shell("editor", "exit 0"))
  set("diff.external", shell("external-diff", "exit 0"))
  set("diff.trap.command", shell("driver-diff", "exit 0"))
  set("diff.trap.textconv", shell("textconv", 'cat "$1"'))
  set("diff.conv.textconv", shell("textconv-conv", 'cat "$1"'))
  set("filter.trap.clean", shell("clean"))
  set("filter.trap.smudge", shell("smudge"))
  set("filter.trap.required", "true")
  set("filter.daemon.process", shell("process", "exit 1"))
  set("filter.daemon.required", "true")
  set("filter.a.b=c.clean", shell("clean-equals"))
  set("gpg.program", trap("gpg", "exit 1"))
  set("log.showSignature", "true")
  set("alias.status", `!${shell("alias")}`)
  set("interactive.diffFilter", shell("diff-filter"))
  set("submodule.recurse", "true")
  set("protocol.allow", "always")
  set("protocol.ext.allow", "always")
  set("extensions.partialClone", "evil")
  set("remote.evil.url", `ext::${trap("transport", "exit 1").replaceAll(" ", "% ")} %S`)
  set("remote.evil.promisor", "true")
  repository.write(
    ".gitattributes",
    "*.txt filter=trap diff=trap\n*.ext diff=conv\n*.proc filter=daemon\n*.x filter=a.b=c\n"
  )
  for (const file of ["a.txt", "b.ext", "c.proc", "odd.x"]) repository.write(file, "3\n")
  for (const name of readdirSync(markers)) repository.remove(join("../markers", name))
  return { repository, markers }
}

/** Processes that work in a directory, as /proc tells. */
const processesIn = (directory: string): ReadonlyArray<number> =>
  readdirSync("/proc").flatMap((pid) => {
    try {
      return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/cwd`) === directory ? [Number(pid)] : []
    } catch {
      return []
    }
  })

describe("Git", () => {
  it.live("runs nothing that a hostile repository configures, while plain git does", () =>
    Effect.gen(function* () {
      const { repository, markers } = makeHostile(yield* makeDirectory)
      const sha = tryGit(repository.root, ["rev-parse", "HEAD"]).stdout
      yield* withGit((git) =>
        Effect.gen(function* () {
          const opened = yield* git.open(repository.root)
          expect(opened.head.sha).toBe(text(sha).trim())
          expect(new Set(opened.filters)).toEqual(new Set(["trap", "daemon", "a.b=c"]))
          yield* askEverything(git, opened)
          // A missing object of a partial clone is not fetched.
          const missing = yield* git.readBlobs(opened, ["1".repeat(40)], 1000)
          expect(missing.get("1".repeat(40))).toEqual({ _tag: "Missing" })
          const diff = yield* git.diff(opened, { base: commitSide(opened.head.sha!), head: worktree })
          expect(text(diff)).toContain("\n-2\n+3\n")
        })
      )
      expect(readdirSync(markers)).toEqual([])

      // The traps are real: plain git steps into them.
      tryGit(repository.root, ["status"])
      for (const file of ["a.txt", "b.ext", "odd.x"]) tryGit(repository.root, ["diff", "HEAD", "--", file])
      tryGit(repository.root, ["log", "-p", "-1"])
      tryGit(repository.root, ["cat-file", "-p", "1".repeat(40)])
      tryGit(repository.root, ["add", "odd.x", "c.proc"])
      const sprung = readdirSync(markers)
      for (const name of [
        "fsmonitor",
        "clean",
        "clean-equals",
        "process",
        "driver-diff",
        "textconv-conv",
        "transport"
      ]) {
        expect(sprung).toContain(name)
      }
    })
  )

  it.live("finds the files that contain a word, on the requested side", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const first = repository.commit("one", {
        "a.py": "total()\n",
        "b.py": "subtotal()\ntotals\n",
        "deep/é d.py": "x = total\n",
        "c.txt": "total\n",
        "d.py": "total\n",
        ".gitattributes": "d.py binary\n",
        ".gitignore": "ignored.py\n"
      })
      repository.git("config", "grep.patternType", "perl")
      repository.git("config", "grep.column", "true")
      repository.git("config", "color.grep", "always")
      repository.write("a.py", "gone()\n").write("new.py", "total\n").write("ignored.py", "total\n")
      repository.write("b.py", "total\n").git("add", "b.py")
      yield* withGit((git) =>
        Effect.gen(function* () {
          const opened = yield* git.open(repository.path("deep"))
          const found = (side: Parameters<Git["Service"]["mentioning"]>[1], ...words: ReadonlyArray<string>) =>
            Effect.map(git.mentioning(opened, side, words, [".py"]), (paths) => paths.toSorted())
          expect(yield* found(commitSide(first), "total")).toEqual(["a.py", "d.py", "deep/é d.py"])
          expect(yield* found({ _tag: "Index" }, "total")).toEqual(["a.py", "b.py", "d.py", "deep/é d.py"])
          expect(yield* found(worktree, "total")).toEqual(["b.py", "d.py", "deep/é d.py", "new.py"])
          expect(yield* found(worktree, "t.tal", "-e", "\n", "")).toEqual([])
          expect(yield* found(worktree)).toEqual([])
          expect(yield* found({ _tag: "Empty" }, "total")).toEqual([])
          expect(yield* found(commitSide(first), "subtotal", "x")).toEqual(["b.py", "deep/é d.py"])
        })
      )
    })
  )

  it.live("searches in the working tree what is tracked though it is ignored, and what is new, however much", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.write("kept.py", "total\n").write(".gitignore", "kept.py\nleft.py\n").git("add", "--force", ".")
      repository.commit("one", { "a.py": "total\n" })
      repository.write("left.py", "total\n")
      const many = Array.from({ length: 1_100 }, (_, i) => `n${i} *.py`)
      for (const path of many) repository.write(path, "total\n")
      yield* withGit((git) =>
        Effect.gen(function* () {
          const opened = yield* git.open(repository.root)
          const all = ["a.py", "kept.py", ...many].sort()
          expect((yield* git.mentioning(opened, worktree, ["total"], [".py"])).toSorted()).toEqual(all)
          const { places } = yield* git.places(opened, worktree, ["total"], [".py"])
          expect(places.map(({ path }) => path).sort()).toEqual(all)
          const options = { ignoreCase: false, under: null }
          expect((yield* git.containing(opened, worktree, ["ota"], options)).toSorted()).toEqual(all)
        })
      )
    })
  )

  it.live("searches a commit without the files that the clone lacks, however many they are", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const lost = Array.from({ length: 510 }, (_, at) => `lost/${at}.py`)
      const all = ["a.py", "b [1].py", ...lost]
      const sha = repository.commit("one", Object.fromEntries(all.map((path) => [path, `total ${path}\n`])))
      repository.git("rm", "-r", "--quiet", "--cached", "lost")
      repository.commit("two")
      for (const path of lost) {
        const oid = repository.git("rev-parse", `${sha}:${path}`)
        repository.remove(`.git/objects/${oid.slice(0, 2)}/${oid.slice(2)}`)
      }
      yield* withGit((git) =>
        Effect.gen(function* () {
          const opened = yield* git.open(repository.root)
          const side = commitSide(sha)
          expect((yield* git.mentioning(opened, side, ["total"], [".py"])).toSorted()).toEqual(all.toSorted())
          const { missing, places } = yield* git.places(opened, side, ["total"], [".py"])
          expect(places.map(({ path }) => path).sort()).toEqual(["a.py", "b [1].py"])
          expect(missing.toSorted()).toEqual(lost.toSorted())
          const options = { ignoreCase: false, under: null }
          expect((yield* git.containing(opened, side, ["ota"], options)).toSorted()).toEqual(all.toSorted())
          expect(yield* git.containing(opened, side, ["ota"], { ...options, under: "a.py" })).toEqual(["a.py"])
        })
      )
    })
  )

  it.live("lists the lines of each of many words on a side, as complete words", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const first = repository.commit("one", {
        "a.py": "total = 1\nx = total + total\n",
        "deep/é d.py": "subtotal\n--batch-size --batch-size-of\n",
        "a.txt": "total\n"
      })
      repository.write("a.py", "other\ntotal\n")
      yield* withGit((git) =>
        Effect.gen(function* () {
          const opened = yield* git.open(repository.path("deep"))
          const found = (side: Parameters<Git["Service"]["places"]>[1], ...words: ReadonlyArray<string>) =>
            Effect.map(git.places(opened, side, words, [".py"]), ({ places }) =>
              places.map(({ line, path, word }) => `${path}:${line} ${word}`).toSorted()
            )
          expect(yield* found(commitSide(first), "total", "--batch-size")).toEqual([
            "a.py:1 total",
            "a.py:2 total",
            "a.py:2 total",
            "deep/é d.py:2 --batch-size",
            "deep/é d.py:2 --batch-size"
          ])
          // Many words are one question, and are found as each alone.
          const many = Array.from({ length: 40 }, (_, at) => `tot${"al".repeat(at)}`)
          expect(yield* found(commitSide(first), "--batch-size", ...many, "t.tal", "(a|b)")).toEqual([
            "a.py:1 total",
            "a.py:2 total",
            "a.py:2 total",
            "deep/é d.py:2 --batch-size",
            "deep/é d.py:2 --batch-size"
          ])
          expect(yield* found(worktree, "total")).toEqual(["a.py:2 total"])
          expect(yield* found({ _tag: "Index" }, "t.tal", "\n", "")).toEqual([])
          expect(yield* found({ _tag: "Empty" }, "total")).toEqual([])
        })
      )
    })
  )

  it.live("leaves the repository as it was, its index included", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", { "a.txt": "1\n" })
      repository.write("a.txt", "2\n")
      const before = lstatSync(repository.path(".git/index"), { bigint: true })
      yield* withGit((git) => Effect.flatMap(git.open(repository.root), (opened) => askEverything(git, opened)))
      const after = lstatSync(repository.path(".git/index"), { bigint: true })
      expect([after.ino, after.mtimeNs]).toEqual([before.ino, before.mtimeNs])
    })
  )

  it.live("prints the same diff whatever the configuration is", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const long = Array.from({ length: 40 }, (_, i) => `line ${i}\n`).join("")
      const base = repository.commit("one", { "z.txt": long, "a.txt": "\n\n", "old.txt": `${long}old\n` })
      repository.git("mv", "old.txt", "new.txt")
      const head = repository.commit("two", { "z.txt": long.replace("line 5", "line five"), "a.txt": "\n" })
      const diff = withGit((git) =>
        Effect.flatMap(git.open(repository.root), (opened) =>
          git.diff(opened, { base: commitSide(base), head: commitSide(head) })
        )
      )
      const plain = yield* diff
      const settings = {
        "diff.noprefix": "true",
        "diff.mnemonicPrefix": "true",
        "diff.renames": "copies",
        "diff.algorithm": "patience",
        "diff.context": "0",
        "diff.interHunkContext": "9",
        "diff.suppressBlankEmpty": "true",
        "diff.colorMoved": "zebra",
        "diff.relative": "true",
        "diff.indentHeuristic": "false",
        "color.ui": "always",
        "core.quotePath": "false",
        "core.abbrev": "5"
      }
      for (const [key, value] of Object.entries(settings)) repository.git("config", key, value)
      repository.write("order", "z.txt\n").git("config", "diff.orderFile", repository.path("order"))
      expect(text(yield* diff)).toBe(text(plain))
      expect(text(plain)).toContain("rename from old.txt")
      expect(tryGit(repository.root, ["diff", base, head]).stdout).not.toEqual(plain)
    })
  )

  it.live("does not see what `refs/replace` puts in a commit's place", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const base = repository.commit("one", { "a.txt": "1\n" })
      const head = repository.commit("two", { "a.txt": "evil\n" })
      repository.git("replace", head, base)
      const diff = yield* withGit((git) =>
        Effect.flatMap(git.open(repository.root), (opened) =>
          git.diff(opened, { base: commitSide(base), head: commitSide(head) })
        )
      )
      expect(text(diff)).toContain("+evil")
    })
  )

  it("hands git nothing of its own environment, and no relative PATH", () => {
    const environment = childEnvironment("bin:/usr/bin:.:/bin:", "/home/ada")
    expect(environment.PATH).toBe("/usr/bin:/bin")
    const own = Object.keys(environment).filter((key) => !key.startsWith("GIT_"))
    expect(own.sort()).toEqual(["HOME", "LANG", "LC_ALL", "PATH"])
  })

  it.live("does not follow a caller's GIT_DIR", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one")
      const other = yield* makeRepository
      process.env.GIT_DIR = other.path(".git")
      yield* Effect.addFinalizer(() => Effect.sync(() => delete process.env.GIT_DIR))
      expect((yield* open(repository.root)).gitDir).toBe(repository.path(".git"))
    })
  )
})

describe("Git.open", () => {
  it.live("finds the repository around a directory, a file, or its .git", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const sha = repository.commit("one", { "src/deep/a.txt": "1\n" })
      repository.link("shortcut", "src/deep")
      for (const target of ["", "src/deep", "src/deep/a.txt", ".git", ".git/refs", "shortcut"]) {
        expect(yield* open(repository.path(target))).toEqual({
          root: repository.root,
          gitDir: repository.path(".git"),
          bare: false,
          head: { sha, branch: "main" },
          shallow: false,
          emptyTree: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
          filters: [],
          remoteUrl: null
        })
      }
    })
  )

  it.live("reads the last URL of origin, and the configured filters", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", { a: "1\n" })
      repository.git("config", "filter.a.b.clean", "first\nfilter.c.clean\nremote.origin.url")
      repository.git("config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
      repository.git("config", "remote.other.url", "https://example.com/other.git")
      const before = yield* open(repository.root)
      expect([before.remoteUrl, before.filters]).toEqual([null, ["a.b"]])
      repository.git("config", "remote.origin.url", "https://example.com/first.git")
      repository.git("config", "--add", "remote.origin.url", "ssh://git@example.com/last.git")
      expect((yield* open(repository.root)).remoteUrl).toBe("ssh://git@example.com/last.git")
      writeFileSync(repository.path(".git/config"), '[remote "origin"]\n\turl\n[filter "x"]\n\trequired\n')
      const odd = yield* open(repository.root)
      expect([odd.remoteUrl, odd.filters]).toEqual([null, ["x"]])
    })
  )

  it.live("recognises an unborn HEAD and a detached one", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      expect((yield* open(repository.root)).head).toEqual({ sha: null, branch: "main" })
      repository.write("HEAD", "a file of that name\n")
      expect((yield* open(repository.root)).head).toEqual({ sha: null, branch: "main" })
      const sha = repository.commit("one")
      repository.git("checkout", "--quiet", "--detach")
      expect((yield* open(repository.root)).head).toEqual({ sha, branch: null })
    })
  )

  it.live("recognises branches with odd names", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one")
      for (const name of ["feature/ü-ß", "a'b\"c", "$(touch${IFS}x)", "@foo", "heads/main"]) {
        repository.branch(name)
        const { head } = yield* open(repository.root)
        expect(head.branch).toBe(name)
      }
    })
  )

  it.live("opens a linked worktree, a submodule and a sparse checkout by their own root", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const inner = yield* makeRepository
      const innerSha = inner.commit("inner", { "i.txt": "1\n" })
      repository.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.root, "sub")
      repository.commit("one", { "a/x.txt": "1\n", "b/y.txt": "1\n" })
      repository.git("worktree", "add", "--quiet", "-b", "side", "../side")
      const side = yield* open(repository.path("../side"))
      expect([side.root, side.head.branch, side.gitDir]).toEqual([
        join(repository.root, "../side"),
        "side",
        repository.path(".git/worktrees/side")
      ])
      const sub = yield* open(repository.path("sub"))
      expect([sub.root, sub.head.sha, sub.gitDir]).toEqual([
        repository.path("sub"),
        innerSha,
        repository.path(".git/modules/sub")
      ])
      repository.git("sparse-checkout", "set", "a")
      expect(existsSync(repository.path("b/y.txt"))).toBe(false)
      const files = yield* withGit((git) => Effect.flatMap(git.open(repository.root), git.lsFiles))
      expect(files.map((file) => [file.path, file.skipWorktree])).toContainEqual(["b/y.txt", true])
      const status = yield* withGit((git) => Effect.flatMap(git.open(repository.root), (opened) => git.status(opened)))
      expect(status).toEqual({ changed: false, untracked: [] })
    })
  )

  it.live("opens a bare repository by its own path, and never one that merely lies in a checkout", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const sha = repository.commit("one", { "a.txt": "1\n" })
      repository.git("clone", "--quiet", "--bare", ".", "../bare.git")
      const bare = yield* open(repository.path("../bare.git"))
      expect([bare.root, bare.bare, bare.head]).toEqual([null, true, { sha, branch: "main" }])
      yield* withGit((git) => askCommits(git, bare))
      repository.git("clone", "--quiet", "--bare", ".", "fixtures/evil.git")
      expect((yield* open(repository.path("fixtures/evil.git/refs"))).root).toBe(repository.root)
    })
  )

  it.live("opens a SHA-256 repository", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const repository = initRepository(join(directory, "repo"), "--object-format=sha256")
      const sha = repository.commit("one", { "a.txt": "1\n" })
      expect(sha.length).toBe(64)
      const opened = yield* open(repository.root)
      const diff = yield* withGit((git) => git.diff(opened, { base: { _tag: "Empty" }, head: commitSide(sha) }))
      expect(text(diff)).toContain("+1")
    })
  )

  it.live("opens a directory whose name has a newline", () =>
    Effect.gen(function* () {
      const repository = initRepository(join(yield* makeDirectory, "new\nline"))
      repository.commit("one")
      const opened = yield* open(repository.root)
      expect([opened.root, opened.gitDir]).toEqual([repository.root, repository.path(".git")])
    })
  )

  it.live("reports that a directory is no repository, and why", () =>
    Effect.gen(function* () {
      const directory = yield* makeDirectory
      const outside = yield* Effect.flip(open(directory))
      expect(outside._tag).toBe("NotARepository")
      expect(outside.message).toContain("--diff-file")
      const nowhere = yield* Effect.flip(open(join(directory, "nowhere")))
      expect(nowhere.message).toContain("does not exist; check the path")
      writeFileSync(join(directory, ".git"), "gitdir: /nonexistent\n")
      expect((yield* Effect.flip(open(directory)))._tag).toBe("NotARepository")
    })
  )

  it.live("refuses a repository whose configuration moves its files elsewhere", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one")
      for (const elsewhere of ["/", "../.."]) {
        repository.git("config", "core.worktree", elsewhere)
        const refused = yield* Effect.flip(open(repository.root))
        expect(refused._tag).toBe("RepositoryRefused")
        expect(refused.message).toContain("core.worktree")
        repository.git("config", "--unset", "core.worktree")
      }
    })
  )

  const asRoot = process.getuid?.() === 0 ? it.live : it.skip
  asRoot("opens a repository that belongs to another user", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const sha = repository.commit("one", { "a.txt": "1\n" })
      const give = (path: string) => {
        chownSync(path, 12345, 12345)
        if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) give(join(path, name))
      }
      give(repository.root)
      expect(tryGit(repository.root, ["status"]).stderr).toContain("dubious ownership")
      const opened = yield* open(repository.root)
      expect(opened.head.sha).toBe(sha)
      yield* withGit((git) => askEverything(git, opened))
    })
  )
})

const askCommits = (git: Git["Service"], repository: Repository) =>
  Effect.gen(function* () {
    const tree = yield* git.lsTree(repository, repository.head.sha!)
    expect(tree.map((entry) => entry.path)).toEqual(["a.txt"])
    const blobs = yield* git.readBlobs(repository, [tree[0]!.oid], 10)
    expect([...blobs.values()]).toEqual([{ _tag: "Found", bytes: new TextEncoder().encode("1\n") }])
    const diff = yield* git.diff(repository, { base: { _tag: "Empty" }, head: commitSide(repository.head.sha!) })
    expect(text(diff)).toContain("+1")
  })

describe("Git's questions", () => {
  it.live("resolves a revision, and refuses what is none or looks like an option", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const sha = repository.commit("one", { "a.txt": "1\n" })
      const blob = repository.git("rev-parse", "HEAD:a.txt")
      repository.git("tag", "-a", "v1", "-m", "v1")
      yield* withGit((git) =>
        Effect.gen(function* () {
          const opened = yield* git.open(repository.root)
          for (const revision of ["HEAD", "main", "v1", sha.slice(0, 8)]) {
            expect(yield* git.resolve(opened, revision)).toBe(sha)
          }
          for (const revision of ["nope", "", "--output=x", "-x", "HEAD\0", blob, "HEAD~9", "a b", "main..main"]) {
            expect((yield* Effect.flip(git.resolve(opened, revision)))._tag).toBe("RevisionUnknown")
          }
        })
      )
      expect(existsSync(repository.path("x"))).toBe(false)
    })
  )

  it.live("reads the commit that a revision names, and refuses what names none or several", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const first = repository.commit("one", { "a.txt": "1\n" })
      const sha = repository.commit("two\n\nBecause.", { "a.txt": "2\n" })
      const blob = repository.git("rev-parse", "HEAD:a.txt")
      repository.git("tag", "-a", "v1", "-m", "v1")
      repository.git("branch", "näher")
      const commit = { sha, parents: [first], subject: "two", body: "Because." }
      yield* withGit((git) =>
        Effect.gen(function* () {
          const opened = yield* git.open(repository.root)
          for (const revision of ["HEAD", "@", "main", "v1", "v1^{}", "näher", sha.slice(0, 8), "main@{0}"]) {
            expect(yield* git.commit(opened, revision)).toEqual(commit)
          }
          expect((yield* git.commit(opened, "main~1")).sha).toBe(first)
          const none = ["nope", "", "--output=x", "-x", "HEAD\0", blob, "HEAD~9", "a b"]
          const several = ["main~1..main", "main...v1", "..main", "^main", "main^@", "main^!", "--all"]
          for (const revision of [...none, ...several]) {
            const refused = yield* Effect.flip(git.commit(opened, revision))
            expect({ revision, refused: refused._tag }).toEqual({ revision, refused: "RevisionUnknown" })
          }
        })
      )
      expect(existsSync(repository.path("x"))).toBe(false)
    })
  )

  it.live("finds the merge base, and reports when there is none", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const fork = repository.commit("one")
      repository.branch("side")
      const side = repository.commit("two")
      repository.git("checkout", "--quiet", "--orphan", "alone")
      const alone = repository.commit("three")
      yield* withGit((git) =>
        Effect.gen(function* () {
          const opened = yield* git.open(repository.root)
          expect(yield* git.mergeBase(opened, fork, side)).toBe(fork)
          expect(yield* git.mergeBase(opened, alone, side)).toBe(null)
        })
      )
    })
  )

  it.live("logs commits oldest first, the newest when there are too many", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const first = repository.commit("one")
      const second = repository.commit("two\n\nBecause é.\nTwice.")
      const third = repository.commit("three")
      yield* withGit((git) =>
        Effect.gen(function* () {
          const opened = yield* git.open(repository.root)
          expect(yield* git.log(opened, { from: first, to: third, limit: 9 })).toEqual([
            { sha: second, parents: [first], subject: "two", body: "Because é.\nTwice." },
            { sha: third, parents: [second], subject: "three", body: "" }
          ])
          const newest = yield* git.log(opened, { from: null, to: third, limit: 2 })
          expect(newest.map((commit) => commit.subject)).toEqual(["two", "three"])
          expect(yield* git.parents(opened, third)).toEqual([second])
        })
      )
    })
  )

  it.live("lists files whose names contain newlines, quotes and tabs, tracked or not", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const names = ["a\nb", 'q"', "t\tx", "é", " lead"]
      const sha = repository.commit("one", Object.fromEntries(names.map((name) => [name, `${name}\n`])))
      repository.write("un\ntracked", "x").write(".gitignore", "ignored\n").write("ignored", "x")
      yield* withGit((git) =>
        Effect.gen(function* () {
          const opened = yield* git.open(repository.root)
          const tree = yield* git.lsTree(opened, sha)
          expect(tree.map((entry) => entry.path).sort()).toEqual([...names].sort())
          expect((yield* git.lsFiles(opened)).map((entry) => entry.path).sort()).toEqual([...names].sort())
          expect((yield* git.status(opened)).untracked.toSorted()).toEqual([".gitignore", "un\ntracked"])
        })
      )
    })
  )

  it.live("reads many blobs, leaves out large ones and names missing ones", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", { empty: "", small: "small", large: "x".repeat(200_000), nul: Uint8Array.of(0, 10, 0) })
      yield* withGit((git) =>
        Effect.gen(function* () {
          const opened = yield* git.open(repository.root)
          const files = yield* git.lsFiles(opened)
          const missing = "2".repeat(40)
          const blobs = yield* git.readBlobs(opened, [...files.map((file) => file.oid), missing, "not an oid"], 1000)
          const found = files.map((file): [string, unknown] => [file.path, blobs.get(file.oid)])
          expect(Object.fromEntries(found)).toEqual({
            empty: { _tag: "Found", bytes: new Uint8Array() },
            large: { _tag: "TooLarge", size: 200_000 },
            nul: { _tag: "Found", bytes: Uint8Array.of(0, 10, 0) },
            small: { _tag: "Found", bytes: new TextEncoder().encode("small") }
          })
          expect(blobs.get(missing)).toEqual({ _tag: "Missing" })
          expect(blobs.size).toBe(5)
        })
      )
    })
  )

  it.live("continues to read blobs when its process is gone, including blobs that were created meanwhile", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", { a: "first" })
      yield* withGit((git) =>
        Effect.gen(function* () {
          const opened = yield* git.open(repository.root)
          const textOf = Effect.fnUntraced(function* (path: string) {
            const { oid = "" } = (yield* git.lsFiles(opened)).find((file) => file.path === path) ?? {}
            const blob = (yield* git.readBlobs(opened, [oid], 1000)).get(oid)
            return blob?._tag === "Found" ? new TextDecoder().decode(blob.bytes) : null
          })
          expect(yield* textOf("a")).toBe("first")
          repository.commit("two", { b: "second" })
          expect(yield* textOf("b")).toBe("second")
          const readers = processesIn(repository.root)
          expect(readers).toHaveLength(1)
          for (const pid of readers) process.kill(pid, "SIGKILL")
          repository.commit("three", { c: "third" })
          expect(yield* textOf("c")).toBe("third")
          expect(yield* textOf("a")).toBe("first")
        })
      )
    })
  )

  it.live("answers many questions at once", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const sha = repository.commit("one", { "a.txt": "1\n" })
      yield* withGit((git) =>
        Effect.gen(function* () {
          const opened = yield* git.open(repository.root)
          const answers = yield* Effect.all(
            Array.from({ length: 24 }, () => git.resolve(opened, "HEAD")),
            { concurrency: 12 }
          )
          expect(new Set(answers)).toEqual(new Set([sha]))
        })
      )
    })
  )
})

describe("Git's failures", () => {
  it.live("reports how to get git when there is none", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const nowhere = ConfigProvider.fromUnknown({ PATH: "/nonexistent", HOME: "/nonexistent" })
      const error = yield* Git.use((git) => git.open(repository.root)).pipe(
        Effect.provide(live.pipe(Layer.provide(ConfigProvider.layer(nowhere)))),
        Effect.flip
      )
      expect(error._tag).toBe("GitMissing")
      expect(error.message).toContain("install git")
    })
  )

  /** A git that never answers, first on PATH. */
  const fakeGit = (directory: string, body: string) => {
    writeFileSync(join(directory, "git"), `#!/bin/sh\n${body}\n`)
    chmodSync(join(directory, "git"), 0o755)
    const provider = ConfigProvider.fromUnknown({ PATH: `${directory}:/usr/bin:/bin`, HOME: directory })
    return live.pipe(Layer.provide(ConfigProvider.layer(provider)))
  }

  it.live("stops a git that does not end", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const slow = fakeGit(yield* makeDirectory, "exec sleep 600")
      const error = yield* Git.use((git) => git.open(repository.root)).pipe(
        Effect.provideService(GitTimeout, "50 millis"),
        Effect.provide(slow),
        Effect.flip
      )
      expect(error).toMatchObject({ _tag: "GitTimedOut", seconds: 0.05 })
    })
  )

  it.live("refuses a git that ignores the limits of a repository", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one")
      const old = fakeGit(
        yield* makeDirectory,
        'unset GIT_CONFIG_COUNT; PATH=/usr/local/bin:/usr/bin:/bin exec git "$@"'
      )
      const error = yield* Git.use((git) => git.open(repository.root)).pipe(Effect.provide(old), Effect.flip)
      expect(error._tag).toBe("GitTooOld")
    })
  )

  it.live("bounds what it keeps of output and of complaints", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const sha = repository.commit("one", { "a.txt": "x\n".repeat(5000) })
      yield* withGit((git) =>
        Effect.gen(function* () {
          const opened = yield* git.open(repository.root)
          const sides = { base: { _tag: "Empty" }, head: commitSide(sha) } as const
          const large = yield* git.diff(opened, sides).pipe(Effect.provideService(GitMaxOutput, 100), Effect.flip)
          expect(large).toMatchObject({ _tag: "GitOutputTooLarge", command: "diff", maxBytes: 100 })
          const failed = yield* Effect.flip(git.diff(opened, { ...sides, head: commitSide("z".repeat(3000)) }))
          expect(failed).toMatchObject({ _tag: "GitFailed", command: "diff", exitCode: 128 })
          expect(failed.message.length).toBeLessThan(600)
        })
      )
    })
  )
})

describe("git's output", () => {
  const bytes = (value: string) => new TextEncoder().encode(value)

  it("reads objects however the pipe cuts them", () => {
    const oid = "a".repeat(40)
    const output = bytes(`${oid} blob 3\na\nb\n${"b".repeat(40)} missing\n${"c".repeat(40)} blob 0\n\n`)
    for (let size = 1; size <= output.length; size++) {
      const reader = new BlobReader(10)
      for (let at = 0; at < output.length; at += size) reader.push(output.subarray(at, at + size))
      expect([...reader.blobs.values()]).toEqual([
        { _tag: "Found", bytes: bytes("a\nb") },
        { _tag: "Missing" },
        { _tag: "Found", bytes: new Uint8Array() }
      ])
    }
  })

  it("shows a name that is not UTF-8 with \\xHH", () => {
    expect(nulTexts(Uint8Array.of(0xff, 0, 97, 0))).toEqual(["\\xff", "a"])
  })

  it("lists an unmerged path once, as our side", () => {
    const entry = (stage: number, path = "x") => `M 100644 ${String(stage).repeat(40)} ${stage}\t${path}\0`
    const listed = (text: string) => indexEntries(bytes(text)).map((found) => [found.path, found.oid[0]])
    expect(listed(entry(1) + entry(2) + entry(3))).toEqual([["x", "2"]])
    expect(listed(entry(1) + entry(3))).toEqual([["x", "3"]])
  })

  it("reads commits with empty bodies and no parents", () => {
    expect(commitsOf(bytes("s\0\0subject\0\0"))).toEqual([{ sha: "s", parents: [], subject: "subject", body: "" }])
    expect(commitsOf(new Uint8Array())).toEqual([])
  })

  it("takes parents from a commit's header, never from its message", () => {
    expect(rawParents(bytes("tree t\nparent p\nparent q\nauthor a\n\nparent fake\n"))).toEqual(["p", "q"])
  })
})

describe("an unknown revision", () => {
  test("suggests a name with what follows it, and nothing if the name exists", () => {
    const names = ["HEAD", "main", "feature"]
    expect(nearestRevision("mian", names)).toBe("main")
    expect(nearestRevision("mian~2", names)).toBe("main~2")
    expect(nearestRevision("HEAD~9", names)).toBeNull()
    expect(nearestRevision("@~9", names)).toBeNull()
  })
})
