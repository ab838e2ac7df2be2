/** Commits and refs: resolving names, listing commits, and the files that commits touched. */
import { Effect } from "effect"
import { nearest } from "../../domain/text/Suggestion.ts"
import { ancestorPattern } from "./GitError.ts"
import { callIn, type GitCalls } from "./gitCall.ts"
import { diffArguments } from "./gitHardening.ts"
import { blamedLines, historyCommits, historyFormat, patchesOf, patchFormat } from "./gitHistory.ts"
import { commitFormat, commitsOf, refFormat, refsOf } from "./gitOutput.ts"
import { pathspec } from "./gitSearch.ts"
import { type Repository, unknownRevision } from "./openRepository.ts"

/** A command has room for so many object names. */
const mostCompared = 10_000

/** Lines of a file, numbered from 1, both inclusive. */
interface LineRange {
  readonly path: string
  readonly first: number
  readonly last: number
}

export const makeGitCommits = ({ ask, run }: Pick<GitCalls, "ask" | "run">) => {
  /** The roots of all working trees of the repository, the main one first, including deleted ones. */
  const worktrees = Effect.fn("Git.worktrees")(function* (repository: Repository) {
    const { stdout } = yield* ask(repository, ["worktree", "list", "--porcelain"])
    return text(stdout)
      .split("\n")
      .flatMap((line) => (line.startsWith("worktree ") ? [line.slice("worktree ".length)] : []))
  })

  /** The full name of the commit that a revision refers to. */
  const resolve = Effect.fn("Git.resolve")(function* (repository: Repository, revision: string) {
    if (revision === "" || revision.includes("\0")) return yield* unknownRevision(repository, revision)
    if (revision === "HEAD" && repository.head.sha !== null) return repository.head.sha
    const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${unambiguous(revision)}^{commit}`]
    const { exitCode, stdout } = yield* ask(repository, args, { accept: [1, 128] })
    if (exitCode === 0) return text(stdout).trim()
    const typed = yield* ask(repository, ["cat-file", "-t", `${unambiguous(revision)}^{}`], { accept: [1, 128] })
    const type = text(typed.stdout).trim()
    if (type === "tree" || type === "blob") return yield* unknownRevision(repository, revision, null, null, type)
    const [, start] = ancestorPattern.exec(revision) ?? []
    const counted =
      start === undefined
        ? null
        : yield* ask(repository, ["rev-list", "--count", "--first-parent", "--end-of-options", unambiguous(start)], {
            accept: [1, 128, 129]
          })
    if (counted?.exitCode === 0) return yield* unknownRevision(repository, revision, null, Number(text(counted.stdout)))
    const known = yield* refs(repository, ["refs/heads/", "refs/remotes/", "refs/tags/"])
    const names = known.map(({ name }) => name.replace(/^refs\/(?:heads|remotes|tags)\//, ""))
    return yield* unknownRevision(repository, revision, nearestRevision(revision, ["HEAD", ...names]))
  })

  const commit = Effect.fn("Git.commit")(function* (repository: Repository, revision: string) {
    if (isPlainRevision(revision)) {
      const { exitCode, stdout } = yield* run(callIn(repository, commitsArguments(`${revision}^{commit}`, 1)))
      const [found] = exitCode === 0 ? commitsOf(stdout) : []
      if (found !== undefined) return found
    }
    // In two calls, because the first one reports what is wrong with the revision.
    const sha = yield* resolve(repository, revision)
    const [found] = yield* log(repository, { from: null, to: sha, limit: 1 })
    return found ?? (yield* unknownRevision(repository, revision))
  })

  /** The nearest commit of `a` that one of the others has; null if there are none, or no common history in this clone. */
  const mergeBase = Effect.fn("Git.mergeBase")(function* (repository: Repository, a: string, ...b: Array<string>) {
    if (b.length === 0) return null
    const others = [...new Set(b)].slice(0, mostCompared)
    const { stdout } = yield* ask(repository, ["merge-base", "--end-of-options", a, ...others], { accept: [1] })
    return text(stdout).trim() || null
  })

  /** Commits reachable from `to` but not from `from`, oldest first; if there are more than `limit`, the newest. */
  const log = Effect.fn("Git.log")(function* (
    repository: Repository,
    { from, limit, to }: { readonly from: string | null; readonly to: string; readonly limit: number }
  ) {
    const { stdout } = yield* ask(repository, commitsArguments(from === null ? to : `${from}..${to}`, limit))
    return commitsOf(stdout).toReversed()
  })

  /** The existing refs with these full names; a name that ends in `/` selects all refs below it. */
  const refs = Effect.fn("Git.refs")(function* (repository: Repository, names: ReadonlyArray<string>) {
    const { stdout } = yield* ask(repository, ["for-each-ref", refFormat, ...names])
    return refsOf(stdout).filter((ref) =>
      names.some((name) => (name.endsWith("/") ? ref.name.startsWith(name) : ref.name === name))
    )
  })

  /** Commits up to `from`, newest first, with all the files each touched; with a path, only commits that touched it. */
  const history = Effect.fn("Git.history")(function* (
    repository: Repository,
    {
      from,
      limit,
      edge = false,
      not = [],
      onOutput,
      path,
      renames = "similar",
      skip
    }: {
      readonly from: string
      /** Their ancestors are left out. */
      readonly not?: ReadonlyArray<string>
      /** Includes the commits at which the list ends because of `limit` or `not`. */
      readonly edge?: boolean
      readonly path: string | null
      /** Renamed files are recognized by similar text, or only by the same: that needs no blobs. */
      readonly renames?: "similar" | "same"
      readonly skip: number
      readonly limit: number
      /** Sees the output as it arrives. */
      readonly onOutput?: (chunk: Uint8Array) => void
    }
  ) {
    const args = [
      ...logArguments(historyFormat, limit),
      "--raw",
      "--no-abbrev",
      renames === "similar" ? "--find-renames" : "--find-renames=100%",
      ...(edge ? ["--boundary"] : []),
      ...(path === null ? [] : ["--full-diff"]),
      `--skip=${skip}`,
      "--end-of-options",
      from,
      ...not.map((sha) => `^${sha}`),
      "--",
      ...(path === null ? [] : [pathspec(path)])
    ]
    const { stdout } = yield* ask(repository, args, onOutput === undefined ? {} : { onOutput })
    return historyCommits(stdout)
  })

  /** Commits that changed these lines (numbered as at `from`), newest first, without their files. */
  const lineHistory = Effect.fn("Git.lineHistory")(function* (
    repository: Repository,
    { first, from, last, limit, path }: LineRange & { readonly from: string; readonly limit: number }
  ) {
    const { stdout } = yield* ask(repository, [
      ...logArguments(historyFormat, limit),
      "--no-patch",
      `-L${first},${last}:${path}`,
      "--end-of-options",
      from
    ])
    return historyCommits(stdout)
  })

  /** The patches of these commits without context, by their full names; none for a merge. */
  const patches = Effect.fn("Git.patches")(function* (
    repository: Repository,
    shas: ReadonlyArray<string>,
    onOutput: (chunk: Uint8Array) => void
  ) {
    const args = [
      ...logArguments(patchFormat, shas.length),
      ...diffArguments,
      "--unified=0",
      "--patch",
      "--no-walk=unsorted",
      "--end-of-options",
      ...shas,
      "--"
    ]
    const { stdout } = yield* ask(repository, args, { onOutput })
    return patchesOf(stdout)
  })

  /** The commit that each line is from, for a file at a commit or for an uncommitted text in its place. */
  const blame = Effect.fn("Git.blame")(function* (
    repository: Repository,
    { first, last, path, ...source }: LineRange & ({ readonly from: string } | { readonly text: string })
  ) {
    const args = [
      "blame",
      "--porcelain",
      "--no-progress",
      "--no-textconv",
      "--ignore-revs-file=",
      `-L${first},${last}`,
      // Not the file on disk, because git would follow a link that replaced a folder.
      ...("from" in source ? [source.from] : ["--contents", "-"]),
      "--",
      path
    ]
    const input = "from" in source ? {} : { input: new TextEncoder().encode(source.text) }
    return blamedLines((yield* ask(repository, args, input)).stdout)
  })

  return { worktrees, resolve, commit, mergeBase, log, refs, history, lineHistory, patches, blame }
}

const logArguments = (format: string, limit: number): ReadonlyArray<string> => [
  "log",
  "-z",
  format,
  "--no-color",
  "--no-decorate",
  "--no-notes",
  "--no-mailmap",
  "--no-show-signature",
  "--no-ext-diff",
  "--no-textconv",
  "--ignore-submodules=dirty",
  `--max-count=${limit}`
]

/** Newest first. */
const commitsArguments = (revisions: string, limit: number): ReadonlyArray<string> => [
  ...logArguments(commitFormat, limit),
  "--no-patch",
  "--end-of-options",
  revisions,
  "--"
]

/** A name of at most one commit: no range, no option, no search. */
const isPlainRevision = (revision: string): boolean => /^\w[\w./@{}~^+-]*$/.test(revision) && !revision.includes("..")

/** Git reads a leading `-` as an option, unless the branch is given by its full name. */
const unambiguous = (revision: string): string => (revision.startsWith("-") ? `refs/heads/${revision}` : revision)

const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)

/** With what follows the name, as in `main~2`; null if the name is right and only what follows it is wrong. */
export const nearestRevision = (revision: string, names: ReadonlyArray<string>): string | null => {
  const [name = ""] = /^[^~^@:]*/.exec(revision) ?? []
  if (name === "" || names.includes(name)) return null
  const found = nearest(name, names)
  return found === null ? null : `${found}${revision.slice(name.length)}`
}
