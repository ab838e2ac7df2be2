/** Many paths in few words: a folder replaces its files. Pure. */
import { foldersAbove } from "../../domain/text/foldersAbove.ts"
import { plural } from "../../domain/text/plural.ts"

/** So many files of a folder are named. */
const mostNamed = 3

/**
 * `a.ts`, `src/ (40 files)`: a folder is complete, so that no path is lost. With `partly`, also `lib/ (40 of 42 files)`, for
 * a group whose exceptions are named elsewhere. In the order of the paths.
 */
export const foldedPaths = (
  paths: ReadonlyArray<string>,
  all: ReadonlyArray<string>,
  { partly }: { readonly partly: boolean }
): ReadonlyArray<string> => {
  const [counts, allCounts] = [countsOf(paths), countsOf(all)]
  const [own, allOwn] = [paths, all].map((some) => Map.groupBy(some, (path) => foldersAbove(path)[0]!))
  const nameOf = (path: string): string => {
    const folders = foldersAbove(path).filter((folder) => folder !== "")
    const complete = folders.findLast((folder) => counts.get(folder) === allCounts.get(folder))
    if (complete !== undefined && counts.get(complete)! > mostNamed)
      return `${complete} (${plural(counts.get(complete)!, "file")})`
    const [folder = ""] = folders
    const some = own?.get(folder)?.length ?? 0
    if (!partly || folder === "" || some <= mostNamed) return path
    return `${folder} (${some} of ${plural(allOwn?.get(folder)?.length ?? 0, "file")})`
  }
  return [...new Set(paths.map(nameOf))]
}

/** The number of files below each folder. */
const countsOf = (paths: ReadonlyArray<string>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const folder of paths.flatMap(foldersAbove)) counts.set(folder, (counts.get(folder) ?? 0) + 1)
  return counts
}
