/** Paths that a repository's `.gitignore` files exclude: they are build output, so a missing one is not a defect. */
import { foldersAbove } from "../text/foldersAbove.ts"
import { globFault, pathGlob } from "../text/PathGlob.ts"

/**
 * Does a `.gitignore` file match this path, or a folder it is in? `files`: their texts by path. Patterns with `!` are not
 * applied, because the result only suppresses findings.
 */
export const ignoredByGit = (path: string, files: ReadonlyMap<string, string>): boolean =>
  foldersAbove(path).some((folder) => {
    const inside = path.slice(folder.length)
    return (files.get(`${folder}.gitignore`) ?? "")
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line !== "" && !line.startsWith("#") && globFault(line) === null)
      .some((pattern) => pathGlob(pattern)(inside))
  })
