/** Standard input, output and error, without the engine's output streams, which take five milliseconds to load. */
import * as NodeStdio from "@effect/platform-node-shared/NodeStdio"
import { Effect, Layer, PlatformError, Sink, Stdio, Stream } from "effect"
import { givenStreams } from "./process/givenStreams.ts"
import { type Descriptor, write } from "./process/output.ts"
import { isTerminal } from "./terminal.ts"

export const layer: Layer.Layer<Stdio.Stdio> = Layer.effect(
  Stdio.Stdio,
  Effect.map(Stdio.Stdio, (platform) => {
    const streams = givenStreams()
    return Stdio.make({
      ...platform,
      stdin: streams === null ? platform.stdin : Stream.make(streams.input),
      stdinIsTerminal: Effect.sync(() => isTerminal(0)),
      stdoutIsTerminal: Effect.sync(() => isTerminal(1)),
      stderrIsTerminal: Effect.sync(() => isTerminal(2)),
      stdout: () => sinkTo(1),
      stderr: () => sinkTo(2)
    })
  })
).pipe(Layer.provide(NodeStdio.layer))

const sinkTo = (descriptor: Descriptor) => {
  const writeChunk = (chunk: string | Uint8Array) =>
    Effect.tryPromise({
      try: (signal) => write(descriptor, chunk, signal),
      catch: (cause) =>
        PlatformError.systemError({
          module: "Stdio",
          method: descriptor === 1 ? "stdout" : "stderr",
          _tag: "Unknown",
          cause
        })
    })
  return Sink.forEach(writeChunk)
}
