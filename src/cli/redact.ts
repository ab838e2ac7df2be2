/** `dd trajectory redact < text > text`: what the redactor hides in everything dd keeps, on a text of one's own. */
import { Effect, Stdio, Stream } from "effect"
import { Command } from "effect/cli"
import { Redactor } from "../services/Redactor.ts"
import { codeOf } from "../services/trouble.ts"

const handler = Effect.fnUntraced(function* () {
  const stdio = yield* Stdio.Stdio
  const redactor = yield* Redactor
  const pieces = stdio.stdin.pipe(Stream.decodeText())
  yield* Stream.run(redactor.stream(pieces), stdio.stdout({ endOnDone: false })).pipe(
    // A reader that went away has read enough.
    Effect.catch((error) => (codeOf(error) === "EPIPE" ? Effect.void : Effect.fail(error)))
  )
})

export const redactCommand = Command.make("redact").pipe(
  Command.withShortDescription("Hide secrets in a text: standard input to standard output"),
  Command.withDescription(`Hide secrets in a text, from standard input to standard output.

  The same redactor stands before everything dd records, archives, prints or sends. It hides API
  keys and tokens, private keys, passwords, headers and cookies, the values of your own secret
  environment variables (in parts and encoded, too), and user names in paths of home directories.
  The number of lines stays.`),
  Command.withExamples([
    { command: "dd trajectory redact < session.log > shareable.log", description: "Make a log fit to be shown" }
  ]),
  Command.withHandler(handler)
)
