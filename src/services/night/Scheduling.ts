/**
 * The job of a night in the user's scheduler: which one there is, and adding and removing the job. It writes only the files of the
 * schedule and one line of the user's crontab, and doing so twice changes nothing.
 */
import { Context, Effect, FileSystem, Layer, Option, Path, Runtime, Schema } from "effect"
import {
  hasCronLine,
  isCrontabKept,
  type Schedule,
  type Scheduler,
  withCronLine
} from "../../domain/system/schedule.ts"
import { type Collected, Subprocess } from "../system/Subprocess.ts"
import { systemErrorText } from "../system/systemErrorText.ts"
import { writeWhole } from "../system/writeWhole.ts"

export class ScheduleNotChanged extends Schema.TaggedError<ScheduleNotChanged>()("ScheduleNotChanged", {
  what: Schema.String,
  reason: Schema.String,
  /** What became of files that were written before; "" if there were none. */
  written: Schema.optionalKey(Schema.String)
}) {
  override readonly [Runtime.errorExitCode] = 3
  override get message() {
    const written = this.written ?? ""
    return `the schedule of nights is not set up: ${this.what}: ${this.reason}${written === "" ? "" : `; ${written}`}`
  }
}

export class Scheduling extends Context.Service<
  Scheduling,
  {
    /** The one that this machine has; null: none is known. */
    readonly found: Effect.Effect<Scheduler | null>
    /** Is anything of this schedule there? */
    readonly isThere: (name: string, schedule: Schedule) => Effect.Effect<boolean, ScheduleNotChanged>
    readonly add: (name: string, schedule: Schedule) => Effect.Effect<void, ScheduleNotChanged>
    readonly remove: (name: string, schedule: Schedule) => Effect.Effect<void, ScheduleNotChanged>
  }
>()("dd/services/night/Scheduling") {
  /** `environment`: of the scheduler's programs, with the PATH on which they are found. */
  static readonly layer = (environment: Readonly<Record<string, string>>) =>
    Layer.effect(
      Scheduling,
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const paths = yield* Path.Path
        const subprocess = yield* Subprocess
        const context = yield* Effect.context<FileSystem.FileSystem | Path.Path>()

        const attempt = <A, E, R>(what: string, self: Effect.Effect<A, E, R>) =>
          Effect.mapError(self, (error) => new ScheduleNotChanged({ what, reason: systemErrorText(error) }))

        const run = Effect.fnUntraced(function* (command: ReadonlyArray<string>, input?: Uint8Array) {
          const [program = "", ...args] = command
          const start = {
            program,
            arguments: args,
            directory: "/",
            environment,
            maxOutput: largestOutput,
            maxStderr: 1 << 12
          }
          return yield* attempt(
            command.join(" "),
            subprocess.collect({ ...start, ...(input === undefined ? {} : { input }) })
          )
        })

        const failed = (command: ReadonlyArray<string>, { exitCode, stderr }: Collected) => {
          const lines = new TextDecoder()
            .decode(stderr)
            .split("\n")
            .map((line) => line.trim())
          const reason = lines.filter((line) => line !== "" && !isSuccess.test(line)).join(" ")
          return new ScheduleNotChanged({
            what: command.join(" "),
            reason: reason === "" ? `it ended with ${exitCode}` : reason
          })
        }

        const runWell = Effect.fnUntraced(function* (command: ReadonlyArray<string>, input?: Uint8Array) {
          const ended = yield* run(command, input)
          if (ended.exitCode !== 0) return yield* failed(command, ended)
        })

        const isOnPath = (program: string) =>
          Effect.map(
            Effect.forEach((environment.PATH ?? "").split(":"), (folder) =>
              Effect.isSuccess(fs.access(paths.join(folder || ".", program)))
            ),
            (found) => found.includes(true)
          )

        const found = Effect.gen(function* () {
          if (yield* isOnPath("launchctl")) return "launchd" as const
          const runtime = environment.XDG_RUNTIME_DIR ?? ""
          const hasManager = runtime !== "" && (yield* Effect.isSuccess(fs.access(paths.join(runtime, "systemd"))))
          if (hasManager && (yield* isOnPath("systemctl"))) return "systemd" as const
          return (yield* isOnPath("crontab")) ? ("cron" as const) : null
        })

        /** Each byte as one character: the user's own lines may have any encoding. A user without a crontab has an empty one. */
        const crontab = Effect.gen(function* () {
          const command = ["crontab", "-l"]
          const ended = yield* run(command)
          const { exitCode, isCut, output, stderr } = ended
          if (isCut) {
            return yield* new ScheduleNotChanged({ what: command.join(" "), reason: "the crontab is larger than 1 MB" })
          }
          if (exitCode === 0) return Buffer.from(output).toString("latin1")
          const saysNone = output.length === 0 && noCrontab.test(new TextDecoder().decode(stderr))
          return saysNone ? "" : yield* failed(command, ended)
        })

        /** Writes only what was read without an error, so that no line is lost. */
        const setCrontab = Effect.fnUntraced(function* (name: string, line: string | null) {
          const before = yield* crontab
          const after = withCronLine(before, name, line === null ? null : Buffer.from(line).toString("latin1"))
          if (after === before) return
          yield* runWell(["crontab", "-"], Buffer.from(after, "latin1"))
          // Some systems have a program of this name that ends with 0 and keeps nothing.
          if (isCrontabKept(after, yield* crontab, name)) return
          return yield* new ScheduleNotChanged({ what: "crontab -", reason: "it did not keep what it was given" })
        })

        const textAt = (path: string) => Effect.map(Effect.option(fs.readFileString(path)), Option.getOrNull)

        const isThere = Effect.fnUntraced(function* (name: string, schedule: Schedule) {
          if (schedule.cronLine !== null) return (yield* isOnPath("crontab")) && hasCronLine(yield* crontab, name)
          const texts = yield* Effect.forEach(schedule.files, ({ path }) => textAt(path))
          return texts.some((text) => text !== null)
        })

        const apply = Effect.fnUntraced(function* (name: string, schedule: Schedule) {
          for (const { path, text } of schedule.files) {
            if ((yield* textAt(path)) === text) continue
            yield* attempt(path, Effect.provideContext(writeWhole(path, text), context))
          }
          if (schedule.cronLine !== null) yield* setCrontab(name, schedule.cronLine)
          const [last] = schedule.starts.slice(-1)
          // Only the last one has to succeed: the others prepare it.
          for (const command of schedule.starts.slice(0, -1)) yield* run(command)
          if (last !== undefined) yield* runWell(last)
        })

        /** A schedule that is set up in part is none. Gives what became of it, in words. */
        const undo = Effect.fnUntraced(function* (
          schedule: Schedule,
          before: ReadonlyArray<{ readonly path: string; readonly text: string | null }>
        ) {
          const changed = yield* Effect.filter(before, ({ path, text }) =>
            Effect.map(textAt(path), (now) => now !== text)
          )
          const isNew = before.every(({ text }) => text === null)
          for (const command of isNew ? schedule.stops : []) yield* Effect.option(run(command))
          const left: Array<string> = []
          for (const { path, text } of changed) {
            const back = text === null ? fs.remove(path) : Effect.provideContext(writeWhole(path, text), context)
            if (Option.isNone(yield* Effect.option(back))) left.push(path)
          }
          for (const command of isNew ? [] : schedule.starts) yield* Effect.option(run(command))
          if (left.length > 0) return `these files are left: ${left.join(", ")}`
          if (changed.length === 0) return ""
          return isNew ? "the files written for it were removed again" : "the schedule before it was restored"
        })

        const add = Effect.fn("Scheduling.add")(function* (name: string, schedule: Schedule) {
          const before = yield* Effect.forEach(schedule.files, ({ path }) =>
            Effect.map(textAt(path), (text) => ({ path, text }))
          )
          yield* Effect.catch(apply(name, schedule), ({ reason, what }) =>
            Effect.flatMap(undo(schedule, before), (written) =>
              Effect.fail(new ScheduleNotChanged({ what, reason, written }))
            )
          )
        })

        const remove = Effect.fn("Scheduling.remove")(function* (name: string, schedule: Schedule) {
          // What does not run any more cannot be stopped.
          for (const command of schedule.stops) yield* run(command)
          for (const { path } of schedule.files) yield* attempt(path, fs.remove(path, { force: true }))
          if (schedule.cronLine !== null) yield* setCrontab(name, null)
        })

        return Scheduling.of({ found, isThere, add, remove })
      })
    )
}

/** In bytes. */
const largestOutput = 1 << 20

/** What systemctl prints as it succeeds, before what fails. */
const isSuccess = /^(?:Created|Removed) (?:symlink )?['"]?\//

/** cron, cronie and macOS; BusyBox. */
const noCrontab = /no crontab for|can't open .*No such file/i
