/** `dd config show`: the settings that a review would use here, and where each comes from. Runs no code. */

import { Console, Effect, Layer, Stdio } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import type { Change } from "../../domain/change/Change.ts"
import type { ReviewSettings, SettingKey } from "../../domain/run/ReviewSettings.ts"
import { type Origin, originText, type Setting } from "../../domain/run/Setting.ts"
import { oneLine } from "../../domain/text/Printable.ts"
import * as ReviewLive from "../../layers/ReviewLive.ts"
import { trustIn } from "../../layers/TrustLive.ts"
import { Changes } from "../../services/change/Changes.ts"
import { Git } from "../../services/change/Git.ts"
import { Settings } from "../../services/run/Settings.ts"
import { Redactor } from "../../services/secret/Redactor.ts"
import { writeOut } from "../system/writeOut.ts"
import { plainJson } from "../text/plainJson.ts"

const target = Argument.String("target").pipe(
  Argument.withDescription("Path in the repository"),
  Argument.withDefault(".")
)
const origin = Flag.Boolean("origin").pipe(
  Flag.withDescription("Show where each value comes from"),
  Flag.withDefault(false)
)
const json = Flag.Boolean("json").pipe(Flag.withDescription("Print JSON, origins included"), Flag.withDefault(false))

/** The change that `dd review` without flags would review: the repository's settings are read from its base. */
export const reviewedAt = Effect.fnUntraced(
  function* (target: string) {
    const git = yield* Git
    const changes = yield* Changes
    const repository = yield* git.open(target)
    return { repository, change: yield* changes.resolve(repository, { _tag: "Default" }), warnings: [] }
  },
  (self) =>
    self.pipe(
      Effect.catchTag("NotARepository", () => Effect.succeed({ ...nowhere, warnings: [] })),
      // The user's own settings can still be shown.
      Effect.catch((error) =>
        Effect.succeed({ ...nowhere, warnings: [`the repository's settings were not read: ${error.message}`] })
      )
    )
)

const nowhere: { readonly repository: null; readonly change: Change } = {
  repository: null,
  change: {
    description: "nothing",
    base: { _tag: "Unknown" },
    head: { _tag: "Unknown" },
    branch: null,
    commits: [],
    diff: { files: [] },
    patch: new Uint8Array()
  }
}

export const settingsAt = (target: string) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const reviewed = yield* reviewedAt(target)
      for (const warning of reviewed.warnings) yield* Effect.logWarning(warning)
      return settingsOf(reviewed)
    })
  )

export const settingsOf = ({ change, repository }: Effect.Success<ReturnType<typeof reviewedAt>>) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const settings = Settings.layer({}, yield* (yield* Stdio.Stdio).stdoutIsTerminal)
      return settings.pipe(
        Layer.provide(Layer.merge(ReviewLive.sources(repository, change), trustIn(repository?.root ?? null)))
      )
    })
  )

const show = Command.make("show", { target, origin, json }).pipe(
  Command.withDescription("Show the settings that apply here"),
  Command.withHandler(
    Effect.fnUntraced(function* ({ origin, json }) {
      const { settings, warnings } = yield* Settings
      for (const warning of warnings) yield* Effect.logWarning(warning)
      const { words } = yield* Redactor
      if (json) return yield* writeOut(`${words(plainJson(shown(settings)))}\n`)
      yield* Console.log(words(settingsText(settings, origin)))
    })
  ),
  Command.withExamples([
    {
      command: "dd config show --origin",
      description: "Show the flag, variable or line of a file that sets each value"
    }
  ]),
  Command.provide(({ target }) => settingsAt(target)),
  Command.provide(Changes.layer.pipe(Layer.provideMerge(Git.layer)))
)

export const configCommand = Command.make("config").pipe(
  Command.withDescription("Show the settings"),
  Command.withSubcommands([show])
)

/** One row for each setting, and one more for each further entry of a list; `origins` adds the places of the values. */
export const settingsText = (settings: ReviewSettings, origins: boolean): string => {
  const rows = [...settings.byKey].flatMap(([key, setting]): ReadonlyArray<readonly [string, string, string]> => {
    // Settings of one phase are shown only if they are set.
    if (!isList(setting)) return setting.value === null && key.startsWith("phases.") ? [] : [row(key, setting)]
    return setting.length === 0
      ? [[key, "-", "default"]]
      : setting.map((entry, index) => row(index === 0 ? key : "", entry))
  })
  const width = (column: 0 | 1) => Math.max(...rows.map((cells) => cells[column].length))
  const [keys, values] = [width(0), width(1)]
  return rows
    .map(([key, value, place]) =>
      `${key.padEnd(keys)}  ${origins ? `${value.padEnd(values)}  ${place}` : value}`.trimEnd()
    )
    .join("\n")
}

const row = (key: SettingKey | "", { value, origin }: Setting<string | number | null>) =>
  [key, value === null ? "-" : oneLine(String(value)), originText(origin)] as const

const shown = (settings: ReviewSettings) => {
  const entry = ({ value, origin }: Setting<string | number | null>) => ({
    value: typeof value === "string" ? oneLine(value) : value,
    origin: shownOrigin(origin)
  })
  return {
    schema_version: 1,
    settings: Object.fromEntries(
      [...settings.byKey].map(([key, setting]) => [key, isList(setting) ? setting.map(entry) : entry(setting)])
    )
  }
}

const isList = <A, B>(setting: A | ReadonlyArray<B>): setting is ReadonlyArray<B> => Array.isArray(setting)

/** `name`: the flag, the variable or the file; null for a default. `base`: read from the base of the change. */
const shownOrigin = (origin: Origin) => {
  const [line, base] = origin._tag === "File" ? [origin.line, origin.ofBase] : [null, false]
  const name = origin._tag === "Default" ? null : origin._tag === "File" ? origin.path : origin.name
  return { kind: origin._tag.toLowerCase(), name, line, base }
}
