import { describe, expect } from "bun:test"
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import type { Selection } from "../../../src/domain/change/Change.ts"
import * as GitTree from "../../../src/layers/fix/GitTree.ts"
import * as Platform from "../../../src/layers/system/Platform.ts"
import { Changes } from "../../../src/services/change/Changes.ts"
import { Git } from "../../../src/services/change/Git.ts"
import { FixTree, type Tree } from "../../../src/services/fix/FixTree.ts"
import { it } from "../../support/effect.ts"
import { folderHash } from "../../support/folderHash.ts"
import { makeDirectory, makeRepository, TestRepository } from "../../support/repository.ts"

const text = (bytes: Uint8Array | null) => (bytes === null ? null : new TextDecoder().decode(bytes))
const bytes = (content: string) => new TextEncoder().encode(content)

/** Runs with the fix tree of a selection, and checks that the repository is what it was. */
const withTree = <A, E>(
  repository: TestRepository,
  selection: Selection,
  use: (tree: Tree) => Effect.Effect<A, E, Git>
) =>
  Effect.gen(function* () {
    const before = folderHash(repository.root)
    const home = yield* makeDirectory
    const live = Changes.layer.pipe(Layer.provideMerge(Git.layer), Layer.provideMerge(Platform.layer))
    const answer = yield* Effect.gen(function* () {
      const opened = yield* Git.use((git) => git.open(repository.root))
      const change = yield* Changes.use((changes) => changes.resolve(opened, selection))
      return yield* Effect.gen(function* () {
        const tree = yield* FixTree.use((trees) => trees.of(change))
        const answer = yield* use(tree)
        return answer
      }).pipe(Effect.provide(GitTree.layer({ repository: opened, home })))
    }).pipe(Effect.provide(live))
    expect(folderHash(repository.root)).toBe(before)
    // Nothing is left of the tree.
    expect(readdirSync(join(home, "work"))).toEqual([])
    return answer
  })

const shop = Effect.map(makeRepository, (repository) => {
  repository
    .write("a.py", "one\ntwo\n")
    .write("run.sh", "#!/bin/sh\n", 0o755)
    .write("gone.py", "x\n")
    .write(".gitignore", "build/\n")
    .link("link", "a.py")
    .commit("first")
  return repository
})

describe("the fix tree", () => {
  it.effect("is at the reviewed commit, whatever the working tree has", () =>
    Effect.gen(function* () {
      const repository = yield* shop
      repository.write("a.py", "edited\n")
      yield* withTree(repository, { _tag: "Commit", commit: "HEAD" }, (tree) =>
        Effect.gen(function* () {
          expect(text(yield* tree.read("a.py"))).toBe("one\ntwo\n")
          expect(yield* tree.changed).toEqual([])
        })
      )
    })
  )

  it.effect("has uncommitted edits: changed, deleted, untracked and executable files, links", () =>
    Effect.gen(function* () {
      const repository = yield* shop
      repository
        .write("a.py", "edited\n")
        .write("new file.py", "new\n")
        .write("build/out", "ignored\n")
        .remove("gone.py")
      repository.write("tool", "#!/bin/sh\n", 0o755).link("other", "tool")
      yield* withTree(repository, { _tag: "Default" }, (tree) =>
        Effect.gen(function* () {
          const { root } = tree.repository
          expect(readdirSync(root).sort()).toEqual(
            [".git", ".gitignore", "a.py", "link", "new file.py", "other", "run.sh", "tool"].sort()
          )
          expect(text(yield* tree.read("a.py"))).toBe("edited\n")
          expect(lstatSync(join(root, "tool")).mode & 0o111).not.toBe(0)
          expect(lstatSync(join(root, "run.sh")).mode & 0o111).not.toBe(0)
          expect(readlinkSync(join(root, "other"))).toBe("tool")
          // The start of the tree: only what is changed after it is in its patch.
          expect(yield* tree.changed).toEqual([])
        })
      )
    })
  )

  it.effect("has what is staged, and not what is edited after it", () =>
    Effect.gen(function* () {
      const repository = yield* shop
      repository.write("a.py", "staged\n").git("add", "a.py")
      repository.write("a.py", "later\n")
      yield* withTree(repository, { _tag: "Staged" }, (tree) =>
        Effect.gen(function* () {
          expect(text(yield* tree.read("a.py"))).toBe("staged\n")
        })
      )
    })
  )

  it.effect("gives its changes as a patch that applies to the reviewed state", () =>
    Effect.gen(function* () {
      const repository = yield* shop
      const patch = yield* withTree(repository, { _tag: "Commit", commit: "HEAD" }, (tree) =>
        Effect.gen(function* () {
          yield* tree.write("a.py", bytes("one\n2\n"))
          yield* tree.write("dir/new.py", bytes("new\n"))
          yield* tree.write("gone.py", null)
          expect(yield* tree.changed).toEqual(["a.py", "dir/new.py", "gone.py"])
          expect((yield* tree.files).map(({ after, path }) => [path, text(after)])).toEqual([
            ["a.py", "one\n2\n"],
            ["dir/new.py", "new\n"],
            ["gone.py", null]
          ])
          return yield* tree.patch
        })
      )
      repository.write("p.patch", patch).git("apply", "--check", "p.patch")
    })
  )

  it.effect("has branches with edits of their own", () =>
    Effect.gen(function* () {
      const repository = yield* shop
      yield* withTree(repository, { _tag: "Commit", commit: "HEAD" }, (tree) =>
        Effect.gen(function* () {
          yield* tree.write("a.py", bytes("one\n2\n"))
          const [left, right] = yield* Effect.all([tree.branch("same name"), tree.branch("same name")])
          yield* left.write("b.py", bytes("left\n"))
          expect(yield* left.changed).toEqual(["b.py"])
          expect(text(yield* right.read("a.py"))).toBe("one\n2\n")
          expect(yield* right.changed).toEqual([])
        })
      )
    })
  )

  it.effect("has many branches that are made at the same time", () =>
    Effect.gen(function* () {
      const repository = yield* shop
      yield* withTree(repository, { _tag: "Commit", commit: "HEAD" }, (tree) =>
        Effect.gen(function* () {
          yield* tree.write("a.py", bytes("one\n2\n"))
          const names = Array.from({ length: 8 }, (_, at) => `group ${at}`)
          const branches = yield* Effect.forEach(names, tree.branch, { concurrency: "unbounded" })
          for (const branch of branches) expect(text(yield* branch.read("a.py"))).toBe("one\n2\n")
        })
      )
    })
  )

  it.effect("gives tests a directory of their own, which they may destroy", () =>
    Effect.gen(function* () {
      const repository = yield* shop
      yield* withTree(repository, { _tag: "Commit", commit: "HEAD" }, (tree) =>
        Effect.gen(function* () {
          const root = yield* tree.forTests
          expect(readFileSync(join(root, "a.py"), "utf8")).toBe("one\ntwo\n")
          expect(readlinkSync(join(root, "link"))).toBe("a.py")
          expect(existsSync(join(root, ".git/objects/info/alternates"))).toBe(false)
          rmSync(join(root, ".git"), { recursive: true })
          writeFileSync(join(root, ".git"), `gitdir: ${repository.root}/.git\n`)
          yield* tree.write("a.py", bytes("fixed\n"))
          expect(yield* tree.forTests).toBe(root)
          expect(readFileSync(join(root, "a.py"), "utf8")).toBe("fixed\n")
          expect(yield* tree.changed).toEqual(["a.py"])
          // Nothing is written through a link that the tests have made.
          rmSync(join(root, "a.py"))
          symlinkSync(repository.path("a.py"), join(root, "a.py"))
          const refused = yield* Effect.result(tree.forTests)
          expect(refused._tag).toBe("Failure")
        })
      )
    })
  )

  it.effect("is made of a repository without a commit, and of a linked worktree", () =>
    Effect.gen(function* () {
      const fresh = yield* makeRepository
      fresh.write("a.py", "one\n")
      yield* withTree(fresh, { _tag: "Default" }, (tree) =>
        Effect.gen(function* () {
          expect(text(yield* tree.read("a.py"))).toBe("one\n")
        })
      )
      const repository = yield* shop
      const linked = `${yield* makeDirectory}/linked`
      repository.git("worktree", "add", "-q", linked)
      yield* withTree(new TestRepository(linked), { _tag: "Commit", commit: "HEAD" }, (tree) =>
        Effect.gen(function* () {
          expect(text(yield* tree.read("a.py"))).toBe("one\ntwo\n")
        })
      )
    })
  )

  it.effect("has the history of a shallow clone, and no more", () =>
    Effect.gen(function* () {
      const repository = yield* shop
      repository.write("a.py", "second\n").commit("second")
      repository.write("a.py", "third\n").commit("third")
      const clone = `${yield* makeDirectory}/clone`
      repository.git("clone", "-q", "--depth=2", `file://${repository.root}`, clone)
      yield* withTree(new TestRepository(clone), { _tag: "Commit", commit: "HEAD" }, (tree) =>
        Effect.gen(function* () {
          const { root } = tree.repository
          expect(new TestRepository(root).git("log", "--format=%s").split("\n")).toEqual([
            "The reviewed state",
            "third",
            "second"
          ])
        })
      )
    })
  )

  it.effect("knows what a file was before with the line ends of the working tree", () =>
    Effect.gen(function* () {
      const repository = yield* shop
      repository.write(".gitattributes", "*.py text eol=crlf\n").commit("attributes")
      repository.remove("a.py").git("checkout", "--", "a.py")
      yield* withTree(repository, { _tag: "Commit", commit: "HEAD" }, (tree) =>
        Effect.gen(function* () {
          yield* tree.write("a.py", bytes("one\r\n2\r\n"))
          expect((yield* tree.files).map(({ before }) => text(before))).toEqual(["one\r\ntwo\r\n"])
        })
      )
    })
  )

  it.effect("runs no hook and no filter of the repository", () =>
    Effect.gen(function* () {
      const repository = yield* shop
      const proof = `${yield* makeDirectory}/proof`
      repository.write(".gitattributes", "*.py filter=evil\n").write("a.py", "one\n").commit("attributes")
      repository.git("config", "filter.evil.smudge", `touch ${proof}; cat`)
      repository.git("config", "filter.evil.clean", `touch ${proof}; cat`)
      repository.write(".git/hooks/post-checkout", `#!/bin/sh\ntouch ${proof}\n`, 0o755)
      yield* withTree(repository, { _tag: "Commit", commit: "HEAD" }, (tree) =>
        Effect.gen(function* () {
          yield* tree.write("a.py", bytes("two\n"))
          const branch = yield* tree.branch("branch")
          expect(text(yield* branch.read("a.py"))).toBe("two\n")
        })
      )
      expect(readdirSync(join(proof, ".."))).toEqual([])
    })
  )
})
