import { Runtime, Schema } from "effect"

/** A chosen backend cannot be used here; the reason includes a remedy. */
export class BackendNotReady extends Schema.TaggedError<BackendNotReady>()("BackendNotReady", {
  backend: Schema.String,
  reason: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 2
  override get message() {
    return `--backend ${this.backend}: ${this.reason}`
  }
}
