/**
 * Applies the fixes to the user's working tree: all of them or none. A file that was edited since the review is merged in
 * three ways; a conflict anywhere leaves every file as it was. What a killed run left half done is undone by `restore`.
 */
import { Effect, FileSystem, Option, Path, Schema } from "effect"
import {
  type ApplyPlan,
  isSame,
  type PlannedFile,
  type PlannedState,
  type Remainder,
  remainderOf,
  stateOf
} from "../../domain/fix/ApplyPlan.ts"
import { refused } from "../agent/runtime/Action.ts"
import { draftName, makeWritableTree } from "../agent/runtime/WritableTree.ts"
import { Git } from "../change/Git.ts"
import { makeGitCall } from "../change/gitCall.ts"
import type { Repository } from "../change/openRepository.ts"
import { maxBytes } from "../change/Sources.ts"
import type { RunningProcess } from "../system/RunningProcess.ts"
import { type Platform, readWorktreeFile } from "../system/worktreeFile.ts"
import { type KeptPlan, keepPlan, leftPlans } from "./applyJournal.ts"
import type { Tree } from "./FixTree.ts"

/** Nothing was changed but the files that are `stuck`: they have the fix and could not be restored. */
export class NotApplied extends Schema.TaggedError<NotApplied>()("NotApplied", {
  path: Schema.String,
  reason: Schema.String,
  stuck: Schema.optionalKey(Schema.Array(Schema.String))
}) {
  override get message() {
    const stuck = this.stuck ?? []
    const left = stuck.length === 0 ? "" : `; could not be restored: ${stuck.join(", ")}`
    const file = this.path === "." ? "" : `${this.path}: `
    return `the fixes were not applied: ${file}${this.reason}${left}`
  }
}

export class NotCommitted extends Schema.TaggedError<NotCommitted>()("NotCommitted", { reason: Schema.String }) {
  override get message() {
    return `the fixes were applied and not committed: ${this.reason}`
  }
}

export interface Committed {
  readonly sha: string
  /** Does the user's configuration ask for signatures? dd signs nothing. */
  readonly lacksSignature: boolean
}

/** What was done about the files that a killed run was changing. */
export interface Restored {
  readonly found: Remainder
  /** The files that have the fixes, before they were restored. */
  readonly fixed: ReadonlyArray<string>
  /** Files that the user edited since. */
  readonly edited: ReadonlyArray<string>
  /** Why they could not be restored; null if they were, or were left on purpose. */
  readonly failure: string | null
}

const platformHere = Effect.gen(function* () {
  return { fs: yield* FileSystem.FileSystem, paths: yield* Path.Path }
})

const leftIn = (root: string) => Effect.map(leftPlans, (plans) => plans.filter(({ plan }) => plan.root === root))

const restoreOne = Effect.fnUntraced(function* ({ plan, remove }: KeptPlan) {
  const platform = yield* platformHere
  const { files, root } = plan
  const states = new Map<string, PlannedState>()
  for (const file of files) states.set(file.path, stateOf(file, yield* bytesNow(platform, root, file.path)))
  const found = remainderOf([...states.values()])
  const inState = (state: PlannedState) => files.filter(({ path }) => states.get(path) === state)
  const written = inState("after")
  const undone = found === "partial" ? yield* Effect.result(writeAll(platform, root, written.map(reversed))) : null
  const failure = undone?._tag === "Failure" ? undone.failure.message : null
  if (failure === null) {
    yield* removeDrafts(platform, plan)
    yield* remove
  }
  const pathsOf = (some: ReadonlyArray<PlannedFile>) => some.map(({ path }) => path)
  const restored: Restored = { found, fixed: pathsOf(written), edited: pathsOf(inState("other")), failure }
  return restored
}, Effect.uninterruptible)

/**
 * Undoes what killed runs left half done in this repository: files that still are as the run wrote them get their
 * former text. If the user edited one of the files, none is changed.
 */
export const restore = Effect.fn("UserTree.restore")(function* (root: string) {
  return yield* Effect.forEach((yield* leftIn(root)).toReversed(), restoreOne)
})

const change = Effect.fnUntraced(function* (root: string, planned: ReadonlyArray<PlannedFile>) {
  const platform = yield* platformHere
  const { remove } = yield* keepPlan(root, planned)
  // A plan that could not be undone stays, for the next run.
  yield* writeAll(platform, root, planned).pipe(
    Effect.tapError(({ stuck }) => (stuck === undefined ? remove : Effect.void))
  )
  yield* remove
}, Effect.uninterruptible)

/**
 * Changes the files of the repository as the tree was changed. Fails if another branch has been checked out. Gives the files that were
 * changed, and an effect that gives them their former text.
 */
export const apply = Effect.fn("UserTree.apply")(function* (repository: Repository, tree: Tree) {
  const git = yield* Git
  const platform = yield* platformHere
  const { root } = repository
  if (root === null) return yield* new NotApplied({ path: ".", reason: "a bare repository has no files" })
  if ((yield* leftIn(root)).length > 0) {
    const reason = "a killed run left fixes half applied here; the next dd review --fix undoes that"
    return yield* new NotApplied({ path: ".", reason })
  }
  const failed = ({ message }: Error) => new NotApplied({ path: ".", reason: message })
  const { branch } = (yield* Effect.mapError(git.open(root), failed)).head
  if (branch !== repository.head.branch) {
    const named = (name: string | null) => name ?? "a detached HEAD"
    const reason = `${named(branch)} is checked out, and ${named(repository.head.branch)} was when the review began`
    return yield* new NotApplied({ path: ".", reason })
  }
  const planned: Array<PlannedFile> = []
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
    if (!isSame(current, target)) planned.push({ path, before: current, after: target })
  }
  if (planned.length === 0) return { paths: [], undo: Effect.void }
  yield* change(root, planned)
  const services = yield* Effect.context<FileSystem.FileSystem | Path.Path | RunningProcess>()
  const undo = Effect.provideContext(change(root, planned.map(reversed)), services)
  return { paths: planned.map(({ path }) => path), undo }
})

/** Files with uncommitted edits. */
export const edited = Effect.fn("UserTree.edited")(
  function* (repository: Repository) {
    const git = yield* Git
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

/** Commits these files alone, on the current branch, without hooks and signature. */
export const commit = Effect.fn("UserTree.commit")(
  function* (repository: Repository, paths: ReadonlyArray<string>, message: string) {
    const { ask } = yield* makeGitCall
    const literal = paths.map((path) => `:(top,literal)${path}`)
    const unstage = Effect.option(ask(repository, ["reset", "--quiet", "--", ...literal]))
    yield* ask(repository, ["add", "--all", "--", ...literal])
    const args = ["commit", "--quiet", "--only", "--no-verify", "--no-gpg-sign", "--file=-", "--", ...literal]
    // The files had no edits of the user, so nothing of theirs is unstaged.
    yield* ask(repository, args, { input: new TextEncoder().encode(message) }).pipe(Effect.tapError(() => unstage))
    const { stdout } = yield* ask(repository, ["rev-parse", "HEAD"])
    const signing = ["config", "--type=bool", "--get", "commit.gpgSign"]
    // 128: the value is no boolean.
    const wish = yield* ask(repository, signing, { accept: [1, 128] })
    const word = (bytes: Uint8Array) => new TextDecoder().decode(bytes).trim()
    const committed: Committed = { sha: word(stdout), lacksSignature: word(wish.stdout) === "true" }
    return committed
  },
  (self) =>
    self.pipe(
      Effect.mapError(({ message }) => new NotCommitted({ reason: message })),
      Effect.uninterruptible
    )
)

const bytesNow = (platform: Platform, root: string, path: string) =>
  Effect.map(readWorktreeFile(platform, root, path, maxBytes), (found) => (found._tag === "File" ? found.bytes : null))

/** If one cannot be written, those before it are written back. */
const writeAll = Effect.fnUntraced(function* (platform: Platform, root: string, planned: ReadonlyArray<PlannedFile>) {
  const files = makeWritableTree(platform, root)
  const write = Effect.fnUntraced(function* ({ after, before, path }: PlannedFile) {
    if (!isSame(yield* bytesNow(platform, root, path), before)) {
      return yield* refused("it was edited while the fixes were applied")
    }
    yield* after === null
      ? files.remove(path)
      : before === null
        ? files.create(path, after)
        : files.replace(path, after)
  })
  const done: Array<PlannedFile> = []
  for (const each of planned) {
    const written = yield* Effect.result(write(each))
    if (written._tag === "Success") {
      done.push(each)
      continue
    }
    const stuck: Array<string> = []
    for (const before of done.toReversed().map(reversed)) {
      if ((yield* Effect.result(write(before)))._tag === "Failure") stuck.push(before.path)
    }
    const reason = written.failure.message
    return yield* new NotApplied({ path: each.path, reason, ...(stuck.length === 0 ? {} : { stuck }) })
  }
}, Effect.uninterruptible)

const reversed = ({ after, before, path }: PlannedFile): PlannedFile => ({ path, before: after, after: before })

/** Files that a run was writing when it was killed; their names have the time. */
const removeDrafts = Effect.fnUntraced(function* ({ fs, paths }: Platform, { files, root, started_at }: ApplyPlan) {
  for (const folder of new Set(files.map(({ path }) => paths.dirname(paths.join(root, path))))) {
    for (const name of Option.getOrElse(yield* Effect.option(fs.readDirectory(folder)), () => [])) {
      const written = draftName.exec(name)?.[1]
      if (written !== undefined && Number(written) >= started_at) {
        yield* Effect.option(fs.remove(paths.join(folder, name), { force: true }))
      }
    }
  }
})
