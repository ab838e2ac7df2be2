/** The difference between two sides: the diff, the changed files, the uncommitted edits. */
import { Effect } from "effect"
import type { BaseSide, HeadSide } from "../../domain/change/Change.ts"
import type { GitWouldWait } from "./GitError.ts"
import { type GitCalls, GitMaxOutput } from "./gitCall.ts"
import { diffArguments } from "./gitHardening.ts"
import { nulTexts, rawChangesOf, statusOf } from "./gitOutput.ts"
import { excluding, pathspec } from "./gitSearch.ts"
import type { GitWaits } from "./gitWaits.ts"
import type { Repository } from "./openRepository.ts"

interface Sides {
  readonly base: BaseSide
  readonly head: HeadSide
}

type Paths =
  | { readonly asText: ReadonlyArray<string> }
  | { readonly apart: ReadonlyArray<string> }
  | { readonly without: ReadonlyArray<string> }

/** `incomplete` collects the reasons why untracked files are not listed. */
export const makeGitDiffs = (
  { ask }: Pick<GitCalls, "ask">,
  waits: GitWaits,
  incomplete: (reason: GitWouldWait) => void
) => {
  /** If git cannot read the attributes, it compares nothing. */
  const refuseUnreadableAttributes = Effect.fnUntraced(function* (repository: Repository) {
    const wait = yield* waits.atRoot(repository, ".gitattributes")
    if (wait !== null) return yield* wait
  })

  /** Without `.gitignore`, it is unknown which untracked files are ignored. */
  const listsUntracked = Effect.fnUntraced(function* (repository: Repository) {
    const wait = yield* waits.atRoot(repository, ".gitignore")
    if (wait !== null) incomplete(wait)
    return wait === null
  })

  /**
   * The diff as git prints it, without untracked files. `asText`: only these paths, as text whatever their attributes
   * are. `apart`: only these paths, and a renamed file as a deleted one and a new one.
   */
  const diff = Effect.fn("Git.diff")(function* (
    repository: Repository,
    { base, head }: Sides,
    paths: Paths = { without: [] }
  ) {
    yield* refuseUnreadableAttributes(repository)
    const args = [
      "diff",
      ...diffArguments,
      ...(head._tag === "Index" ? ["--cached"] : []),
      ...("asText" in paths ? ["--text"] : "apart" in paths ? ["--no-renames"] : []),
      "--end-of-options",
      treeish(repository, base),
      ...(isStored(head) ? [treeish(repository, head)] : []),
      "--",
      ...("without" in paths
        ? paths.without.map(excluding)
        : ("asText" in paths ? paths.asText : paths.apart).map(pathspec))
    ]
    const maxBytes = Math.min(mostPrinted, yield* GitMaxOutput)
    return (yield* ask(repository, args, { maxBytes }).pipe(waits.watched(repository))).stdout
  })

  /** The files that differ between the sides; none is opened. */
  const changed = Effect.fn("Git.changed")(function* (repository: Repository, { base, head }: Sides) {
    const { stdout } = yield* ask(repository, [
      ...(isStored(head) ? ["diff-tree", "-r"] : ["diff-index", ...(head._tag === "Index" ? ["--cached"] : [])]),
      "-z",
      "--no-renames",
      "--ignore-submodules=dirty",
      "--end-of-options",
      treeish(repository, base),
      ...(isStored(head) ? [treeish(repository, head)] : []),
      "--"
    ])
    return rawChangesOf(stdout)
  })

  /** Uncommitted edits, without those inside submodules. */
  const status = Effect.fn("Git.status")(function* (repository: Repository) {
    yield* refuseUnreadableAttributes(repository)
    const untracked = (yield* listsUntracked(repository)) ? "all" : "no"
    const { stdout } = yield* ask(repository, [
      "status",
      "--porcelain=v1",
      "-z",
      `--untracked-files=${untracked}`,
      "--no-renames",
      "--ignore-submodules=dirty"
    ]).pipe(waits.watched(repository))
    return statusOf(stdout)
  })

  /** Files of these pathspecs that are neither tracked nor ignored. */
  const untracked = Effect.fnUntraced(function* (repository: Repository, pathspecs: ReadonlyArray<string>) {
    if (!(yield* listsUntracked(repository))) return []
    const args = ["ls-files", "-z", "--others", "--exclude-standard", "--", ...pathspecs]
    const { stdout } = yield* ask(repository, args).pipe(waits.watched(repository))
    // A directory here is a nested repository.
    return nulTexts(stdout).filter((path) => !path.endsWith("/"))
  })

  return { diff, changed, status, untracked }
}

const isStored = (side: HeadSide): side is BaseSide => side._tag === "Commit" || side._tag === "Empty"

const treeish = ({ emptyTree }: Repository, side: BaseSide): string => (side._tag === "Commit" ? side.sha : emptyTree)

/** In bytes; much more than a reviewer sees of a change. */
const mostPrinted = 1 << 28
