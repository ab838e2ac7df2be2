/**
 * Extensions from a directory of the user's: its `*.ts`, `*.mts`, `*.js` and `*.mjs` files, in name order.
 *
 * Code is loaded only from where nobody else can have put it: outside the repository under review, owned
 * by the user (or root), not writable by group or others, not through a link that leads out. What is wrong
 * with the directory, or with anything in it that an extension may import, fails as a whole; a single bad
 * extension is reported in its place. Importing runs a file's top level.
 */
import { pathToFileURL } from "node:url"
import { Effect, FileSystem, Layer, Option, Path } from "effect"
import { compareText } from "../../../domain/text/compareText.ts"
import { ExtensionBroken, type ExtensionFile, Extensions } from "../../../services/run/Extensions.ts"

export interface Options {
  /** `DD_HOME`, or `~/.daydream`; extensions are in its `extensions`. Null: the user has no home, and no extensions. */
  readonly home: string | null
  /** A path in the repository under review, or null when there is none. */
  readonly reviewed: string | null
  /** The user's id. Default: this process's, where the system has one. */
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
      const isInside = (directory: string, file: string) => {
        const way = path.relative(directory, file)
        return way !== ".." && !way.startsWith(`..${path.sep}`) && !path.isAbsolute(way)
      }

      /** The kind of thing at `file`, once it is known to be the user's own. */
      const inOwnHands = Effect.fnUntraced(function* (file: string) {
        const { mode, type, uid: owner } = yield* fs.stat(file).pipe(unreadable(file))
        const problem = foreignHands(mode, Option.getOrUndefined(owner), uid)
        if (problem !== null) return yield* broken(file, problem.reason, `${problem.command} '${file}'`)
        return type
      })

      /** Follows a link, as long as it does not lead out of the directory. */
      const within = Effect.fnUntraced(function* (directory: string, file: string) {
        const real = yield* realPath(file)
        if (isInside(directory, real)) return real
        return yield* broken(
          file,
          `it is a link out of the extensions directory, to ${real}`,
          "put the file itself there"
        )
      })

      /** What extensions import is code too. Installed packages are their installer's business. */
      const checkTree = (root: string, directory: string): Effect.Effect<void, ExtensionBroken> =>
        Effect.gen(function* () {
          for (const name of yield* list(directory)) {
            if (directory === root && isExtension(name)) continue
            const file = path.join(directory, name)
            if (name === ".git") continue
            const isLink = (yield* within(root, file)) !== file
            const type = yield* inOwnHands(file)
            if (type === "Directory" && !isLink && name !== "node_modules") yield* checkTree(root, file)
          }
        })

      const load = Effect.fnUntraced(function* (directory: string, file: string) {
        const real = yield* within(directory, file)
        if ((yield* inOwnHands(real)) !== "File") return yield* broken(file, "it is not a file", "rename or remove it")
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
        const inside = (yield* roots).find((root) => isInside(root, directory) || isInside(root, named))
        if (inside !== undefined) {
          return yield* broken(
            named,
            `it is inside the repository under review (${inside}), whose code is never run`,
            "keep extensions outside of it: unset DD_HOME, or set it to another directory"
          )
        }
        // The import resolver takes what follows a "?" for a query, also in an encoded address.
        if (directory.includes("?")) {
          return yield* broken(named, 'nothing can be loaded from a path with "?" in it', "choose another DD_HOME")
        }
        yield* inOwnHands(yield* realPath(home))
        yield* inOwnHands(directory)
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

/** Which of the directory's entries are extensions: hidden files and declaration files are not. */
export const isExtension = (name: string): boolean => /^[^.].*\.m?[tj]s$/.test(name) && !/\.d\.m?ts$/.test(name)

/** Why a file with this mode and owner may be somebody else's work, and the command that mends it; null when it may not. */
export const foreignHands = (
  mode: number,
  owner: number | undefined,
  user: number | undefined
): { readonly reason: string; readonly command: string } | null => {
  // A system without owners (Windows) has its own access lists, which stat does not tell.
  if (user === undefined || owner === undefined) return null
  if (owner !== user && owner !== 0) {
    return { reason: `it belongs to another user (id ${owner})`, command: `sudo chown ${user}` }
  }
  if ((mode & 0o022) === 0) return null
  const who = (mode & 0o002) === 0 ? "its group" : "everybody"
  return { reason: `it can be changed by ${who}`, command: "chmod go-w" }
}

/** The main worktree that a linked worktree's `.git` file points to; null when it is none of that kind. */
export const mainWorktree = (gitFile: string): string | null =>
  /^gitdir: (.+)\/\.git\/worktrees\/[^/\n]+\s*$/.exec(gitFile)?.[1] ?? null

const broken = (file: string, reason: string, mend: string) => new ExtensionBroken({ file, reason, mend })

const unreadable = (file: string) =>
  Effect.mapError((error: { readonly message: string }) =>
    broken(file, `it cannot be read: ${error.message}`, "correct its permissions, or remove it")
  )

/** A syntax error tells its line apart from its message; several come as one. */
const reasonOf = (cause: unknown): string => {
  if (cause instanceof AggregateError) return cause.errors.map(reasonOf).join("; ")
  if (typeof cause !== "object" || cause === null || !("message" in cause)) return String(cause)
  const position = "position" in cause ? cause.position : null
  const line = typeof position === "object" && position !== null && "line" in position ? position.line : null
  return typeof line === "number" && line > 0 ? `line ${line}: ${cause.message}` : String(cause.message)
}
