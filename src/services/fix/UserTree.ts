/**
 * Applies the fixes to the user's working tree: all of them or none. A file that was edited since the review is merged in
 * three ways; a conflict anywhere leaves every file as it was.
 */
import { Context, Effect, FileSystem, Layer, Path, Schema } from "effect"
import { makeWritableTree, type WritableTree } from "../agent/runtime/WritableTree.ts"
import { Git } from "../change/Git.ts"
import { makeGitCall } from "../change/gitCall.ts"
import type { Repository } from "../change/openRepository.ts"
import { maxBytes } from "../change/Sources.ts"
import { readWorktreeFile } from "../system/worktreeFile.ts"
import type { FixTreeFailed, Tree } from "./FixTree.ts"

/** Nothing was changed. */
export class NotApplied extends Schema.TaggedError<NotApplied>()("NotApplied", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `the fixes were not applied: ${this.path}: ${this.reason}`
  }
}

export class NotCommitted extends Schema.TaggedError<NotCommitted>()("NotCommitted", { reason: Schema.String }) {
  override get message() {
    return `the fixes were applied and not committed: ${this.reason}`
  }
}

export class UserTree extends Context.Service<
  UserTree,
  {
    /** Changes the files of the repository as the tree was changed; returns their paths. */
    readonly apply: (
      repository: Repository,
      tree: Tree
    ) => Effect.Effect<ReadonlyArray<string>, NotApplied | FixTreeFailed>
    /** Commits these files alone, on the current branch, without hooks; `edited`: files with edits of the user. */
    readonly commit: (
      repository: Repository,
      paths: ReadonlyArray<string>,
      message: string
    ) => Effect.Effect<string, NotCommitted>
    /** Files with uncommitted edits. */
    readonly edited: (repository: Repository) => Effect.Effect<ReadonlySet<string>, NotCommitted>
  }
>()("dd/services/fix/UserTree") {
  static readonly layer = Layer.effect(
    UserTree,
    Effect.gen(function* () {
      const platform = { fs: yield* FileSystem.FileSystem, paths: yield* Path.Path }
      const git = yield* Git
      const { ask } = yield* makeGitCall

      const apply = Effect.fn("UserTree.apply")(function* (repository: Repository, tree: Tree) {
        const { root } = repository
        if (root === null) return yield* new NotApplied({ path: ".", reason: "a bare repository has no files" })
        const planned: Array<Planned> = []
        for (const file of yield* tree.files) {
          const { path } = file
          const found = yield* readWorktreeFile(platform, root, path, maxBytes)
          if (found._tag !== "File" && found._tag !== "Absent") {
            return yield* new NotApplied({ path, reason: "it is no regular file that can be edited" })
          }
          const current = found._tag === "File" ? found.bytes : null
          const target = isSame(current, file.before)
            ? file.after
            : isSame(current, file.after) || current === null
              ? current
              : yield* tree.merged(file, current)
          if (target === null && file.after !== null) {
            const reason =
              current === null ? "it is not in the working tree" : "it differs from the reviewed state near the fix"
            return yield* new NotApplied({ path, reason })
          }
          if (!isSame(current, target)) planned.push({ path, current, target })
        }
        const isUnchanged = ({ current, path }: Planned) =>
          Effect.map(readWorktreeFile(platform, root, path, maxBytes), (found) =>
            isSame(found._tag === "File" ? found.bytes : null, current)
          )
        yield* writeAll(makeWritableTree(platform, root), planned, isUnchanged)
        return planned.map(({ path }) => path)
      })

      const edited = Effect.fn("UserTree.edited")(
        function* (repository: Repository) {
          if (repository.head.sha === null) return yield* new NotCommitted({ reason: "the branch has no commit yet" })
          const base = { _tag: "Commit", sha: repository.head.sha } as const
          const changed = yield* git.changed(repository, { base, head: { _tag: "Worktree" } })
          const staged = yield* git.changed(repository, { base, head: { _tag: "Index" } })
          const { untracked } = yield* git.status(repository)
          return new Set([...[...changed, ...staged].map(({ path }) => path), ...untracked])
        },
        (self) =>
          Effect.mapError(self, (error) =>
            error._tag === "NotCommitted" ? error : new NotCommitted({ reason: error.message })
          )
      )

      const commit = Effect.fn("UserTree.commit")(
        function* (repository: Repository, paths: ReadonlyArray<string>, message: string) {
          const literal = paths.map((path) => `:(top,literal)${path}`)
          const unstage = Effect.option(ask(repository, ["reset", "--quiet", "--", ...literal]))
          yield* ask(repository, ["add", "--all", "--", ...literal])
          const args = ["commit", "--quiet", "--only", "--no-verify", "--no-gpg-sign", "--file=-", "--", ...literal]
          // The files had no edits of the user, so nothing of theirs is unstaged.
          yield* ask(repository, args, { input: new TextEncoder().encode(message) }).pipe(
            Effect.tapError(() => unstage)
          )
          const { stdout } = yield* ask(repository, ["rev-parse", "HEAD"])
          return new TextDecoder().decode(stdout).trim()
        },
        (self) =>
          self.pipe(
            Effect.mapError(({ message }) => new NotCommitted({ reason: message })),
            Effect.uninterruptible
          )
      )

      return UserTree.of({ apply, commit, edited })
    })
  )
}

interface Planned {
  readonly path: string
  readonly current: Uint8Array | null
  readonly target: Uint8Array | null
}

/** If one cannot be written, those before it are written back. */
const writeAll = Effect.fnUntraced(function* (
  files: WritableTree,
  planned: ReadonlyArray<Planned>,
  isUnchanged: (file: Planned) => Effect.Effect<boolean>
) {
  const write = (path: string, from: Uint8Array | null, to: Uint8Array | null) =>
    to === null ? files.remove(path) : from === null ? files.create(path, to) : files.replace(path, to)
  const done: Array<Planned> = []
  for (const each of planned) {
    const written = Effect.gen(function* () {
      if (!(yield* isUnchanged(each))) {
        return yield* new NotApplied({ path: each.path, reason: "it was edited while the fixes were applied" })
      }
      yield* Effect.mapError(
        write(each.path, each.current, each.target),
        ({ message }) => new NotApplied({ path: each.path, reason: message })
      )
    })
    yield* written.pipe(
      Effect.tapError(() =>
        Effect.forEach(done.toReversed(), ({ current, path, target }) => Effect.option(write(path, target, current)), {
          discard: true
        })
      )
    )
    done.push(each)
  }
}, Effect.uninterruptible)

const isSame = (a: Uint8Array | null, b: Uint8Array | null): boolean =>
  a === null || b === null ? a === b : a.length === b.length && a.every((byte, at) => byte === b[at])
