/** The files of a diff by their paths: a change may have thousands, and each is asked for from several sides. Pure. */
import type { Diff, DiffFile } from "./Diff.ts"

export interface FilesOfDiff {
  /** The file that has this path after the change. */
  readonly at: (newPath: string) => DiffFile | undefined
  /** The file that had this path before it. */
  readonly from: (oldPath: string) => DiffFile | undefined
}

const known = new WeakMap<Diff, FilesOfDiff>()

/** The first of a path, where a diff names it twice; made once for a diff. */
export const filesOfDiff = (diff: Diff): FilesOfDiff => {
  const already = known.get(diff)
  if (already !== undefined) return already
  const byNew = new Map<string, DiffFile>()
  const byOld = new Map<string, DiffFile>()
  for (const file of diff.files) {
    if (file.newPath !== null && !byNew.has(file.newPath)) byNew.set(file.newPath, file)
    if (file.oldPath !== null && !byOld.has(file.oldPath)) byOld.set(file.oldPath, file)
  }
  const files: FilesOfDiff = { at: (path) => byNew.get(path), from: (path) => byOld.get(path) }
  known.set(diff, files)
  return files
}
