/** `dd dream setup`: a night each day, by the user's scheduler. It shows what it would write; `--apply` writes it. */

import { Config, Effect, Option, Result } from "effect"
import { Command, Flag } from "effect/cli"
import {
  type DailyJob,
  type Schedule,
  type Scheduler,
  scheduleOf,
  schedulers,
  timeOfDay
} from "../../domain/system/schedule.ts"
import { quoted } from "../../domain/system/shellQuote.ts"
import { printable, visiblePath } from "../../domain/text/Printable.ts"
import { projectKeyOf } from "../../layers/dream/spoolPlace.ts"
import { Git } from "../../services/change/Git.ts"
import { ScheduleNotChanged, Scheduling } from "../../services/night/Scheduling.ts"
import { CallRefused } from "../system/CallRefused.ts"
import { ownProgram } from "../system/handOver.ts"
import { writeOut } from "../system/writeOut.ts"
import { switchFlag } from "../text/flags.ts"
import { listed } from "../text/Tally.ts"

const flags = {
  at: Flag.String("at").pipe(
    Flag.withMetavar("HH:MM"),
    Flag.withDescription("Run at this time of day, local time; default: 01:30"),
    Flag.filter(
      (given) => timeOfDay(given) !== null,
      (given) => `a time of day such as 01:30, not ${given}`
    ),
    Flag.withDefault("01:30")
  ),
  scheduler: Flag.Literals("scheduler", ["auto", ...schedulers, "none"]).pipe(
    Flag.withMetavar("NAME"),
    Flag.withDescription("Use this scheduler; auto: the one of this machine; none: print the command only"),
    Flag.withDefault("auto")
  ),
  apply: switchFlag("apply", "Write the files and run the commands"),
  remove: switchFlag("remove", "Remove the schedule of this repository instead")
}

/** A night that a scheduler starts finds the same places as one that the user starts. */
const passed = ["PATH", "DD_HOME", "DAYDREAM_ARCHIVE_DIR"]
/** What the programs of schedulers need. */
const needed = ["HOME", "PATH", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "DBUS_SESSION_BUS_ADDRESS", "USER"]

const variables = Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
  const found = yield* Effect.forEach(names, (name) => Config.option(Config.String(name)))
  const set = names.flatMap((name, at) => Option.toArray(Option.map(found[at]!, (value) => [name, value] as const)))
  return Object.fromEntries(set.filter(([, value]) => value !== "")) as Readonly<Record<string, string>>
})

export const setupCommand = Command.make("setup", flags).pipe(
  Command.withShortDescription("Run a night each day, by systemd, launchd or cron"),
  Command.withDescription(`Run a night each day in this repository, by systemd, launchd or cron.

  Prints the exact files and commands and changes nothing; --apply writes and runs them. A machine that
  is off or asleep at that time runs no night: systemd and launchd run it afterwards, cron does not.`),
  Command.withHandler((given) =>
    Effect.gen(function* () {
      const lines = yield* given.remove ? removed(given) : added(given)
      // Not redacted: it is what would be written, so that a person can check it or write it by hand.
      yield* writeOut(`${printable(lines.join("\n"))}\n`)
    })
  ),
  Command.withExamples([
    { command: "dd dream setup", description: "Show what would be written" },
    { command: "dd dream setup --at 02:15 --apply", description: "Run a night at 02:15 each day" },
    { command: "dd dream setup --remove --apply", description: "Run no more nights" }
  ])
)

interface Given {
  readonly at: string
  readonly scheduler: Scheduler | "auto" | "none"
  readonly apply: boolean
}

const withScheduling = <A, E, R>(self: Effect.Effect<A, E, R | Scheduling>) =>
  Effect.flatMap(variables(needed), (environment) => Effect.provide(self, Scheduling.layer(environment)))

const jobHere = Effect.fnUntraced(function* (at: string) {
  const { root } = yield* (yield* Git).open(".")
  if (root === null) return yield* new CallRefused({ reason: "this repository has no working tree: run dd in one" })
  const job: DailyJob = {
    name: `dd-dream-${projectKeyOf(root)}`,
    program: ownProgram(),
    arguments: ["dream", "start"],
    about: "dd learns from labels of past reviews",
    root,
    ...(timeOfDay(at) ?? { hour: 1, minute: 30 }),
    environment: yield* variables(passed)
  }
  return job
})

const schedule = Effect.fnUntraced(function* (scheduler: Scheduler, job: DailyJob) {
  const { HOME: home, XDG_CONFIG_HOME: config } = yield* variables(["HOME", "XDG_CONFIG_HOME"])
  if (home === undefined) return yield* new CallRefused({ reason: "there is no home directory: set HOME" })
  const made = scheduleOf(scheduler, job, { home, config: config ?? `${home}/.config` })
  return Result.isSuccess(made) ? made.success : yield* new CallRefused({ reason: made.failure })
})

const added = ({ apply, at, scheduler: wanted }: Given) =>
  withScheduling(
    Effect.gen(function* () {
      const scheduling = yield* Scheduling
      const job = yield* jobHere(at)
      const scheduler = wanted === "auto" ? ((yield* scheduling.found) ?? "none") : wanted
      const command = `cd ${quoted(job.root)} && ${quoted(job.program)} dream start`
      if (scheduler === "none") {
        return [
          wanted === "none"
            ? "Run this when a night is to begin:"
            : "dd knows no scheduler of this machine. Run this when a night is to begin:",
          `  ${command}`
        ]
      }
      const made = yield* schedule(scheduler, job)
      const what = `a night at ${at} each day in ${visiblePath(job.root)}, by ${scheduler}`
      if (!apply) {
        return [
          `This runs ${what}.`,
          "",
          ...scheduleLines(made),
          "",
          "Nothing was changed; --apply writes and runs this."
        ]
      }
      yield* Effect.mapError(scheduling.add(job.name, made), ({ reason, what, written = "" }) => {
        const way = "--scheduler NAME uses another one, --scheduler none prints the command"
        return new ScheduleNotChanged({ what, reason, written: written === "" ? way : `${written}; ${way}` })
      })
      return [`Set up: ${what}.`, ...(yield* otherLines(job, scheduler))]
    })
  )

/** Schedulers that have a job of this repository. */
const installed = Effect.fnUntraced(function* (job: DailyJob) {
  const scheduling = yield* Scheduling
  const found: Array<Scheduler> = []
  for (const each of schedulers) {
    if (yield* scheduling.isThere(job.name, yield* schedule(each, job))) found.push(each)
  }
  return found
})

const otherLines = Effect.fnUntraced(function* (job: DailyJob, scheduler: Scheduler) {
  // The job is set up, so a scheduler that cannot be asked is no failure.
  const others = yield* Effect.result(installed(job))
  if (Result.isFailure(others))
    return [`It is unknown whether another scheduler runs one, too: ${others.failure.message}`]
  return others.success
    .filter((each) => each !== scheduler)
    .map((each) => `${each} runs one, too: dd dream setup --remove --scheduler ${each} --apply`)
})

const removed = ({ apply, at, scheduler: wanted }: Given) =>
  withScheduling(
    Effect.gen(function* () {
      const scheduling = yield* Scheduling
      const job = yield* jobHere(at)
      const there = (yield* installed(job)).filter((each) => wanted === "auto" || each === wanted)
      if (there.length === 0) return ["No scheduler runs a night in this repository."]
      if (!apply) {
        const lines = yield* Effect.forEach(there, (each) => Effect.map(schedule(each, job), removalLines))
        return [...lines.flat(), "", "Nothing was changed; --apply runs and removes this."]
      }
      for (const each of there) yield* scheduling.remove(job.name, yield* schedule(each, job))
      return [`Removed: ${listed(there)} runs no night in this repository any more.`]
    })
  )

const shellLine = (command: ReadonlyArray<string>): string => `  ${command.map(quoted).join(" ")}`

const scheduleLines = ({ cronLine, files, starts }: Schedule): ReadonlyArray<string> => [
  ...files.flatMap(({ path, text }) => [
    `${visiblePath(path)}:`,
    ...text
      .trimEnd()
      .split("\n")
      .map((line) => `  ${line}`),
    ""
  ]),
  ...(cronLine === null ? [] : ["A line of your crontab:", `  ${cronLine}`]),
  ...(starts.length === 0 ? [] : ["Commands:", ...starts.map(shellLine)])
]

const removalLines = ({ cronLine, files, stops }: Schedule): ReadonlyArray<string> => [
  ...(stops.length === 0 ? [] : ["Commands:", ...stops.map(shellLine)]),
  ...(files.length === 0 ? [] : ["Files:", ...files.map(({ path }) => `  ${visiblePath(path)}`)]),
  ...(cronLine === null ? [] : ["The line of this repository in your crontab"])
]
