/** dd, started by dd: the same arguments and surroundings, killed with its parent's patience. */
import { Config, Effect, Layer, Option } from "effect"
import { Again } from "../../../services/system/Again.ts"

/** Names the parent, so that one that was set by chance means nothing. */
const variable = "DD_SECOND_PROCESS_OF"

/** Of a compiled binary the program is inside; else it is the file that Bun was given. */
const command = (): ReadonlyArray<string> => [
  process.execPath,
  ...(Bun.main.startsWith("/$bunfs/") || /^[A-Z]:[\\/]~BUN/.test(Bun.main) ? [] : [Bun.main]),
  ...process.argv.slice(2)
]

export const layer = Layer.effect(
  Again,
  Effect.map(Effect.orDie(Config.option(Config.String(variable))), (parent) =>
    Again.of({
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
          // It may be deep inside of one statement and hear nothing else.
          (child) => Effect.sync(() => child.kill("SIGKILL"))
        )
    })
  )
)
