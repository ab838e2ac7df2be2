import { Effect } from "effect"
import { daydreamHome } from "../../services/run/Settings.ts"
import { CallRefused } from "../system/CallRefused.ts"

/** dd's own directory; without one there are no recorded sessions. */
export const dreamHome = Effect.gen(function* () {
  const home = yield* daydreamHome
  return home ?? (yield* new CallRefused({ reason: "there is no home directory: set HOME or DD_HOME" }))
})
