/** The command tree. Importing it runs nothing, so tests can. */
import { Command } from "effect/cli"
import { archiveCommand } from "./archive.ts"
import { completionsCommand } from "./completions.ts"
import { configCommand } from "./config.ts"
import { doctorCommand } from "./doctor.ts"
import { extCommand } from "./ext.ts"
import { flowCommand } from "./flow.ts"
import { reviewCommand } from "./review.ts"
import { rulesCommand } from "./rules.ts"
import { trajectoryCommand } from "./trajectory.ts"

/** Handed to the completions as a function, since they are a part of it. */
const tree = (): Command.Command.Any => dd

export const dd = Command.make("dd").pipe(
  Command.withDescription("Review a code change: what it breaks, what it forgets, what it gives away"),
  Command.withSubcommands([
    reviewCommand,
    rulesCommand,
    trajectoryCommand,
    archiveCommand,
    flowCommand,
    extCommand,
    configCommand,
    doctorCommand,
    completionsCommand(tree)
  ])
)
