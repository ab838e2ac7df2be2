/** Which paths a repository tells git not to keep: made where the project is built, so that nobody can miss them. */
import { foldersAbove } from "../text/foldersAbove.ts"
import { globFault, pathGlob } from "../text/PathGlob.ts"

/**
 * Does a `.gitignore` name this path, or a folder it is in? `files`: their texts by path. What such a file takes back
 * with `!` is counted as ignored all the same: the answer is used to stay silent.
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
