/**
 * A coding CLI as a backend, or as one that answers a question: one process for each task, with the prompt on its standard
 * input; its output is read line by line.
 *
 * It is found on PATH but never in the repository under review, runs in a copy of the head side with a separate
 * environment, and ends with its process group when the stream ends. If it prints nothing for `CliIdle`, it has
 * stalled. Unreadable lines are reported and do not fail the answer. `Agent` decides about retries.
 */
import { Clock, Context, DateTime, type Duration, Effect, FileSystem, Layer, Path, Stream } from "effect"
import type { JsonSchema } from "../../../../domain/agent/ModelTurn.ts"
import { shownEvents } from "../../../../domain/agent/SeenCollector.ts"
import { label, type Task } from "../../../../domain/agent/Task.ts"
import type { ModelRoom } from "../../../../domain/pack/ModelRoom.ts"
import { AgentEvent, promptedOf } from "../../../../domain/run/AgentEvent.ts"
import type { Effort } from "../../../../domain/run/BackendChoice.ts"
import { TextLines } from "../../../../domain/text/TextLines.ts"
import type { Prompt } from "../../../../prompts/Prompt.ts"
import { Backend, BackendFailed, BackendUnavailable } from "../../../../services/agent/Backend.ts"
import { PromptBuilder } from "../../../../services/agent/PromptBuilder.ts"
import { Respondent } from "../../../../services/agent/Respondent.ts"
import type { Sources } from "../../../../services/change/Sources.ts"
import { FailPolicy } from "../../../../services/run/FailPolicy.ts"
import type { Redactor } from "../../../../services/secret/Redactor.ts"
import { Subprocess } from "../../../../services/system/Subprocess.ts"
import type { CliDecoder, CliEnd } from "./CliDecoder.ts"
import { childEnvironment } from "./childEnvironment.ts"
import { cliFault, missingProgram } from "./cliFault.ts"
import type { FixTask } from "./FixCopy.ts"
import * as FixCopy from "./FixCopy.ts"
import { type Found, findProgram, type NotFound } from "./findProgram.ts"
import type { HeadFiles } from "./HeadCopy.ts"
import * as HeadCopy from "./HeadCopy.ts"

/** The differences between CLIs. */
export interface Cli {
  readonly name: string
  /** Additional environment variables of the CLI, depending on the user's settings. */
  readonly variables: Effect.Effect<ReadonlyArray<string>>
  /** Environment variables that dd sets. */
  readonly fixed: Readonly<Record<string, string>>
  readonly call: (prompt: CallInput) => Call
  /** A program of the CLI that restricts its tools to one file, if the CLI itself cannot. */
  readonly guard?: (file: WritableFile) => string
  readonly decoder: () => CliDecoder
}

export interface CallInput {
  readonly system: string
  readonly user: string
  readonly tools: Prompt["tools"]
  /** The shape of the answer, also as a file; null: prose. */
  readonly reply: { readonly schema: JsonSchema; readonly file: string } | null
  readonly directory: string
  /** The only file that the CLI may write, with the file of its guard; null: it only reads. */
  readonly writable: (WritableFile & { readonly guard: string }) | null
}

export interface WritableFile {
  /** In the directory of the CLI. */
  readonly relative: string
  readonly absolute: string
}

export interface Call {
  readonly arguments: ReadonlyArray<string>
  readonly input: string
}

export interface CliOptions {
  /** The CLI's name of it; null: the CLI's default. */
  readonly model: string | null
  readonly effort: Effort | null
  readonly fanout: number
  /** dd's own directory. */
  readonly home: string | null
  /** The root of the repository under review; null if there is none. */
  readonly reviewed: string | null
  readonly changed: ReadonlyArray<string>
  /** Changed paths of the base side. */
  readonly before: ReadonlyArray<string>
}

/** How long a CLI may print nothing. */
export const CliIdle = Context.Reference<Duration.Input>("dd/layers/backend/CliIdle", {
  defaultValue: () => "10 minutes"
})

/** The time that a CLI has to end after its answer. */
export const CliLinger = Context.Reference<Duration.Input>("dd/layers/backend/CliLinger", {
  defaultValue: () => "5 seconds"
})

/** How many characters of standard error are kept to explain a failure. */
const keptErrors = 4000

/** The limit of one argument of a process (Linux: 128 KiB). */
export const longestArgument = 96_000

/** A CLI found on PATH, with a copy of the files it reads. */
interface Installed {
  readonly cli: Cli
  readonly options: CliOptions
  readonly program: Effect.Effect<Found | NotFound>
  readonly copy: Effect.Success<ReturnType<typeof HeadCopy.make>>
}

/** What one process is asked. */
interface Work {
  /** For messages about it. */
  readonly name: string
  readonly tools: Prompt["tools"]
  /** The task for which the CLI may write; null: it only reads. */
  readonly fix: FixTask | null
  /** The shape of the answer, and the name of its file; null: prose. */
  readonly reply: { readonly schema: JsonSchema; readonly fileName: string } | null
  readonly wordsFor: (files: HeadFiles) => CliPrompt
  /** Events before those of the CLI. */
  readonly shown: (at: string) => ReadonlyArray<AgentEvent>
}

type Surroundings = FailPolicy | FileSystem.FileSystem | Path.Path | Redactor | Sources | Subprocess

const installed = Effect.fnUntraced(function* (cli: Cli, options: CliOptions) {
  const services = yield* Effect.context<Surroundings>()
  const copy = yield* HeadCopy.make(options)
  const program = yield* Effect.cached(Effect.provide(findProgram(cli.name, options.reviewed), services))
  const all: Installed = { cli, options, program, copy }
  return (work: Effect.Effect<Work>) => Stream.provide(Stream.unwrap(Effect.map(work, (it) => run(all, it))), services)
})

export const layer = (cli: Cli, options: CliOptions) =>
  Layer.effect(
    Backend,
    Effect.gen(function* () {
      const { promptFor } = yield* PromptBuilder
      const running = yield* installed(cli, options)
      return Backend.of({
        name: cli.name,
        model: options.model ?? "",
        fanout: options.fanout,
        execute: (task, repair) =>
          running(Effect.map(promptFor(task, repair ?? null), (prompt) => workOf(task, prompt)))
      })
    })
  )

const workOf = (task: Task, prompt: Prompt): Work => ({
  name: label(task),
  tools: prompt.tools,
  fix: task._tag === "Fix" && prompt.tools === "write" ? task : null,
  reply: { schema: prompt.submit.reply, fileName: `${prompt.task}.schema.json` },
  wordsFor: (files) => cliPrompt(prompt, files),
  shown: (at) => shownEvents(task, prompt.shown, at)
})

/** `room`: of its model; null if it is not known. */
export const respondent = (cli: Cli, options: CliOptions, room: ModelRoom | null) =>
  Effect.map(installed(cli, options), (running) =>
    Respondent.of({
      name: cli.name,
      model: options.model ?? "",
      room,
      execute: (question) =>
        running(
          Effect.succeed({
            name: "the question",
            tools: "none",
            fix: null,
            reply: null,
            wordsFor: () => question,
            shown: () => []
          })
        )
    })
  )

const start = Effect.fnUntraced(function* (
  { cli, copy, options, program }: Installed,
  { fix, reply, tools, wordsFor }: Work,
  onErrors: (text: string) => void
) {
  const fs = yield* FileSystem.FileSystem
  const unavailable = (cause: unknown) => new BackendUnavailable({ backend: cli.name, cause })
  const found = yield* program
  if (found._tag === "NotFound") return yield* unavailable(missingProgram(cli.name, found))
  const fixCopy = fix === null ? null : yield* Effect.mapError(FixCopy.make(fix, options), failedBy(cli))
  const files = fixCopy?.files ?? (yield* Effect.mapError(tools === "none" ? copy.bare : copy.files, unavailable))
  const { join } = yield* Path.Path
  const shape = reply === null ? null : { schema: reply.schema, file: join(files.own, reply.fileName) }
  if (shape !== null) {
    yield* Effect.mapError(fs.writeFileString(shape.file, schemaText(shape.schema), { mode: 0o600 }), unavailable)
  }
  const { directory } = files
  const writable =
    fix === null
      ? null
      : { relative: fix.path, absolute: join(directory, fix.path), guard: join(files.own, "guard.mjs") }
  if (writable !== null && cli.guard !== undefined) {
    yield* Effect.mapError(fs.writeFileString(writable.guard, cli.guard(writable), { mode: 0o600 }), unavailable)
  }
  const words = wordsFor(files)
  const call = cli.call({
    system: words.system.join("\n\n"),
    user: words.user.join("\n\n"),
    tools,
    reply: shape,
    directory,
    writable
  })
  const environment = yield* childEnvironment(yield* cli.variables, found.searched, cli.fixed)
  const decoder = new TextDecoder()
  const process = yield* Effect.mapError(
    (yield* Subprocess).listen({
      program: found.path,
      arguments: call.arguments,
      directory,
      environment,
      input: new TextEncoder().encode(call.input),
      onStderr: (chunk) => onErrors(decoder.decode(chunk, { stream: true }))
    }),
    unavailable
  )
  return { ...process, words, bringBack: fixCopy?.bringBack ?? Effect.succeed([]) }
})

/** Runs one process and decodes its output. */
const run = (all: Installed, work: Work) =>
  Stream.unwrap(
    Effect.gen(function* () {
      const { cli } = all
      const [idle, linger] = [yield* CliIdle, yield* CliLinger]
      let errors = ""
      const { bringBack, ended, next, words } = yield* start(all, work, (text) => {
        errors = (errors + text).slice(-keptErrors)
      })
      const lines = new TextLines()
      const decoder = cli.decoder()
      let tooLong = 0
      let isAbandoned = false
      const failed = (reason: string, retryable: boolean) =>
        new BackendFailed({ backend: cli.name, retryable, cause: reason })

      const take = (found: ReadonlyArray<string | null>, at: string) =>
        found.flatMap((line) => {
          if (line !== null) return decoder.take(line, at)
          tooLong++
          return []
        })

      const chunk = Effect.gen(function* () {
        const isAnswered = decoder.outcome._tag === "Answered"
        const bytes = yield* Effect.timeoutOrElse(next, {
          duration: isAnswered ? linger : idle,
          orElse: () => {
            // After its answer, nothing more is needed.
            isAbandoned = isAnswered
            return isAnswered
              ? Effect.succeed(null)
              : Effect.fail(failed(`${cli.name} printed nothing for too long`, true))
          }
        })
        return bytes === null ? undefined : ([take(lines.push(bytes), yield* now), null] as const)
      })

      const closing = Effect.gen(function* () {
        const code = isAbandoned
          ? 0
          : yield* Effect.timeoutOrElse(ended, { duration: linger, orElse: () => Effect.succeed(0) })
        const at = yield* now
        const last = take(lines.end(), at)
        const end = decoder.end(at)
        const events = Stream.fromIterable([...last, ...end.events])
        const fault = cliFault(cli.name, decoder.outcome, code, errors)
        if (fault !== null) return Stream.concat(events, Stream.fail(failed(fault.reason, fault.retryable)))
        yield* reportDropped(cli.name, work.name, yield* Effect.mapError(bringBack, failedBy(cli)))
        yield* reportUnreadable(cli.name, work.name, { ...end, unreadable: end.unreadable + tooLong })
        const output = decoder.outcome._tag === "Answered" ? decoder.outcome.output : null
        return Stream.concat(events, Stream.make(AgentEvent.make({ _tag: "Result", timestamp: at, output })))
      })

      const begun = yield* now
      const first = [promptedOf(cli.name, begun, words), ...work.shown(begun), unmeasured(begun)]
      return Stream.fromIterable(first).pipe(
        Stream.concat(Stream.flattenIterable(Stream.unfold(null, () => chunk))),
        Stream.concat(Stream.unwrap(closing))
      )
    })
  )

const failedBy = (cli: Cli) => (cause: Error) => new BackendFailed({ backend: cli.name, retryable: false, cause })

/** A fix has one file. */
const reportDropped = Effect.fnUntraced(function* (name: string, step: string, dropped: ReadonlyArray<string>) {
  if (dropped.length === 0) return
  const shown = dropped.slice(0, mostNamed).join(", ")
  const more = dropped.length > mostNamed ? ` and ${dropped.length - mostNamed} more` : ""
  const detail = `${name} also changed ${shown}${more}; these changes are dropped`
  yield* (yield* FailPolicy).degrade({ step, error: "EditsDropped", detail })
})

const mostNamed = 5

/** Unknown kinds of lines are only logged; unreadable lines degrade the task. */
const reportUnreadable = Effect.fnUntraced(function* (
  name: string,
  step: string,
  { unknown, unreadable }: Pick<CliEnd, "unknown" | "unreadable">
) {
  const kinds = [...unknown].map(([kind, count]) => `${kind} (${count})`)
  if (kinds.length > 0)
    yield* Effect.logDebug(`${name} printed kinds of lines that dd does not know: ${kinds.join(", ")}`)
  if (unreadable === 0) return
  const detail = `${unreadable} ${unreadable === 1 ? "line" : "lines"} printed by ${name} could not be read`
  yield* (yield* FailPolicy).degrade({ step, error: "CliOutputUnreadable", detail })
})

const now = Effect.map(Clock.currentTimeMillis, (millis) => DateTime.formatIso(DateTime.makeUnsafe(millis)))

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

const schemaText = (schema: JsonSchema): string => JSON.stringify(schema)

/** A task's prompt as texts for a coding CLI: its role, the task, its directory, the form of the answer. */
interface CliPrompt {
  readonly system: ReadonlyArray<string>
  readonly user: ReadonlyArray<string>
}

const cliPrompt = (prompt: Prompt, files: HeadFiles): CliPrompt => ({
  system: prompt.system,
  user: [...prompt.user.map(({ plain, text }) => plain ?? text), place(prompt, files), answer]
})

const place = ({ tools }: Prompt, { before, omitted, written }: HeadFiles): string => {
  if (tools === "none") return "Answer from the text above; there are no files to read."
  if (tools === "write") {
    return "Your current directory is a copy of the working tree, without history and without secrets; not every file is in it. Edit the file to fix there, with your tools for editing. Changes to other files are dropped. Keep lines with [REDACTED_...] as they are. Run nothing."
  }
  if (written === 0) return "There are no files to read: use only the text above."
  const missing =
    omitted === 0 ? "" : ` ${omitted} others are left out: too many, too large, not text, or settings of tools.`
  const earlier =
    before === 0 ? "" : ` \`${HeadCopy.beforeFolder}\` has changed files as they were before it, for comparison only.`
  return `Your current directory contains ${written} files in their state after the change, without history.${missing}${earlier} Read and search there, with your own tools, what is not shown above; change nothing and run nothing. Paths in your answer are relative to this directory, as in the diff.`
}

/** The form is in the prompt of every backend. */
const answer = "When you are done, answer with the JSON object alone, without other text and without a code fence."
