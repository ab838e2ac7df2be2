/** `dd dream`: what dd learns from sessions of coding assistants and from labels of findings. */
import { Command } from "effect/cli"
import { Git } from "../../services/change/Git.ts"
import { doCommand } from "../night/do.ts"
import { reportCommand } from "../night/report.ts"
import { rollbackCommand } from "../night/rollback.ts"
import { setupCommand } from "../night/setup.ts"
import { startCommand } from "../night/start.ts"
import { warnOnlyCommand } from "../night/warnOnly.ts"
import { whyCommand } from "../night/why.ts"
import { artifactsCommand } from "./artifacts.ts"
import { statusCommand, tasksCommand } from "./status.ts"
import { workerCommand } from "./worker.ts"

export const dreamCommand = Command.make("dream").pipe(
  Command.withDescription("What dd learns from sessions of coding assistants, and from labels of findings"),
  Command.withSubcommands([
    statusCommand,
    artifactsCommand,
    tasksCommand,
    workerCommand,
    startCommand,
    setupCommand,
    reportCommand,
    doCommand,
    warnOnlyCommand,
    whyCommand,
    rollbackCommand
  ]),
  Command.provide(Git.layer)
)
