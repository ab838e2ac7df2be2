/** `dd trajectory`: what one run said and did, as a file. */
import { Command } from "effect/cli"
import { redactCommand } from "./redact.ts"

export const trajectoryCommand = Command.make("trajectory").pipe(
  Command.withDescription("Work with the records of runs"),
  Command.withSubcommands([redactCommand])
)
