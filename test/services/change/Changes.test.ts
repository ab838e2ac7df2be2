import { describe, expect } from "bun:test"
import { spawnSync } from "node:child_process"
import { chmodSync, existsSync, writeFileSync } from "node:fs"
import { Effect, FileSystem, Layer, Path, Result } from "effect"
import { type Change, type Selection, sideText } from "../../../src/domain/change/Change.ts"
import { HunkIndex } from "../../../src/domain/change/HunkIndex.ts"
import { parseDiff } from "../../../src/domain/change/parseDiff.ts"
import * as Platform from "../../../src/layers/system/Platform.ts"
import { Changes } from "../../../src/services/change/Changes.ts"
import { Git } from "../../../src/services/change/Git.ts"
import { chooseBase } from "../../../src/services/change/planChange.ts"
import { untrackedPatches } from "../../../src/services/change/untrackedPatches.ts"
import { it } from "../../support/effect.ts"
import { makeRepository, type TestRepository } from "../../support/repository.ts"

const live = Changes.layer.pipe(Layer.provideMerge(Git.layer), Layer.provide(Platform.layer))

const byDefault: Selection = { _tag: "Default" }

const resolve = (root: string, selection: Selection = byDefault) =>
  Effect.gen(function* () {
    const git = yield* Git
    const changes = yield* Changes
    return yield* changes.resolve(yield* git.open(root), selection)
  }).pipe(Effect.provide(live))

const refuse = (root: string, selection: Selection = byDefault) => Effect.flip(resolve(root, selection))

const alone = (selection: Selection) =>
  Changes.use((changes) => changes.resolve(null, selection)).pipe(Effect.provide(live))

const files = (change: Change) => change.diff.files.map((file) => `${file.status} ${file.path}`)
const sides = (change: Change) => [sideText(change.base), sideText(change.head)]
const subjects = (change: Change) => change.commits.map((commit) => commit.subject)
const added = (change: Change, path: string) =>
  change.diff.files
    .find((file) => file.path === path)
    ?.hunks.flatMap((hunk) => hunk.lines.filter((line) => line.kind === "added").map((line) => line.text))

/** main with one commit, and a branch `topic` with two more, checked out. */
const withTopic = Effect.map(makeRepository, (repository) => {
  const fork = repository.commit("one", { "a.txt": "1\n", "b.txt": "1\n" })
  repository.branch("topic")
  repository.commit("two", { "a.txt": "2\n" })
  const tip = repository.commit("three", { "c.txt": "3\n" })
  return { repository, fork, tip }
})

describe("the change that is reviewed without flags", () => {
  it.live("a branch against where it left its base", () =>
    Effect.gen(function* () {
      const { repository, fork, tip } = yield* withTopic
      repository.checkout("main").commit("meanwhile", { "b.txt": "main moved on\n" })
      repository.checkout("topic")
      const change = yield* resolve(repository.root)
      expect(change.description).toBe("branch topic against main")
      expect(sides(change)).toEqual([fork, tip])
      expect(change.branch).toBe("topic")
      expect(subjects(change)).toEqual(["two", "three"])
      expect(files(change)).toEqual(["modified a.txt", "added c.txt"])
    })
  )

  it.live("a branch with uncommitted edits, staged, unstaged and untracked", () =>
    Effect.gen(function* () {
      const { repository, fork } = yield* withTopic
      repository.write("b.txt", "staged\n").git("add", "b.txt")
      repository.write("a.txt", "unstaged\n").write("new/d.txt", "untracked\n").write(".gitignore", "*.log\n")
      repository.write("noise.log", "ignored\n").write(".daydream/state", "dd's own\n")
      const change = yield* resolve(repository.root)
      expect(change.description).toBe("branch topic against main, and uncommitted edits")
      expect(sides(change)).toEqual([fork, "worktree"])
      expect(files(change)).toEqual([
        "modified a.txt",
        "modified b.txt",
        "added c.txt",
        "added .gitignore",
        "added new/d.txt"
      ])
      expect(added(change, "a.txt")).toEqual(["unstaged"])
      expect(added(change, "new/d.txt")).toEqual(["untracked"])
      expect(change.diff.files.every((file) => file.newOid === null)).toBe(true)
    })
  )

  it.live("the last commit on the base branch when the tree is clean", () =>
    Effect.gen(function* () {
      const { repository, fork } = yield* withTopic
      repository.checkout("main")
      const second = repository.commit("second\n\nIts reason.", { "a.txt": "9\n" })
      const change = yield* resolve(repository.root)
      expect(change.description).toBe(`the last commit (${second.slice(0, 7)}) on main`)
      expect(sides(change)).toEqual([fork, second])
      expect(change.commits).toEqual([{ sha: second, subject: "second", body: "Its reason." }])
    })
  )

  it.live("only the uncommitted edits on the base branch when there are some", () =>
    Effect.gen(function* () {
      const { repository, fork } = yield* withTopic
      repository.checkout("main").write("u.txt", "u\n")
      const change = yield* resolve(repository.root)
      expect(change.description).toBe("uncommitted edits on main")
      expect(sides(change)).toEqual([fork, "worktree"])
      expect(files(change)).toEqual(["added u.txt"])
      expect(change.commits).toEqual([])
    })
  )

  it.live("a root commit against nothing", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const sha = repository.commit("one", { "a.txt": "1\n" })
      const change = yield* resolve(repository.root)
      expect(sides(change)).toEqual(["empty", sha])
      expect(files(change)).toEqual(["added a.txt"])
    })
  )

  it.live("a merge commit against its first parent", () =>
    Effect.gen(function* () {
      const { repository } = yield* withTopic
      const first = repository.checkout("main").commit("meanwhile", { "b.txt": "2\n" })
      repository.git("merge", "--quiet", "--no-ff", "--no-edit", "topic")
      const change = yield* resolve(repository.root)
      expect(change.description).toContain("a merge, against its first parent")
      expect(sides(change)[0]).toBe(first)
      expect(files(change)).toEqual(["modified a.txt", "added c.txt"])
    })
  )

  it.live("everything there is before the first commit", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.write("staged.txt", "s\n").git("add", "staged.txt")
      repository.write("staged.txt", "later\n").write("untracked.txt", "u\n")
      const change = yield* resolve(repository.root)
      expect(change.description).toContain("without commits")
      expect(sides(change)).toEqual(["empty", "worktree"])
      expect(files(change)).toEqual(["added staged.txt", "added untracked.txt"])
      expect(added(change, "staged.txt")).toEqual(["later"])
    })
  )

  it.live("nothing, and why, before anything exists", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const empty = yield* resolve(repository.root)
      expect(empty.description).toBe("all files of a repository without commits; there are none")
      repository.git("init", "--quiet", "--bare", "../bare.git")
      const bare = yield* resolve(repository.path("../bare.git"))
      expect([files(bare), sides(bare)]).toEqual([[], ["empty", "empty"]])
    })
  )

  it.live("a detached HEAD like a branch when it has commits of its own, else its last commit", () =>
    Effect.gen(function* () {
      const { repository, fork, tip } = yield* withTopic
      repository.git("checkout", "--quiet", "--detach", "topic")
      const ahead = yield* resolve(repository.root)
      expect(ahead.description).toBe(`the detached HEAD (${tip.slice(0, 7)}) against main`)
      expect([sides(ahead), ahead.branch]).toEqual([[fork, tip], null])
      repository.git("checkout", "--quiet", "--detach", "main")
      const level = yield* resolve(repository.root)
      expect(level.description).toBe(`the last commit (${fork.slice(0, 7)}) on a detached HEAD`)
    })
  )

  it.live("nothing, and why, when a branch has nothing of its own", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", { "a.txt": "1\n" })
      repository.branch("idle")
      const change = yield* resolve(repository.root)
      expect(files(change)).toEqual([])
      expect(change.description).toContain("no commits that are not on main")
    })
  )

  it.live("nothing, and why, when a commit is empty", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", { "a.txt": "1\n" })
      repository.commit("empty")
      expect((yield* resolve(repository.root)).description).toMatch(/it changes no file$/)
    })
  )

  it.live("the remote's default branch is the base, whatever its name", () =>
    Effect.gen(function* () {
      const origin = yield* makeRepository
      const fork = origin.commit("one", { "a.txt": "1\n" })
      origin.git("branch", "--move", "main", "trunk")
      const clone = yield* makeRepository
      clone.git("remote", "add", "origin", origin.root)
      clone.git("fetch", "--quiet", "origin")
      clone.git("remote", "set-head", "origin", "--auto")
      clone.git("checkout", "--quiet", "-b", "work", "origin/trunk")
      clone.commit("two", { "a.txt": "2\n" })
      const change = yield* resolve(clone.root)
      expect(change.description).toBe("branch work against origin/trunk")
      expect(sides(change)[0]).toBe(fork)
      // On a local `trunk` that is ahead, the base branch is itself.
      clone.branch("trunk")
      expect((yield* resolve(clone.root)).description).toMatch(/^the last commit .* on trunk$/)
    })
  )

  it.live("the last commit in a bare repository", () =>
    Effect.gen(function* () {
      const { repository, tip } = yield* withTopic
      repository.git("clone", "--quiet", "--bare", ".", "../bare.git")
      const change = yield* resolve(repository.path("../bare.git"))
      expect(change.description).toBe(`the last commit (${tip.slice(0, 7)}) on topic`)
      expect(files(change)).toEqual(["added c.txt"])
    })
  )
})

describe("untracked files in the change", () => {
  it.live("keep mode, link, binary content and missing newline, and are listed when too large", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", { "a.txt": "1\n" })
      repository.write("run.sh", "#!/bin/sh\n", 0o755).write("open.txt", "no end").write("bin", Uint8Array.of(1, 0))
      repository.write("large.txt", "x\n".repeat(1_100_000)).write("empty", "").link("link", "/etc/passwd")
      repository.write('odd "\n name', "x\n")
      const change = yield* resolve(repository.root)
      const seen = change.diff.files.map((f) => [f.path, f.newMode, f.binary, f.hunks[0]?.lines[0]?.text ?? null])
      expect(seen.sort()).toEqual([
        ["bin", "100644", true, null],
        ["empty", "100644", false, null],
        ["large.txt", "100644", true, null],
        ["link", "120000", false, "/etc/passwd"],
        ['odd "\n name', "100644", false, "x"],
        ["open.txt", "100644", false, "no end"],
        ["run.sh", "100755", false, "#!/bin/sh"]
      ])
      expect(
        change.diff.files.flatMap(({ path, tooLarge }) => (tooLarge === undefined ? [] : [[path, tooLarge]]))
      ).toEqual([["large.txt", 2_200_000]])
      const open = change.diff.files.find((file) => file.path === "open.txt")
      expect(open?.hunks[0]?.lines[0]?.noNewline).toBe(true)
    })
  )

  it.live("are shown by git's own diff in the same way once they are staged", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one")
      repository.write("a b", "1\r\n\n2").write("é", "x\n").link("l", "t").write("bin", Uint8Array.of(0)).write("e", "")
      const untracked = yield* resolve(repository.root)
      repository.git("add", "--all")
      const staged = yield* resolve(repository.root)
      const bare = (change: Change) =>
        change.diff.files.map(({ oldOid, newOid, ...file }) => file).sort((a, b) => (a.path < b.path ? -1 : 1))
      expect(bare(untracked)).toEqual(bare(staged))
      expect(untracked.diff.files.length).toBe(5)
    })
  )

  it.live("that were only taken out of the index are one file with what was there before", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", { "a.txt": "1\n", "b.txt": "1\n" })
      repository.git("rm", "--quiet", "--cached", "a.txt", "b.txt")
      repository.write("a.txt", "1\n2\n")
      const change = yield* resolve(repository.root)
      expect([files(change), added(change, "a.txt")]).toEqual([["modified a.txt"], ["2"]])
    })
  )

  it.live("do not include a nested repository, and report it", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", { "a.txt": "1\n" })
      repository.git("clone", "--quiet", ".", "nested")
      const clean = yield* resolve(repository.root)
      expect(clean.description).toContain("the last commit")
      repository.write("a.txt", "2\n")
      const change = yield* resolve(repository.root)
      expect([files(change), change.description]).toEqual([
        ["modified a.txt"],
        "uncommitted edits on main; without 1 untracked directory with a repository inside"
      ])
    })
  )

  const notRoot = process.getuid?.() === 0 ? it.skip : it.live
  notRoot("say so when they cannot be read", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one")
      repository.write("secret", "x\n")
      chmodSync(repository.path("secret"), 0)
      const change = yield* resolve(repository.root)
      expect(change.diff.files.map(({ path, unread }) => [path, unread])).toEqual([
        ["secret", "the system refused to read it (PermissionDenied)"]
      ])
    })
  )

  notRoot("are unread when they are tracked and cannot be read", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", { "secret.py": "x\n", "a.py": "x\n" })
      repository.write("a.py", "y\n").write("secret.py", "y\n")
      chmodSync(repository.path("secret.py"), 0)
      const change = yield* resolve(repository.root)
      expect(change.diff.files.map(({ path, unread }) => [path, unread])).toEqual([
        ["a.py", undefined],
        ["secret.py", "the system refused to read it (PermissionDenied)"]
      ])
    })
  )

  it.live("are reported when their name cannot be opened", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one")
      writeFileSync(Buffer.concat([Buffer.from(repository.path("odd")), Buffer.of(0xff)]), "eval(x)\n")
      const change = yield* resolve(repository.root)
      expect(change.diff.files.map(({ path, unread }) => [path, unread])).toEqual([
        ["odd\\xff", "its name is not UTF-8"]
      ])
    })
  )

  it.live("lose their content past the limit in the order of their paths, whichever is read first", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const names = Array.from({ length: 20 }, (_, at) => `f${String(at).padStart(2, "0")}`)
      names.forEach((name, at) => {
        repository.write(name, "x".repeat(at % 2 === 0 ? 1000 : 10))
      })
      const read = Effect.gen(function* () {
        const platform = { fs: yield* FileSystem.FileSystem, paths: yield* Path.Path }
        return yield* untrackedPatches(platform, repository.root, names, 2050)
      }).pipe(Effect.provide(Platform.layer))
      const { notShown } = yield* read
      // Two large files, then every small one there is room for.
      const left = ["f04", "f06", "f08", "f10", "f11", "f12", "f13", "f14", "f15", "f16", "f17", "f18", "f19"]
      expect([...notShown.keys()]).toEqual(left)
      expect(notShown.get("f04")?.unread).toContain("does not track")
    })
  )
})

describe("the attributes of a file", () => {
  const file = (change: Change, path: string) => change.diff.files.find((found) => found.path === path)
  const attributes = "*.py -diff\n*.js binary\n*.ts diff=odd\n*.rb -text -diff\n*.txt text eol=crlf -diff\n"
  const names = ["evil.py", "evil.js", "evil.ts", "evil.rb", "evil.txt", "a b [1]*.py", "é.py", "new\nline.py"]
  const texts = (text: string) => Object.fromEntries(names.map((name) => [name, text]))
  const old = "1\n2\n3\n4\n5\n6\n"

  it.live("hides no text of a commit, of what is staged, or of the working tree", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.git("config", "diff.odd.binary", "true")
      repository.commit("one", { ...texts(old), "evil.bin.py": Uint8Array.of(0, 10) })
      const changed = { ".gitattributes": attributes, ...texts(`${old}eval(x)\n`), "new.py": "eval(y)\n" }
      for (const [name, text] of Object.entries(changed)) repository.write(name, text)
      repository.write("evil.bin.py", Uint8Array.of(0, 11))
      const check = (change: Change) => {
        for (const name of names) expect([name, added(change, name)]).toEqual([name, ["eval(x)"]])
        expect(added(change, "new.py")).toEqual(["eval(y)"])
        expect(file(change, "evil.bin.py")?.binary).toBe(true)
        expect(Result.getOrThrow(parseDiff(change.patch)).files.filter(({ binary }) => binary).length).toBe(1)
      }
      check(yield* resolve(repository.root))
      repository.git("add", "--all")
      check(yield* resolve(repository.root, { _tag: "Staged" }))
      repository.git("commit", "--quiet", "--message", "two")
      check(yield* resolve(repository.root))
    })
  )

  it.live("hides no text that was renamed, whose name is not UTF-8, or that was binary before", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", { ".gitattributes": attributes, "a.py": old, "was.py": Uint8Array.of(0, 10) })
      repository.write("was.py", "eval(z)\n").git("mv", "a.py", "b.py")
      const odd = repository.path("odd")
      writeFileSync(Buffer.concat([Buffer.from(odd), Buffer.of(0xff), Buffer.from(".py")]), "eval(o)\n")
      repository.write("b.py", `${old}eval(x)\n`)
      repository.commit("two")
      const change = yield* resolve(repository.root)
      expect([file(change, "b.py")?.status, added(change, "b.py")]).toEqual(["renamed", ["eval(x)"]])
      expect(added(change, "was.py")).toEqual(["eval(z)"])
      expect(added(change, "odd\\xff.py")).toEqual(["eval(o)"])
    })
  )

  it.live("asks git once more only for a change that has such files, and never for what is too large", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const large = "x\n".repeat(1_000_001)
      repository.commit("one", { "image.png": Uint8Array.of(0), "large.py": large, "shrunk.py": large })
      repository.commit("two", {
        "image.png": Uint8Array.of(0, 1),
        "large.py": `${large}eval(x)\n`,
        "shrunk.py": "x\n"
      })
      const git = yield* Git
      const asked: Array<unknown> = []
      const watched = Git.of({
        ...git,
        diff: (opened, sides, paths) => {
          asked.push(paths !== undefined && "asText" in paths ? paths.asText : "all")
          return git.diff(opened, sides, paths)
        }
      })
      const change = yield* Changes.use((changes) =>
        Effect.flatMap(git.open(repository.root), (opened) => changes.resolve(opened, byDefault))
      ).pipe(
        Effect.provide(
          Layer.fresh(Changes.layer).pipe(Layer.provide(Layer.succeed(Git, watched)), Layer.provide(Platform.layer))
        )
      )
      expect(asked).toEqual(["all"])
      const seen = change.diff.files.map(({ path, binary, tooLarge }) => [path, binary, tooLarge])
      expect(seen).toEqual([
        ["image.png", true, undefined],
        ["large.py", true, 2_000_010],
        ["shrunk.py", true, 2_000_002]
      ])
    }).pipe(Effect.provide(live))
  )

  it.live("are seen through in a patch only as far as the working tree shows the text", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", { ".gitattributes": attributes, "evil.py": "1\n", "a.txt2": "1\n" })
      repository.write("evil.py", "eval(x)\n").write("a.txt2", "2\n")
      const text = repository.gitBytes("diff", "HEAD")
      const change = yield* resolve(repository.root, { _tag: "Patch", origin: "p", text })
      expect(file(change, "evil.py")?.unread).toBe("it is text, and the patch does not show it as text")
    })
  )
})

describe("dd's own folder", () => {
  it.live("is left out only where git does not track it: a tracked file there is a file as any", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", { ".daydream/state.py": "1\n", "a.txt": "1\n" })
      const sha = repository.commit("two", { ".daydream/state.py": "2\n" })
      expect(files(yield* resolve(repository.root))).toEqual(["modified .daydream/state.py"])
      repository.write(".daydream/deep/diff.patch", "dd's own\n")
      expect((yield* resolve(repository.root)).description).toBe(`the last commit (${sha.slice(0, 7)}) on main`)
      repository.write(".daydream/state.py", "3\n")
      expect(files(yield* resolve(repository.root))).toEqual(["modified .daydream/state.py"])
      const text = repository.gitBytes("diff", "HEAD")
      expect(files(yield* alone({ _tag: "Patch", origin: "p", text }))).toEqual(["modified .daydream/state.py"])
    })
  )
})

describe("the change that flags select", () => {
  it.live("--base takes any revision, and one that only the remote has", () =>
    Effect.gen(function* () {
      const { repository, fork, tip } = yield* withTopic
      const before = repository.git("rev-parse", "HEAD~1")
      const change = yield* resolve(repository.root, { _tag: "Base", base: "HEAD~1" })
      expect(change.description).toBe("branch topic against HEAD~1")
      expect(sides(change)).toEqual([before, tip])
      repository.git("update-ref", "refs/remotes/origin/release", fork)
      expect(sides(yield* resolve(repository.root, { _tag: "Base", base: "release" }))).toEqual([fork, tip])
      repository.write("a.txt", "edit\n")
      expect(sides(yield* resolve(repository.root, { _tag: "Base", base: fork }))).toEqual([fork, "worktree"])
    })
  )

  it.live("--branch reviews commits only, in every directory", () =>
    Effect.gen(function* () {
      const { repository, fork, tip } = yield* withTopic
      repository.checkout("main").write("a.txt", "unrelated edit\n")
      const change = yield* resolve(repository.root, { _tag: "Branch", branch: "topic", base: null })
      expect([change.description, change.branch, sides(change)]).toEqual([
        "branch topic against main",
        "topic",
        [fork, tip]
      ])
      const based = yield* resolve(repository.root, { _tag: "Branch", branch: "topic", base: "topic~1" })
      expect(subjects(based)).toEqual(["three"])
      const idle = yield* resolve(repository.root, { _tag: "Branch", branch: "topic", base: "topic" })
      expect(idle.description).toBe("branch topic against topic; it has no commits that are not on topic")
    })
  )

  it.live("--staged takes the index, not the working tree", () =>
    Effect.gen(function* () {
      const { repository, tip } = yield* withTopic
      const nothing = yield* resolve(repository.root, { _tag: "Staged" })
      expect(nothing.description).toBe("the staged changes on topic; nothing is staged")
      repository.write("a.txt", "staged\n").git("add", "a.txt")
      repository.write("a.txt", "later\n").write("u.txt", "u\n")
      const change = yield* resolve(repository.root, { _tag: "Staged" })
      expect(sides(change)).toEqual([tip, "index"])
      expect([files(change), added(change, "a.txt")]).toEqual([["modified a.txt"], ["staged"]])
    })
  )

  it.live("--commit takes one commit, the working tree aside", () =>
    Effect.gen(function* () {
      const { repository } = yield* withTopic
      repository.write("a.txt", "edit\n")
      const change = yield* resolve(repository.root, { _tag: "Commit", commit: "HEAD~1" })
      expect(subjects(change)).toEqual(["two"])
      expect(files(change)).toEqual(["modified a.txt"])
      expect(change.description).toMatch(/^commit [0-9a-f]{7}$/)
    })
  )

  it.live("refuses a FIFO that git would wait for, in any folder", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", { "src/a.ts": "1\n" })
      spawnSync("mkfifo", [repository.path("src/.gitignore")])
      const refused = yield* refuse(repository.root, byDefault)
      expect([refused._tag, refused.message]).toEqual([
        "GitWouldWait",
        "src/.gitignore is a FIFO, which git would wait for; remove it"
      ])
    })
  )

  it.live("refuses what looks like an option, and what is not there", () =>
    Effect.gen(function* () {
      const { repository } = yield* withTopic
      const asked: ReadonlyArray<Selection> = [
        { _tag: "Base", base: "--output=pwned" },
        { _tag: "Base", base: "nope" },
        { _tag: "Branch", branch: "-b", base: null },
        { _tag: "Branch", branch: "topic", base: "--x" },
        { _tag: "Commit", commit: "--all" }
      ]
      for (const selection of asked) expect((yield* refuse(repository.root, selection))._tag).toBe("RevisionUnknown")
    })
  )

  it.live("reports what to do about a name that no commit has: nothing is committed yet, or the clone is shallow", () =>
    Effect.gen(function* () {
      const { repository } = yield* withTopic
      const of = (root: string, commit = "HEAD~7") =>
        Effect.map(refuse(root, { _tag: "Commit", commit }), ({ message }) => message)
      expect(yield* of(repository.root, "nowhere")).toContain("git branch --all")
      expect(yield* of(repository.root)).toContain("HEAD has 3 commits, so the first one is HEAD~2")
      const range = yield* refuse(repository.root, { _tag: "Commit", commit: "HEAD~2..HEAD" })
      expect(range.message).toContain('"HEAD~2..HEAD" is a range, not a commit; use --base HEAD~2 --branch HEAD')
      const symmetric = yield* refuse(repository.root, { _tag: "Base", base: "main...topic" })
      expect(symmetric.message).toContain("use --base main --branch topic")
      const open = yield* refuse(repository.root, { _tag: "Base", base: "main.." })
      expect(open.message).toContain("use --base main --branch HEAD")
      const clone = yield* makeRepository
      expect(yield* of(clone.root)).toContain(
        "the checked-out branch has none yet; `dd review` alone reviews all files"
      )
      clone.git("-c", "protocol.file.allow=always", "fetch", "-q", "--depth=1", `file://${repository.root}`, "topic")
      clone.git("checkout", "--quiet", "--detach", "FETCH_HEAD")
      expect(yield* of(clone.root)).toContain("this clone is shallow: run `git fetch --unshallow`")
    })
  )

  it.live("is all of a branch that has no commit in common with its base", () =>
    Effect.gen(function* () {
      const { repository } = yield* withTopic
      repository.git("checkout", "--quiet", "--orphan", "pages")
      repository.git("rm", "-rfq", ".")
      repository.commit("pages 1", { "one.md": "1\n" })
      repository.commit("pages 2", { "two.md": "2\n" })
      const all = ["one.md", "two.md"]
      const selections: ReadonlyArray<Selection> = [
        byDefault,
        { _tag: "Base", base: "main" },
        { _tag: "Branch", branch: "pages", base: null },
        { _tag: "Branch", branch: "pages", base: "main" }
      ]
      for (const selection of selections) {
        const change = yield* resolve(repository.root, selection)
        expect(change.description).toBe("branch pages, all of it: it has no commit in common with main")
        expect(change.diff.files.map(({ path }) => path)).toEqual(all)
        expect([change.base._tag, change.commits.map(({ subject }) => subject)]).toEqual([
          "Empty",
          ["pages 1", "pages 2"]
        ])
      }
      repository.write("three.md", "3\n")
      const edited = yield* resolve(repository.root)
      expect(edited.description).toBe(
        "branch pages, all of it: it has no commit in common with main, and uncommitted edits"
      )
      expect(edited.diff.files.map(({ path }) => path)).toEqual([...all, "three.md"])
      repository.git("checkout", "--quiet", "--detach")
      expect((yield* resolve(repository.root)).diff.files.map(({ path }) => path)).toEqual([...all, "three.md"])
    })
  )

  it.live("has nothing staged to offer in a bare repository", () =>
    Effect.gen(function* () {
      const { repository } = yield* withTopic
      repository.git("clone", "--quiet", "--bare", ".", "../bare.git")
      expect((yield* refuse(repository.path("../bare.git"), { _tag: "Staged" }))._tag).toBe("WorktreeMissing")
    })
  )

  it.live("needs a repository for anything but a patch", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(alone(byDefault))
      expect(error.message).toContain("--diff-file")
    })
  )
})

describe("a shallow clone", () => {
  const shallow = (origin: TestRepository, ...args: ReadonlyArray<string>) =>
    Effect.map(makeRepository, (clone) => {
      clone.git("-c", "protocol.file.allow=always", "fetch", "--quiet", "--depth=1", `file://${origin.root}`, ...args)
      return clone
    })

  it.live("never takes the edge of its history for a root commit", () =>
    Effect.gen(function* () {
      const { repository } = yield* withTopic
      const clone = yield* shallow(repository, "topic")
      clone.git("checkout", "--quiet", "--detach", "FETCH_HEAD")
      const error = yield* refuse(clone.root)
      expect(error._tag).toBe("HistoryTooShallow")
      expect(error.message).toContain("git fetch --unshallow")
    })
  )

  it.live("reports what to fetch when the merge base is missing, without a flag that a hook lacks", () =>
    Effect.gen(function* () {
      const { repository } = yield* withTopic
      const clone = yield* shallow(repository, "main:refs/remotes/origin/main", "topic:refs/heads/topic")
      clone.checkout("topic")
      const error = yield* refuse(clone.root)
      expect(error._tag).toBe("HistoryTooShallow")
      expect(error.message).toEndWith("the commit where branch topic left origin/main; run `git fetch --unshallow`")
    })
  )
})

describe("a patch", () => {
  const bytes = (text: string) => new TextEncoder().encode(text)
  const patch = (text: Uint8Array): Selection => ({ _tag: "Patch", origin: "change.diff", text })
  const simple = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-1\n+2\n"

  it.live("needs no repository", () =>
    Effect.gen(function* () {
      const change = yield* alone(patch(bytes(simple)))
      expect([change.description, sides(change), files(change)]).toEqual([
        "the patch change.diff",
        ["unknown", "unknown"],
        ["modified a.txt"]
      ])
      expect(change.patch).toEqual(bytes(simple))
    })
  )

  it.live("is read together with the working tree only when that shows it applied", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", { "a.txt": "1\n", "gone.txt": "x\n" })
      repository.write("a.txt", "2\n").remove("gone.txt")
      const text = repository.gitBytes("diff", "HEAD")
      const applied = yield* resolve(repository.root, patch(text))
      expect([sides(applied), applied.description]).toEqual([
        ["unknown", "worktree"],
        "the patch change.diff, which the working tree has applied"
      ])
      repository.write("gone.txt", "back\n")
      expect(sides(yield* resolve(repository.root, patch(text)))).toEqual(["unknown", "unknown"])
      repository.remove("gone.txt").write("a.txt", "3\n")
      expect(sides(yield* resolve(repository.root, patch(text)))).toEqual(["unknown", "unknown"])
    })
  )

  it.live("that is a series names a path once, by the lines it has in the end", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      const first = repository.commit("one", { "a.txt": "1\n2\n3\n4\n5\n6\n7\n8\n9\n" })
      repository.commit("two", { "a.txt": "1\n2\n3\n4\n5\n6\n7\n8\nnine\n" })
      repository.commit("three", { "a.txt": "zero\n1\n2\n3\n4\n5\n6\n7\n8\nnine\n" })
      const change = yield* resolve(repository.root, patch(repository.gitBytes("format-patch", "--stdout", first)))
      expect([files(change), sides(change)]).toEqual([["modified a.txt"], ["unknown", "worktree"]])
      const hunks = new HunkIndex(change.diff)
      const added = [1, 2, 9, 10].filter((line) => hunks.isAdded("a.txt", line))
      expect(added).toEqual([1, 10])
      repository.git("revert", "--no-edit", "HEAD", "HEAD~1")
      const undone = yield* resolve(repository.root, patch(repository.gitBytes("format-patch", "--stdout", first)))
      expect([files(undone), undone.description]).toEqual([[], "the patch change.diff; its changes cancel out"])
    })
  )

  it.live("cannot make dd look at files outside the repository", () =>
    Effect.gen(function* () {
      const repository = yield* makeRepository
      repository.commit("one", { "a.txt": "1\n" })
      repository.write("../outside.txt", "2\n").link("way", "..")
      for (const path of ["../outside.txt", "way/outside.txt", ".git/HEAD"]) {
        const text = bytes(`--- a/${path}\n+++ b/${path}\n@@ -1 +1 @@\n-1\n+2\n`)
        expect(sides(yield* resolve(repository.root, patch(text)))).toEqual(["unknown", "unknown"])
      }
    })
  )

  it.live("reports when it is empty, or cannot be read", () =>
    Effect.gen(function* () {
      const empty = yield* alone(patch(new Uint8Array()))
      expect(empty.description).toBe("the patch change.diff; it is empty")
      const error = yield* Effect.flip(alone(patch(bytes("not a diff\n"))))
      expect(error._tag).toBe("DiffMalformed")
    })
  )
})

describe("names that git finds ambiguous", () => {
  it.live("a branch or a tag named HEAD changes no review", () =>
    Effect.gen(function* () {
      const { repository, fork, tip } = yield* withTopic
      for (const name of ["refs/heads/HEAD", "refs/tags/HEAD", "refs/heads/@", "refs/remotes/origin/HEAD"]) {
        repository.git("update-ref", "--no-deref", name, fork)
        for (const selection of [
          { _tag: "Default" },
          { _tag: "Base", base: "main" },
          { _tag: "Branch", branch: "HEAD", base: "main" },
          { _tag: "Branch", branch: "@", base: "main" }
        ] as const) {
          expect([name, ...sides(yield* resolve(repository.root, selection))]).toEqual([name, fork, tip])
        }
        expect(sides(yield* resolve(repository.root, { _tag: "Commit", commit: "HEAD" }))[1]).toBe(tip)
        expect(sides(yield* resolve(repository.root, { _tag: "Staged" }))).toEqual([tip, "index"])
        repository.git("update-ref", "-d", "--no-deref", name)
      }
    })
  )

  it.live("a branch comes before a tag, an object name before a branch, and a file is never a name", () =>
    Effect.gen(function* () {
      const { repository, fork, tip } = yield* withTopic
      const compared = (branch: string, base: string) =>
        Effect.map(resolve(repository.root, { _tag: "Branch", branch, base }), sides)
      repository.git("update-ref", "refs/remotes/origin/release", fork)
      for (const tag of ["main", "topic", "release", "origin/release", "a.txt"]) repository.git("tag", tag, tip)
      repository.git("tag", "--force", "topic", fork)
      expect(yield* compared("topic", "main")).toEqual([fork, tip])
      expect(yield* compared("topic", "release")).toEqual([fork, tip])
      expect(yield* compared("topic", "origin/release")).toEqual([fork, tip])
      expect(yield* compared("a.txt", "main")).toEqual([fork, tip])
      for (const sha of [fork, fork.slice(0, 7), "FETCH_HEAD"]) {
        repository.git("update-ref", "FETCH_HEAD", fork)
        repository.git("update-ref", `refs/remotes/origin/${sha}`, tip)
        expect(yield* compared("topic", sha)).toEqual([fork, tip])
      }
    })
  )

  it.live("branches named like options, and references that lead to no commit", () =>
    Effect.gen(function* () {
      const { repository, fork, tip } = yield* withTopic
      for (const name of ["-x", "--output=owned", "--all"]) {
        repository.git("update-ref", `refs/heads/${name}`, tip)
        expect(sides(yield* resolve(repository.root, { _tag: "Branch", branch: name, base: "main" }))).toEqual([
          fork,
          tip
        ])
        expect(sides(yield* resolve(repository.root, { _tag: "Commit", commit: name }))[1]).toBe(tip)
        repository.git("symbolic-ref", "HEAD", `refs/heads/${name}`)
        expect((yield* resolve(repository.root)).description).toBe(`branch ${name} against main`)
      }
      repository.git("symbolic-ref", "HEAD", "refs/heads/topic")
      repository.git("update-ref", "refs/remotes/origin/HEAD", `${tip}^{tree}`)
      repository.git("symbolic-ref", "refs/remotes/origin/main", "refs/remotes/origin/gone")
      expect((yield* resolve(repository.root)).description).toBe("branch topic against main")
      expect(existsSync(repository.path("owned"))).toBe(false)
    })
  )
})

describe("chooseBase", () => {
  const ref = (name: string, target = "") => ({ name, sha: name, target })

  it("prefers the remote's default, then main, then master, the remote's before one's own", () => {
    const head = ref("refs/remotes/origin/HEAD", "refs/remotes/origin/release/1.x")
    const rest = ["refs/remotes/origin/main", "refs/remotes/origin/master", "refs/heads/main", "refs/heads/master"]
    const refs = [head, ...rest.map((name) => ref(name))]
    const names = refs.map((_, skipped) => chooseBase(refs.slice(skipped).toReversed())?.name)
    expect(names).toEqual(["origin/release/1.x", "origin/main", "origin/master", "main", "master"])
    expect(chooseBase([])).toBe(null)
    expect(chooseBase([head])?.branch).toBe("release/1.x")
  })

  it("names the target of an unusual origin/HEAD", () => {
    const leadingTo = (target: string) => chooseBase([ref("refs/remotes/origin/HEAD", target)])?.name
    expect(["", "refs/heads/main", "refs/tags/v1", "refs/remotes/fork/main"].map(leadingTo)).toEqual([
      "origin/HEAD",
      "main",
      "tags/v1",
      "remotes/fork/main"
    ])
  })
})
