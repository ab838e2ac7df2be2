/**
 * Sends lines that are typed or piped in to a context: a line is an input, a blank line is none. It ends after the last
 * line or with the scope, which also ends the waiting for answers.
 */
import { Effect, Schema, Stdio, Stream } from "effect"
import type { AgentContext, Input, InputSource } from "../../../services/agent/runtime/AgentContext.ts"

const typed: Input<string> = {
  type: "cli",
  schema: Schema.NonEmptyString,
  words: (text) => [{ text, lasting: true }]
}

/** Sends every line to one context. */
export const commandLine = <Args>(context: AgentContext<Args>, args: unknown) =>
  Effect.map(Stdio.Stdio, ({ stdin }): InputSource<Args, string> => {
    const arrivals = stdin.pipe(
      Stream.decodeText,
      Stream.splitLines,
      Stream.map((line) => line.trim()),
      Stream.filter((line) => line !== ""),
      Stream.map((data) => ({ args, data })),
      // The rest cannot be read; the lines before it were sent.
      Stream.catch((error) => Stream.drain(Stream.fromEffect(Effect.logWarning(`input ends: ${error.message}`))))
    )
    return { input: typed, context, arrivals }
  })
