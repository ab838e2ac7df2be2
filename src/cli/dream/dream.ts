/** `dd dream`: what dd learns from sessions of coding assistants. */
import { Command } from "effect/cli"
import { Git } from "../../services/change/Git.ts"
import { artifactsCommand } from "./artifacts.ts"
import { statusCommand, tasksCommand } from "./status.ts"
import { workerCommand } from "./worker.ts"

export const dreamCommand = Command.make("dream").pipe(
  Command.withDescription("What dd learns from sessions of coding assistants"),
  Command.withSubcommands([statusCommand, artifactsCommand, tasksCommand, workerCommand]),
  Command.provide(Git.layer)
)
