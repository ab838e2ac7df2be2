/** Chooses the two sides of the change to review, and describes the choice for the user. */
import { Effect, Schema } from "effect"
import type { BaseSide, HeadSide, Selection } from "../../domain/change/Change.ts"
import type { Git } from "./Git.ts"
import { RevisionUnknown } from "./GitError.ts"
import type { Commit, Ref } from "./gitOutput.ts"
import { type Repository, unknownRevision } from "./openRepository.ts"

/** The clone does not have the commit at which the change begins. */
export class HistoryTooShallow extends Schema.TaggedError<HistoryTooShallow>()("HistoryTooShallow", {
  /** A phrase for the message. */
  missing: Schema.String
}) {
  override get message() {
    return `this clone is shallow and does not have ${this.missing}; run \`git fetch --unshallow\``
  }
}

export class WorktreeMissing extends Schema.TaggedError<WorktreeMissing>()("WorktreeMissing", {}) {
  override get message() {
    return "a bare repository has no index; choose commits with --commit, --base or --branch"
  }
}

/** A change that has been chosen but not read. */
export interface Plan {
  readonly description: string
  /** Why the diff is empty, if it is. */
  readonly whenEmpty: string
  readonly base: BaseSide
  readonly head: HeadSide
  readonly branch: string | null
  readonly baseBranch?: string
  readonly commits: ReadonlyArray<Commit> | { readonly from: string | null; readonly to: string }
  readonly untracked: ReadonlyArray<string>
}

interface Edits {
  readonly changed: boolean
  readonly untracked: ReadonlyArray<string>
}

interface NamedCommit {
  readonly name: string
  readonly sha: string
}

/** Makes a plan from a selection. */
export const makePlanChange = (git: Git["Service"]) => {
  const firstParent = Effect.fnUntraced(function* (repository: Repository, commit: Commit) {
    const [parent] = commit.parents
    if (parent !== undefined) return commitSide(parent)
    if (repository.shallow && (yield* git.parents(repository, commit.sha)).length > 0) {
      return yield* new HistoryTooShallow({ missing: `the parent of commit ${short(commit.sha)}` })
    }
    return empty
  })

  /** A commit compared with its first parent. */
  const single = Effect.fnUntraced(function* (
    repository: Repository,
    commit: Commit,
    description: string,
    branch: string | null
  ) {
    const plan: Plan = {
      description: `${description}${commit.parents.length > 1 ? ", a merge, against its first parent" : ""}`,
      whenEmpty: "it changes no file",
      base: yield* firstParent(repository, commit),
      head: commitSide(commit.sha),
      branch,
      commits: [commit],
      untracked: []
    }
    return plan
  })

  const lastCommit = Effect.fnUntraced(function* (repository: Repository, sha: string, branch: string) {
    const [commit] = yield* git.log(repository, { from: null, to: sha, limit: 1 })
    if (commit === undefined) return yield* unknownRevision(repository, sha)
    return { commit, description: `the last commit (${short(sha)}) on ${branch}` }
  })

  const uncommitted = Effect.fnUntraced(function* (repository: Repository) {
    if (repository.bare) return noEdits
    const { changed, untracked } = yield* git.status(repository)
    // Files written by dd are not edits.
    return { changed, untracked: untracked.filter((path) => !path.startsWith(".daydream/")) }
  })

  /** Commits since the merge base with `from`, all of them if there is none, and uncommitted edits unless they are null. */
  const against = Effect.fnUntraced(function* (
    repository: Repository,
    from: NamedCommit,
    to: NamedCommit & { readonly branch: string | null },
    edits: Edits | null
  ) {
    const base = yield* git.mergeBase(repository, from.sha, to.sha)
    if (base === null && repository.shallow) {
      return yield* new HistoryTooShallow({ missing: `the commit where ${to.name} left ${from.name}` })
    }
    const dirty = edits !== null && isDirty(edits)
    const nothing = `it has no commits that are not on ${from.name}`
    const plan: Plan = {
      description: `${to.name}${base === null ? `, all of it: it has no commit in common with ${from.name}` : ` against ${from.name}`}${dirty ? ", and uncommitted edits" : ""}`,
      whenEmpty:
        base === to.sha && !dirty
          ? `${nothing}${edits === null ? "" : ", and there are no uncommitted edits"}`
          : "they differ in no file",
      base: base === null ? empty : commitSide(base),
      head: dirty ? worktree : commitSide(to.sha),
      branch: to.branch,
      baseBranch: from.name.replace(/^origin\//, ""),
      commits: { from: base, to: to.sha },
      untracked: edits?.untracked ?? []
    }
    return plan
  })

  const defaultBase = (repository: Repository) => Effect.map(git.refs(repository, baseRefs), chooseBase)

  const unborn = Effect.fnUntraced(function* (repository: Repository, head: HeadSide) {
    const plan: Plan = {
      description: "all files of a repository without commits",
      whenEmpty: "there are none",
      base: empty,
      head: repository.bare ? empty : head,
      branch: repository.head.branch,
      commits: [],
      untracked: (yield* uncommitted(repository)).untracked
    }
    return plan
  })

  const planDefault = Effect.fnUntraced(function* (repository: Repository) {
    const { sha, branch } = repository.head
    if (sha === null) return yield* unborn(repository, worktree)
    const place = branch ?? "a detached HEAD"
    const [edits, base, last] = yield* Effect.all(
      [uncommitted(repository), defaultBase(repository), lastCommit(repository, sha, place)],
      { concurrency: 3 }
    )
    const withoutBase = isDirty(edits)
      ? Effect.succeed(editsOnly(sha, branch, `uncommitted edits on ${place}`, edits))
      : single(repository, last.commit, last.description, branch)
    if (base === null && branch !== null && !repository.bare) {
      const plan = yield* withoutBase
      return { ...plan, description: `${plan.description} (${noBase})` }
    }
    if (repository.bare || base === null || base.branch === branch) return yield* withoutBase
    const plan = yield* against(repository, base, { name: headName(branch, sha), sha, branch }, edits)
    const isOnBase = branch === null && plan.base._tag === "Commit" && plan.base.sha === sha
    return isOnBase ? yield* withoutBase : plan
  })

  const planBase = Effect.fnUntraced(function* (repository: Repository, revision: string) {
    const { sha, branch } = repository.head
    if (sha === null) return yield* unknownRevision(repository, "HEAD")
    const [base, edits] = yield* Effect.all([resolveBranch(repository, revision), uncommitted(repository)], {
      concurrency: 2
    })
    const head = { name: headName(branch, sha), sha, branch }
    return yield* against(repository, { name: revision, sha: base }, head, edits)
  })

  /** A local branch, else one of the remote: a clone for continuous integration often has only `origin/main`. */
  const branchTip = (repository: Repository, name: string) =>
    /[~^:?*[\\\s\0]|@\{|\.\./.test(name)
      ? Effect.succeed(undefined)
      : Effect.map(git.refs(repository, branchRefs(name)), (found) =>
          branchRefs(name)
            .map((full) => found.find((ref) => ref.name === full)?.sha)
            .find((sha) => sha !== undefined)
        )

  /** Git prefers a tag to a branch of the same name, and anyone who can push can create a tag. */
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
    const sha = yield* Effect.catchTag(
      resolveBranch(repository, branch),
      "RevisionUnknown",
      ({ commits, history, nearest, revision }) =>
        new RevisionUnknown({ revision, history, nearest, commits, isBranch: true })
    )
    const from =
      base === null
        ? yield* defaultBase(repository)
        : { name: base, branch: null, sha: yield* resolveBranch(repository, base) }
    if (from === null || from.branch === branch) {
      const { commit, description } = yield* lastCommit(repository, sha, branch)
      return yield* single(repository, commit, description, branch)
    }
    return yield* against(repository, from, { name: `branch ${branch}`, sha, branch }, null)
  })

  const planStaged = Effect.fnUntraced(function* (repository: Repository) {
    if (repository.bare) return yield* new WorktreeMissing()
    const { sha, branch } = repository.head
    if (sha === null) return { ...(yield* unborn(repository, index)), description: "everything staged" }
    const plan: Plan = {
      description: `the staged changes on ${branch ?? "a detached HEAD"}`,
      whenEmpty: "nothing is staged",
      base: commitSide(sha),
      head: index,
      branch,
      commits: [],
      untracked: []
    }
    return plan
  })

  const planCommit = Effect.fnUntraced(function* (repository: Repository, revision: string) {
    const commit = yield* git.commit(repository, revision)
    return yield* single(repository, commit, `commit ${short(commit.sha)}`, null)
  })

  return (repository: Repository, selection: Exclude<Selection, { readonly _tag: "Patch" }>) => {
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
      case "Range":
        return Effect.succeed(planRange(selection))
    }
  }
}

const empty: BaseSide = { _tag: "Empty" }
const index: HeadSide = { _tag: "Index" }
const worktree: HeadSide = { _tag: "Worktree" }
const commitSide = (sha: string) => ({ _tag: "Commit", sha }) as const

const noEdits: Edits = { changed: false, untracked: [] }
const isDirty = (edits: Edits): boolean => edits.changed || edits.untracked.some((path) => !path.endsWith("/"))

/** If the branch is longer, the newest commits are named. */
export const mostCommits = 500

const short = (sha: string): string => sha.slice(0, 7)

const headName = (branch: string | null, sha: string): string =>
  branch === null ? `the detached HEAD (${short(sha)})` : `branch ${branch}`

const editsOnly = (sha: string, branch: string | null, description: string, { untracked }: Edits): Plan => ({
  description,
  whenEmpty: "no file content changed",
  base: commitSide(sha),
  head: worktree,
  branch,
  commits: [],
  untracked
})

const planRange = ({ base, branch, description, head }: Extract<Selection, { readonly _tag: "Range" }>): Plan => ({
  description,
  whenEmpty: base === head ? "no commits are reviewed" : "they differ in no file",
  base: base === null ? empty : commitSide(base),
  head: commitSide(head),
  branch,
  commits: { from: base, to: head },
  untracked: []
})

const noBase = "no base branch was found (neither origin's default branch nor main or master); choose one with --base"

const remote = "refs/remotes/origin/"
const local = "refs/heads/"

/** The refs that a branch of this name can have, the nearest first. */
const branchRefs = (name: string): ReadonlyArray<string> => [
  `${local}${name}`,
  `refs/remotes/${name}`,
  `${remote}${name}`
]

/** Git's own names (`HEAD`, `@`, `FETCH_HEAD`) and object names, which are preferred to branches. */
const isNeverBranch = /^(?:@|[A-Z_-]+|[0-9a-f]{4,64})$/
const defaultNames = ["main", "master"]
/** The refs of default branches, of this remote first. */
export const baseRefsOf = (from: string): ReadonlyArray<string> => [
  `${from}HEAD`,
  ...defaultNames.map((name) => `${from}${name}`),
  ...defaultNames.map((name) => `${local}${name}`)
]
const baseRefs = baseRefsOf(remote)

interface DefaultBase extends NamedCommit {
  /** The branch, local or of the remote. */
  readonly branch: string | null
}

/** The remote's default branch, else its main or master, else the local one; null if there is none. */
export const chooseBase = (refs: ReadonlyArray<Ref>, from = remote): DefaultBase | null => {
  for (const name of baseRefsOf(from)) {
    const ref = refs.find((found) => found.name === name)
    if (ref === undefined) continue
    const full = ref.target === "" ? ref.name : ref.target
    const isRemote = full.startsWith(from)
    const branch = isRemote ? full.slice(from.length) : full.replace(/^refs\/(?:heads\/)?/, "")
    return { name: isRemote ? `${from.slice("refs/remotes/".length)}${branch}` : branch, branch, sha: ref.sha }
  }
  return null
}
