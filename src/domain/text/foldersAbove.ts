/** The folders a path is in, nearest first, each with its slash; the repository itself is "". */
export const foldersAbove = (path: string): ReadonlyArray<string> => {
  const folders: Array<string> = []
  for (let end = path.lastIndexOf("/"); end >= 0; end = end === 0 ? -1 : path.lastIndexOf("/", end - 1)) {
    folders.push(path.slice(0, end + 1))
  }
  return [...folders, ""]
}
