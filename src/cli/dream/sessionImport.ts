/** `dd session import`: the transcripts that assistants keep become recorded sessions. */

import { Config, Console, DateTime, Effect, Option } from "effect"
import { Command } from "effect/cli"
import { plural } from "../../domain/text/plural.ts"
import { importSessions } from "../../layers/dream/importSessions.ts"
import { placeOf } from "../../layers/dream/spoolFile.ts"
import { momentOf } from "../record/archiveFlags.ts"
import { CallRefused } from "../system/CallRefused.ts"
import { writeOut } from "../system/writeOut.ts"
import { jsonFlag, switchFlag, textFlag } from "../text/flags.ts"
import { plainJson } from "../text/plainJson.ts"
import { dreamHome } from "./dreamHome.ts"

const variable = (name: string) =>
  Effect.map(Config.option(Config.String(name)), (value) => Option.getOrElse(value, () => ""))

export const importCommand = Command.make("import", {
  allProjects: switchFlag("all-projects", "Of all projects, not only the one in the current directory"),
  since: textFlag("since", "TIME", "Only transcripts changed since then: an age (12h, 7d, 2w) or a date"),
  dryRun: switchFlag("dry-run", "Show what would be imported, and write nothing"),
  json: jsonFlag
}).pipe(
  Command.withShortDescription("Import existing transcripts of Claude Code and Codex"),
  Command.withDescription(`Import existing transcripts of Claude Code (~/.claude/projects, or CLAUDE_CONFIG_DIR) and Codex
  (~/.codex/sessions, or CODEX_HOME) as recorded sessions.

  Texts are redacted and shortened as those of hooks. A second import adds only what is new. What several sessions have,
  because one began with a copy of another, is in one of them. Sessions that hooks have recorded are left as they are.`),
  Command.withHandler(
    Effect.fnUntraced(function* ({ allProjects, dryRun, json, since }) {
      const home = yield* dreamHome
      const user = yield* variable("HOME")
      const claude = (yield* variable("CLAUDE_CONFIG_DIR")) || `${user}/.claude`
      const codex = (yield* variable("CODEX_HOME")) || `${user}/.codex`
      if (user === "" && (claude === "/.claude" || codex === "/.codex"))
        return yield* new CallRefused({ reason: "there is no home directory: set HOME" })
      const { sessions, skipped } = yield* importSessions({
        home,
        claude,
        codex,
        project: allProjects ? null : placeOf(".").project,
        since: Option.isNone(since)
          ? null
          : DateTime.toEpochMillis(DateTime.makeUnsafe(yield* momentOf("--since", since.value))),
        writes: !dryRun
      })
      if (json) return yield* writeOut(`${plainJson({ schema_version: 1, dry_run: dryRun, sessions, skipped }, 2)}\n`)
      const imported = sessions.filter(({ state }) => state === "imported")
      const events = imported.reduce((sum, { events }) => sum + events, 0)
      const unchanged = sessions.filter(({ state }) => state === "unchanged").length
      const recorded = sessions.filter(({ state }) => state === "recorded").length
      const copied = sessions.filter(({ state }) => state === "copied").length
      const damaged = sessions.reduce((sum, { unreadable }) => sum + unreadable, 0)
      const reasons = [...Map.groupBy(skipped, ({ reason }) => reason)].map(([reason, of]) => `${of.length} ${reason}`)
      const parts = [
        `${dryRun ? "Would import" : "Imported"} ${plural(imported.length, "session")} with ${plural(events, "new event")}`,
        ...(unchanged === 0 ? [] : [`${unchanged} unchanged`]),
        ...(recorded === 0 ? [] : [`${recorded} already recorded by hooks`]),
        ...(copied === 0 ? [] : [`${copied} with only copies of other sessions`]),
        ...(damaged === 0 ? [] : [plural(damaged, "damaged line")]),
        ...(skipped.length === 0 ? [] : [`${plural(skipped.length, "file")} left out (${reasons.join(", ")})`])
      ]
      yield* Console.log(`${parts.join(", ")}.`)
    })
  ),
  Command.withExamples([
    { command: "dd session import --since 30d", description: "Import the last month of this project" },
    { command: "dd session import --all-projects --dry-run", description: "Show what there is" }
  ])
)
