/**
 * The settings of this run, each with the place it came from.
 *
 * In order of precedence: flags, environment, the user's `config.toml`, then the repository's `.daydream.toml` and
 * `pyproject.toml`, read from the base of the change so that a change cannot loosen its own review. Reading executes
 * nothing. All problems are reported at once.
 */
import { Config, Context, Effect, FileSystem, Layer, Option, Path, Result, Schema } from "effect"
import { everyAnswerer } from "../../domain/run/BackendChoice.ts"
import { modelKeyNote, modelKeyVariables } from "../../domain/run/ModelKey.ts"
import {
  environmentOf,
  flagOf,
  type Problem,
  problemLines,
  type ReviewSettings,
  resolveSettings,
  type SettingKey,
  settingFromText,
  settingKeys,
  type WrittenSetting
} from "../../domain/run/ReviewSettings.ts"
import { colourOfEnvironment, colourVariables } from "../../domain/system/ColourChoice.ts"
import { readSettingsFile } from "../../domain/text/SettingsFile.ts"
import { Sources, type SourceText } from "../change/Sources.ts"
import { systemErrorText } from "../system/systemErrorText.ts"
import { onCi } from "./onCi.ts"

export class SettingsInvalid extends Schema.TaggedError<SettingsInvalid>()("SettingsInvalid", {
  problems: Schema.Array(
    Schema.Struct({
      place: Schema.String,
      key: Schema.String,
      problem: Schema.String,
      at: Schema.optionalKey(
        Schema.Struct({ _tag: Schema.tag("File"), path: Schema.String, line: Schema.Int, ofBase: Schema.Boolean })
      )
    })
  )
}) {
  override get message() {
    return problemLines(this.problems).join("\n")
  }
}

/** Does the user trust a settings file of the repository with this text? */
export const IsTrusted = Context.Reference<(name: string, text: string) => Effect.Effect<boolean>>(
  "dd/services/run/Settings/IsTrusted",
  { defaultValue: () => () => Effect.succeed(false) }
)

/** The flags, by setting; an absent key was not given. Text is parsed like a variable's. */
export type Flags = Readonly<Partial<Record<SettingKey, string | number | ReadonlyArray<string> | undefined>>>

export interface RunSettings {
  readonly settings: ReviewSettings
  /** Settings of a repository that were refused, and files that could not be read, as sentences. */
  readonly warnings: ReadonlyArray<string>
  /** For the reader of a review. */
  readonly notes: ReadonlyArray<string>
}

export class Settings extends Context.Service<Settings, RunSettings>()("dd/services/run/Settings") {
  /**
   * `edited`: the repository's settings files that the change under review edits. A problem in one of them on the base
   * is only a warning, because the change that fixes it must be reviewable. `terminal`: whether a person watches the
   * run, which decides the default of `on_inconclusive`.
   */
  static readonly layer = (flags: Flags, terminal: boolean, edited: ReadonlyArray<string> = []) =>
    Layer.effect(
      Settings,
      Effect.gen(function* () {
        const user = yield* userFile
        const repository = yield* repositoryFiles
        const environment = yield* environmentOfRun
        const written = [...fromFlags(flags), ...environment, ...user.written, ...repository.written]
        const surroundings = { ci: yield* onCi, terminal }
        const first = resolveSettings(written, surroundings)
        const faults = [...user.problems, ...repository.problems, ...Result.getOrElse(Result.flip(first), () => [])]
        const isOnlyEdited =
          faults.length > 0 && faults.every(({ place }) => edited.some((file) => place.startsWith(`${file}:`)))
        const kept = isOnlyEdited
          ? written.filter(({ origin }) => origin._tag !== "File" || !edited.includes(origin.path))
          : written
        const resolved = isOnlyEdited ? resolveSettings(kept, surroundings) : first
        if (Result.isFailure(resolved)) return yield* new SettingsInvalid({ problems: faults })
        if (faults.length > 0 && !isOnlyEdited) return yield* new SettingsInvalid({ problems: faults })

        const keys = yield* variables(modelKeyVariables)
        const { backendChoice } = resolved.success.settings
        const isChosen =
          backendChoice.backend.origin._tag !== "Default" ||
          everyAnswerer(backendChoice).some(({ backend }) => backend !== "static")
        const note = isChosen ? null : modelKeyNote(keys)
        return Settings.of({
          settings: resolved.success.settings,
          warnings: [
            ...(isOnlyEdited ? problemLines(faults) : []),
            ...repository.warnings,
            ...problemLines(resolved.success.refused)
          ],
          notes: note === null ? [] : [note]
        })
      })
    )
}

/** Without the settings of a repository, for commands that read none. */
export const userSettings = Effect.gen(function* () {
  const { problems, written } = yield* userFile
  const surroundings = { ci: yield* onCi, terminal: false }
  const resolved = resolveSettings([...(yield* environmentOfRun), ...written], surroundings)
  if (problems.length > 0) return yield* new SettingsInvalid({ problems })
  if (Result.isFailure(resolved)) return yield* new SettingsInvalid({ problems: resolved.failure })
  return resolved.success.settings
})

/** A relative directory would be created in the working directory, often the reviewed repository. */
export class PlaceNotAbsolute extends Schema.TaggedError<PlaceNotAbsolute>()("PlaceNotAbsolute", {
  variable: Schema.String,
  value: Schema.String
}) {
  override get message() {
    return `${this.variable} is "${this.value}", which is not an absolute path; set it to one, or unset it`
  }
}

/** The first of these variables that is set; it must be an absolute path. */
const placeIn = Effect.fnUntraced(function* (...names: ReadonlyArray<string>) {
  const set = yield* variables(names)
  const variable = names.find((name) => (set[name] ?? "") !== "")
  if (variable === undefined) return null
  const value = set[variable]!
  if (!(yield* Path.Path).isAbsolute(value)) return yield* new PlaceNotAbsolute({ variable, value })
  return value
})

/** The user's own directory for dd: `DD_HOME`, else `.daydream` in the home directory; null if there is neither. */
export const daydreamHome = Effect.gen(function* () {
  const own = yield* placeIn("DD_HOME")
  if (own !== null) return own
  const home = yield* placeIn("HOME", "USERPROFILE")
  return home === null ? null : (yield* Path.Path).join(home, ".daydream")
})

/** The path in this variable, else this name in dd's own directory; null if there is neither. */
const placeInHome = Effect.fnUntraced(function* (variable: string, name: string) {
  const own = yield* placeIn(variable)
  if (own !== null) return own
  const home = yield* daydreamHome
  return home === null ? null : (yield* Path.Path).join(home, name)
})

/** The directory of past runs. */
export const archiveDirectory = placeInHome("DAYDREAM_ARCHIVE_DIR", "archive")

/** The file with the user's prices. */
export const pricesFile = placeInHome("DAYDREAM_PRICES_FILE", "prices.toml")

/** In UTF-16 units. Parsing a longer file would take seconds. */
const maxLength = 256_000

/** The repository's own files, in order of precedence. */
export const repositoryFileNames = [".daydream.toml", "pyproject.toml"] as const

/** The table of such a file with the settings of dd; "" for the whole file. */
export const settingsTable = (name: (typeof repositoryFileNames)[number]): string =>
  name === "pyproject.toml" ? "tool.daydream" : ""

interface FileRead {
  readonly written: ReadonlyArray<WrittenSetting>
  readonly problems: ReadonlyArray<Problem>
  readonly warnings: ReadonlyArray<string>
}

const nothingRead: FileRead = { written: [], problems: [], warnings: [] }

/** Without absent variables. */
const variables = <Name extends string>(names: ReadonlyArray<Name>) =>
  Effect.forEach(names, (name) =>
    Config.option(Config.String(name)).pipe(
      Effect.orDie,
      Effect.map((value) => [name, Option.getOrUndefined(value)] as const)
    )
  ).pipe(
    Effect.map((pairs): Partial<Record<Name, string>> => Object.fromEntries(pairs) as Partial<Record<Name, string>>)
  )

const environmentOfRun = Effect.gen(function* () {
  const set = yield* variables(settingKeys.flatMap((key) => environmentOf(key) ?? []))
  const written = settingKeys.flatMap((key): ReadonlyArray<WrittenSetting> => {
    const name = environmentOf(key)
    const text = name === null ? undefined : set[name]
    return name === null || text === undefined
      ? []
      : [{ key, value: settingFromText(key, text), origin: { _tag: "Environment", name }, from: "user" }]
  })
  const colour = colourOfEnvironment(yield* variables(colourVariables))
  if (colour === null) return written
  const { choice: value, name } = colour
  return [...written, { key: "color", value, origin: { _tag: "Environment", name }, from: "user" } as const]
})

const fromFlags = (flags: Flags): ReadonlyArray<WrittenSetting> =>
  settingKeys.flatMap((key): ReadonlyArray<WrittenSetting> => {
    const value = flags[key]
    return value === undefined
      ? []
      : [
          {
            key,
            value: typeof value === "string" ? settingFromText(key, value) : value,
            origin: { _tag: "Flag", name: flagOf(key) ?? key },
            from: "user"
          }
        ]
  })

const userFile = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const home = yield* daydreamHome
  if (home === null) return nothingRead
  const file = path.join(home, "config.toml")
  return yield* fs.readFileString(file).pipe(
    Effect.map((text) => fileRead(file, text, "", "user")),
    Effect.catch((error) =>
      Effect.succeed(
        error.reason._tag === "NotFound"
          ? nothingRead
          : {
              ...nothingRead,
              problems: [{ place: file, key: "", problem: `could not be read: ${systemErrorText(error)}; ${remedy}` }]
            }
      )
    )
  )
})

const remedy = "make it a readable file, or move it away"

const repositoryFiles = Effect.gen(function* () {
  const sources = yield* Sources
  const texts = yield* Effect.forEach(repositoryFileNames, (name) => sources.base(name))
  if (texts.every((text) => text._tag === "Absent")) return nothingRead
  // A bare patch has no base: its author could write any policy into it.
  if ((yield* sources.headPaths).length === 0) return nothingRead
  const isTrusted = yield* IsTrusted
  const read = yield* Effect.forEach(repositoryFileNames, (name, index) => {
    const text = texts[index]!
    const trusted = text._tag === "Text" ? isTrusted(name, text.text) : Effect.succeed(false)
    return Effect.map(trusted, (is) => repositoryFile(name, text, is ? "trusted" : "repository"))
  })
  return {
    written: read.flatMap((file) => file.written),
    problems: read.flatMap((file) => file.problems),
    warnings: read.flatMap((file) => file.warnings)
  }
})

const repositoryFile = (
  name: (typeof repositoryFileNames)[number],
  text: SourceText,
  from: WrittenSetting["from"]
): FileRead => {
  const table = settingsTable(name)
  const skipped = (why: string) => ({ ...nothingRead, warnings: [`${name} (base) was not read: it is ${why}`] })
  switch (text._tag) {
    case "Absent":
      return nothingRead
    case "Text":
      // A pyproject.toml without a table for dd is not checked.
      if (table !== "" && !text.text.includes("daydream")) return nothingRead
      return text.text.length > maxLength
        ? skipped(`larger than ${maxLength / 1000} kB`)
        : fileRead(name, text.text, table, from)
    default:
      return table === "" ? skipped(unreadable[text._tag]) : nothingRead
  }
}

const unreadable = {
  Binary: "not text",
  Pointer: "a Git LFS pointer",
  TooLarge: `larger than ${maxLength / 1000} kB`,
  Link: "a link",
  Partial: "only partly known",
  Unreadable: "not readable"
} as const

const fileRead = (path: string, text: string, table: string, from: WrittenSetting["from"]): FileRead => {
  const ofBase = from !== "user"
  const base = ofBase ? " (base)" : ""
  const read = readSettingsFile(text, table)
  if (Result.isFailure(read)) {
    const { line, key, problem } = read.failure
    const where = key === "" ? "" : ` at ${key}`
    return {
      ...nothingRead,
      problems: [{ place: `${path}:${line}${base}`, key, problem: `not TOML${where}: ${problem}` }]
    }
  }
  return {
    ...nothingRead,
    written: (read.success ?? []).map(({ key, value, line }) => ({
      key,
      value,
      origin: { _tag: "File", path, line, ofBase },
      from
    }))
  }
}
