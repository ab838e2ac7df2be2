/** The part of `dd hook` for coding assistants: what they call. `dd hook event` itself is handled before the command tree (`layers/dream/recordHookEvent.ts`). */

import { Config, Console, Effect, Option } from "effect"
import { Command } from "effect/cli"
import { type Assistant, assistants } from "../../domain/dream/hookSettings.ts"
import { isOfHook } from "../../domain/dream/SessionEvent.ts"
import { quoted } from "../../domain/system/shellQuote.ts"
import { visiblePath } from "../../domain/text/Printable.ts"
import { plural } from "../../domain/text/plural.ts"
import { placeOf } from "../../layers/dream/spoolFile.ts"
import { spoolOf } from "../../layers/dream/spoolPlace.ts"
import { type HookPlace, install, installed, uninstall } from "../../services/dream/installedHooks.ts"
import { Spool } from "../../services/dream/Spool.ts"
import { daydreamHome } from "../../services/run/Settings.ts"
import { CallRefused } from "../system/CallRefused.ts"
import { ownProgram } from "../system/handOver.ts"
import { isoTime, moment } from "../text/amounts.ts"
import { choiceFlag, switchFlag } from "../text/flags.ts"

const names = Object.keys(assistants) as ReadonlyArray<Assistant>

export const event = Command.make("event", {
  host: choiceFlag("host", "HOST", names, "The assistant that calls; found from the payload when absent")
}).pipe(
  Command.withDescription(
    "Record the event of a session whose JSON is on standard input; prints nothing and ends with 0"
  ),
  Command.withHandler(() => Effect.void)
)

export const assistantFlags = {
  claude: switchFlag("claude", "Claude Code"),
  codex: switchFlag("codex", "Codex"),
  gemini: switchFlag("gemini", "Gemini CLI"),
  user: switchFlag("user", "In your own settings, for all projects (the default)"),
  project: switchFlag("project", "In the settings of the repository in the current directory")
}
type Which = Readonly<Record<keyof typeof assistantFlags, boolean>>

/** The assistants that are named, each with the place of its settings. */
export const chosen = Effect.fnUntraced(function* ({ project, user, ...named }: Which) {
  const list = names.filter((name) => named[name])
  if (list.length === 0 && (project || user)) {
    return yield* new CallRefused({ reason: "--user and --project need an assistant: --claude, --codex or --gemini" })
  }
  if (project && user) return yield* new CallRefused({ reason: "--user and --project exclude each other" })
  return yield* Effect.forEach(list, (assistant) =>
    Effect.map(project ? Effect.succeed(projectPlace(assistant)) : userPlace(assistant), (place) => ({
      assistant,
      place
    }))
  )
})

const placeIn = (directory: string, assistant: Assistant): HookPlace => {
  const { file, folder } = assistants[assistant]
  return { directory, file: `${folder}/${file}` }
}

const projectPlace = (assistant: Assistant): HookPlace => placeIn(placeOf(".").root, assistant)

/** The assistant reads its settings where its own variable says. */
const userPlace = Effect.fnUntraced(function* (assistant: Assistant) {
  const { file, variable } = assistants[assistant]
  const directory = variable === null ? "" : yield* textOf(variable)
  return directory === "" ? placeIn(yield* userHome, assistant) : { directory, file }
})

const textOf = (variable: string) =>
  Effect.map(Config.option(Config.String(variable)), (value) => Option.getOrElse(value, () => "").trim())

const userHome = Effect.gen(function* () {
  const home = Option.getOrElse(yield* Config.option(Config.String("HOME")), () => "")
  return home === "" ? yield* new CallRefused({ reason: "there is no home directory: set HOME" }) : home
})

const ownPlace = Effect.gen(function* () {
  const own = yield* daydreamHome
  return own ?? (yield* new CallRefused({ reason: "there is no home directory: set HOME or DD_HOME" }))
})

const commandFor = (assistant: Assistant): string => `${quoted(ownProgram())} hook event --host ${assistant}`

export const installAssistants = Effect.fnUntraced(function* (given: Which) {
  for (const { assistant, place } of yield* chosen(given)) {
    const { changed, path } = yield* install(yield* ownPlace, place, assistant, commandFor(assistant))
    const events = plural(Object.keys(assistants[assistant].events).length, "event")
    const words = changed ? `dd records ${events} of ${assistants[assistant].name}` : "already installed"
    yield* Console.log(`${visiblePath(path)}: ${words}`)
  }
})

export const uninstallAssistants = Effect.fnUntraced(function* (given: Which) {
  for (const { assistant, place } of yield* chosen(given)) {
    const { changed, path } = yield* uninstall(yield* ownPlace, place, assistant)
    yield* Console.log(`${visiblePath(path)}: ${changed ? "dd's hooks are removed" : "had no hooks of dd"}`)
  }
})

export const assistantStatus = Effect.gen(function* () {
  const own = yield* daydreamHome
  const { faults, sessions } =
    own === null
      ? { faults: 0, sessions: [] }
      : yield* Effect.provide(
          Spool.use((spool) => spool.sessions(null)),
          Spool.layer(spoolOf(own))
        )
  for (const assistant of names) {
    const { events, name } = assistants[assistant]
    const lines: Array<string> = []
    const shown = new Set<string>()
    for (const place of [yield* userPlace(assistant), projectPlace(assistant)]) {
      const found = yield* installed(place, assistant)
      if (shown.has(found.path)) continue
      shown.add(found.path)
      if (found.events === null || found.events.length === 0) continue
      lines.push(
        `  ${visiblePath(found.path)}: ${found.events.length} of ${plural(Object.keys(events).length, "event")}`
      )
    }
    const last = sessions
      .filter(({ view }) => view.host === assistant)
      .flatMap(({ events }) => events.filter(isOfHook))
      .reduce((latest, { at }) => Math.max(latest, at), 0)
    const heard = last === 0 ? "nothing recorded yet" : `last event ${moment(isoTime(last))} UTC`
    yield* Console.log(
      [`${name}: ${lines.length === 0 ? "not installed" : "installed"}, ${heard}`, ...lines].join("\n")
    )
  }
  if (faults > 0) yield* Console.log(`${plural(faults, "event")} could not be recorded`)
})
