/**
 * Standard input, output and errors, without the engine's streams where output is a file or a pipe: loading them takes
 * five milliseconds and more. Whatever is none of these (a terminal, what is not open) goes the platform's way, and so
 * does input.
 */
import { fstatSync, writeSync } from "node:fs"
import * as NodeStdio from "@effect/platform-node-shared/NodeStdio"
import { Effect, Layer, PlatformError, Sink, Stdio } from "effect"
import { isNull, isTerminal } from "./terminal.ts"

export const layer: Layer.Layer<Stdio.Stdio> = Layer.effect(
  Stdio.Stdio,
  Effect.map(Stdio.Stdio, (platform) =>
    Stdio.make({
      ...platform,
      stdinIsTerminal: Effect.sync(() => isTerminal(0)),
      stdoutIsTerminal: Effect.sync(() => isTerminal(1)),
      stderrIsTerminal: Effect.sync(() => isTerminal(2)),
      stdout: (options) => sinkTo(1, () => platform.stdout(options)),
      stderr: (options) => sinkTo(2, () => platform.stderr(options))
    })
  )
).pipe(Layer.provide(NodeStdio.layer))

type Output = ReturnType<Stdio.Stdio["stdout"]>

const sinkTo = (descriptor: 1 | 2, platforms: () => Output): Output =>
  Sink.unwrap(
    Effect.sync((): Output => {
      const kind = kindOf(descriptor)
      if (kind === null) return platforms()
      const write = (chunk: string | Uint8Array) => written(descriptor, kind, chunk)
      return Sink.forEach(write)
    })
  )

/** Null for what is neither a file nor a pipe; `/dev/null` takes all it is given, like a file. */
const kindOf = (descriptor: 1 | 2): "file" | "pipe" | null => {
  if (process.platform === "win32") return null
  try {
    const found = fstatSync(descriptor)
    if (found.isFile() || isNull(found)) return "file"
    return found.isFIFO() || found.isSocket() ? "pipe" : null
  } catch {
    return null
  }
}

const written = (
  descriptor: 1 | 2,
  kind: "file" | "pipe",
  chunk: string | Uint8Array
): Effect.Effect<void, PlatformError.PlatformError> =>
  Effect.tryPromise({
    try: () => (kind === "file" ? toFile(descriptor, Buffer.from(chunk)) : toPipe(descriptor, chunk)),
    catch: (cause) =>
      PlatformError.systemError({
        module: "Stdio",
        method: descriptor === 1 ? "stdout" : "stderr",
        _tag: "Unknown",
        cause
      })
  })

/** Waits while the pipe is full, and lets others go on meanwhile. */
// @effect-diagnostics-next-line asyncFunction:off
const toPipe = async (descriptor: 1 | 2, chunk: string | Uint8Array): Promise<void> => {
  await Bun.write(descriptor === 1 ? Bun.stdout : Bun.stderr, chunk)
}

/**
 * A file takes what it is given, or says why not. Bun's own way makes room from the file's beginning, whatever stands
 * there.
 */
// @effect-diagnostics-next-line asyncFunction:off
const toFile = async (descriptor: 1 | 2, bytes: Buffer): Promise<void> => {
  for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at)
}
