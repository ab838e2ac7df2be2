/** `--instructions TEXT|@FILE`: the text, or that of the file. */
import { Effect, FileSystem, Option } from "effect"
import { longestInstructions } from "../../domain/run/ReviewSettings.ts"
import { systemErrorText } from "../../services/system/systemErrorText.ts"
import { type ReviewFlags, UsageWrong } from "./reviewFlags.ts"

export const withInstructions = Effect.fnUntraced(function* (flags: ReviewFlags) {
  const given = Option.getOrNull(flags.instructions)
  if (given === null || !given.startsWith("@")) return flags
  const path = given.slice(1)
  const refuse = (reason: string) => new UsageWrong({ reason: `--instructions ${given}: ${reason}` })
  const fs = yield* FileSystem.FileSystem
  const { size, type } = yield* Effect.mapError(fs.stat(path), (error) => refuse(systemErrorText(error)))
  if (type !== "File") return yield* refuse("it is no file")
  // A character has at most four bytes.
  if (size > 4 * longestInstructions) return yield* refuse(`it has more than ${longestInstructions} characters`)
  const text = yield* Effect.mapError(fs.readFileString(path), (error) => refuse(systemErrorText(error)))
  return { ...flags, instructions: Option.some(text) }
})
