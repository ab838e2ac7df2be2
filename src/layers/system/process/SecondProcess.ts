/** Starts dd a second time with the same arguments and environment, and kills it after a timeout. */
import { Config, Effect, Layer, Option } from "effect"
import { SecondProcess } from "../../../services/system/SecondProcess.ts"

/** Contains the pid of the parent, so that a value from elsewhere has no effect. */
const variable = "DD_SECOND_PROCESS_OF"

/** A compiled binary contains the program; otherwise it is the file that Bun was started with. */
const command = (): ReadonlyArray<string> => [
  process.execPath,
  ...(Bun.main.startsWith("/$bunfs/") || /^[A-Z]:[\\/]~BUN/.test(Bun.main) ? [] : [Bun.main]),
  ...process.argv.slice(2)
]

export const layer = Layer.effect(
  SecondProcess,
  Effect.map(Effect.orDie(Config.option(Config.String(variable))), (parent) =>
    SecondProcess.of({
      isSecond: Option.contains(parent, String(process.ppid)),
      run: (seconds) =>
        Effect.acquireUseRelease(
          Effect.sync(() =>
            Bun.spawn([...command()], {
              env: { ...process.env, [variable]: String(process.pid) },
              stdin: "inherit",
              stdout: "inherit",
              stderr: "inherit"
            })
          ),
          (child) =>
            Effect.promise(() => child.exited).pipe(
              Effect.timeoutOrElse({ duration: `${seconds} seconds`, orElse: () => Effect.succeed(null) })
            ),
          // It may be inside one long statement and handle no other signal.
          (child) => Effect.sync(() => child.kill("SIGKILL"))
        )
    })
  )
)
