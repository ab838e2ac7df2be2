/** The command tree. Importing it runs nothing, so tests can. */
import { Command } from "effect/cli"
import { completionsCommand } from "./completions.ts"
import { configCommand } from "./config.ts"
import { extCommand } from "./ext.ts"
import { flowCommand } from "./flow.ts"
import { reviewCommand } from "./review.ts"

const subcommands = [reviewCommand, flowCommand, extCommand, configCommand] as const

const described = Command.make("dd").pipe(
  Command.withDescription("Review a code change: what it breaks, what it forgets, what it gives away")
)

export const dd = described.pipe(
  Command.withSubcommands([
    ...subcommands,
    completionsCommand(() => described.pipe(Command.withSubcommands([...subcommands])))
  ])
)
