/**
 * Copies of files under review whose run was killed before it could remove them.
 *
 * A copy's name contains the process that made it: the copy is abandoned if that process no longer runs. A process of
 * another machine or container, which can share the directory, cannot be checked: its copy is abandoned after a day.
 */
import { tmpdir } from "node:os"
import { isAbsolute } from "node:path"
import { Clock, Effect, FileSystem, Option } from "effect"
import * as Proc from "./process/Proc.ts"

/**
 * The directory of copies that must not be in dd's own directory. A relative TMPDIR would be in the repository under
 * review.
 */
export const systemTemporary = (): string => (isAbsolute(tmpdir()) ? tmpdir() : "/tmp")

/** The directory of copies in dd's own directory. */
export const workFolder = "work"

const longestRun = 24 * 60 * 60 * 1000

/** The boot and the namespace in which a process id is unique. */
const bootAndNamespace = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const { started } = yield* Proc.self
  const namespace = Option.getOrElse(yield* Effect.option(fs.readLink("/proc/self/ns/pid")), () => "")
  return `${started?.boot ?? ""}_${namespace.replace(/\D/g, "")}`
})

/** The prefix of the names of this process's copies. */
export const copyPrefix = Effect.gen(function* () {
  const { pid, started } = yield* Proc.self
  return `dd-head.${pid}.${started?.ticks ?? ""}.${yield* bootAndNamespace}.`
})

/** The abandoned copies of this user in a directory; other users can write there too. */
export const abandonedIn = Effect.fnUntraced(function* (directory: string) {
  const fs = yield* FileSystem.FileSystem
  const names = Option.getOrElse(yield* Effect.option(fs.readDirectory(directory)), () => [])
  const current = yield* bootAndNamespace
  const now = yield* Clock.currentTimeMillis
  const found: Array<string> = []
  for (const name of names.toSorted()) {
    const [, pid = "", ticks = "", place = ""] = /^dd-head\.([1-9]\d*)\.(\d*)\.([\w-]*)\.\w+$/.exec(name) ?? []
    const path = `${directory}/${name}`
    const info = pid === "" ? null : Option.getOrNull(yield* Effect.option(fs.lstat(path)))
    if (info?.type !== "Directory" || Option.getOrNull(info.uid) !== (process.getuid?.() ?? null)) continue
    const started = ticks === "" ? null : { boot: place.slice(0, place.indexOf("_")), ticks }
    const isAbandoned =
      place === current
        ? !(yield* Proc.isRunning({ pid: Number(pid), started }))
        : now - (Option.getOrNull(info.mtime)?.getTime() ?? now) > longestRun
    if (isAbandoned) found.push(path)
  }
  return found
})
