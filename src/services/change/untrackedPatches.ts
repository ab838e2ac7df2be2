/**
 * Untracked files as the patches that git would print for them.
 *
 * The limit on content is applied in the order of the files, independent of the order of reading.
 */
import { Effect } from "effect"
import { creationPatch } from "../../domain/change/creationPatch.ts"
import type { DiffFile } from "../../domain/change/Diff.ts"
import { type Platform, readWorktreeFile, type WorktreeFile } from "../system/worktreeFile.ts"
import { maxBytes } from "./Sources.ts"

/** The limit on the total text; further files are listed without content. */
const maxAll = 64_000_000

/** The status of files that a diff marked as binary does not include. */
export type NotShown = Pick<DiffFile, "unread" | "tooLarge">

export interface Untracked {
  readonly patches: ReadonlyArray<Uint8Array>
  /** Why the patch of a path does not show the file's content. */
  readonly notShown: ReadonlyMap<string, NotShown>
}

export const noneUntracked: Untracked = { patches: [], notShown: new Map() }

export const untrackedPatches = Effect.fnUntraced(function* (
  platform: Platform,
  root: string,
  paths: ReadonlyArray<string>,
  limit = maxAll
) {
  const stats = yield* Effect.forEach(paths, (path) => readWorktreeFile(platform, root, path, nothingRead), {
    concurrency: 8
  })
  let left = limit
  const allowed = stats.map((file) => {
    if (file._tag !== "TooLarge" || file.bytes > maxBytes) return maxBytes
    const room = left >= file.bytes
    if (room) left -= file.bytes
    return room ? maxBytes : nothingRead
  })
  const files = yield* Effect.forEach(
    paths,
    (path, at) => {
      const found = stats[at]!
      return found._tag === "TooLarge" && found.bytes <= maxBytes
        ? readWorktreeFile(platform, root, path, allowed[at]!)
        : Effect.succeed(found)
    },
    { concurrency: 8 }
  )
  const notShown = new Map<string, NotShown>()
  const patches = files.flatMap((file, at) => {
    const path = paths[at]!
    if (path.endsWith("/")) return []
    if (file._tag === "Unreadable") notShown.set(path, { unread: file.reason })
    else if (allowed[at] === nothingRead) notShown.set(path, { unread: overLimit })
    else if (file._tag === "TooLarge") notShown.set(path, { tooLarge: file.bytes })
    return patchOf(path, file) ?? []
  })
  const untracked: Untracked = { patches, notShown }
  return untracked
})

/** As a limit of bytes: only the size of the file is read, without opening it. */
const nothingRead = -1

const overLimit = `more than ${maxAll / 1_000_000} MB of files that git does not track: the rest was not read`

/** Null if it is not a file: a directory, or deleted in the meantime. */
const patchOf = (path: string, file: WorktreeFile): Uint8Array | null => {
  switch (file._tag) {
    case "Absent":
      return null
    case "Link":
      return creationPatch({ path, mode: "120000", content: new TextEncoder().encode(file.target) })
    case "Unreadable":
      return creationPatch({ path, mode: "100644", content: null })
    case "TooLarge":
      return creationPatch({ path, mode: file.executable ? "100755" : "100644", content: null })
    case "File":
      return creationPatch({ path, mode: file.executable ? "100755" : "100644", content: file.bytes })
  }
}
