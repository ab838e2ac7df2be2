/**
 * Identifies processes by pid, boot and start time from `/proc`, or only by pid without `/proc`.
 *
 * A repository cannot know all three, so an identity that it invents matches no process.
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

/** The identity of this process. */
export const self = Effect.map(
  Effect.suspend(() => startOf(process.pid)),
  (started): ProcessIdentity => ({ pid: process.pid, started })
)

/** If start times are known, an identity without one matches no process. */
export const isRunning = Effect.fnUntraced(function* (identity: ProcessIdentity) {
  const own = yield* self
  if (own.started === null) return identity.pid !== own.pid && isAlive(identity.pid)
  if (identity.started?.boot !== own.started.boot) return false
  const stat = yield* statOf(identity.pid)
  // Another user's process may be hidden; an identity with this boot is of this machine.
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

/** Field 22 of proc_pid_stat(5); the second one, the name, may contain blanks and brackets. */
export const startTicks = (stat: string): string | null => stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null

/** Field 3: a killed process keeps its pid until its parent has waited for it. */
export const hasEnded = (stat: string): boolean => /^[ZXx]/.test(stat.slice(stat.lastIndexOf(")") + 2))

/** Signal 0 only checks; EPERM means that it runs and belongs to another user. */
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM"
  }
}
