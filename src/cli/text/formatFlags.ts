/** Flags that choose how a command prints its result. */
import { Flag } from "effect/cli"

export const formatFlag = <const Formats extends readonly ["text", ...ReadonlyArray<string>]>(formats: Formats) =>
  Flag.Literals("format", formats).pipe(
    Flag.withMetavar("FORMAT"),
    Flag.withDescription("Print the result in this format"),
    Flag.withDefault("text" as const)
  )

export const jsonFlag = Flag.Boolean("json").pipe(Flag.withDescription("Print JSON"), Flag.withDefault(false))
