/** The command tree. Importing it runs nothing, so that tests can import it. */
import { Command } from "effect/cli"
import { briefCommand } from "./brief/brief.ts"
import { symbolsCommand } from "./code/symbols.ts"
import { completionsCommand } from "./completion/completions.ts"
import { doctorCommand } from "./doctor/doctor.ts"
import { dreamCommand } from "./dream/dream.ts"
import { sessionCommand } from "./dream/session.ts"
import { explainCommand, rulesCommand } from "./finding/rules.ts"
import { feedbackCommand } from "./forge/feedback.ts"
import { postCommand } from "./forge/post.ts"
import { hookCommand } from "./hook/hook.ts"
import { askCommand } from "./pack/ask.ts"
import { packCommand } from "./pack/pack.ts"
import { proveCommand } from "./prove/prove.ts"
import { archiveCommand } from "./record/archive.ts"
import { trajectoryCommand } from "./record/trajectory.ts"
import { reviewCommand } from "./review/review.ts"
import { configCommand } from "./run/config.ts"
import { extCommand } from "./run/ext.ts"
import { flowCommand } from "./run/flow.ts"
import { trustCommand } from "./run/trust.ts"
import { colourFlags } from "./system/colour.ts"
import { Planned } from "./system/HelpPage.ts"
import { helpCommand } from "./system/help.ts"
import { versionCommand } from "./system/version.ts"
import { selfUpdateCommand } from "./update/selfUpdate.ts"

/** A function, because the completions are a part of the tree. */
const tree = (): Command.Command.Any => dd

export const dd = Command.make("dd").pipe(
  Command.withDescription("Review a code change for defects, broken uses and leaked secrets"),
  Command.withSubcommands([
    reviewCommand,
    briefCommand,
    proveCommand,
    feedbackCommand,
    postCommand,
    packCommand,
    askCommand,
    symbolsCommand,
    rulesCommand,
    explainCommand,
    trajectoryCommand,
    archiveCommand,
    sessionCommand,
    hookCommand,
    dreamCommand,
    flowCommand,
    extCommand,
    configCommand,
    trustCommand,
    doctorCommand,
    completionsCommand(tree),
    helpCommand(tree),
    versionCommand,
    selfUpdateCommand
  ]),
  Command.withGlobalFlags(colourFlags),
  Command.annotate(Planned, {
    serve: "Serve reviews over HTTP",
    ui: "Show reviews in a browser",
    mcp: "Offer reviews to assistants as an MCP server"
  })
)
