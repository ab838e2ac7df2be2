/** The first line that a program prints for `--version`, with only HOME and PATH in its environment, within a timeout. */
import { Effect } from "effect"
import { oneLine } from "../../../domain/text/Printable.ts"
import { Subprocess } from "../../../services/system/Subprocess.ts"
import { childEnvironment } from "../../agent/backend/cli/childEnvironment.ts"

/** A CLI written for Node takes seconds to start; a slower one cannot be used. */
const timeout = "20 seconds"
const longest = 200

export type Version =
  | { readonly _tag: "Said"; readonly words: string }
  | { readonly _tag: "Unknown"; readonly reason: string }

/** `searched`: the PATH it was found on. */
export const programVersion = (path: string, searched: string) =>
  Effect.gen(function* () {
    const subprocess = yield* Subprocess
    const environment = yield* childEnvironment([], searched, {})
    const { ended, next } = yield* subprocess.listen({
      program: path,
      arguments: ["--version"],
      directory: "/",
      environment,
      input: new Uint8Array(),
      onStderr: () => undefined
    })
    const decoder = new TextDecoder()
    let printed = ""
    for (let chunk = yield* next; chunk !== null && printed.length < longest; chunk = yield* next) {
      printed += decoder.decode(chunk, { stream: true })
    }
    const code = printed.length < longest ? yield* ended : 0
    const words = oneLine(printed.split("\n").find((line) => line.trim() !== "") ?? "").slice(0, longest)
    const version: Version =
      code === 0 && words !== ""
        ? { _tag: "Said", words }
        : {
            _tag: "Unknown",
            reason: code === 0 ? "it does not print its version" : `--version ended with exit code ${code}`
          }
    return version
  }).pipe(
    Effect.scoped,
    Effect.timeoutOrElse({
      duration: timeout,
      orElse: () => Effect.succeed<Version>({ _tag: "Unknown", reason: `--version did not end within ${timeout}` })
    }),
    Effect.catchTag("NotStarted", (error) => Effect.succeed<Version>({ _tag: "Unknown", reason: error.message }))
  )
