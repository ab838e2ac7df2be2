/**
 * Keeps the machine awake by a program of the system: `caffeinate` on macOS, `systemd-inhibit` on Linux. Both end with this
 * process, also if it is killed.
 */
import { Effect, Layer, Option } from "effect"
import type { Awake } from "../../domain/night/Awake.ts"
import { KeepAwake } from "../../services/night/KeepAwake.ts"

const commands: Readonly<Partial<Record<NodeJS.Platform, ReadonlyArray<string>>>> = {
  darwin: ["caffeinate", "-i", "-w", String(process.pid)],
  linux: [
    ...["systemd-inhibit", "--what=sleep:idle", "--who=dd", "--why=a night of dd dream runs", "--mode=block"],
    ...["tail", `--pid=${process.pid}`, "-f", "/dev/null"]
  ]
}

const disabled: Awake = { mode: "disabled", note: null }
const unsupported: Awake = { mode: "unsupported", note: "dd cannot keep this system awake: the machine may sleep" }

/** How long a program that cannot do its work takes to end, in milliseconds. */
const graceful = 300

/** `find`: the path of a program; null if there is none. */
export const layer = (platform: NodeJS.Platform = process.platform, find = Bun.which) =>
  Layer.succeed(
    KeepAwake,
    KeepAwake.of({
      begin: Effect.fnUntraced(function* (wanted) {
        const command = commands[platform]
        if (!wanted) return disabled
        if (command === undefined) return unsupported
        const [program = "", ...args] = command
        const path = find(program)
        if (path === null)
          return { mode: `missing-${program}`, note: `${program} is not installed: the machine may sleep` }
        const start = Effect.try({
          try: () =>
            Bun.spawn([path, ...args], {
              stdin: "ignore",
              stdout: "ignore",
              stderr: "ignore",
              env: { PATH: process.env.PATH }
            }),
          catch: () => "not started" as const
        })
        const child = yield* Effect.option(Effect.acquireRelease(start, (each) => Effect.sync(() => each.kill())))
        if (Option.isNone(child)) {
          return { mode: `${program}-error`, note: `${program} could not be started: the machine may sleep` }
        }
        const ended = yield* Effect.promise(() => Promise.race([child.value.exited, Bun.sleep(graceful)]))
        return typeof ended === "number"
          ? { mode: `${program}-error`, note: `${program} ended with ${ended}: the machine may sleep` }
          : { mode: program, note: null }
      })
    })
  )
