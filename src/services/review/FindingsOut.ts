/** Writes the findings of a run to one file for another command, atomically. A path that cannot be written is an error. */
import { Context, Effect, FileSystem, Layer, Path, Schema } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import { findingsArtifactOf, type PullRequestName, type Reported } from "../../domain/review/FindingsArtifact.ts"
import { Sources } from "../change/Sources.ts"
import { FailPolicy } from "../run/FailPolicy.ts"
import { Redactor } from "../secret/Redactor.ts"
import { systemErrorText } from "../system/systemErrorText.ts"
import { writeWhole } from "../system/writeWhole.ts"

export class FindingsNotWritten extends Schema.TaggedError<FindingsNotWritten>()("FindingsNotWritten", {
  path: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `the findings could not be written to ${this.path}: ${this.reason}`
  }
}

export class FindingsOut extends Context.Service<
  FindingsOut,
  {
    readonly write: (path: string, change: Change, reported: Reported) => Effect.Effect<void, FindingsNotWritten>
  }
>()("dd/services/review/FindingsOut") {
  static readonly layer = (pullRequest: PullRequestName | null) =>
    Layer.effect(
      FindingsOut,
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const redactor = yield* Redactor
        const onFailure = yield* FailPolicy
        const sources = yield* Sources
        const platform = Context.make(FileSystem.FileSystem, fs).pipe(Context.add(Path.Path, yield* Path.Path))

        const write = Effect.fn("FindingsOut.write")(function* (path: string, change: Change, reported: Reported) {
          // What could not be read is degraded only at the end of the run.
          const missing = [...(yield* onFailure.degraded), ...(yield* sources.failures)]
          const isComplete = missing.every(({ unchecked }) => unchecked === undefined)
          const artifact = findingsArtifactOf(change, pullRequest, reported, isComplete, redactor.text)
          yield* writeWhole(path, documentOf(artifact)).pipe(
            Effect.provideContext(platform),
            Effect.mapError((error) => new FindingsNotWritten({ path, reason: systemErrorText(error) }))
          )
        })

        return FindingsOut.of({ write })
      })
    )
}

const documentOf = (value: object): string => `${JSON.stringify(value, null, 2)}\n`
