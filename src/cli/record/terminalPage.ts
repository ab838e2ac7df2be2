/** The width and the colours of a text on standard output. */
import { Effect, Stdio } from "effect"
import { canShowColour } from "../system/colour.ts"
import { lineWidth } from "../system/terminal.ts"
import { inkFor } from "../text/Ink.ts"

export const terminalPage = Effect.gen(function* () {
  const isTerminal = yield* (yield* Stdio.Stdio).stdoutIsTerminal
  const width = Math.max(40, yield* lineWidth(isTerminal))
  return { width, ink: inkFor(yield* canShowColour(1)) }
})
