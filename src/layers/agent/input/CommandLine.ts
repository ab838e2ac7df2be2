/**
 * What somebody types or pipes in, as something to send to a context: a line is an input, a blank one is none. Listening
 * ends with the lines or with the scope it was begun in, and with that scope the waiting for answers too.
 */
import { Effect, Schema, Stdio, Stream } from "effect"
import type { AgentContext, Input, InputSource } from "../../../services/agent/runtime/AgentContext.ts"

const typed: Input<string> = {
  type: "cli",
  schema: Schema.NonEmptyString,
  words: (text) => [{ text, lasting: true }]
}

/** Where every line goes: one context. */
export const commandLine = <Args>(context: AgentContext<Args>, args: unknown) =>
  Effect.map(Stdio.Stdio, ({ stdin }): InputSource<Args, string> => {
    const arrivals = stdin.pipe(
      Stream.decodeText,
      Stream.splitLines,
      Stream.map((line) => line.trim()),
      Stream.filter((line) => line !== ""),
      Stream.map((data) => ({ args, data })),
      // The rest cannot be read; what was read is on its way.
      Stream.catch((error) => Stream.drain(Stream.fromEffect(Effect.logWarning(`input ends: ${error.message}`))))
    )
    return { input: typed, context, arrivals }
  })
