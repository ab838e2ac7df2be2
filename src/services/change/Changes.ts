/** Resolves the user's selection to a change: its two sides, its commits and its diff. */
import { Context, Effect, FileSystem, Layer, Path, Result, Schema } from "effect"
import { applyDiff, reverseFile } from "../../domain/change/applyDiff.ts"
import type { BaseSide, Change, HeadSide, Selection, Side } from "../../domain/change/Change.ts"
import { type Diff, type DiffFile, isLink } from "../../domain/change/Diff.ts"
import { foldPatches, foldSeries } from "../../domain/change/foldSeries.ts"
import { seriesSteps } from "../../domain/change/parseDiff.ts"
import { withoutPointers } from "../../domain/change/remote/pointers.ts"
import { inSteps } from "../../domain/system/Steps.ts"
import { concatBytes } from "../../domain/text/concatBytes.ts"
import { someNames } from "../../domain/text/plural.ts"
import { kindByName } from "../../languages/fileKinds.ts"
import { type Platform, readWorktreeFile, type WorktreeFile } from "../system/worktreeFile.ts"
import { Git } from "./Git.ts"
import type { Repository } from "./openRepository.ts"
import { makePlanChange, mostCommits, type Plan } from "./planChange.ts"
import { makeReadDiff, marked, notMerged, parsed, whyHidden } from "./readDiff.ts"
import { maxBytes } from "./Sources.ts"
import { type NotShown, noneUntracked, untrackedPatches } from "./untrackedPatches.ts"

export class RepositoryNeeded extends Schema.TaggedError<RepositoryNeeded>()("RepositoryNeeded", {}) {
  override get message() {
    return "without a git repository only a patch can be reviewed; run dd in a repository, or use --diff-file"
  }
}

const make = Effect.gen(function* () {
  const git = yield* Git
  const platform = { fs: yield* FileSystem.FileSystem, paths: yield* Path.Path }
  const planChange = makePlanChange(git)
  const readDiff = makeReadDiff(git, platform)

  /** Lists the tree of the base, which `Sources` needs later, while the diff is read. `Sources` reports a failure. */
  const listAhead = (repository: Repository, { base, head }: Plan) => {
    const side = head._tag === "Commit" ? head : base
    return side._tag === "Commit" ? Effect.option(git.lsTree(repository, side.sha)) : Effect.succeedNone
  }

  const commitsOf = (repository: Repository, { commits }: Plan) =>
    "from" in commits ? git.log(repository, { ...commits, limit: mostCommits }) : Effect.succeed(commits)

  const read = Effect.fnUntraced(function* (repository: Repository, plan: Plan) {
    const { base, head, branch, baseBranch } = plan
    const isOnDisk = head._tag === "Worktree"
    const [tracked, commits, created] = yield* Effect.all(
      [
        readDiff(repository, plan),
        commitsOf(repository, plan),
        repository.root === null || !isOnDisk
          ? Effect.succeed(noneUntracked)
          : untrackedPatches(platform, repository.root, plan.untracked),
        listAhead(repository, plan)
      ],
      { concurrency: 4 }
    )
    const added = yield* parsed(concatBytes(created.patches))
    // A file that was removed from the index but not from disk is in both.
    const folded = foldSeries([tracked.diff, marked(added, created.notShown)])
    const diff = {
      files: yield* Effect.forEach(folded.files, (file) => withTarget(isOnDisk ? repository.root : null, file))
    }
    const change: Change = {
      description: [plan.description, ...notesOn(plan, diff)].join("; "),
      base,
      head,
      ...editedIn(repository, head),
      branch,
      ...(baseBranch === undefined ? {} : { baseBranch }),
      commits: commits.map(({ sha, subject, body }) => ({ sha, subject, body })),
      // Git computes the object names of the working tree but does not store the objects.
      diff: withoutPointers(isOnDisk ? withoutHeadOids(diff) : diff, isCode),
      patch: concatBytes([tracked.patch, ...created.patches])
    }
    return change
  })

  /** A link to a device or a pipe is unread: what is read there is not in the repository. */
  const withTarget = Effect.fnUntraced(function* (root: string | null, file: DiffFile) {
    if (!isLink(file)) return file
    const target = file.hunks[0]?.lines.find(({ kind }) => kind === "added")?.text ?? ""
    const there = root === null ? null : yield* Effect.option(platform.fs.stat(platform.paths.join(root, file.path)))
    const type = there?._tag === "Some" ? there.value.type : /^\/(?:dev|proc)\//.test(target) ? "device" : "File"
    if (type === "File" || type === "Directory") return file
    const unread = `a link to ${target}, which is no file (${type}); remove the link, or make the place a setting`
    return { ...file, unread }
  })

  const fromPatch = Effect.fnUntraced(function* (
    repository: Repository | null,
    selection: Extract<Selection, { readonly _tag: "Patch" }>
  ) {
    const series = yield* Effect.fromResult(yield* inSteps(() => seriesSteps(selection.text)))
    const diff = foldPatches(series)
    const root = repository?.root ?? null
    const applied = root !== null && (yield* isApplied(platform, root, diff))
    const hidden = applied ? yield* hiddenInPatch(platform, root, diff) : new Map<string, NotShown>()
    const reason = series.length === 0 ? "; it is empty" : diff.files.length === 0 ? "; its changes cancel out" : ""
    const change: Change = {
      description: `the patch ${selection.origin}${applied ? ", which the working tree has applied" : ""}${reason}`,
      base: unknown,
      head: applied ? worktree : unknown,
      ...(repository === null || !applied ? {} : editedIn(repository, worktree)),
      branch: null,
      commits: [],
      diff: withoutPointers(withoutHeadOids(marked(diff, hidden)), isCode),
      patch: selection.text
    }
    return change
  })

  const resolve = Effect.fn("Changes.resolve")(function* (repository: Repository | null, selection: Selection) {
    if (selection._tag === "Patch") return yield* fromPatch(repository, selection)
    if (repository === null) return yield* new RepositoryNeeded()
    return yield* read(repository, yield* planChange(repository, selection))
  })

  /** The working tree, with untracked files, against a side of history. */
  const since = Effect.fn("Changes.since")(function* (repository: Repository, base: BaseSide) {
    const { untracked } = yield* git.status(repository)
    const from = { description: "the working tree", whenEmpty: "", base, head: worktree, branch: null, commits: [] }
    return yield* read(repository, { ...from, untracked })
  })

  return { resolve, since }
})

export class Changes extends Context.Service<Changes>()("dd/services/change/Changes", { make }) {
  static readonly layer = Layer.effect(Changes, make)
}

const isCode = (path: string): boolean => kindByName(path) !== null

const worktree: HeadSide = { _tag: "Worktree" }
const unknown: Side = { _tag: "Unknown" }

const editedIn = ({ head: { sha } }: Repository, head: HeadSide) =>
  sha !== null && (head._tag === "Worktree" || head._tag === "Index") ? { edited: sha } : {}

const notesOn = ({ head, untracked, whenEmpty }: Plan, diff: Diff): ReadonlyArray<string> => {
  const nested = head._tag === "Worktree" ? untracked.filter((path) => path.endsWith("/")).length : 0
  const unmerged = diff.files.flatMap(({ path, unread }) => (unread === notMerged ? [path] : []))
  return [
    ...(diff.files.length === 0 ? [whenEmpty] : []),
    ...(unmerged.length > 0
      ? [`not merged: ${someNames(unmerged)} (resolve the conflicts, then run \`git add\` or \`git rm\`)`]
      : []),
    ...(nested > 0
      ? [`without ${nested} untracked director${nested === 1 ? "y" : "ies"} with a repository inside`]
      : [])
  ]
}

const withoutHeadOids = (diff: Diff): Diff => ({
  files: diff.files.map((file) => (file.newOid === null ? file : { ...file, newOid: null }))
})

/** Whether the new side of the patch is in the working tree, line for line. */
const isApplied = Effect.fnUntraced(function* (platform: Platform, root: string, { files }: Diff) {
  const matches = yield* Effect.forEach(
    files,
    (file) => Effect.map(readWorktreeFile(platform, root, file.path, maxBytes), (found) => hasNewSide(file, found)),
    { concurrency: 8 }
  )
  return files.some((file) => file.hunks.length > 0) && matches.every((match) => match)
})

const hasNewSide = (file: DiffFile, found: WorktreeFile): boolean => {
  if (file.status === "deleted") return found._tag === "Absent"
  if (file.binary || file.newMode === "160000") return true
  if (found._tag === "Link") {
    return Result.isSuccess(applyDiff(reverseFile(file), new TextEncoder().encode(found.target)))
  }
  return found._tag === "File" && Result.isSuccess(applyDiff(reverseFile(file), found.bytes))
}

/** Files that are binary in the patch but text in the working tree. */
const hiddenInPatch = Effect.fnUntraced(function* (platform: Platform, root: string, { files }: Diff) {
  const notShown = new Map<string, NotShown>()
  for (const { path } of files.filter((file) => file.binary)) {
    const why = whyHidden(undefined, yield* readWorktreeFile(platform, root, path, maxBytes))
    notShown.set(path, why === "text" ? { unread: "it is text, and the patch does not show it as text" } : why)
  }
  return notShown
})
