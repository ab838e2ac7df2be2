/** The files of a diff by path: a change may have thousands, and several callers look them up. */
import type { Diff, DiffFile } from "./Diff.ts"

export interface FilesOfDiff {
  /** The file with this path after the change. */
  readonly at: (newPath: string) => DiffFile | undefined
  /** The file with this path before the change. */
  readonly from: (oldPath: string) => DiffFile | undefined
}

const known = new WeakMap<Diff, FilesOfDiff>()

/** The first file of a path, if a diff has several; computed once for each diff. */
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

/** The paths of the changed files before the change, without repetitions; of an added file, its own. */
export const pathsBefore = ({ files }: Diff): ReadonlyArray<string> => [
  ...new Set(files.map(({ oldPath, path }) => oldPath ?? path))
]
