import { Runtime, Schema } from "effect"

/** A backend that was chosen cannot be used here; the reason contains what would change that. */
export class BackendNotReady extends Schema.TaggedError<BackendNotReady>()("BackendNotReady", {
  backend: Schema.String,
  reason: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 2
  override get message() {
    return `--backend ${this.backend}: ${this.reason}`
  }
}
