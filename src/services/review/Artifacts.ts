/**
 * The files that a run leaves under `.daydream/`. Every write is atomic.
 *
 * A port: `layers/review/artifacts/Directory.ts` writes them; `None.ts` is used if there is no directory for them.
 */
import { Context, type Effect, type Option, Schema } from "effect"

export class ArtifactNotWritten extends Schema.TaggedError<ArtifactNotWritten>()("ArtifactNotWritten", {
  name: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.name} was not written: ${this.reason}`
  }
}

export class ArtifactUnreadable extends Schema.TaggedError<ArtifactUnreadable>()("ArtifactUnreadable", {
  name: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.name} could not be read: ${this.reason}`
  }
}

export class Artifacts extends Context.Service<
  Artifacts,
  {
    /** The directory of `deep/`, `exploration/` and `diff.patch`; null if nothing is kept. */
    readonly directory: string | null
    /** The directory of this run only (`runs/<session>`); null if nothing is kept. */
    readonly runDirectory: string | null
    /** A notice for the user: another review is running here, or nothing can be written; null if there is none. */
    readonly notice: string | null
    /** True if artifacts were requested but cannot be kept. */
    readonly refused: boolean
    /** `name` is relative to `directory`, with forward slashes: `deep/intent.md`. */
    readonly write: (name: string, content: string | Uint8Array) => Effect.Effect<void, ArtifactNotWritten>
    readonly read: (name: string) => Effect.Effect<Option.Option<string>, ArtifactUnreadable>
    /** Removes a file or a directory with its content; succeeds if absent. */
    readonly remove: (name: string) => Effect.Effect<void, ArtifactNotWritten>
    /** Names of the files in a directory, sorted; empty if it is absent. */
    readonly list: (name: string) => Effect.Effect<ReadonlyArray<string>, ArtifactUnreadable>
  }
>()("dd/services/review/Artifacts") {}
