/** Finds the blobs of the files of both sides. */
import { Effect } from "effect"
import type { Change, Side } from "../../../domain/change/Change.ts"
import type { Git } from "../../../services/change/Git.ts"
import type { IndexEntry } from "../../../services/change/gitOutput.ts"
import type { Repository } from "../../../services/change/openRepository.ts"
import type { ReadFailures } from "../../../services/change/ReadFailures.ts"

export type Entry = Omit<IndexEntry, "path">

export interface Located {
  readonly which: "base" | "head"
  readonly path: string
  /** Null if the side has no such file. */
  readonly entry: Entry | null
}

/** A submodule: its commit is not in this repository. */
export const isDirectory = (entry: Entry): boolean => entry.mode === "160000"

export type SideFiles = Effect.Success<ReturnType<typeof makeSideFiles>>

export const makeSideFiles = Effect.fnUntraced(function* (
  git: Git["Service"],
  repository: Repository,
  change: Change,
  failures: ReadFailures
) {
  /** All files of a side: git runs once, and only if the diff is not enough. */
  const listing = (side: Side) =>
    Effect.cached(
      Effect.gen(function* () {
        if (side._tag === "Empty" || side._tag === "Unknown") return new Map<string, Entry>()
        const entries: ReadonlyArray<Entry & { readonly path: string }> =
          side._tag === "Commit"
            ? (yield* git.lsTree(repository, side.sha)).map((entry) => ({ ...entry, skipWorktree: false }))
            : yield* git.lsFiles(repository)
        return new Map(entries.map((entry): [string, Entry] => [entry.path, entry]))
      })
    )

  const headListing = yield* listing(change.head)
  // Between two commits, a file that is not in the diff is the same on both sides: one listing is enough.
  const isSame = change.base._tag === "Commit" && change.head._tag === "Commit"
  /** Git names no object of a file that is only renamed. */
  const listedAs = new Map(isSame ? change.diff.files.map(({ newPath, oldPath }) => [oldPath, newPath]) : [])
  const files = {
    base: {
      side: change.base,
      listing: isSame ? headListing : yield* listing(change.base),
      known: knownOf(change, "base")
    },
    head: { side: change.head, listing: headListing, known: knownOf(change, "head") }
  }

  const locate = Effect.fnUntraced(function* (which: "base" | "head", paths: ReadonlyArray<string>) {
    const { known, listing } = files[which]
    const all = paths.every((path) => known.has(path)) ? null : yield* listing
    const listedEntry = (path: string) => all?.get((which === "base" ? listedAs.get(path) : null) ?? path)
    return paths.map(
      (path): Located => ({ which, path, entry: (known.has(path) ? known.get(path) : listedEntry(path)) ?? null })
    )
  })

  /** Every file of the head side; none when git cannot list them. */
  const listed = headListing.pipe(failures.survive("how the change fits the other files", new Map<string, Entry>()))

  return { repository, change, files, locate, listed }
})

/** What the diff alone shows of a side; most reviews never list a tree. Null: the side has no such file. */
const knownOf = (change: Change, which: "base" | "head"): ReadonlyMap<string, Entry | null> => {
  const side = change[which]
  const known = new Map<string, Entry | null>()
  // The object names of the working tree are not those of stored objects.
  if (side._tag !== "Commit" && side._tag !== "Index" && side._tag !== "Empty") return known
  const files = change.diff.files.map(({ newMode, newOid, newPath, oldMode, oldOid, oldPath, status }) =>
    which === "base"
      ? { path: oldPath, mode: oldMode, oid: oldOid, other: newPath }
      : { path: newPath, mode: newMode, oid: newOid, other: status === "copied" ? null : oldPath }
  )
  for (const { other, path } of files) if (other !== null && other !== path) known.set(other, null)
  for (const { mode, oid, path } of files) {
    if (path === null) continue
    if (mode === null || oid === null) known.delete(path)
    else known.set(path, { mode, oid, skipWorktree: false })
  }
  return known
}
