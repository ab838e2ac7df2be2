import { Runtime, Schema } from "effect"

/** A command cannot do what it was called for; the reason says why, or what to do. */
export class CallRefused extends Schema.TaggedError<CallRefused>()("CallRefused", { reason: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 2
  override get message() {
    return this.reason
  }
}
