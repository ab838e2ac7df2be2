/** `dd dream`: what dd learns from sessions of coding assistants. */
import { Command } from "effect/cli"
import { artifactsCommand } from "./artifacts.ts"

export const dreamCommand = Command.make("dream").pipe(
  Command.withDescription("What dd learns from sessions of coding assistants"),
  Command.withSubcommands([artifactsCommand])
)
