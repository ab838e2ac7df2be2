/** `dd hook`: what coding assistants call. `dd hook event` itself is handled before the command tree (`layers/dream/recordHookEvent.ts`). */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { choiceFlag } from "../text/flags.ts"

const event = Command.make("event", {
  host: choiceFlag(
    "host",
    "HOST",
    ["claude", "codex", "gemini"],
    "The assistant that calls; found from the payload when absent"
  )
}).pipe(
  Command.withDescription(
    "Record the event of a session whose JSON is on standard input; prints nothing and ends with 0"
  ),
  Command.withHandler(() => Effect.void)
)

export const hookCommand = Command.make("hook").pipe(
  Command.withDescription("Entry points for coding assistants"),
  Command.withSubcommands([event])
)
