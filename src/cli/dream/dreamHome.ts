import { Effect, Runtime, Schema } from "effect"
import { daydreamHome } from "../../services/run/Settings.ts"

export class DreamUsage extends Schema.TaggedError<DreamUsage>()("DreamUsage", { reason: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 2
  override get message() {
    return this.reason
  }
}

/** dd's own directory; without one there are no recorded sessions. */
export const dreamHome = Effect.gen(function* () {
  const home = yield* daydreamHome
  return home ?? (yield* new DreamUsage({ reason: "there is no home directory: set HOME or DD_HOME" }))
})
