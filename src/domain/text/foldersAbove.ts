/** The folders a path is in, nearest first, each with its slash; the repository itself is "". */
export const foldersAbove = (path: string): ReadonlyArray<string> => {
  const folders: Array<string> = []
  for (let end = path.lastIndexOf("/"); end >= 0; end = end === 0 ? -1 : path.lastIndexOf("/", end - 1)) {
    folders.push(path.slice(0, end + 1))
  }
  return [...folders, ""]
}

/** The files of the root directory, without those of its folders. */
export const rootFiles = "./"

/** As `foldersAbove`, with `rootFiles` for a file that is in no folder. */
export const foldersOfFile = (file: string): ReadonlyArray<string> =>
  file.includes("/") ? foldersAbove(file) : [rootFiles, ""]

export const isInFolder = (file: string, folder: string): boolean =>
  folder === rootFiles ? !file.includes("/") : file.startsWith(folder)

export const nameParts = (path: string) => {
  const slash = path.lastIndexOf("/")
  const name = path.slice(slash + 1)
  const dot = name.lastIndexOf(".")
  return {
    /** Without a slash at the end. */
    folder: path.slice(0, Math.max(0, slash)),
    name,
    ending: dot < 0 ? "" : name.slice(dot + 1),
    /** Without endings: `date` of `date.service.ts`. */
    stem: name.slice(0, Math.max(0, name.indexOf(".")))
  }
}
