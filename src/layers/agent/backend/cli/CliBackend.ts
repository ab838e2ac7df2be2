/**
 * A coding CLI as a backend: one process for each task, told what to do on its standard input, heard line by line.
 *
 * It is found on PATH but never in the repository under review, runs in a copy of the head side, with an environment of
 * its own, and ends with its whole process group when the stream does. It may be silent for `CliIdle`, then it has
 * stalled. Lines that cannot be read cost a note, never the answer. Whether it is asked again is for `Agent` to say.
 */
import {
  Clock,
  ConfigProvider,
  Context,
  DateTime,
  type Duration,
  Effect,
  FileSystem,
  Layer,
  Path,
  type Schema,
  Stream
} from "effect"
import { shownEvents } from "../../../../domain/agent/SeenCollector.ts"
import { label, type Task } from "../../../../domain/agent/Task.ts"
import { isTransientFault, killedExit } from "../../../../domain/agent/transientFault.ts"
import { AgentEvent, promptedOf } from "../../../../domain/run/AgentEvent.ts"
import type { Effort } from "../../../../domain/run/BackendChoice.ts"
import { TextLines } from "../../../../domain/text/TextLines.ts"
import type { Prompt } from "../../../../prompts/Prompt.ts"
import { Backend, BackendFailed, BackendUnavailable, type Repair } from "../../../../services/agent/Backend.ts"
import { Briefing } from "../../../../services/agent/Briefing.ts"
import { FailPolicy } from "../../../../services/run/FailPolicy.ts"
import { Subprocess } from "../../../../services/system/Subprocess.ts"
import type { CliDecoder, CliEnd, CliOutcome } from "./CliDecoder.ts"
import { cliPrompt } from "./CliPrompt.ts"
import { childEnvironment } from "./childEnvironment.ts"
import { findProgram, type NotFound } from "./findProgram.ts"
import * as HeadCopy from "./HeadCopy.ts"

/** What is particular to one CLI. */
export interface Cli {
  readonly name: string
  /** Variables of its own that it may see, by what the user has chosen. */
  readonly variables: Effect.Effect<ReadonlyArray<string>>
  /** Variables it is given. */
  readonly fixed: Readonly<Record<string, string>>
  /** Is the model held to the schema by the CLI itself? */
  readonly takesSchema: boolean
  readonly call: (asked: Asked) => Call
  readonly stream: () => CliDecoder
}

export interface Asked {
  readonly system: string
  readonly user: string
  readonly prompt: Prompt
  /** The reply's JSON Schema as a file. */
  readonly schemaFile: string
  readonly directory: string
}

export interface Call {
  readonly arguments: ReadonlyArray<string>
  readonly input: string
}

export interface CliOptions {
  /** As the CLI names it; null: the CLI's own choice. */
  readonly model: string | null
  readonly effort: Effort | null
  /** How many may run at once. */
  readonly fanout: number
  /** dd's own directory. */
  readonly home: string | null
  /** The root of the repository under review; null when there is none. */
  readonly reviewed: string | null
  /** Paths of the change. */
  readonly changed: ReadonlyArray<string>
}

/** How long a CLI may say nothing. */
export const CliIdle = Context.Reference<Duration.Input>("dd/layers/backend/CliIdle", {
  defaultValue: () => "10 minutes"
})

/** How long a CLI that has given its answer may take to end, and to say more. */
export const CliLinger = Context.Reference<Duration.Input>("dd/layers/backend/CliLinger", {
  defaultValue: () => "5 seconds"
})

/** Of standard error, as much as can explain a failure. */
const keptComplaint = 4000

/** One argument of a process can be no longer (Linux: 128 KiB). */
export const longestArgument = 96_000

export const layer = (cli: Cli, options: CliOptions) =>
  Layer.effect(
    Backend,
    Effect.gen(function* () {
      const briefing = yield* Briefing
      const subprocess = yield* Subprocess
      const onFailure = yield* FailPolicy
      const fs = yield* FileSystem.FileSystem
      const paths = yield* Path.Path
      const idle = yield* CliIdle
      const linger = yield* CliLinger
      const settings = Effect.provideService(ConfigProvider.ConfigProvider, yield* ConfigProvider.ConfigProvider)
      const copy = yield* HeadCopy.make(options)
      const { name } = cli
      const unavailable = (cause: unknown) => new BackendUnavailable({ backend: name, cause })

      const program = yield* Effect.cached(
        findProgram(name, options.reviewed).pipe(
          Effect.provideService(FileSystem.FileSystem, fs),
          Effect.provideService(Path.Path, paths),
          settings
        )
      )

      const started = Effect.fnUntraced(function* (
        task: Task,
        repair: Repair | null,
        complain: (text: string) => void
      ) {
        const found = yield* program
        if (found._tag === "NotFound") return yield* unavailable(missingProgram(name, found))
        const prompt = yield* briefing.promptFor(task, repair)
        const files = yield* Effect.mapError(prompt.tools === "none" ? copy.bare : copy.files, unavailable)
        const schemaFile = paths.join(files.own, `${prompt.task}.schema.json`)
        yield* Effect.mapError(fs.writeFileString(schemaFile, schemaText(prompt), { mode: 0o600 }), unavailable)
        const { directory } = files
        const words = cliPrompt(prompt, files, cli.takesSchema)
        const [system, user] = [words.system.join("\n\n"), words.user.join("\n\n")]
        const call = cli.call({ system, user, prompt, schemaFile, directory })
        const environment = yield* cli.variables.pipe(
          Effect.flatMap((own) => childEnvironment(own, found.searched, cli.fixed)),
          settings
        )
        const decoder = new TextDecoder()
        const process = yield* subprocess
          .listen({
            program: found.path,
            arguments: call.arguments,
            directory,
            environment,
            input: new TextEncoder().encode(call.input),
            onComplaint: (chunk) => complain(decoder.decode(chunk, { stream: true }))
          })
          .pipe(Effect.mapError(unavailable))
        return { ...process, words, shown: prompt.shown }
      })

      /** One process, from its first line to its end. */
      const execute = (task: Task, repair?: Repair) =>
        Stream.unwrap(
          Effect.gen(function* () {
            let complaint = ""
            const { ended, next, shown, words } = yield* started(task, repair ?? null, (text) => {
              complaint = (complaint + text).slice(-keptComplaint)
            })
            const lines = new TextLines()
            const decoder = cli.stream()
            let tooLong = 0
            let isLeft = false
            const failed = (reason: string, retryable: boolean) =>
              new BackendFailed({ backend: name, retryable, cause: reason })

            const take = (found: ReadonlyArray<string | null>, at: string) =>
              found.flatMap((line) => {
                if (line !== null) return decoder.take(line, at)
                tooLong++
                return []
              })

            const told = (end: CliEnd) => {
              const kinds = [...end.unknown].map(([kind, count]) => `${kind} (${count})`)
              const lost = end.unreadable + tooLong
              return Effect.andThen(
                kinds.length === 0
                  ? Effect.void
                  : Effect.logDebug(`${name} said what dd does not know: ${kinds.join(", ")}`),
                lost === 0
                  ? Effect.void
                  : onFailure.degrade({
                      step: label(task),
                      error: "CliOutputUnreadable",
                      detail: `${lost} ${lost === 1 ? "line" : "lines"} of what ${name} printed could not be read`
                    })
              )
            }

            /** What all of it came to, once nothing more is said. */
            const closing = Effect.gen(function* () {
              const code = isLeft
                ? 0
                : yield* Effect.timeoutOrElse(ended, { duration: linger, orElse: () => Effect.succeed(0) })
              const at = yield* now
              const last = take(lines.end(), at)
              const end = decoder.end(at)
              const events = [...last, ...end.events]
              const fault = faultOf(name, decoder.outcome, code, complaint)
              if (fault !== null) {
                return Stream.concat(Stream.fromIterable(events), Stream.fail(failed(fault.reason, fault.retryable)))
              }
              yield* told(end)
              const output = decoder.outcome._tag === "Answered" ? decoder.outcome.output : null
              return Stream.fromIterable([...events, result(output, at)])
            })

            const chunk = Effect.gen(function* () {
              const isAnswered = decoder.outcome._tag === "Answered"
              const bytes = yield* Effect.timeoutOrElse(next, {
                duration: isAnswered ? linger : idle,
                orElse: () => {
                  // It has said all it had to say, and need not be waited for.
                  isLeft = isAnswered
                  return isAnswered
                    ? Effect.succeed(null)
                    : Effect.fail(failed(`${name} has said nothing for too long`, true))
                }
              })
              return bytes === null ? undefined : ([take(lines.push(bytes), yield* now), null] as const)
            })

            const said = Stream.unfold(null, () => chunk).pipe(Stream.flattenIterable)
            const begun = yield* now
            const first = [promptedOf(name, begun, words), ...shownEvents(task, shown, begun), unmeasured(begun)]
            return Stream.fromIterable(first).pipe(Stream.concat(said), Stream.concat(Stream.unwrap(closing)))
          })
        )

      return Backend.of({
        name,
        model: options.model ?? "",
        fanout: options.fanout,
        execute
      })
    })
  )

const schemaText = ({ reply }: Prompt): string => JSON.stringify(reply)

const now = Effect.map(Clock.currentTimeMillis, (millis) => DateTime.formatIso(DateTime.makeUnsafe(millis)))

const result = (output: Schema.Json | null, timestamp: string) => AgentEvent.make({ _tag: "Result", timestamp, output })

/** The CLI works and has not reported any usage yet. */
const unmeasured = (timestamp: string) =>
  AgentEvent.make({
    _tag: "Metrics",
    timestamp,
    messageId: "",
    promptTokens: null,
    completionTokens: null,
    cachedTokens: null,
    reasoningTokens: null,
    costUsd: null,
    model: null
  })

export const missingProgram = (name: string, { passedOver }: NotFound): string =>
  `there is no program called ${name} on PATH${passedOver.length === 0 ? "" : `; passed over: ${passedOver.join(", ")}`}`

interface Fault {
  readonly reason: string
  readonly retryable: boolean
}

/** Why a process that has ended gave no answer that counts; null when it did. */
export const faultOf = (name: string, outcome: CliOutcome, code: number, complaint: string): Fault | null => {
  if (outcome._tag === "Failed") return outcome
  if (outcome._tag === "Answered" && code === 0) return null
  const words = lastWords(complaint)
  const because = words === "" ? "" : `: ${words}`
  if (code !== 0) {
    return {
      reason: `${name} ended with exit code ${code}${because}${oldHint(name, words)}`,
      retryable: code === killedExit || isTransientFault(words)
    }
  }
  return { reason: `${name} ended before it had answered${because}`, retryable: true }
}

/** The last lines of what was complained of. */
const lastWords = (complaint: string): string =>
  complaint
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .slice(-3)
    .join(" ")

const oldHint = (name: string, words: string): string =>
  /unknown option|unexpected argument|unrecognized (?:option|argument)|unknown argument/i.test(words)
    ? ` (this ${name} lacks an option that dd needs; a newer one has it)`
    : ""
