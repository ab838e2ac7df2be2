/**
 * Checks whether events of assistants can be recorded. A hook that cannot write counts what is lost beside the spool, which fails
 * too when the disk is full, so the spool itself is tried: a file is written to it and removed.
 */
import { Effect, FileSystem, Option, Path } from "effect"
import type { Check } from "../../../domain/doctor/Check.ts"
import { Spool } from "../../../services/dream/Spool.ts"
import { spoolFaults } from "../../../services/dream/spoolFaults.ts"
import { daydreamHome } from "../../../services/run/Settings.ts"
import { systemErrorText } from "../../../services/system/systemErrorText.ts"
import { largestFile, spoolOf } from "../../dream/spoolPlace.ts"

export const spoolChecks = Effect.gen(function* () {
  const home = yield* daydreamHome
  if (home === null) return [checked("spool", "note", "no sessions are recorded without a home directory")]
  const directory = spoolOf(home)
  return [yield* spoolCheck(directory), ...(yield* faultChecks(directory))]
})

const spoolCheck = Effect.fnUntraced(function* (directory: string) {
  const tried = yield* Effect.result(tryToWrite(directory))
  if (tried._tag === "Failure") {
    const reason = systemErrorText(tried.failure)
    return checked("spool", "problem", `${directory} cannot be written (${reason}): no session is recorded`)
  }
  const files = yield* Effect.provide(
    Spool.use((spool) => spool.files),
    Spool.layer(directory)
  )
  if (files.length === 0) return checked("spool", "ok", `${directory}, no session recorded yet`)
  const full = files.filter(({ size }) => size > largestFile).length
  const kept = `${directory}, ${sessions(files.length)}, ${megabytes(files.reduce((sum, { size }) => sum + size, 0))} MiB`
  return full === 0
    ? checked("spool", "ok", kept)
    : checked("spool", "note", `${kept}; ${sessions(full)} of the largest size, recorded no further`)
})

/** Fails if no file can be made in the directory, or if it is absent and cannot be made. */
export const tryToWrite = Effect.fnUntraced(function* (directory: string) {
  const fs = yield* FileSystem.FileSystem
  yield* (yield* fs.exists(directory)) ? writeProbe(directory) : mayCreate(directory)
})

/** As large as a long event, because a small file may still find room. */
const writeProbe = Effect.fnUntraced(function* (directory: string) {
  const fs = yield* FileSystem.FileSystem
  const file = yield* fs.makeTempFileScoped({ directory, prefix: ".doctor-" })
  yield* fs.writeFileString(file, " ".repeat(16 * 1024))
}, Effect.scoped)

/** May the first event create the directory? Nothing is created here. */
const mayCreate = Effect.fnUntraced(function* (directory: string) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  let at = paths.dirname(directory)
  while (!(yield* fs.exists(at)) && paths.dirname(at) !== at) at = paths.dirname(at)
  yield* fs.access(at, { writable: true })
  // A file in the place of a directory.
  yield* fs.readDirectory(at)
})

const faultChecks = Effect.fnUntraced(function* (directory: string) {
  const fs = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const file = paths.join(directory, "faults")
  const faults = spoolFaults(yield* Effect.orElseSucceed(fs.readFileString(file), () => ""))
  if (faults.length === 0) return []
  const counts = new Map<string, number>()
  for (const code of faults) counts.set(code, (counts.get(code) ?? 0) + 1)
  const reasons = [...counts].sort(([, a], [, b]) => b - a).map(([code, count]) => `${count} ${code}`)
  const changedAt = Option.flatMap(yield* Effect.option(fs.stat(file)), ({ mtime }) => mtime)
  const last = Option.match(changedAt, { onNone: () => "?", onSome: (at) => at.toISOString() })
  const events = `${faults.length} ${faults.length === 1 ? "event" : "events"}`
  return [
    checked(
      "lost events",
      "note",
      `${events} could not be recorded (${reasons.join(", ")}), the last one at ${last.slice(0, 16).replace("T", " ")} UTC; remove ${file} to forget them`
    )
  ]
})

const sessions = (count: number): string => `${count} ${count === 1 ? "session" : "sessions"}`
const megabytes = (bytes: number): string => (bytes / 1024 / 1024).toFixed(1)

const checked = (subject: string, state: Check["state"], words: string): Check => ({
  area: "sessions",
  subject,
  state,
  words
})
