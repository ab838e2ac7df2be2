/**
 * Extensions from a directory of the user: its `*.ts`, `*.mts`, `*.js` and `*.mjs` files, in the order of their names.
 *
 * Code is loaded only from a directory that nobody else can write: outside the repository under review, owned by the
 * user (or root), not writable by group or others, and not through a link that leads out. A fault of the directory, or
 * of a file in it that an extension may import, fails all extensions; a fault of one extension is reported for that
 * one. Importing runs a file's top level.
 */
import { pathToFileURL } from "node:url"
import { Effect, FileSystem, Layer, Option, Path } from "effect"
import { compareText } from "../../../domain/text/compareText.ts"
import { ExtensionBroken, type ExtensionFile, Extensions } from "../../../services/run/Extensions.ts"
import { isInside } from "../../system/isInside.ts"

export interface Options {
  /** `DD_HOME`, or `~/.daydream`; extensions are in its `extensions`. Null: the user has no home, and no extensions. */
  readonly home: string | null
  /** A path in the repository under review; null if there is none. */
  readonly reviewed: string | null
  /** The user's id. Default: that of this process, if the system has user ids. */
  readonly uid?: number
}

export const layer = (options: Options) =>
  Layer.effect(
    Extensions,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      const uid = options.uid ?? process.getuid?.()

      const realPath = (file: string) => fs.realPath(file).pipe(unreadable(file))
      const list = (directory: string) =>
        fs.readDirectory(directory).pipe(
          unreadable(directory),
          Effect.map((names) => names.toSorted(compareText))
        )

      /** The type of `file`; fails unless only the user can change it. */
      const ownedKind = Effect.fnUntraced(function* (file: string) {
        const { mode, type, uid: owner } = yield* fs.stat(file).pipe(unreadable(file))
        const problem = ownershipProblem(mode, Option.getOrUndefined(owner), uid)
        if (problem !== null) return yield* broken(file, problem.reason, `${problem.command} '${file}'`)
        return type
      })

      /** Resolves a link, unless it leads out of the directory. */
      const within = Effect.fnUntraced(function* (directory: string, file: string) {
        const real = yield* realPath(file)
        if (isInside(path, directory, real)) return real
        return yield* broken(
          file,
          `it is a link out of the extensions directory, to ${real}`,
          "put the file itself there"
        )
      })

      /** Files that extensions may import are also code. Installed packages are not checked. */
      const checkTree = (root: string, directory: string): Effect.Effect<void, ExtensionBroken> =>
        Effect.gen(function* () {
          for (const name of yield* list(directory)) {
            if (directory === root && isExtension(name)) continue
            const file = path.join(directory, name)
            if (name === ".git") continue
            const isLink = (yield* within(root, file)) !== file
            const type = yield* ownedKind(file)
            if (type === "Directory" && !isLink && name !== "node_modules") yield* checkTree(root, file)
          }
        })

      const load = Effect.fnUntraced(function* (directory: string, file: string) {
        const real = yield* within(directory, file)
        if ((yield* ownedKind(real)) !== "File") return yield* broken(file, "it is not a file", "rename or remove it")
        return yield* Effect.tryPromise({
          try: (): Promise<Readonly<Record<string, unknown>>> => import(pathToFileURL(real).href),
          catch: (cause) => broken(file, `it could not be loaded: ${reasonOf(cause)}`, "correct the error in the file")
        })
      })

      const roots = Effect.gen(function* () {
        if (options.reviewed === null) return []
        const start = path.resolve(options.reviewed)
        if (!(yield* fs.exists(start).pipe(unreadable(start)))) return []
        for (let at = yield* realPath(start); ; at = path.dirname(at)) {
          const git = path.join(at, ".git")
          if (yield* fs.exists(git).pipe(unreadable(git))) {
            const { type } = yield* fs.stat(git).pipe(unreadable(git))
            if (type !== "File") return [at]
            const main = mainWorktree(yield* fs.readFileString(git).pipe(unreadable(git)))
            return main === null ? [at] : [at, path.resolve(at, main)]
          }
          if (path.dirname(at) === at) return []
        }
      })

      const { home } = options
      if (home === null)
        return Extensions.of({ place: "a home directory, which is not known", files: Effect.succeed([]) })
      const named = path.resolve(home, "extensions")

      const files = Effect.gen(function* () {
        if (!(yield* fs.exists(named).pipe(unreadable(named)))) return []
        const directory = yield* realPath(named)
        const inside = (yield* roots).find((root) => isInside(path, root, directory) || isInside(path, root, named))
        if (inside !== undefined) {
          return yield* broken(
            named,
            `it is inside the repository under review (${inside}), whose code is never run`,
            "keep extensions outside of it: unset DD_HOME, or set it to another directory"
          )
        }
        // The import resolver takes what follows a "?" as a query, even in an encoded address.
        if (directory.includes("?")) {
          return yield* broken(named, 'nothing can be loaded from a path with "?" in it', "choose another DD_HOME")
        }
        yield* ownedKind(yield* realPath(home))
        yield* ownedKind(directory)
        yield* checkTree(directory, directory)
        const loaded: Array<ExtensionFile> = []
        for (const name of (yield* list(directory)).filter(isExtension)) {
          const file = path.join(directory, name)
          loaded.push({ file, exports: yield* Effect.result(load(directory, file)) })
        }
        return loaded
      })

      return Extensions.of({ place: named, files })
    })
  )

/** Whether this entry of the directory is an extension. Hidden files and declaration files are not. */
export const isExtension = (name: string): boolean => /^[^.].*\.m?[tj]s$/.test(name) && !/\.d\.m?ts$/.test(name)

/** Why another user may have written a file with this mode and owner, and the command that fixes it; null otherwise. */
export const ownershipProblem = (
  mode: number,
  owner: number | undefined,
  user: number | undefined
): { readonly reason: string; readonly command: string } | null => {
  // A system without owners (Windows) has access lists, which stat does not return.
  if (user === undefined || owner === undefined) return null
  if (owner !== user && owner !== 0) {
    return { reason: `it belongs to another user (id ${owner})`, command: `sudo chown ${user}` }
  }
  if ((mode & 0o022) === 0) return null
  const who = (mode & 0o002) === 0 ? "its group" : "everybody"
  return { reason: `it can be changed by ${who}`, command: "chmod go-w" }
}

/** The main worktree that a linked worktree's `.git` file points to; null for any other file. */
export const mainWorktree = (gitFile: string): string | null =>
  /^gitdir: (.+)\/\.git\/worktrees\/[^/\n]+\s*$/.exec(gitFile)?.[1] ?? null

const broken = (file: string, reason: string, fix: string) => new ExtensionBroken({ file, reason, fix })

const unreadable = (file: string) =>
  Effect.mapError((error: { readonly message: string }) =>
    broken(file, `it cannot be read: ${error.message}`, "correct its permissions, or remove it")
  )

/** Adds the line of a syntax error, which is not in its message; several errors are joined. */
const reasonOf = (cause: unknown): string => {
  if (cause instanceof AggregateError) return cause.errors.map(reasonOf).join("; ")
  if (typeof cause !== "object" || cause === null || !("message" in cause)) return String(cause)
  const position = "position" in cause ? cause.position : null
  const line = typeof position === "object" && position !== null && "line" in position ? position.line : null
  return typeof line === "number" && line > 0 ? `line ${line}: ${cause.message}` : String(cause.message)
}
