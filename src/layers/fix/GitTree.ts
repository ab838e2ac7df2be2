/** The fix tree as a repository in a temporary directory, with the objects of the reviewed one as alternates. */
import { Effect, FileSystem, Layer, Option, Path, Scope, Semaphore } from "effect"
import { type Change, sideText } from "../../domain/change/Change.ts"
import { compareText } from "../../domain/text/compareText.ts"
import { Refused } from "../../services/agent/runtime/Action.ts"
import { makeWritableTree } from "../../services/agent/runtime/WritableTree.ts"
import { Git } from "../../services/change/Git.ts"
import { type GitPlace, makeGitCall } from "../../services/change/gitCall.ts"
import { diffArguments } from "../../services/change/gitHardening.ts"
import { nulTexts } from "../../services/change/gitOutput.ts"
import type { Repository } from "../../services/change/openRepository.ts"
import { maxBytes } from "../../services/change/Sources.ts"
import { FixTree, FixTreeFailed, type PatchedFile, type Tree } from "../../services/fix/FixTree.ts"
import { oncePerKey } from "../../services/system/oncePerKey.ts"
import { systemErrorText } from "../../services/system/systemErrorText.ts"
import { readWorktreeFile } from "../../services/system/worktreeFile.ts"
import { temporaryCopy } from "../system/temporaryCopy.ts"

export interface GitTreeOptions {
  /** Null for a bare patch, which has no tree. */
  readonly repository: Repository | null
  /** dd's own directory; null if there is none. */
  readonly home: string | null
}

export const layer = (options: GitTreeOptions) =>
  Layer.effect(
    FixTree,
    Effect.gen(function* () {
      const make = yield* makeTree(options)
      const scope = yield* Effect.scope
      const made = oncePerKey<Change, Exited>()
      return FixTree.of({
        of: (change) =>
          Effect.flatMap(
            made(change, Effect.exit(Effect.provideService(make(change), Scope.Scope, scope))),
            (exit) => exit
          )
      })
    })
  )

type Exited = Effect.Success<ReturnType<typeof Effect.exit<Tree, FixTreeFailed, never>>>

/** Commits of the tree are nobody's: they never leave it. */
const identity = ["-c", "user.name=dd", "-c", "user.email=dd@localhost", "-c", "commit.gpgSign=false"]

const makeTree = Effect.fnUntraced(function* ({ home, repository }: GitTreeOptions) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const git = yield* Git
  const { ask } = yield* makeGitCall
  const platform = { fs, paths }
  let branches = 0

  const failed = (error: { readonly _tag: string; readonly message: string }) =>
    new FixTreeFailed({ reason: error._tag === "PlatformError" ? systemErrorText(error) : error.message })
  const asked = (place: GitPlace, args: ReadonlyArray<string>, input?: Uint8Array) =>
    Effect.map(ask(place, args, input === undefined ? {} : { input }), ({ stdout }) => stdout)
  const line = (place: GitPlace, args: ReadonlyArray<string>) =>
    Effect.map(asked(place, args), (bytes) => new TextDecoder().decode(bytes).trim())

  /** A new repository with the objects and the file settings of the reviewed one. */
  const emptyRepository = Effect.fnUntraced(function* (reviewed: Repository, own: string) {
    const root = paths.join(own, "tree")
    yield* fs.makeDirectory(root, { mode: 0o700 })
    const format = reviewed.emptyTree.length === 64 ? "sha256" : "sha1"
    const bare = { root, gitDir: paths.join(root, ".git"), bare: false, filters: reviewed.filters }
    yield* asked(bare, ["init", "-q", "--template=", `--object-format=${format}`])
    const objects = yield* line(reviewed, ["rev-parse", "--path-format=absolute", "--git-path", "objects"])
    const gitDir = paths.join(root, ".git")
    yield* fs.makeDirectory(paths.join(gitDir, "objects/info"), { recursive: true })
    yield* fs.writeFileString(paths.join(gitDir, "objects/info/alternates"), `${objects}\n`)
    if (reviewed.shallow) {
      const shallow = yield* line(reviewed, ["rev-parse", "--path-format=absolute", "--git-path", "shallow"])
      yield* fs.copyFile(shallow, paths.join(gitDir, "shallow"))
    }
    const settings = yield* ask(reviewed, ["config", "-z", "--get-regexp", fileSettings], { accept: [1] })
    for (const setting of nulTexts(settings.stdout)) {
      const end = setting.indexOf("\n")
      if (end > 0) yield* asked(bare, ["config", setting.slice(0, end), setting.slice(end + 1)])
    }
    return yield* git.open(root)
  })

  /** Files on disk that differ from the commit, copied as they are. */
  const overlay = Effect.fnUntraced(function* (from: string, root: string, names: ReadonlyArray<string>) {
    for (const path of names) {
      const file = yield* readWorktreeFile(platform, from, path, Number.POSITIVE_INFINITY)
      const to = paths.join(root, path)
      if (file._tag === "Unreadable") return yield* new FixTreeFailed({ reason: `${path}: ${file.reason}` })
      yield* fs.remove(to, { recursive: true, force: true })
      if (file._tag === "Absent" || file._tag === "TooLarge") continue
      yield* fs.makeDirectory(paths.dirname(to), { recursive: true })
      if (file._tag === "Link") yield* fs.symlink(file.target, to)
      else yield* fs.writeFile(to, file.bytes, { mode: file.executable ? 0o755 : 0o644 })
    }
  })

  const fill = Effect.fnUntraced(function* (
    reviewed: Repository,
    tree: Repository & { readonly root: string },
    change: Change
  ) {
    const { head } = change
    const commit = head._tag === "Commit" ? head.sha : reviewed.head.sha
    if (head._tag === "Index") {
      const staged = yield* asked(reviewed, ["ls-files", "--stage", "-z"])
      yield* asked(tree, ["update-index", "-z", "--index-info"], staged)
    } else if (commit !== null) yield* asked(tree, ["read-tree", commit])
    yield* asked(tree, ["checkout-index", "--all", "--force", "--quiet"])
    if (head._tag === "Worktree" && reviewed.root !== null) {
      const base = commit === null ? ({ _tag: "Empty" } as const) : ({ _tag: "Commit", sha: commit } as const)
      const edited = yield* git.changed(reviewed, { base, head })
      const { untracked } = yield* git.status(reviewed)
      const names = [...edited.map(({ path }) => path), ...untracked.filter((path) => !path.startsWith(".daydream/"))]
      yield* overlay(reviewed.root, tree.root, names)
    }
    yield* asked(tree, ["add", "--all"])
    return yield* commitOf(tree, commit)
  })

  /** The commit of what the index has. */
  const commitOf = Effect.fnUntraced(function* (tree: Repository, parent: string | null) {
    const written = yield* line(tree, ["write-tree"])
    const parents = parent === null ? [] : ["-p", parent]
    const commit = yield* line(tree, [...identity, "commit-tree", written, ...parents, "-m", "The reviewed state"])
    yield* asked(tree, ["update-ref", "--no-deref", "HEAD", commit])
    return commit
  })

  const treeAt = (tree: Repository & { readonly root: string }, start: string, own: string): Tree => {
    const staged = asked(tree, ["add", "--all"])
    const difference = (args: ReadonlyArray<string>) =>
      Effect.andThen(
        staged,
        asked(tree, ["diff", "--cached", ...diffArguments, "--no-renames", ...args, start, "--"])
      ).pipe(Effect.mapError(failed))
    const changed = Effect.map(difference(["--name-only", "-z"]), (bytes) => nulTexts(bytes).toSorted(compareText))

    const read = (path: string) =>
      Effect.map(readWorktreeFile(platform, tree.root, path, maxBytes), (file) =>
        file._tag === "File" ? file.bytes : null
      )

    const write = Effect.fnUntraced(
      function* (path: string, bytes: Uint8Array | null) {
        const to = paths.join(tree.root, path)
        if (bytes === null) return yield* fs.remove(to, { force: true })
        yield* fs.makeDirectory(paths.dirname(to), { recursive: true })
        // Written into the file, which keeps its mode.
        yield* fs.writeFile(to, bytes)
      },
      (self) => Effect.mapError(self, failed)
    )

    const before = Effect.fnUntraced(function* (path: string) {
      const { exitCode, stdout } = yield* ask(tree, ["cat-file", "--filters", `${start}:${path}`], { accept: [128] })
      return exitCode === 0 ? stdout : null
    })

    const files = Effect.gen(function* () {
      const found: Array<PatchedFile> = []
      for (const path of yield* changed) {
        found.push({ path, before: yield* Effect.mapError(before(path), failed), after: yield* read(path) })
      }
      return found
    })

    let shown: ReadonlyArray<string> | null = null
    const forTests = Effect.gen(function* () {
      const root = paths.join(own, "tests")
      const now = yield* changed
      if (shown === null) {
        yield* asked(tree, ["add", "--all"])
        yield* asked(tree, ["checkout-index", "--all", "--force", "--quiet", `--prefix=${root}/`])
        // Without the objects of the reviewed repository, and never opened by dd.
        const alone = { root, gitDir: paths.join(root, ".git"), bare: false, filters: tree.filters }
        yield* asked(alone, ["init", "-q", "--template="])
        yield* asked(alone, ["add", "--all"])
        yield* asked(alone, [...identity, "commit", "-q", "--no-verify", "--allow-empty", "-m", "The reviewed state"])
      } else {
        // Tests may have put a link in the place of a folder.
        const files = makeWritableTree(platform, root)
        for (const path of new Set([...shown, ...now])) {
          const bytes = yield* read(path)
          const there = yield* Effect.option(files.read(path))
          if (bytes === null) yield* Option.isSome(there) ? files.remove(path) : Effect.void
          else yield* Option.isSome(there) ? files.replace(path, bytes) : files.create(path, bytes)
        }
      }
      shown = now
      return root
    }).pipe(
      Effect.mapError((error) =>
        error instanceof Refused ? new FixTreeFailed({ reason: error.message }) : failed(error)
      )
    )

    // Groups of fixes begin at the same time, and git locks the index.
    const one = Semaphore.makeUnsafe(1)
    const branch = Effect.fnUntraced(
      function* (name: string) {
        yield* staged
        const written = yield* line(tree, ["write-tree"])
        const commit = yield* line(tree, [...identity, "commit-tree", written, "-p", start, "-m", "A group of fixes"])
        const root = paths.join(own, `${++branches}-${name}`)
        yield* asked(tree, ["worktree", "add", "--quiet", "--detach", root, commit])
        const opened = yield* git.open(root)
        return treeAt({ ...opened, root, filters: tree.filters }, commit, own)
      },
      (self) => one.withPermit(Effect.mapError(self, failed))
    )

    const merged = Effect.fnUntraced(
      function* ({ after, before }: PatchedFile, current: Uint8Array) {
        if (before === null || after === null) return null
        const folder = yield* fs.makeTempDirectory({ directory: own, prefix: "merge." })
        const sides = { current, before, after }
        for (const [name, bytes] of Object.entries(sides)) yield* fs.writeFile(paths.join(folder, name), bytes)
        const names = Object.keys(sides).map((name) => paths.join(folder, name))
        // The exit code is the number of conflicts, or 255 for a file that is no text.
        const accept = Array.from({ length: 255 }, (_, at) => at + 1)
        const { exitCode, stdout } = yield* ask(tree, ["merge-file", "-p", "-q", ...names], { accept })
        return exitCode === 0 ? stdout : null
      },
      (self) => Effect.mapError(self, failed)
    )

    return {
      merged,
      repository: tree,
      branch,
      changed,
      patch: difference(["--binary"]),
      files,
      read,
      write,
      forTests
    }
  }

  return Effect.fn("FixTree.of")(
    function* (change: Change) {
      if (repository === null || change.head._tag === "Unknown") {
        return yield* new FixTreeFailed({ reason: "a patch without a repository has no files to fix" })
      }
      const own = yield* temporaryCopy({ home, reviewed: repository.root }).pipe(
        Effect.provideService(FileSystem.FileSystem, fs),
        Effect.provideService(Path.Path, paths)
      )
      const opened = yield* emptyRepository(repository, own)
      const root = opened.root ?? paths.join(own, "tree")
      const tree = { ...opened, root, filters: repository.filters }
      return treeAt(tree, yield* fill(repository, tree, change), own)
    },
    (self, change) =>
      self.pipe(
        Effect.mapError((error) => (error._tag === "FixTreeFailed" ? error : failed(error))),
        Effect.annotateSpans({ head: sideText(change.head) })
      )
  )
})

/** Settings that decide how git writes files. */
const fileSettings = "^core\\.(autocrlf|eol|safecrlf|filemode|symlinks|ignorecase|precomposeunicode)$"
