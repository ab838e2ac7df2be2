/** `dd doctor`: what works here, what does not, and why. Changes nothing, and contacts nobody unless asked to. */
import { Config, Console, Effect, Layer, Option, Runtime, Schema, Stdio } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { version } from "../../../package.json" with { type: "json" }
import { BackendCheck, Check, checkOfBackend } from "../../domain/doctor/Check.ts"
import { backendChecks } from "../../layers/doctor/doctor/backendChecks.ts"
import { archiveChecks, gitChecks, homeChecks, priceChecks } from "../../layers/doctor/doctor/placeChecks.ts"
import { Changes } from "../../services/change/Changes.ts"
import { Git } from "../../services/change/Git.ts"
import { Extensions } from "../../services/run/Extensions.ts"
import { Settings } from "../../services/run/Settings.ts"
import { Redactor } from "../../services/secret/Redactor.ts"
import { coloured } from "../review/review.ts"
import { settingsAt } from "../run/config.ts"
import { validateAll } from "../run/ext.ts"
import { userExtensions } from "../run/flow.ts"
import { identityOf, nextOnPath, ownProgram } from "../system/handOver.ts"
import { inkFor } from "../text/Ink.ts"
import { plainJson } from "../text/plainJson.ts"
import { doctorText } from "./DoctorText.ts"

/** Something does not work; what it is has been printed. */
export class Unwell extends Schema.TaggedError<Unwell>()("Unwell", { problems: Schema.Int, hasGit: Schema.Boolean }) {
  override get [Runtime.errorExitCode]() {
    return this.hasGit ? 1 : 3
  }
  override get message() {
    return `${this.problems} ${this.problems === 1 ? "problem" : "problems"}`
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

/** What a shell runs for `dd` and for `daydream`, and who gets the calls that are coreutils'. */
export const nameChecks = (path: string, self: string): ReadonlyArray<Check> => {
  const own = identityOf(self)
  const first = nextOnPath("dd", path, [])
  const daydream = nextOnPath("daydream", path, [])
  const other = nextOnPath("dd", path, own === undefined ? [] : [own])
  const handed = other === undefined ? "" : `; its calls with operands go to ${other.path}`
  const dd =
    first === undefined
      ? check("name", "dd", "note", "nothing on PATH is called dd")
      : first.identity === own
        ? check("name", "dd", "ok", `${first.path}, this program${handed}`)
        : check("name", "dd", "note", `${first.path}, which is not this program (${self})`)
  const full =
    daydream === undefined
      ? check("name", "daydream", "note", "nothing on PATH is called daydream")
      : daydream.identity === own
        ? check("name", "daydream", "ok", `${daydream.path}, this program`)
        : check("name", "daydream", "note", `${daydream.path}, which is not this program (${self})`)
  return [dd, full]
}

const settingsChecks = (target: string) =>
  Effect.gen(function* () {
    const { settings, warnings } = yield* Settings
    const said = warnings.map((warning) => check("settings", "settings", "note", warning))
    const none = check(
      "settings",
      "settings",
      "ok",
      "they can be read; dd config show --origin says where each is from"
    )
    return { settings, checks: said.length === 0 ? [none] : said }
  }).pipe(
    Effect.provide(settingsAt(target)),
    Effect.catchTag("SettingsInvalid", (error) =>
      Effect.succeed({
        settings: null,
        checks: error.message.split("\n").map((line) => check("settings", "settings", "problem", line))
      })
    )
  )

const extensionChecks = Effect.gen(function* () {
  const { files, place } = yield* Extensions
  return yield* files.pipe(
    Effect.map((all) =>
      all.length === 0
        ? [check("extensions", "extensions", "ok", `none in ${place}`)]
        : validateAll(all).map(({ changes, file, mend, reason, valid }) =>
            valid
              ? check("extensions", file, "ok", changes.length === 0 ? "registers nothing" : changes.join("; "))
              : check("extensions", file, "problem", `${reason}; to mend it: ${mend}`)
          )
    ),
    Effect.catchTag("ExtensionBroken", (error) =>
      Effect.succeed([check("extensions", error.file, "problem", `${error.reason}; to mend it: ${error.mend}`)])
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
    ...(yield* archiveChecks),
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
  online: Flag.Boolean("online").pipe(
    Flag.withoutNegation,
    Flag.withDescription("Ask the services you have a key or an address for whether they answer"),
    Flag.withDefault(false)
  ),
  format: Flag.Literals("format", ["text", "json"]).pipe(
    Flag.withMetavar("FORMAT"),
    Flag.withDescription("How it is shown"),
    Flag.withDefault("text" as const)
  )
}).pipe(
  Command.withShortDescription("Say what works here, which backends can answer, and why not"),
  Command.withDescription(`Say what works here: which program \`dd\` is, git, dd's own directory, settings, which
  backends could answer and why not, the archive, extensions.

  Changes nothing, and shows no key. Nobody is contacted unless you say --online.

  Exit codes: 0 nothing is wrong, 1 something is, 3 there is no git to work with.`),
  Command.withHandler(
    Effect.fnUntraced(function* ({ format, online, target }) {
      const report = yield* examine(target, online)
      const { value, words } = yield* Redactor
      const stdio = yield* Stdio.Stdio
      const ink = inkFor((yield* stdio.stdoutIsTerminal) && (yield* coloured))
      yield* Console.log(format === "json" ? plainJson(value(encodeReport(report))) : doctorText(report, ink, words))
      const problems = report.checks.filter(({ state }) => state === "problem")
      if (problems.length === 0) return
      const hasGit = !problems.some(({ area, subject }) => area === "git" && subject === "git")
      return yield* new Unwell({ problems: problems.length, hasGit })
    })
  ),
  Command.withExamples([
    { command: "dd doctor", description: "What works here" },
    { command: "dd doctor --online", description: "And do the services answer?" },
    { command: "dd doctor --format json | jq '.backends[] | select(.usable) | .name'", description: "Who could review" }
  ]),
  Command.provide(userExtensions),
  Command.provide(Changes.layer.pipe(Layer.provideMerge(Git.layer)))
)
