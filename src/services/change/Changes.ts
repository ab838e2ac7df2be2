/**
 * Decides which change is reviewed, and reads its diff.
 *
 * Says in words what was chosen. A change that touches nothing is an answer, and its description gives the reason.
 */
import { Context, Effect, FileSystem, Layer, Path, Result, Schema } from "effect"
import { applyDiff, reverseFile } from "../../domain/change/applyDiff.ts"
import { boundPatch, patchLimits } from "../../domain/change/boundPatch.ts"
import type { BaseSide, Change, CommitSummary, HeadSide, Selection, Side } from "../../domain/change/Change.ts"
import { isBinary } from "../../domain/change/creationPatch.ts"
import { type Diff, type DiffFile, isLink, isSubmodule } from "../../domain/change/Diff.ts"
import { foldSeries } from "../../domain/change/foldSeries.ts"
import { type DiffMalformed, diffSteps, seriesSteps } from "../../domain/change/parseDiff.ts"
import { splicePatch } from "../../domain/change/splicePatch.ts"
import { inSteps } from "../../domain/system/Steps.ts"
import { concatBytes } from "../../domain/text/concatBytes.ts"
import { quotePath } from "../../domain/text/quotePath.ts"
import { readWorktreeFile, type WorktreeFile } from "../system/worktreeFile.ts"
import { Git } from "./Git.ts"
import type { GitCallError, RevisionUnknown } from "./GitError.ts"
import { type Blob, type Commit, isReadable, type RawChange, type Ref, tooDeepReason } from "./gitOutput.ts"
import { type Repository, unknownRevision } from "./openRepository.ts"
import { maxBytes } from "./Sources.ts"
import { type NotShown, noneUntracked, untrackedPatches } from "./untrackedPatches.ts"

export class RepositoryNeeded extends Schema.TaggedError<RepositoryNeeded>()("RepositoryNeeded", {}) {
  override get message() {
    return "only a patch can be reviewed without a git repository; run dd inside one, or give a patch with --diff-file"
  }
}

/** The clone does not reach back to where the change began. */
export class HistoryTooShallow extends Schema.TaggedError<HistoryTooShallow>()("HistoryTooShallow", {
  /** What was looked for, in words. */
  missing: Schema.String
}) {
  override get message() {
    return `this clone is shallow and does not have ${this.missing}; run \`git fetch --unshallow\`, or name a commit it has with --base`
  }
}

export class NoCommonHistory extends Schema.TaggedError<NoCommonHistory>()("NoCommonHistory", {
  base: Schema.String,
  head: Schema.String
}) {
  override get message() {
    return `${this.head} and ${this.base} have no commit in common; name another base with --base, or one commit with --commit`
  }
}

export class WorktreeMissing extends Schema.TaggedError<WorktreeMissing>()("WorktreeMissing", {}) {
  override get message() {
    return "a bare repository has nothing staged; name commits with --commit, --base or --branch"
  }
}

export type ChangeError =
  | GitCallError
  | RevisionUnknown
  | RepositoryNeeded
  | HistoryTooShallow
  | NoCommonHistory
  | WorktreeMissing
  | DiffMalformed

/** Of a longer branch the newest commits are named. */
const maxCommits = 500

/** Where git looks for a NUL byte to call a file binary. */
const looked = 8000

/** A call's arguments have an end. */
const pathsAtOnce = 500

export class Changes extends Context.Service<
  Changes,
  {
    readonly resolve: (repository: Repository | null, selection: Selection) => Effect.Effect<Change, ChangeError>
  }
>()("dd/services/change/Changes") {
  static readonly layer = Layer.effect(
    Changes,
    Effect.gen(function* () {
      const git = yield* Git
      const platform = { fs: yield* FileSystem.FileSystem, paths: yield* Path.Path }

      /** Why git shows no text of a file: it has none, it is too large, or only an attribute says so. */
      const hiddenBy = Effect.fnUntraced(function* (repository: Repository, head: HeadSide, { files }: Diff) {
        const { root } = repository
        const hidden = files.filter(
          (file) => file.binary && file.newPath !== null && !isLink(file) && !isSubmodule(file)
        )
        if (hidden.length === 0) return []
        const oids = hidden.flatMap(({ oldOid, newOid }) => [oldOid, newOid]).filter((oid) => oid !== null)
        const blobs = yield* git.readBlobs(repository, oids, maxBytes, looked)
        const stored = (oid: string | null) => (oid === null ? undefined : blobs.get(oid))
        const lookAt = Effect.fnUntraced(function* (file: DiffFile) {
          const found =
            head._tag === "Worktree" && root !== null
              ? yield* readWorktreeFile(platform, root, file.path, maxBytes)
              : absentFile
          const why = whyHidden(stored(file.oldOid), found._tag === "Absent" ? stored(file.newOid) : found)
          return { file, why }
        })
        return yield* Effect.forEach(hidden, lookAt, { concurrency: 8 })
      })

      /**
       * Git fails the whole diff for one file that it cannot read: a FIFO, or an object that expands to gigabytes. Such
       * files are left out and named in the patch.
       */
      const printDiff = (repository: Repository, { base, head }: Plan) =>
        git.diff(repository, { base, head }).pipe(
          Effect.catchTag(["GitFailed", "GitMemoryExceeded"], (failed) =>
            Effect.gen(function* () {
              const { root } = repository
              const all = yield* git.changed(repository, { base, head })
              const oids = all.flatMap(({ newOid, oldOid }) => [oldOid, newOid])
              const blobs = yield* git.readBlobs(repository, oids, maxBytes, 0)
              const isRefused = Effect.fnUntraced(function* ({ newMode, newOid, oldOid, path }: RawChange) {
                if (!isReadable(blobs.get(oldOid)) || !isReadable(blobs.get(newOid))) return true
                if (head._tag !== "Worktree" || root === null || newMode === "000000") return false
                const file = yield* readWorktreeFile(platform, root, path, maxBytes)
                return file._tag === "Unreadable" || file._tag === "TooLarge"
              })
              const refused = yield* Effect.filter(all, isRefused, { concurrency: 8 })
              if (refused.length === 0) return yield* failed
              const without = refused.map(({ path }) => path)
              return concatBytes([
                yield* git.diff(repository, { base, head }, { without }),
                ...refused.map(unreadPatch)
              ])
            })
          )
        )

      /** The tracked part of the change, no text of it hidden by what the repository says of it. */
      const readTracked = Effect.fnUntraced(function* (repository: Repository, plan: Plan) {
        const { base, head } = plan
        const printed = yield* bounded(yield* printDiff(repository, plan))
        const first = yield* Effect.fromResult(yield* inSteps(() => diffSteps(printed.patch)))
        const hidden = yield* hiddenBy(repository, head, {
          files: first.files.filter(({ path }) => !printed.notShown.has(path))
        })
        const notShown = new Map([
          ...printed.notShown,
          ...hidden.map(({ file, why }): [string, NotShown] => [file.path, why === "text" ? stillHidden : why])
        ])
        const texts = hidden.flatMap(({ file, why }) => (why === "text" ? [file] : []))
        if (texts.length === 0) return { patch: printed.patch, diff: marked(first, notShown) }
        const again: Array<Uint8Array> = []
        for (let at = 0; at < texts.length; at += pathsAtOnce) {
          const paths = texts.slice(at, at + pathsAtOnce).flatMap(({ path, oldPath }) => [path, oldPath ?? path])
          again.push(yield* git.diff(repository, { base, head }, { asText: [...new Set(paths)] }))
        }
        const whole = yield* bounded(splicePatch(printed.patch, concatBytes(again)))
        const diff = yield* Effect.fromResult(yield* inSteps(() => diffSteps(whole.patch)))
        return { patch: whole.patch, diff: marked(diff, new Map([...notShown, ...whole.notShown])) }
      })

      /** Whoever reads the sides will ask for their tree next; git may look for it meanwhile. What fails fails there. */
      const listAhead = (repository: Repository, { base, head }: Plan) => {
        const side = head._tag === "Commit" ? head : base
        return side._tag === "Commit" ? Effect.option(git.lsTree(repository, side.sha)) : Effect.succeedNone
      }

      const compare = Effect.fnUntraced(function* (repository: Repository, plan: Plan) {
        const [tracked, commits, created] = yield* Effect.all(
          [
            readTracked(repository, plan),
            plan.commits._tag === "Known"
              ? Effect.succeed(plan.commits.commits)
              : git.log(repository, { ...plan.commits, limit: maxCommits }),
            repository.root === null || plan.head._tag !== "Worktree"
              ? Effect.succeed(noneUntracked)
              : untrackedPatches(platform, repository.root, plan.untracked),
            listAhead(repository, plan)
          ],
          { concurrency: 4 }
        )
        const added = yield* Effect.fromResult(yield* inSteps(() => diffSteps(concatBytes(created.patches))))
        // A file that was only taken out of the index is in both.
        const diff = foldSeries([tracked.diff, marked(added, created.notShown)])
        const nested = plan.head._tag === "Worktree" ? plan.untracked.filter((path) => path.endsWith("/")).length : 0
        const notes = [
          ...(diff.files.length === 0 ? [plan.whenEmpty] : []),
          ...(nested > 0
            ? [`without ${nested} untracked director${nested === 1 ? "y" : "ies"} with a repository inside`]
            : [])
        ]
        const change: Change = {
          description: [plan.description, ...notes].join("; "),
          base: plan.base,
          head: plan.head,
          ...editedIn(repository, plan.head),
          branch: plan.branch,
          ...(plan.baseBranch === undefined ? {} : { baseBranch: plan.baseBranch }),
          commits: commits.map(summary),
          // The working tree's object names are computed, not stored: nothing can be read by them.
          diff: plan.head._tag === "Worktree" ? withoutHeadOids(diff) : diff,
          patch: concatBytes([tracked.patch, ...created.patches])
        }
        return change
      })

      const firstParent = Effect.fnUntraced(function* (repository: Repository, commit: Commit) {
        const [parent] = commit.parents
        if (parent !== undefined) return commitSide(parent)
        if (repository.shallow && (yield* git.parents(repository, commit.sha)).length > 0) {
          return yield* new HistoryTooShallow({ missing: `the parent of commit ${short(commit.sha)}` })
        }
        return empty
      })

      /** A commit against its first parent. */
      const single = Effect.fnUntraced(function* (
        repository: Repository,
        commit: Commit,
        description: string,
        branch: string | null
      ) {
        const base = yield* firstParent(repository, commit)
        const against = commit.parents.length > 1 ? ", a merge, against its first parent" : ""
        const plan: Plan = {
          description: `${description}${against}`,
          whenEmpty: "it changes no file",
          base,
          head: commitSide(commit.sha),
          branch,
          commits: { _tag: "Known", commits: [commit] },
          untracked: []
        }
        return plan
      })

      const commitAt = Effect.fnUntraced(function* (repository: Repository, sha: string) {
        const [commit] = yield* git.log(repository, { from: null, to: sha, limit: 1 })
        return commit ?? (yield* unknownRevision(repository, sha))
      })

      const uncommitted = Effect.fnUntraced(function* (repository: Repository) {
        if (repository.bare) return noEdits
        const { changed, untracked } = yield* git.status(repository)
        // What dd itself leaves behind is no edit; what is tracked there is a file as any.
        return { changed, untracked: untracked.filter((path) => !path.startsWith(".daydream/")) }
      })

      /** Commits since the merge base with `base`, and the working tree when `edits` are in it. */
      const against = Effect.fnUntraced(function* (
        repository: Repository,
        from: { readonly name: string; readonly sha: string },
        to: { readonly name: string; readonly sha: string; readonly branch: string | null },
        /** Null: the working tree is not asked about. */
        edits: Edits | null
      ) {
        const base = yield* git.mergeBase(repository, from.sha, to.sha)
        if (base === null) {
          if (repository.shallow) {
            return yield* new HistoryTooShallow({ missing: `the commit where ${to.name} left ${from.name}` })
          }
          return yield* new NoCommonHistory({ base: from.name, head: to.name })
        }
        const dirty = edits !== null && isDirty(edits)
        const nothing = `it has no commit that ${from.name} has not`
        const plan: Plan = {
          description: `${to.name} against ${from.name}${dirty ? ", and uncommitted edits" : ""}`,
          whenEmpty:
            base === to.sha && !dirty
              ? `${nothing}${edits === null ? "" : ", and there are no uncommitted edits"}`
              : "they differ in no file",
          base: commitSide(base),
          head: dirty ? worktree : commitSide(to.sha),
          branch: to.branch,
          baseBranch: from.name.replace(/^origin\//, ""),
          commits: { _tag: "Range", from: base, to: to.sha },
          untracked: edits?.untracked ?? []
        }
        return plan
      })

      /** What git would compare a branch with when nobody says. */
      const defaultBase = (repository: Repository) => Effect.map(git.refs(repository, baseRefs), chooseBase)

      const unborn = Effect.fnUntraced(function* (repository: Repository, head: HeadSide) {
        const { untracked } = yield* uncommitted(repository)
        const plan: Plan = {
          description: "everything in a repository that has no commit yet",
          whenEmpty: "there is no file",
          base: empty,
          head: repository.bare ? empty : head,
          branch: repository.head.branch,
          commits: { _tag: "Known", commits: [] },
          untracked
        }
        return plan
      })

      const planDefault = Effect.fnUntraced(function* (repository: Repository) {
        const { sha, branch } = repository.head
        if (sha === null) return yield* unborn(repository, worktree)
        const [edits, base, last] = yield* Effect.all(
          [uncommitted(repository), defaultBase(repository), commitAt(repository, sha)],
          { concurrency: 3 }
        )
        const place = branch === null ? "a detached HEAD" : branch
        const alone = isDirty(edits)
          ? Effect.succeed(edited(repository, sha, `uncommitted edits on ${place}`, edits))
          : single(repository, last, `the last commit (${short(sha)}) on ${place}`, branch)
        if (base === null && branch !== null && !repository.bare) {
          const plan = yield* alone
          return { ...plan, description: `${plan.description} (${noBase})` }
        }
        if (repository.bare || base === null || base.branch === branch) return yield* alone
        const name = branch === null ? `the detached HEAD (${short(sha)})` : `branch ${branch}`
        return yield* against(repository, base, { name, sha, branch }, edits).pipe(
          // Nobody asked for this base: a branch that shares nothing with it stands for itself.
          Effect.catchTag("NoCommonHistory", () => alone),
          Effect.flatMap((plan) =>
            branch === null && plan.base._tag === "Commit" && plan.base.sha === sha ? alone : Effect.succeed(plan)
          )
        )
      })

      const planBase = Effect.fnUntraced(function* (repository: Repository, revision: string) {
        const { sha, branch } = repository.head
        if (sha === null) return yield* unknownRevision(repository, "HEAD")
        const [base, edits] = yield* Effect.all([resolveBranch(repository, revision), uncommitted(repository)], {
          concurrency: 2
        })
        const name = branch === null ? `the detached HEAD (${short(sha)})` : `branch ${branch}`
        return yield* against(repository, { name: revision, sha: base }, { name, sha, branch }, edits)
      })

      /** A local branch, otherwise one of the remote: a clone for continuous integration often has only `origin/main`. */
      const branchTip = (repository: Repository, name: string) =>
        /[~^:?*[\\\s\0]|@\{|\.\./.test(name)
          ? Effect.succeed(undefined)
          : Effect.map(git.refs(repository, branchRefs(name)), (found) =>
              branchRefs(name)
                .map((full) => found.find((ref) => ref.name === full)?.sha)
                .find((sha) => sha !== undefined)
            )

      /** Git prefers a tag to a branch of the same name, and anyone who can push can make a tag. */
      const resolveBranch = Effect.fnUntraced(function* (repository: Repository, name: string) {
        const revision = git.resolve(repository, name)
        if (!isNeverBranch.test(name)) return (yield* branchTip(repository, name)) ?? (yield* revision)
        return yield* Effect.catchTag(revision, "RevisionUnknown", (unknown) =>
          Effect.flatMap(branchTip(repository, name), (tip) =>
            tip === undefined ? Effect.fail(unknown) : Effect.succeed(tip)
          )
        )
      })

      const planBranch = Effect.fnUntraced(function* (repository: Repository, branch: string, base: string | null) {
        const sha = yield* resolveBranch(repository, branch)
        const from =
          base === null
            ? yield* defaultBase(repository)
            : { name: base, branch: null, sha: yield* resolveBranch(repository, base) }
        if (from === null || from.branch === branch) {
          const commit = yield* commitAt(repository, sha)
          return yield* single(repository, commit, `the last commit (${short(sha)}) on ${branch}`, branch)
        }
        return yield* against(repository, from, { name: `branch ${branch}`, sha, branch }, null)
      })

      const planStaged = Effect.fnUntraced(function* (repository: Repository) {
        if (repository.bare) return yield* new WorktreeMissing()
        const { sha, branch } = repository.head
        if (sha === null) return { ...(yield* unborn(repository, index)), description: "everything staged" }
        const plan: Plan = {
          description: `what is staged on ${branch ?? "a detached HEAD"}`,
          whenEmpty: "nothing is staged",
          base: commitSide(sha),
          head: index,
          branch,
          commits: { _tag: "Known", commits: [] },
          untracked: []
        }
        return plan
      })

      const planCommit = Effect.fnUntraced(function* (repository: Repository, revision: string) {
        const commit = yield* git.commit(repository, revision)
        return yield* single(repository, commit, `commit ${short(commit.sha)}`, null)
      })

      /** True when the working tree shows the patch's new side line for line. */
      const isApplied = Effect.fnUntraced(function* (root: string, diff: Diff) {
        const shown = diff.files.filter((file) => file.hunks.length > 0)
        const matches = yield* Effect.forEach(
          diff.files,
          (file) =>
            Effect.map(readWorktreeFile(platform, root, file.path, maxBytes), (found) => showsHead(file, found)),
          { concurrency: 8 }
        )
        return shown.length > 0 && matches.every((match) => match)
      })

      /** What the patch calls binary, and the working tree has as text. */
      const hiddenInPatch = Effect.fnUntraced(function* (root: string, { files }: Diff) {
        const notShown = new Map<string, NotShown>()
        for (const { path } of files.filter((file) => file.binary)) {
          const why = whyHidden(undefined, yield* readWorktreeFile(platform, root, path, maxBytes))
          notShown.set(path, why === "text" ? { unread: "it is text, and the patch does not show it as text" } : why)
        }
        return notShown
      })

      const fromPatch = Effect.fnUntraced(function* (
        repository: Repository | null,
        selection: Extract<Selection, { readonly _tag: "Patch" }>
      ) {
        const series = yield* Effect.fromResult(yield* inSteps(() => seriesSteps(selection.text)))
        const diff = foldSeries(series)
        const root = repository?.root ?? null
        const applied = root !== null && (yield* isApplied(root, diff))
        const hidden = applied ? yield* hiddenInPatch(root, diff) : new Map<string, NotShown>()
        const reason =
          series.length === 0 ? "; it is empty" : diff.files.length === 0 ? "; it changes nothing in the end" : ""
        const change: Change = {
          description: `the patch ${selection.origin}${applied ? ", which the working tree has applied" : ""}${reason}`,
          base: unknown,
          head: applied ? worktree : unknown,
          ...(repository === null || !applied ? {} : editedIn(repository, worktree)),
          branch: null,
          commits: [],
          diff: withoutHeadOids(marked(diff, hidden)),
          patch: selection.text
        }
        return change
      })

      const plan = (repository: Repository, selection: Exclude<Selection, { readonly _tag: "Patch" }>) => {
        switch (selection._tag) {
          case "Default":
            return planDefault(repository)
          case "Base":
            return planBase(repository, selection.base)
          case "Branch":
            return planBranch(repository, selection.branch, selection.base)
          case "Staged":
            return planStaged(repository)
          case "Commit":
            return planCommit(repository, selection.commit)
        }
      }

      const resolve = Effect.fn("Changes.resolve")(function* (repository: Repository | null, selection: Selection) {
        if (selection._tag === "Patch") return yield* fromPatch(repository, selection)
        if (repository === null) return yield* new RepositoryNeeded()
        return yield* compare(repository, yield* plan(repository, selection))
      })

      return Changes.of({ resolve })
    })
  )
}

interface Edits {
  readonly changed: boolean
  readonly untracked: ReadonlyArray<string>
}

/** A change that has been chosen and not yet read. */
interface Plan {
  readonly description: string
  /** Why the diff is empty, if it is. */
  readonly whenEmpty: string
  readonly base: BaseSide
  readonly head: HeadSide
  readonly branch: string | null
  readonly baseBranch?: string
  readonly commits:
    | { readonly _tag: "Known"; readonly commits: ReadonlyArray<Commit> }
    | { readonly _tag: "Range"; readonly from: string; readonly to: string }
  readonly untracked: ReadonlyArray<string>
}

const empty: BaseSide = { _tag: "Empty" }
const index: HeadSide = { _tag: "Index" }
const worktree: HeadSide = { _tag: "Worktree" }
const unknown: Side = { _tag: "Unknown" }
const commitSide = (sha: string) => ({ _tag: "Commit", sha }) as const

const noEdits: Edits = { changed: false, untracked: [] }
const isDirty = (edits: Edits): boolean => edits.changed || edits.untracked.some((path) => !path.endsWith("/"))

const editedIn = ({ head: { sha } }: Repository, head: HeadSide) =>
  sha !== null && (head._tag === "Worktree" || head._tag === "Index") ? { edited: sha } : {}

const short = (sha: string): string => sha.slice(0, 7)
const summary = ({ sha, subject, body }: Commit): CommitSummary => ({ sha, subject, body })

const edited = (repository: Repository, sha: string, description: string, edits: Edits): Plan => ({
  description,
  whenEmpty: "they change no file's content",
  base: commitSide(sha),
  head: worktree,
  branch: repository.head.branch,
  commits: { _tag: "Known", commits: [] },
  untracked: edits.untracked
})

const noBase = "no base branch was found, neither origin's nor main or master: name one with --base"

const remote = "refs/remotes/origin/"
const local = "refs/heads/"

/** The refs that a branch of this name can have, the nearest first. */
const branchRefs = (name: string): ReadonlyArray<string> => [
  `${local}${name}`,
  `refs/remotes/${name}`,
  `${remote}${name}`
]

/** Git's own names (`HEAD`, `@`, `FETCH_HEAD`) and whole or short object names: these are preferred to branches. */
const isNeverBranch = /^(?:@|[A-Z_-]+|[0-9a-f]{4,64})$/
const baseRefs = [`${remote}HEAD`, `${remote}main`, `${remote}master`, `${local}main`, `${local}master`]

export interface DefaultBase {
  readonly name: string
  /** The branch it is, here or at the remote. */
  readonly branch: string | null
  readonly sha: string
}

/** The remote's default branch, else its main or master, else the local one; null when there is none. */
export const chooseBase = (refs: ReadonlyArray<Ref>): DefaultBase | null => {
  for (const name of baseRefs) {
    const ref = refs.find((found) => found.name === name)
    if (ref === undefined) continue
    const full = ref.target === "" ? ref.name : ref.target
    const branch = full.startsWith(remote) ? full.slice(remote.length) : full.replace(/^refs\/(?:heads\/)?/, "")
    return { name: full.startsWith(remote) ? `origin/${branch}` : branch, branch, sha: ref.sha }
  }
  return null
}

/** A patch cut to the limits, and the files that were left out. */
const bounded = (printed: Uint8Array) => {
  const { cut, patch } = boundPatch(printed)
  return Effect.map(
    Effect.flatMap(
      inSteps(() => diffSteps(cut)),
      Effect.fromResult
    ),
    ({ files }) => ({
      patch,
      notShown: new Map(files.map(({ path }): [string, NotShown] => [path, beyondLimits]))
    })
  )
}

/** What git prints for a file whose content it does not show. */
const unreadPatch = ({ path, oldMode, oldOid, newMode, newOid }: RawChange): Uint8Array => {
  const [before, after] = [quotePath(`a/${path}`), quotePath(`b/${path}`)]
  const [isNew, isGone, isSame] = [oldMode === "000000", newMode === "000000", oldMode === newMode]
  const modes = isNew
    ? [`new file mode ${newMode}`]
    : isGone
      ? [`deleted file mode ${oldMode}`]
      : isSame
        ? []
        : [`old mode ${oldMode}`, `new mode ${newMode}`]
  const lines = [
    `diff --git ${before} ${after}`,
    ...modes,
    `index ${oldOid}..${newOid}${isSame ? ` ${newMode}` : ""}`,
    `Binary files ${isNew ? "/dev/null" : before} and ${isGone ? "/dev/null" : after} differ`
  ]
  return new TextEncoder().encode(`${lines.join("\n")}\n`)
}

const absentFile: WorktreeFile = { _tag: "Absent" }

const beyondLimits: NotShown = {
  unread: `the change has more than ${patchLimits.bytes / 1_000_000} MB or ${patchLimits.lines} lines: the rest was not read`
}

const stillHidden: NotShown = { unread: "it is text, and git does not show it as text" }

/** "text" when git can be made to show it. */
const whyHidden = (before: Blob | undefined, after: Blob | WorktreeFile | undefined): NotShown | "text" => {
  switch (after?._tag) {
    case "TooLarge":
      return { tooLarge: "size" in after ? after.size : after.bytes }
    case "Unreadable":
      return { unread: after.reason }
    case "Missing":
      return { unread: notInClone }
    case "TooDeep":
      return { unread: tooDeepReason }
    case "Found":
    case "File":
      if (isBinary(after.bytes)) return {}
      // Such a text stays undiffed: its lines would cost gigabytes.
      if (before?._tag === "TooLarge") return { tooLarge: before.size }
      return before?._tag === "Missing" ? { unread: notInClone } : "text"
    default:
      return {}
  }
}

const notInClone = "its content is not in this clone (a partial clone fetches it later)"

/** The files whose text is not shown, with the reason. */
const marked = (diff: Diff, notShown: ReadonlyMap<string, NotShown>): Diff =>
  notShown.size === 0
    ? diff
    : { files: diff.files.map((file) => (file.binary ? { ...file, ...notShown.get(file.path) } : file)) }

const withoutHeadOids = (diff: Diff): Diff => ({
  files: diff.files.map((file) => (file.newOid === null ? file : { ...file, newOid: null }))
})

/** What stands in the working tree is what the diff says stands there afterwards. */
const showsHead = (file: DiffFile, found: WorktreeFile): boolean => {
  if (file.status === "deleted") return found._tag === "Absent"
  if (file.binary || file.newMode === "160000") return true
  if (found._tag === "Link") {
    return Result.isSuccess(applyDiff(reverseFile(file), new TextEncoder().encode(found.target)))
  }
  return found._tag === "File" && Result.isSuccess(applyDiff(reverseFile(file), found.bytes))
}
