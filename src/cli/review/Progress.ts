/**
 * Shows progress on stderr: on a terminal one region of at most two lines that is redrawn and erased at the end, elsewhere
 * a plain line every ten seconds. With `-v`, a line for each step and each reviewer with its result and duration.
 *
 * The cursor stays at the start of the region, so that the next output can erase it. A terminal that becomes so narrow that
 * the region leaves its top keeps a part. Errors here do not fail the run.
 */
import { Context, Effect, Schedule, Stdio, Stream } from "effect"
import type { RunEvent } from "../../domain/run/RunEvent.ts"
import { oneLine } from "../../domain/text/Printable.ts"
import { columnsOf } from "../../layers/system/terminal.ts"
import { FileCounts } from "../../services/change/progress/FileCounts.ts"
import { Recorder } from "../../services/run/Recorder.ts"
import { Redactor } from "../../services/secret/Redactor.ts"
import { monotonicMillis } from "../../services/system/monotonicMillis.ts"
import { canShowColour } from "../system/colour.ts"
import { canRedraw, eraseProgress } from "../system/terminal.ts"
import { cut, folded } from "../text/Page.ts"
import { answerLines, logText } from "./detailedLog.ts"
import { afterEvent, elapsedWords, makeChoice, noWork, stepOf, type Work, wordsOf } from "./progressWords.ts"

export interface ProgressOptions {
  /** A terminal that can rewrite lines. */
  readonly terminal: boolean
  readonly colour: boolean
  readonly verbose: boolean
  readonly quiet: boolean
  /** Of the terminal, which may be resized. */
  readonly columns: () => number
  /** The start of the command, in monotonic milliseconds; absent: now. */
  readonly startedAt?: number | undefined
}

/** While a question is on the terminal, progress is not drawn over it. */
export const Questions = Context.Reference<{ open: boolean }>("dd/cli/Progress/Questions", {
  defaultValue: () => ({ open: false })
})

/** The region appears when a command has taken so long (ms), and is redrawn this often. */
const patience = 300
const redrawn = "100 millis"
/** Writes to stderr; ignores a closed stderr. */
export const writeError = (text: string) =>
  Stdio.Stdio.use((stdio) => Stream.run(Stream.make(text), stdio.stderr({ endOnDone: false }))).pipe(
    Effect.catch(() => Effect.void)
  )

export const make = Effect.fnUntraced(function* (options: ProgressOptions) {
  const { quiet, terminal, verbose } = options
  if (quiet) return Recorder.watching(() => Effect.void)
  const stdio = yield* Stdio.Stdio
  const questions = yield* Questions
  const counts = yield* FileCounts
  const { words } = yield* Redactor
  const { done: doneBefore, files: filesBefore, functions: functionsBefore } = counts
  const choose = makeChoice()
  const since = new Map<string, number>()
  const answers = new Map<number, { readonly task: string; readonly start: number; output: unknown }>()
  const startedAt = options.startedAt ?? (yield* monotonicMillis)
  let work = noWork
  let isDrawn = false

  const write = (text: string) => Effect.provideService(writeError(text), Stdio.Stdio, stdio)
  const dim = (text: string) => (options.colour ? `\u001b[2m${text}\u001b[22m` : text)

  const current = (now: number) => {
    const files = counts.files - filesBefore
    const functions = counts.functions - functionsBefore
    const shown = choose(stepOf(work), [...counts.running.values()], counts.done - doneBefore, now)
    const [first, more] = wordsOf(work, { shown, files, functions })
    return { time: elapsedWords(now - startedAt), first: oneLine(words(first)), more: oneLine(words(more)) }
  }

  const draw = Effect.gen(function* () {
    const now = yield* monotonicMillis
    if (!terminal || !isBusy(work) || questions.open || now - startedAt < patience) return
    const { first, more, time } = current(now)
    const room = options.columns() - 1
    const start = `  ${time.padStart(6)}  `
    const upper = cut(`${start}${first}`, room)
    const lower = cut(`${" ".repeat(start.length)}${more}`, room)
    isDrawn = true
    const region = more === "" ? `\r${upper}\u001b[J\r` : `\r${upper}\u001b[K\n${dim(lower)}\u001b[J\u001b[A\r`
    yield* write(`${withoutWrapping}${region}${withWrapping}`)
  })

  const erase = Effect.suspend(() => {
    if (!isDrawn) return Effect.void
    isDrawn = false
    return write(eraseProgress)
  })

  const report = Effect.gen(function* () {
    if (!isBusy(work)) return
    const { first, more, time } = current(yield* monotonicMillis)
    yield* write(`  ${time.padStart(6)}  ${first}${more === "" ? "" : `; ${more}`}\n`)
  })

  if (terminal) {
    yield* Effect.addFinalizer(() => erase)
    yield* draw.pipe(Effect.repeat(Schedule.spaced(redrawn)), Effect.forkScoped)
  } else {
    yield* report.pipe(Effect.delay("10 seconds"), Effect.repeat(Schedule.forever), Effect.forkScoped)
  }

  /** A line of the detailed log. */
  const log = (step: string, text: string, elapsed: number | null) => {
    const time = elapsed === null ? "" : `  ${dim(millisOrSeconds(elapsed))}`
    const room = terminal ? options.columns() - 1 : Number.POSITIVE_INFINITY
    const line = `${folded(logText([step, oneLine(words(text))], time), room)}\n`
    return verbose ? Effect.andThen(erase, write(line)) : Effect.void
  }

  const show = Effect.fnUntraced(function* (event: RunEvent) {
    const now = yield* monotonicMillis
    work = afterEvent(work, event)
    if (!isBusy(work)) yield* erase
    switch (event._tag) {
      case "StepStarted":
        since.set(event.step, now)
        return
      case "StepEnded":
        yield* log(event.step, event.summary, now - (since.get(event.step) ?? now))
        return yield* draw
      case "Degraded":
        return yield* log(event.step, `failed: ${event.detail === "" ? event.error : event.detail}`, null)
      case "AgentStarted":
        answers.set(event.call, { task: event.task, start: now, output: null })
        return
      case "Agent": {
        const answer = answers.get(event.call)
        if (answer !== undefined && event.event._tag === "Result") answer.output = event.event.output
        return
      }
      case "AgentEnded": {
        const { output, start, task } = answers.get(event.call) ?? { task: "", start: now, output: null }
        answers.delete(event.call)
        for (const [at, [about, text]] of answerLines(task, output).entries())
          yield* log(about, text, at === 0 ? now - start : null)
        return
      }
      default:
        return
    }
  })

  return Recorder.watching(show)
})

/** A terminal that has just become narrower must not divide a line that was drawn for its old width. */
const withoutWrapping = "\u001b[?7l"
const withWrapping = "\u001b[?7h"

const isBusy = ({ isRun, steps }: Work): boolean => isRun || steps.length > 0

/** Shows the step that runs; null: none. */
export const withSteps = <A, E, R>(
  run: (show: (step: string | null) => Effect.Effect<void>) => Effect.Effect<A, E, R>,
  since: Pick<ProgressOptions, "startedAt"> = {}
) =>
  Effect.gen(function* () {
    const terminal = yield* canRedraw
    const { record } = yield* make({
      terminal,
      colour: terminal && (yield* canShowColour(2)),
      verbose: false,
      quiet: false,
      columns: terminalColumns,
      ...since
    })
    let before: string | null = null
    return yield* run((step) =>
      Effect.gen(function* () {
        if (before !== null) yield* record({ _tag: "StepEnded", step: before, summary: "" })
        before = step
        if (step !== null) yield* record({ _tag: "StepStarted", step })
      })
    )
  }).pipe(Effect.scoped)

/** Shows that one step runs. */
export const during =
  (step: string, since: Pick<ProgressOptions, "startedAt"> = {}) =>
  <A, E, R>(work: Effect.Effect<A, E, R>) =>
    withSteps((show) => Effect.andThen(show(step), work), since)

/** Of standard error. */
export const terminalColumns = (): number => columnsOf(2) ?? 80

const millisOrSeconds = (millis: number): string => (millis < 1000 ? `${Math.round(millis)} ms` : elapsedWords(millis))
