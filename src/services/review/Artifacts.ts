/**
 * The files a run leaves under `.daydream/`, by the names of the seed. Every write is whole or absent.
 *
 * A port: `layers/review/artifacts/Directory.ts` writes them, `None.ts` is used when there is no place for them.
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
    /** Where `deep/`, `exploration/` and `diff.patch` are; null when nothing is kept. */
    readonly directory: string | null
    /** Where this run alone writes (`runs/<session>`); null when nothing is kept. */
    readonly runDirectory: string | null
    /** What the reader should know of the place: another review is running here, nothing can be written, or null. */
    readonly notice: string | null
    /** True when files were wanted and cannot be kept. */
    readonly refused: boolean
    /** `name` is relative to `directory`, with forward slashes: `deep/intent.md`. */
    readonly write: (name: string, content: string | Uint8Array) => Effect.Effect<void, ArtifactNotWritten>
    readonly read: (name: string) => Effect.Effect<Option.Option<string>, ArtifactUnreadable>
    /** Removes a file or a directory with all in it; absent is fine. */
    readonly remove: (name: string) => Effect.Effect<void, ArtifactNotWritten>
    /** Names of the files in a directory, sorted; empty when it is absent. */
    readonly list: (name: string) => Effect.Effect<ReadonlyArray<string>, ArtifactUnreadable>
  }
>()("dd/services/review/Artifacts") {}
