/**
 * The commits that a job of continuous integration is for. Nothing is fetched; what the clone does not have is in the
 * result, and never makes the range look complete.
 */
import { Effect } from "effect"
import type { Selection } from "../../domain/change/Change.ts"
import type { Degraded } from "../../domain/change/Degraded.ts"
import type { CiJob } from "../../domain/ci/CiJob.ts"
import { Git } from "../change/Git.ts"
import { type Repository, unknownRevision } from "../change/openRepository.ts"
import { baseRefsOf, chooseBase } from "../change/planChange.ts"

type Range = Extract<Selection, { readonly _tag: "Range" }>

/** A commit that the clone lacks. */
interface Lacking {
  /** A noun phrase. */
  readonly what: string
  readonly error: "HistoryTooShallow" | "BaseMissing" | "HeadMissing"
}

export interface CiRange {
  readonly range: Range
  /** Null: the range is all that the job is for. Without `unchecked`, nothing says whether it is. */
  readonly missing: Degraded | null
}

/** Where the range begins; a guess if nothing names that commit. */
type Begin =
  | { readonly _tag: "Commit"; readonly sha: string; readonly words: string; readonly isGuess?: boolean }
  | { readonly _tag: "Root" }
  | ({ readonly _tag: "Lacking" } & Lacking)

const root = { _tag: "Root" } as const

/** `asked`: the revision with which the user wants to compare; null: what the service says. */
export const ciRange = Effect.fn("ciRange")(function* (repository: Repository, job: CiJob, asked: string | null) {
  const git = yield* Git
  const { sha: checkedOut } = repository.head
  if (checkedOut === null) return yield* unknownRevision(repository, "HEAD")

  const known = (revision: string) =>
    Effect.catchTag(git.resolve(repository, revision), "RevisionUnknown", () => Effect.succeed(null))
  const isIn = (sha: string, head: string) => Effect.map(git.mergeBase(repository, sha, head), (base) => base === sha)

  /** The checkout, if it is or contains a commit of the job; else such a commit. */
  const headOf = Effect.gen(function* () {
    const parents = yield* git.parents(repository, checkedOut)
    let other: string | null = null
    for (const name of job.heads) {
      if (name === checkedOut || parents.includes(name)) return checkedOut
      const sha = yield* known(name)
      if (sha !== null && (yield* isIn(sha, checkedOut))) return checkedOut
      other ??= sha
    }
    return other ?? (job.heads.length === 0 ? checkedOut : null)
  })

  /** The first revision that has a common commit with the head; all of the history if it cannot have one. `what`: which commit it is. */
  const since = Effect.fnUntraced(function* (
    revisions: ReadonlyArray<{ readonly name: string; readonly revision: string; readonly what?: string }>,
    head: string
  ) {
    let isOther = false
    for (const { name, revision, what } of revisions) {
      const sha = yield* known(revision)
      const base = sha === null ? null : yield* git.mergeBase(repository, sha, head)
      isOther ||= sha !== null && base === null
      if (base === null) continue
      const which = base === sha ? what : `where it leaves ${name}`
      const words = ` since ${short(base)}${which === undefined ? "" : `, ${which}`}`
      return { _tag: "Commit", sha: base, words } as const
    }
    return isOther && !repository.shallow ? root : null
  })

  const lacking = (what: string): Begin => ({
    _tag: "Lacking",
    what,
    error: repository.shallow ? "HistoryTooShallow" : "BaseMissing"
  })

  const firstParent = Effect.fnUntraced(function* (head: string) {
    const [parent] = yield* git.parents(repository, head)
    if (parent === undefined) return root
    if ((yield* known(parent)) === null) return lacking(`${short(parent)}, the parent of ${short(head)}`)
    const begin: Begin = { _tag: "Commit", sha: parent, words: ` since ${short(parent)}` }
    return begin
  })

  const lastCommit = (head: string) =>
    Effect.map(
      firstParent(head),
      (begin): Begin => (begin._tag === "Commit" ? { ...begin, words: ", its last commit", isGuess: true } : begin)
    )

  const branchRefs = (branch: string) =>
    [`refs/remotes/origin/${branch}`, `refs/heads/${branch}`].map((revision) => ({ name: branch, revision }))

  const ofPull = Effect.fnUntraced(function* (head: string) {
    const parents = yield* git.parents(repository, head)
    if (job.isMerge && head === job.heads[0] && parents.length > 1) return yield* firstParent(head)
    const revisions = [
      ...job.targetCommits.map((revision) => ({ name: job.target ?? short(revision), revision })),
      ...(job.target === null ? [] : branchRefs(job.target))
    ]
    const found = yield* since(revisions, head)
    if (found !== null) return found
    // CircleCI does not name the target.
    if (job.target === null && job.targetCommits.length === 0) return yield* ofBranch(head)
    return lacking(`the commit where the pull request leaves ${job.target ?? "its target"}`)
  })

  /** Since the commit before the push, although its job may have failed: only the branch itself has what it added. */
  const ofDefault = Effect.fnUntraced(function* (head: string) {
    const { before } = job
    if (before === null || before === head) return yield* lastCommit(head)
    if (before === "") return repository.shallow ? lacking("the first commit of the branch") : root
    const what = "the commit before the push"
    const found = yield* since([{ name: "the branch as it was", revision: before, what }], head)
    return found ?? lacking(`${short(before)}, ${what}`)
  })

  /** Since the default branch, so that what failed once does not pass with the next push. */
  const ofBranch = Effect.fnUntraced(function* (head: string) {
    const refs = yield* git.refs(repository, baseRefsOf("refs/remotes/origin/"))
    const main = job.defaultBranch ?? chooseBase(refs)?.branch ?? null
    if (main === null) return lacking("the default branch")
    if (main === job.branch) return yield* ofDefault(head)
    const found = yield* since(branchRefs(main), head)
    if (found === null) return lacking(`the commit where ${job.branch ?? "HEAD"} leaves ${main}`)
    // It is on that branch, under a name that the job does not have.
    return found._tag === "Commit" && found.sha === head && job.kind === "push" ? yield* lastCommit(head) : found
  })

  const ofPush = Effect.fnUntraced(function* (head: string) {
    const { passed } = job
    if (passed === null || passed === head) return yield* ofBranch(head)
    const what = "the last commit that passed"
    const found = yield* since([{ name: "the branch as it was", revision: passed, what }], head)
    if (found !== null) return found
    // A commit that a force push removed from the branch is not in a whole clone either.
    return repository.shallow ? lacking(`${short(passed)}, ${what}`) : yield* ofBranch(head)
  })

  /** A branch that has the commit was reviewed under its own name. */
  const ofTag = Effect.fnUntraced(function* (head: string) {
    const refs = yield* git.refs(repository, ["refs/remotes/"])
    const base = yield* git.mergeBase(repository, head, ...refs.map(({ sha }) => sha))
    if (base === null) return refs.length === 0 || repository.shallow ? lacking("a branch that the tag left") : root
    const since = ` since ${short(base)}, which a branch has`
    return { _tag: "Commit", sha: base, words: base === head ? `: a branch has its commit` : since } as const
  })

  const beginOf = Effect.fnUntraced(function* (head: string) {
    if (asked !== null) {
      const branches = branchRefs(asked)
      const found = yield* Effect.forEach(branches, ({ revision }) => known(revision))
      // It is unknown, not only absent from a shallow clone.
      if (!repository.shallow && found.every((sha) => sha === null)) yield* git.resolve(repository, asked)
      const base = yield* since([{ name: asked, revision: asked }, ...branches], head)
      return base ?? lacking(`a commit that ${asked} and HEAD have in common`)
    }
    if (job.kind === "tag") return yield* ofTag(head)
    return yield* job.kind === "push" ? ofPush(head) : ofPull(head)
  })

  const found = yield* headOf
  const head = found ?? checkedOut
  const name = nameOf(job, head)
  const resultOf = (base: string | null, words: string, missing: Degraded | null = null): CiRange => ({
    range: { _tag: "Range", base, head, branch: job.branch, description: `${name}${words}` },
    missing
  })
  const begin: Begin = yield* beginOf(head)
  const isEmptyPull = job.kind === "pull request" && begin._tag === "Commit" && begin.sha === head
  // Without the name of a head, the checkout of the target would look like an empty pull request.
  if (asked === null && (found === null || (isEmptyPull && job.heads.length === 0))) {
    const what = `${short(job.heads[0] ?? "the commits")} of the job, but ${short(checkedOut)}`
    const lack = { what, error: "HeadMissing" } as const
    return resultOf(head, ", without its commits", missingOf(job, lack, "nothing", "the change"))
  }
  if (isEmptyPull) return resultOf(head, ", which has nothing that its target lacks")
  if (begin._tag === "Root") return resultOf(null, ", all of its history")
  if (begin._tag === "Commit")
    return resultOf(begin.sha, begin.words, begin.isGuess === true ? guessOf(job, head) : null)
  const parent = yield* firstParent(head)
  return parent._tag === "Commit"
    ? resultOf(
        parent.sha,
        ", only its last commit",
        missingOf(job, begin, "only the last commit", `commits before ${short(head)}`)
      )
    : resultOf(head, ", without its base", missingOf(job, begin, "nothing", "the change"))
})

const missingOf = ({ service }: CiJob, { error, what }: Lacking, reviewed: string, unchecked: string): Degraded => ({
  step: "checkout",
  error,
  detail: `this clone does not have ${what}; ${reviewed} was reviewed. Use ${service.wholeHistory}, or dd review --ci --deepen`,
  unchecked
})

/** Nothing is `unchecked`: that would fail every push to the default branch on such a service, and no fetch would help. */
const guessOf = ({ service }: CiJob, head: string): Degraded => ({
  step: "checkout",
  error: "BaseUnknown",
  detail: `this job of ${service.name} does not say which commits are new: commits before ${short(head)} were not reviewed. To review them, use --base`
})

const short = (sha: string): string => (/^[0-9a-f]{40,}$/.test(sha) ? sha.slice(0, 7) : sha)

const nameOf = ({ branch, id, kind, target }: CiJob, head: string): string => {
  switch (kind) {
    case "pull request":
      return `the pull request${id === null ? "" : ` ${id}`}${target === null ? "" : ` into ${target}`} (${short(head)})`
    case "push":
      return `${branch ?? "HEAD"} (${short(head)})`
    case "tag":
      return `the tag ${id} (${short(head)})`
  }
}
