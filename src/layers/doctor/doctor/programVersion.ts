/** What a program says of itself with `--version`: its first line, asked for with nothing but HOME and PATH, and not for long. */
import { Effect } from "effect"
import { oneLine } from "../../../domain/text/Printable.ts"
import { Subprocess } from "../../../services/system/Subprocess.ts"
import { childEnvironment } from "../../agent/backend/cli/childEnvironment.ts"

/** A CLI written for Node needs a moment to start; one that needs longer cannot be worked with. */
const patience = "20 seconds"
const longest = 200

export type Version =
  | { readonly _tag: "Said"; readonly words: string }
  | { readonly _tag: "Unsaid"; readonly reason: string }

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
      onComplaint: () => undefined
    })
    const decoder = new TextDecoder()
    let said = ""
    for (let chunk = yield* next; chunk !== null && said.length < longest; chunk = yield* next) {
      said += decoder.decode(chunk, { stream: true })
    }
    const code = said.length < longest ? yield* ended : 0
    const words = oneLine(said.split("\n").find((line) => line.trim() !== "") ?? "").slice(0, longest)
    const version: Version =
      code === 0 && words !== ""
        ? { _tag: "Said", words }
        : {
            _tag: "Unsaid",
            reason: code === 0 ? "it does not say its version" : `--version ended with exit code ${code}`
          }
    return version
  }).pipe(
    Effect.scoped,
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () => Effect.succeed<Version>({ _tag: "Unsaid", reason: `--version did not end within ${patience}` })
    }),
    Effect.catchTag("NotStarted", (error) => Effect.succeed<Version>({ _tag: "Unsaid", reason: error.message }))
  )
