/** `dd trajectory redact < text > text`: what the redactor hides in everything dd keeps, on a text of one's own. */
import { Effect, Stdio, Stream } from "effect"
import { Command } from "effect/cli"
import { ByteText, bytesOf } from "../../domain/text/ByteText.ts"
import { Redactor } from "../../services/secret/Redactor.ts"
import { writePieces } from "../system/writeOut.ts"

const handler = Effect.fnUntraced(function* () {
  const { stdin } = yield* Stdio.Stdio
  const { stream } = yield* Redactor
  const bytes = new ByteText()
  const pieces = stdin.pipe(
    Stream.map((chunk) => bytes.push(chunk)),
    Stream.concat(Stream.sync(() => bytes.end()))
  )
  yield* writePieces(stream(pieces).pipe(Stream.map(bytesOf)))
})

export const redactCommand = Command.make("redact").pipe(
  Command.withShortDescription("Hide secrets in a text: standard input to standard output"),
  Command.withDescription(`Hide secrets in a text, from standard input to standard output.

  The same redactor stands before everything dd records, archives, prints or sends. It hides API
  keys and tokens, private keys, passwords, headers and cookies, the values of your own secret
  environment variables (in parts and encoded, too), and user names in paths of home directories.
  The number of lines stays, and so do bytes that are not UTF-8. Text in UTF-16 stays UTF-16.`),
  Command.withExamples([
    { command: "dd trajectory redact < session.log > shareable.log", description: "Make a log fit to be shown" }
  ]),
  Command.withHandler(handler)
)
