/** The platform, whose standard output goes to the console of the test, in which a test finds all that a command prints. */
import { Console, Effect, Layer, Sink, Stdio } from "effect"
import * as Platform from "../../../src/layers/system/Platform.ts"

const printed = (chunk: string | Uint8Array) => {
  const text = typeof chunk === "string" ? chunk : new TextDecoder().decode(chunk)
  return Console.log(text.replace(/\n$/, ""))
}

/** `isTerminal`: absent for standard output as it is. */
export const platformInConsole = (isTerminal?: boolean) =>
  Layer.effect(
    Stdio.Stdio,
    Effect.map(Stdio.Stdio, (stdio) => ({
      ...stdio,
      stdout: () => Sink.forEach(printed),
      ...(isTerminal === undefined ? {} : { stdoutIsTerminal: Effect.succeed(isTerminal) })
    }))
  ).pipe(Layer.provideMerge(Platform.layer))
