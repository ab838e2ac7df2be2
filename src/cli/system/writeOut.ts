/** Writes results to standard output. A closed reader is not an error. */
import { Effect, Schema, Sink, Stdio, Stream } from "effect"
import { systemErrorCode, systemErrorText } from "../../services/system/systemErrorText.ts"

export class OutputNotWritten extends Schema.TaggedError<OutputNotWritten>()("OutputNotWritten", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.path} could not be written: ${this.reason}`
  }
}

class ReaderGone extends Schema.TaggedError<ReaderGone>()("ReaderGone", {}) {}

export const outputFault = (error: unknown): OutputNotWritten | ReaderGone =>
  systemErrorCode(error) === "EPIPE"
    ? new ReaderGone()
    : new OutputNotWritten({ path: "standard output", reason: systemErrorText(error) })

export const writePieces = Effect.fnUntraced(function* <E, R>(pieces: Stream.Stream<string | Uint8Array, E, R>) {
  const stdout = (yield* Stdio.Stdio).stdout({ endOnDone: false })
  yield* Effect.catchIf(
    Stream.run(pieces, Sink.mapError(stdout, outputFault)),
    (error) => error instanceof ReaderGone,
    () => Effect.void
  )
})

export const writeOut = (text: string) => writePieces(Stream.make(text))
