/** The capabilities of the terminal: width, rewritten lines. */
import { Config, Effect, Stdio, Terminal } from "effect"
import { onCi } from "../../services/run/onCi.ts"
import { folded } from "../text/Page.ts"

/** 80 if the terminal reports 0, as in many containers. */
export const terminalColumns = Effect.gen(function* () {
  const columns = yield* (yield* Terminal.Terminal).columns
  return columns > 0 ? columns : 80
})

/** Of prose: longer lines are hard to read. Without a terminal lines do not break, so that a sentence can be searched for. */
export const lineWidth = Effect.fnUntraced(function* (terminal: boolean) {
  return terminal ? Math.min(yield* terminalColumns, 120) : Number.POSITIVE_INFINITY
})

/** Of the help. */
export const helpWidth = Effect.gen(function* () {
  const columns = yield* (yield* Terminal.Terminal).columns
  return columns > 0 ? Math.max(40, Math.min(columns, 100)) : 80
})

/** Of a table; in a pipe it has all columns. */
export const tableWidth = Effect.gen(function* () {
  const terminal = yield* (yield* Stdio.Stdio).stdoutIsTerminal
  return terminal ? yield* terminalColumns : Number.POSITIVE_INFINITY
})

/** For a text that is not printed by `Console.log`: on a terminal its lines break between words. */
export const fitted = Effect.fnUntraced(function* (text: string) {
  const isTerminal = yield* (yield* Stdio.Stdio).stdoutIsTerminal
  return isTerminal ? folded(text, yield* terminalColumns) : text
})

/**
 * Erases progress: all from the line of the cursor to the end of the screen. The screen is erased from the second column on,
 * because tmux keeps a screen that is erased as a whole in its history.
 */
export const eraseProgress = "\r\u001b[K\u001b[C\u001b[J\r"

const isDumb = Config.String("TERM").pipe(
  Effect.map((term) => term === "dumb"),
  Effect.orElseSucceed(() => false)
)

/** Is standard error a terminal on which lines can be rewritten? Services for continuous integration only record what is printed. */
export const canRedraw = Effect.gen(function* () {
  const { stderrIsTerminal } = yield* Stdio.Stdio
  return (yield* stderrIsTerminal) && !(yield* isDumb) && !(yield* onCi)
})
