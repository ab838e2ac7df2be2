/** Reads and writes the baseline at a path chosen by the user, without the restrictions for the reviewed repository. */

import { Effect, FileSystem, Result, Runtime, Schema } from "effect"
import { baselineText, readBaseline } from "../../domain/finding/Baseline.ts"
import type { Finding } from "../../domain/finding/Finding.ts"
import { Redactor } from "../secret/Redactor.ts"
import { systemErrorText } from "../system/systemErrorText.ts"
import { writeWhole } from "../system/writeWhole.ts"

export class BaselineUnreadable extends Schema.TaggedError<BaselineUnreadable>()("BaselineUnreadable", {
  path: Schema.String,
  missing: Schema.Boolean,
  cause: Schema.Defect()
}) {
  override get message() {
    return this.missing
      ? `no baseline at ${this.path}; create one with dd review --write-baseline`
      : `the baseline ${this.path} could not be read: ${systemErrorText(this.cause)}`
  }
}

export class BaselineInvalid extends Schema.TaggedError<BaselineInvalid>()("BaselineInvalid", {
  path: Schema.String,
  line: Schema.Int,
  problem: Schema.String
}) {
  override get message() {
    return `${this.path}:${this.line}: ${this.problem}`
  }
}

export class BaselineUnwritable extends Schema.TaggedError<BaselineUnwritable>()("BaselineUnwritable", {
  path: Schema.String,
  cause: Schema.Defect()
}) {
  /** The command was valid but could not run. */
  override readonly [Runtime.errorExitCode] = 3
  override get message() {
    return `the baseline ${this.path} could not be written: ${systemErrorText(this.cause)}`
  }
}

/** The fingerprints in the file. */
export const baselineIn = Effect.fn("BaselineFile.read")(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const text = yield* fs
    .readFileString(path)
    .pipe(
      Effect.mapError((cause) => new BaselineUnreadable({ path, missing: cause.reason._tag === "NotFound", cause }))
    )
  const known = readBaseline(text)
  if (Result.isFailure(known)) return yield* new BaselineInvalid({ path, ...known.failure })
  return known.success
})

/** Replaces the file atomically: a reader sees the old or the new one. */
export const writeBaseline = Effect.fn("BaselineFile.write")(
  function* (path: string, findings: ReadonlyArray<Finding>) {
    yield* writeWhole(path, baselineText(findings, (yield* Redactor).text))
  },
  (self, path) => Effect.mapError(self, (cause) => new BaselineUnwritable({ path, cause }))
)
