/** `dd trajectory redact < text > text`: the redactor as a filter. */
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
  Command.withShortDescription("Hide secrets in a text"),
  Command.withDescription(`Hide secrets in a text, from standard input to standard output.

  dd passes everything it records, archives, prints or sends through this redactor. It hides API
  keys and tokens, private keys, passwords, headers and cookies, values of secret environment
  variables (also partial or encoded), and user names in paths of home directories. It keeps the
  number of lines, bytes that are not UTF-8, and the encoding UTF-16.`),
  Command.withExamples([
    { command: "dd trajectory redact < session.log > shareable.log", description: "Redact a log before sharing it" }
  ]),
  Command.withHandler(handler)
)
