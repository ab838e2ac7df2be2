/** The capabilities of the terminal: width, colours, rewritten lines. */
import { Config, Effect, Terminal } from "effect"
import { TerminalCapabilities } from "effect/cli"
import { pipeWidth } from "../review/render/RenderContext.ts"

/** 80 if the terminal reports 0, as in many containers. */
export const terminalColumns = Effect.gen(function* () {
  const columns = yield* (yield* Terminal.Terminal).columns
  return columns > 0 ? columns : 80
})

/** Of prose: longer lines are hard to read. */
export const lineWidth = Effect.fnUntraced(function* (terminal: boolean) {
  return terminal ? Math.min(yield* terminalColumns, 120) : pipeWidth
})

export const canShowColour = Effect.map(TerminalCapabilities.TerminalCapabilities, ({ canColor }) => canColor)

/** A terminal that cannot rewrite a line. */
export const isDumb = Config.String("TERM").pipe(
  Effect.map((term) => term === "dumb"),
  Effect.orElseSucceed(() => false)
)
