/** The command tree for `dd review`: modules of other commands are not loaded. */
import { Command } from "effect/cli"
import { colourFlags } from "../system/colour.ts"
import { reviewCommand } from "./review.ts"

export const reviewOnly = Command.make("dd").pipe(
  Command.withSubcommands([reviewCommand]),
  Command.withGlobalFlags(colourFlags)
)
