/** How wide a line of output may be. */
import { Effect, Terminal } from "effect"
import { pipeWidth } from "../review/render/RenderContext.ts"

/** Of the terminal; 80 for one that does not know, and says 0. */
export const columnsOf = Effect.gen(function* () {
  const columns = yield* (yield* Terminal.Terminal).columns
  return columns > 0 ? columns : 80
})

/** Of prose: nobody reads longer lines. */
export const widthOf = Effect.fnUntraced(function* (terminal: boolean) {
  return terminal ? Math.min(yield* columnsOf, 120) : pipeWidth
})
