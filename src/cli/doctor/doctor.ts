/** `dd doctor`: what works here, what does not, and why. Changes nothing; uses the network only with `--online`. */

import { Config, Console, Effect, Layer, Option, Runtime, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import { version } from "../../../package.json" with { type: "json" }
import { areas, BackendCheck, Check, checkOfBackend } from "../../domain/doctor/Check.ts"
import { oneLine } from "../../domain/text/Printable.ts"
import { plural } from "../../domain/text/plural.ts"
import { backendChecks } from "../../layers/doctor/doctor/backendChecks.ts"
import { archiveChecks, gitChecks, homeChecks, priceChecks } from "../../layers/doctor/doctor/placeChecks.ts"
import { sameContent } from "../../layers/doctor/doctor/sameContent.ts"
import { spoolChecks } from "../../layers/doctor/doctor/spoolChecks.ts"
import { workerChecks } from "../../layers/doctor/doctor/workerChecks.ts"
import { Changes } from "../../services/change/Changes.ts"
import { Git } from "../../services/change/Git.ts"
import { Extensions } from "../../services/run/Extensions.ts"
import { Settings } from "../../services/run/Settings.ts"
import { Redactor } from "../../services/secret/Redactor.ts"
import { reviewedAt, settingsOf } from "../run/config.ts"
import { validateAll } from "../run/ext.ts"
import { userExtensions } from "../run/flow.ts"
import { canShowColour } from "../system/colour.ts"
import { presentable } from "../system/failure.ts"
import { identityOf, nextOnPath, ownProgram } from "../system/handOver.ts"
import { writeOut } from "../system/writeOut.ts"
import { formatFlag, switchFlag } from "../text/flags.ts"
import { type Ink, inkFor } from "../text/Ink.ts"
import { plainJson } from "../text/plainJson.ts"

/** At least one check is a problem; the report has been printed. */
export class ProblemsFound extends Schema.TaggedError<ProblemsFound>()("ProblemsFound", {
  problems: Schema.Int,
  hasGit: Schema.Boolean
}) {
  override get [Runtime.errorExitCode]() {
    return this.hasGit ? 1 : 3
  }
  override get message() {
    return `${plural(this.problems, "problem")} found, marked with !!`
  }
}

const Report = Schema.Struct({
  schema_version: Schema.Literal(1),
  version: Schema.String,
  /** No check is a problem. */
  ok: Schema.Boolean,
  checks: Schema.Array(Check),
  backends: Schema.Array(BackendCheck)
})
export type Report = typeof Report.Type
const encodeReport = Schema.encodeSync(Report)

const check = (area: Check["area"], subject: string, state: Check["state"], words: string): Check => ({
  area,
  subject,
  state,
  words
})

/** Which programs a shell runs for `dd` and `daydream`, and which gets the calls of coreutils' `dd`. */
export const nameChecks = (path: string, self: string): ReadonlyArray<Check> => {
  const own = identityOf(self)
  const otherThan = (tried: ReadonlyArray<string>): ReturnType<typeof nextOnPath> => {
    const found = nextOnPath("dd", path, tried)
    return found !== undefined && sameContent(found.path, self) ? otherThan([...tried, found.identity]) : found
  }
  const other = otherThan(own === undefined ? [] : [own])
  const handed = other === undefined ? "" : `; calls with operands go to ${other.path}`
  const nameCheck = (name: string, more: string): Check => {
    const found = nextOnPath(name, path, [])
    if (found === undefined) return check("name", name, "note", "not on PATH")
    if (found.identity === own) return check("name", name, "ok", `${found.path}, this program${more}`)
    return sameContent(found.path, self)
      ? check("name", name, "ok", `${found.path}, a copy of this program (${self})${more}`)
      : check("name", name, "note", `${found.path}, another program or another version of dd (this one is ${self})`)
  }
  return [nameCheck("dd", handed), nameCheck("daydream", "")]
}

const settingsChecks = Effect.fnUntraced(function* (target: string) {
  const reviewed = yield* reviewedAt(target)
  return yield* Effect.gen(function* () {
    const { settings, warnings } = yield* Settings
    const notes = [...reviewed.warnings, ...warnings].map((warning) => check("settings", "settings", "note", warning))
    const valid = check("settings", "settings", "ok", "valid; see dd config show --origin")
    return { settings, checks: notes.length === 0 ? [valid] : notes }
  }).pipe(
    Effect.provide(settingsOf(reviewed)),
    Effect.catchTag("SettingsInvalid", (error) =>
      Effect.succeed({
        settings: null,
        checks: error.message.split("\n").map((line) => check("settings", "settings", "problem", line))
      })
    )
  )
})

const extensionChecks = Effect.gen(function* () {
  const { files, place } = yield* Extensions
  return yield* files.pipe(
    Effect.map((all) =>
      all.length === 0
        ? [check("extensions", "extensions", "ok", `none in ${place}`)]
        : validateAll(all).map(({ changes, file, fix, reason, valid }) =>
            valid
              ? check("extensions", file, "ok", changes.length === 0 ? "registers nothing" : changes.join("; "))
              : check("extensions", file, "problem", `${reason}; to fix it: ${fix}`)
          )
    ),
    Effect.catchTag("ExtensionBroken", (error) =>
      Effect.succeed([check("extensions", error.file, "problem", `${error.reason}; to fix it: ${error.fix}`)])
    )
  )
})

const examine = Effect.fnUntraced(function* (target: string, online: boolean) {
  const git = yield* Git
  const repository = Option.getOrNull(yield* Effect.option(git.open(target)))
  const { checks: settled, settings } = yield* settingsChecks(target)
  const backends =
    settings === null ? [] : yield* backendChecks({ settings, reviewed: repository?.root ?? null, online })
  const checks = [
    ...nameChecks(yield* Effect.orDie(Config.String("PATH").pipe(Config.withDefault(""))), ownProgram()),
    ...(yield* gitChecks(target)),
    ...(yield* homeChecks),
    ...settled,
    ...(yield* priceChecks),
    ...backends.map(checkOfBackend),
    ...(yield* archiveChecks(settings)),
    ...(yield* spoolChecks),
    ...(yield* workerChecks(target)),
    ...(yield* extensionChecks)
  ]
  const report: Report = {
    schema_version: 1,
    version,
    ok: checks.every(({ state }) => state !== "problem"),
    checks,
    backends
  }
  return report
})

export const doctorCommand = Command.make("doctor", {
  target: Argument.String("target").pipe(
    Argument.withDescription("A path in the repository"),
    Argument.withDefault(".")
  ),
  online: switchFlag("online", "Contact the configured model services"),
  format: formatFlag(["text", "json"])
}).pipe(
  Command.withShortDescription("Check the installation and the backends"),
  Command.withDescription(`Check the installation: the name dd, git, dd's home directory, settings, backends, the
  archive, recorded sessions, extensions.

  Changes nothing and prints no keys: it writes one file to the spool of sessions and removes it. Uses the network only with --online.

  Exit codes: 0 no problems, 1 problems found, 3 git cannot be used.`),
  Command.withHandler(
    Effect.fnUntraced(function* ({ format, online, target }) {
      const report = yield* examine(target, online)
      const { value, words } = yield* Redactor
      const ink = inkFor(yield* canShowColour(1))
      yield* format === "json"
        ? writeOut(`${plainJson(value(encodeReport(report)))}\n`)
        : Console.log(doctorText(report, ink, words))
      const problems = report.checks.filter(({ state }) => state === "problem")
      if (problems.length === 0) return
      const hasGit = !problems.some(({ area, subject }) => area === "git" && subject === "git")
      return yield* new ProblemsFound({ problems: problems.length, hasGit })
    })
  ),
  Command.withExamples([
    { command: "dd doctor", description: "Check everything on this machine" },
    { command: "dd doctor --online", description: "Also contact the model services" },
    {
      command: "dd doctor --format json | jq '.backends[] | select(.usable) | .name'",
      description: "List the usable backends"
    }
  ]),
  Command.provide(userExtensions),
  Command.provide(Changes.layer.pipe(Layer.provideMerge(Git.layer)))
)

const titles: Readonly<Record<Check["area"], string>> = {
  name: "Name",
  git: "Git",
  home: "Home directory of dd",
  settings: "Settings",
  backends: "Backends",
  archive: "Archive",
  sessions: "Sessions of assistants",
  extensions: "Extensions"
}

const marks: Readonly<Record<Check["state"], string>> = { ok: "ok", note: "-", problem: "!!" }

/** The report of `dd doctor`: for each area its checks, one paragraph each. */
const doctorText = (
  { checks, version }: { readonly checks: ReadonlyArray<Check>; readonly version: string },
  ink: Ink,
  redact: (text: string) => string
): string => {
  const subjectWidth = Math.max(...checks.map(({ subject }) => oneLine(subject).length))
  const line = ({ state, subject, words }: Check): string => {
    const mark = marks[state].padEnd(2)
    const shown = state === "problem" ? ink.warning(mark) : state === "note" ? ink.dim(mark) : mark
    const text = presentable(words, redact)
    return `  ${shown}  ${oneLine(subject).padEnd(subjectWidth)}  ${state === "note" ? ink.dim(text) : text}`
  }
  const blocks = areas.flatMap((area) => {
    const own = checks.filter((check) => check.area === area)
    return own.length === 0 ? [] : [[ink.bold(titles[area]), ...own.map(line)].join("\n")]
  })
  const problems = checks.filter(({ state }) => state === "problem").length
  // What was found is the error with which the command ends.
  return [`dd ${version}`, ...blocks, ...(problems === 0 ? ["No problems found."] : [])].join("\n\n")
}
