/** The command tree of a call that begins with `review`: what the other commands need is not loaded. */
import { Command } from "effect/cli"
import { reviewCommand } from "./review.ts"

export const reviewOnly = Command.make("dd").pipe(Command.withSubcommands([reviewCommand]))
