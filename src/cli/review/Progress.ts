/**
 * Shows progress on stderr: one line for each step, with its result and duration.
 *
 * On a terminal the line of the running step is rewritten; elsewhere finished steps are plain lines, with `-v` only.
 * Errors here do not fail the run.
 */
import { Context, Effect, Ref, Schedule, Stdio, Stream } from "effect"
import type { RunEvent } from "../../domain/run/RunEvent.ts"
import { oneLine } from "../../domain/text/Printable.ts"
import { Recorder } from "../../services/run/Recorder.ts"
import { monotonicMillis } from "../../services/system/monotonicMillis.ts"
import { canShowColour } from "../system/colour.ts"
import { isDumb, lineWidth } from "../system/terminal.ts"
import { cut } from "../text/Page.ts"

export interface ProgressOptions {
  readonly terminal: boolean
  readonly colour: boolean
  readonly verbose: boolean
  readonly quiet: boolean
  /** Columns of the terminal: a rewritten line must fit in one line. */
  readonly width: number
}

/** The running steps, and their agents together. */
interface Running {
  readonly since: ReadonlyMap<string, number>
  readonly agents: number
  readonly done: number
}

const idle: Running = { since: new Map(), agents: 0, done: 0 }

/** While a question is on the terminal, the running step is not drawn over it. */
export const Questions = Context.Reference<{ open: boolean }>("dd/cli/Progress/Questions", {
  defaultValue: () => ({ open: false })
})

const eraseLine = "\r\u001b[2K"

/** Writes to stderr; ignores a closed stderr. */
export const writeError = (text: string) =>
  Stdio.Stdio.use((stdio) => Stream.run(Stream.make(text), stdio.stderr({ endOnDone: false }))).pipe(
    Effect.catch(() => Effect.void)
  )

export const make = Effect.fnUntraced(function* (options: ProgressOptions) {
  const stdio = yield* Stdio.Stdio
  const questions = yield* Questions
  const running = yield* Ref.make(idle)
  const live = options.terminal && !options.quiet
  const plain = !options.terminal && options.verbose
  if (!live && !plain) return Recorder.watching(() => Effect.void)

  const write = (text: string) => Effect.provideService(writeError(text), Stdio.Stdio, stdio)
  const dim = (text: string) => (options.colour ? `\u001b[2m${text}\u001b[22m` : text)

  const redraw = Effect.gen(function* () {
    const at = yield* Ref.get(running)
    if (at.since.size === 0 || !live || questions.open) return
    const elapsed = (yield* monotonicMillis) - Math.min(...at.since.values())
    const agents = at.agents > 1 ? `${at.done} of ${at.agents} agents` : ""
    const words = `  ${[...at.since.keys()].join(", ").padEnd(20)} ${agents}  ${seconds(elapsed)}`
    yield* write(eraseLine + dim(cut(words, options.width - 1)))
  })

  if (live) {
    yield* Effect.addFinalizer(() =>
      Effect.flatMap(Ref.getAndSet(running, idle), ({ since }) => (since.size === 0 ? Effect.void : write(eraseLine)))
    )
    yield* redraw.pipe(Effect.repeat(Schedule.spaced("200 millis")), Effect.forkScoped)
  }

  const line = (name: string, words: string, elapsed: number | null) => {
    const time = elapsed === null ? "" : `  ${dim(seconds(elapsed))}`
    const room = live ? options.width - 1 : Number.POSITIVE_INFINITY
    return `${live ? eraseLine : ""}${cut(`  ${name.padEnd(20)} ${oneLine(words)}`, room)}${time}\n`
  }

  const show = Effect.fnUntraced(function* (event: RunEvent) {
    const now = yield* monotonicMillis
    switch (event._tag) {
      case "StepStarted":
        yield* Ref.update(running, (at) => ({ ...at, since: new Map([...at.since, [event.step, now]]) }))
        return yield* redraw
      case "AgentStarted":
        yield* Ref.update(running, (at) => ({ ...at, agents: at.agents + 1 }))
        return yield* redraw
      case "AgentEnded":
        yield* Ref.update(running, (at) => ({ ...at, done: at.done + 1 }))
        return yield* redraw
      case "StepEnded": {
        const at = yield* Ref.getAndUpdate(running, (all) => without(all, event.step))
        const since = at.since.get(event.step)
        // A step without a summary is shown with -v only.
        if (event.summary === "" && !options.verbose) return yield* live ? write(eraseLine) : Effect.void
        return yield* write(line(event.step, event.summary, since === undefined ? null : now - since))
      }
      case "StepSkipped":
        return yield* options.verbose && event.planned !== true
          ? write(line(event.step, `skipped: ${event.reason}`, null))
          : Effect.void
      default:
        return
    }
  })

  return Recorder.watching(show)
})

/** Shows the step that runs on a terminal; null: none. */
export const withSteps = <A, E, R>(
  run: (show: (step: string | null) => Effect.Effect<void>) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const terminal = (yield* (yield* Stdio.Stdio).stderrIsTerminal) && !(yield* isDumb)
    const { record } = yield* make({
      terminal,
      colour: terminal && (yield* canShowColour(2)),
      verbose: false,
      quiet: false,
      width: yield* lineWidth(terminal)
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

/** Shows on a terminal that one step runs. */
export const during =
  (step: string) =>
  <A, E, R>(work: Effect.Effect<A, E, R>) =>
    withSteps((show) => Effect.andThen(show(step), work))

const without = (all: Running, step: string): Running => {
  const since = new Map([...all.since].filter(([name]) => name !== step))
  return since.size === 0 ? idle : { ...all, since }
}

const seconds = (millis: number): string =>
  millis < 1000 ? `${Math.round(millis)} ms` : `${(millis / 1000).toFixed(1)} s`
