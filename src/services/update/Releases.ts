/** Published releases. A port: the network is behind it. */
import { Context, type Effect, Runtime, Schema } from "effect"

export class ReleasesUnreachable extends Schema.TaggedError<ReleasesUnreachable>()("ReleasesUnreachable", {
  address: Schema.String,
  detail: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 3
  override get message() {
    return `${this.address} could not be read: ${this.detail}; nothing was changed`
  }
}

export class Releases extends Context.Service<
  Releases,
  {
    /** SHA256SUMS of the newest release. */
    readonly newestSums: Effect.Effect<string, ReleasesUnreachable>
    /** A file of a release, whole. */
    readonly file: (version: string, name: string) => Effect.Effect<Uint8Array, ReleasesUnreachable>
  }
>()("dd/services/update/Releases") {}
