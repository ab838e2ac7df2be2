/**
 * One side of a repository: its paths, the texts of data files, and values computed from them. Languages resolve imports
 * with it.
 */
import { foldersAbove } from "../text/foldersAbove.ts"
import { parseJsonc } from "./parseJsonc.ts"

/** Paths by name and by folder. */
export interface PathIndex {
  readonly paths: ReadonlySet<string>
  /** Paths by file name, and by folder (with its slash). */
  readonly byName: ReadonlyMap<string, ReadonlyArray<string>>
  readonly byFolder: ReadonlyMap<string, ReadonlyArray<string>>
  /** Computes a value from the paths, once for each list of paths. */
  readonly ofPaths: <A>(compute: (index: PathIndex) => A) => A
}

export interface Repository extends PathIndex {
  /** Texts of data files, by path. */
  readonly data: ReadonlyMap<string, string>
  /** A data file as an object; empty if the file is absent or not an object. */
  readonly json: (path: string) => Readonly<Record<string, unknown>>
  /** Computes a value from paths and data files, once for each repository. */
  readonly once: <A>(compute: (repository: Repository) => A) => A
}

/** Computes the value for each key once. */
export const remembered = <K, A>(compute: (key: K) => A): ((key: K) => A) => {
  const answers = new Map<K, A>()
  return (key) => {
    const known = answers.get(key)
    if (known !== undefined) return known
    const answer = compute(key)
    answers.set(key, answer)
    return answer
  }
}

/** Calls each function once, with the result of `about`. */
const onceEach = <B>(about: () => B): (<A>(compute: (about: B) => A) => A) => {
  const answers = new Map<unknown, unknown>()
  return <A>(compute: (about: B) => A): A => {
    if (!answers.has(compute)) answers.set(compute, compute(about()))
    return answers.get(compute) as A
  }
}

export const repositoryOf = (paths: ReadonlyArray<string>, data: ReadonlyMap<string, string>): Repository => {
  const repository: Repository = {
    ...indexOf(paths),
    data,
    json: remembered((path) => objectOf(parseJsonc(data.get(path) ?? ""))),
    once: onceEach(() => repository)
  }
  return repository
}

/** The repository with additional paths. */
export const withPaths = (repository: Repository, more: ReadonlyArray<string>): Repository =>
  more.length === 0 ? repository : repositoryOf([...repository.paths, ...more], repository.data)

/** Several services index the same list, and to index ten thousand paths takes time. */
const indices = new WeakMap<ReadonlyArray<string>, PathIndex>()

const indexOf = (paths: ReadonlyArray<string>): PathIndex => {
  const known = indices.get(paths)
  if (known !== undefined) return known
  const index: PathIndex = {
    paths: new Set(paths),
    byName: Map.groupBy(paths, nameOf),
    byFolder: Map.groupBy(paths, folderOf),
    ofPaths: onceEach(() => index)
  }
  indices.set(paths, index)
  return index
}

/** The last part of a path. */
export const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1)
/** The folder of a path, with its slash; "" for the repository itself. */
export const folderOf = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1)

/** Is it the path of a folder? */
export const isFolder = (path: string): boolean => path === "" || path.endsWith("/")

/** The first of these paths that exists, as a list. */
export const firstOf = (candidates: ReadonlyArray<string>, { paths }: PathIndex): ReadonlyArray<string> => {
  const found = candidates.find((candidate) => paths.has(candidate))
  return found === undefined ? [] : [found]
}

/** Files whose path ends in this one; the nearest to `from` first, by the folders they share. */
export const endingIn = (path: string, from: string, { byName }: PathIndex): ReadonlyArray<string> => {
  const found = (byName.get(nameOf(path)) ?? []).filter((file) => `/${file}`.endsWith(`/${path}`))
  const shared = (file: string) => foldersAbove(from).findIndex((folder) => file.startsWith(folder))
  return found
    .map((file) => ({ file, at: shared(file) }))
    .sort((a, b) => a.at - b.at)
    .map(({ file }) => file)
}

/** Every folder with a file in it, at any depth, with its slash. */
export const foldersOf = (paths: Iterable<string>): ReadonlySet<string> => {
  const folders = new Set<string>()
  for (const path of paths) {
    for (const folder of foldersAbove(path)) {
      if (folders.has(folder)) break
      folders.add(folder)
    }
  }
  return folders
}

/** Is there a folder of that name, or a file with any extension? */
export const isThere = (at: string, { byFolder }: PathIndex, folders: ReadonlySet<string>): boolean => {
  const folder = folderOf(at)
  const name = at.slice(folder.length)
  if (name === "") return folders.has(folder)
  return (
    folders.has(`${at}/`) ||
    (byFolder.get(folder) ?? []).some((path) => path === at || path.slice(folder.length).startsWith(`${name}.`))
  )
}

export const objectOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {}
