/**
 * Copies of files under review whose run was killed before it could remove them.
 *
 * A copy's name contains the process that made it: the copy is abandoned when that process no longer runs.
 */
import { tmpdir } from "node:os"
import { isAbsolute } from "node:path"
import { Effect, FileSystem, Option } from "effect"
import type { ProcessIdentity } from "../../../domain/TrajectoryJournal.ts"
import * as Proc from "../../process/Proc.ts"

/** Where copies go that must not be in dd's own directory. A relative TMPDIR would be in the repository under review. */
export const systemTemporary = (): string => (isAbsolute(tmpdir()) ? tmpdir() : "/tmp")

/** The directory of copies in dd's own directory. */
export const workFolder = "work"

/** The prefix of the names of this process's copies. */
export const copyPrefix = Effect.map(
  Proc.self,
  ({ pid, started }) => `dd-head.${pid}.${started?.ticks ?? ""}.${started?.boot ?? ""}.`
)

const identityOf = (name: string): ProcessIdentity | null => {
  const [, pid = "", ticks = "", boot = ""] = /^dd-head\.([1-9]\d*)\.(\d*)\.([\w-]*)\.\w+$/.exec(name) ?? []
  return pid === "" ? null : { pid: Number(pid), started: ticks === "" || boot === "" ? null : { boot, ticks } }
}

/** The abandoned copies of this user in a directory; other users can write there too. */
export const abandonedIn = Effect.fnUntraced(function* (directory: string) {
  const fs = yield* FileSystem.FileSystem
  const names = Option.getOrElse(yield* Effect.option(fs.readDirectory(directory)), () => [])
  const found: Array<string> = []
  for (const name of names.toSorted()) {
    const identity = identityOf(name)
    if (identity === null || (yield* Proc.isRunning(identity))) continue
    const path = `${directory}/${name}`
    const info = Option.getOrNull(yield* Effect.option(fs.lstat(path)))
    if (info?.type === "Directory" && Option.getOrNull(info.uid) === (process.getuid?.() ?? null)) found.push(path)
  }
  return found
})
