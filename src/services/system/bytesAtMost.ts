/** Reads a stream of bytes until it has more than `most`: the result is then longer than `most`. */
import { Effect, Stream } from "effect"
import { concatBytes } from "../../domain/text/concatBytes.ts"

export const bytesAtMost = Effect.fnUntraced(function* <E, R>(stream: Stream.Stream<Uint8Array, E, R>, most: number) {
  const chunks: Array<Uint8Array> = []
  let bytes = 0
  yield* stream.pipe(
    Stream.takeWhile(() => bytes <= most),
    Stream.runForEach((chunk) =>
      Effect.sync(() => {
        bytes += chunk.length
        chunks.push(chunk)
      })
    )
  )
  return concatBytes(chunks)
})
