/**
 * Processes by pid, boot and start time, as `/proc` tells them; by pid alone where there is no `/proc`.
 *
 * No repository can know the three, so a name it made up is nobody's.
 */
import { Effect, FileSystem, Layer, Option } from "effect"
import type { ProcessIdentity } from "../../../domain/system/ProcessIdentity.ts"
import { RunningProcess } from "../../../services/system/RunningProcess.ts"

const startOf = Effect.fnUntraced(function* (pid: number) {
  const fs = yield* FileSystem.FileSystem
  const boot = Option.getOrNull(yield* Effect.option(fs.readFileString("/proc/sys/kernel/random/boot_id")))
  const stat = yield* statOf(pid)
  const ticks = stat === null ? null : startTicks(stat)
  return boot === null || ticks === null ? null : { boot: boot.trim(), ticks }
})

const statOf = Effect.fnUntraced(function* (pid: number) {
  const fs = yield* FileSystem.FileSystem
  return Option.getOrNull(yield* Effect.option(fs.readFileString(`/proc/${pid}/stat`)))
})

/** Which process this is. */
export const self = Effect.map(
  Effect.suspend(() => startOf(process.pid)),
  (started): ProcessIdentity => ({ pid: process.pid, started })
)

/** Where the system tells starts, an identity without one is nobody's. */
export const isRunning = Effect.fnUntraced(function* (identity: ProcessIdentity) {
  const own = yield* self
  if (own.started === null) return identity.pid !== own.pid && isAlive(identity.pid)
  if (identity.started?.boot !== own.started.boot) return false
  const stat = yield* statOf(identity.pid)
  // Another user's process may be hidden; an identity that knows this boot is one of this machine.
  if (stat === null) return isAlive(identity.pid)
  return startTicks(stat) === identity.started.ticks && !hasEnded(stat)
})

export const layer = Layer.effect(
  RunningProcess,
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    return RunningProcess.of({
      self: yield* self,
      isRunning: (identity) => Effect.provideService(isRunning(identity), FileSystem.FileSystem, fs)
    })
  })
)

/** Field 22 of proc_pid_stat(5); the second one, the name, may hold blanks and brackets. */
export const startTicks = (stat: string): string | null => stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null

/** Field 3: a process that was killed keeps its number until its parent, which may take its time, has asked for it. */
export const hasEnded = (stat: string): boolean => /^[ZXx]/.test(stat.slice(stat.lastIndexOf(")") + 2))

/** Signal 0 asks without sending; EPERM means it lives and is somebody else's. */
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}
