/** The files that paths on the command line name: a directory stands for the files below it. */
import { Effect, FileSystem, Path } from "effect"
import { Git } from "../../services/change/Git.ts"

export interface NamedFile {
  readonly file: string
  /** Below a directory that was named: a file that cannot be read is left out instead of refused. */
  readonly isBelow: boolean
}

/**
 * In a repository, the files that git tracks and the new ones that it does not ignore; elsewhere, and in a directory that
 * git ignores, all files without hidden ones, `node_modules` and links that lead out of it.
 */
export const filesBelow = Effect.fnUntraced(function* (given: ReadonlyArray<string>) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const isDirectory = (path: string) =>
    Effect.match(fs.stat(path), { onSuccess: ({ type }) => type === "Directory", onFailure: () => false })
  const below = Effect.fnUntraced(function* (directory: string) {
    const known = yield* knownFiles(directory)
    if (known.length > 0) return known
    const all = yield* fs.readDirectory(directory, { recursive: true })
    const shown = all.filter(
      (name) => !name.split(paths.sep).some((part) => part.startsWith(".") || part === "node_modules")
    )
    const root = yield* fs.realPath(directory)
    const isInside = (path: string) =>
      Effect.match(fs.realPath(path), {
        onSuccess: (real) => real.startsWith(root.endsWith(paths.sep) ? root : root + paths.sep),
        onFailure: () => true
      })
    return yield* Effect.filter(shown, (name) =>
      Effect.gen(function* () {
        const path = paths.join(directory, name)
        return (yield* isInside(path)) && !(yield* isDirectory(path))
      })
    )
  })
  const named = yield* Effect.forEach(given, (path) =>
    Effect.gen(function* () {
      if (!(yield* isDirectory(path))) return [{ file: path, isBelow: false }]
      const names = yield* below(path)
      return names.toSorted().map((name): NamedFile => ({ file: paths.join(path, name), isBelow: true }))
    })
  )
  return named.flat()
})

/** Relative to the directory; none outside of a working tree, in a directory that git ignores, and without git. */
const knownFiles = Effect.fnUntraced(function* (directory: string) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const git = yield* Git
  const opened = yield* Effect.catchTag(git.open(directory), ["NotARepository", "GitMissing"], () =>
    Effect.succeed(null)
  )
  if (opened?.root == null) return []
  const inside = paths.relative(opened.root, yield* fs.realPath(directory))
  const { untracked } = yield* git.status(opened)
  const tracked = (yield* git.lsFiles(opened)).filter(
    ({ mode, skipWorktree }) => mode.startsWith("100") && !skipWorktree
  )
  return [...tracked.map(({ path }) => path), ...untracked]
    .filter((path) => inside === "" || path.startsWith(`${inside}/`))
    .map((path) => paths.relative(inside, path))
})
