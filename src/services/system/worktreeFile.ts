/**
 * Reads one file of a working tree from disk, without filters, without following links, without opening devices, and
 * never outside the tree or in a `.git`. Never fails: an unreadable file has a reason.
 */
import { Effect, type FileSystem, type Path } from "effect"
import type { PlatformError } from "effect/PlatformError"
import { namedOnDisk } from "../../domain/text/quotePath.ts"

export type WorktreeFile =
  | { readonly _tag: "File"; readonly bytes: Uint8Array; readonly executable: boolean }
  | { readonly _tag: "Link"; readonly target: string }
  | { readonly _tag: "TooLarge"; readonly bytes: number; readonly executable: boolean }
  /** No file, or a directory (a submodule). */
  | { readonly _tag: "Absent" }
  | { readonly _tag: "Unreadable"; readonly reason: string }

export interface Platform {
  readonly fs: FileSystem.FileSystem
  readonly paths: Path.Path
}

/** Reads `path` (forward slashes, relative to `root`, whose own links are already resolved). */
export const readWorktreeFile = (
  { fs, paths }: Platform,
  root: string,
  path: string,
  maxBytes: number
): Effect.Effect<WorktreeFile> => {
  const name = namedOnDisk(path)
  const refusal = name === null ? "its name is not UTF-8" : refusePath(path)
  if (name === null || refusal !== null) return Effect.succeed(unreadable(refusal ?? ""))
  return Effect.gen(function* () {
    const file = paths.join(root, name)
    const parent = yield* fs.realPath(paths.dirname(file))
    const within = paths.relative(root, parent)
    if (paths.isAbsolute(within) || within.split(paths.sep).some((part) => part === ".." || isGitName(part))) {
      return unreadable("a link on its way leads out of the working tree")
    }
    const entry = paths.join(parent, paths.basename(file))
    const info = yield* fs.lstat(entry)
    if (info.type === "Directory") return { _tag: "Absent" as const }
    if (info.type === "SymbolicLink") return { _tag: "Link" as const, target: yield* fs.readLink(entry) }
    // Opening a FIFO waits for a writer, and reading a device never ends.
    if (info.type !== "File")
      return unreadable(`it is not a regular file (${info.type}); remove it, or restore it with git`)
    const executable = (info.mode & 0o100) !== 0
    const size = Number(info.size)
    if (size > maxBytes) return { _tag: "TooLarge" as const, bytes: size, executable }
    return { _tag: "File" as const, bytes: yield* fs.readFile(entry), executable }
  }).pipe(Effect.catch((error) => Effect.succeed(notRead(error))))
}

const unreadable = (reason: string): WorktreeFile => ({ _tag: "Unreadable", reason })

const notRead = ({ reason }: PlatformError): WorktreeFile =>
  reason._tag === "NotFound" ? { _tag: "Absent" } : unreadable(`the system refused to read it (${reason._tag})`)

const isGitName = (part: string): boolean => part.toLowerCase() === ".git"

const refusePath = (path: string): string | null => {
  const parts = path.split("/")
  if (path.includes("\0") || parts.some((part) => part === "" || part === "." || part === "..")) {
    return "its path does not name a file of the working tree"
  }
  if (parts.some(isGitName)) return "git's own files are not read"
  return null
}
