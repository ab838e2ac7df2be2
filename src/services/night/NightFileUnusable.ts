/** A file of what nights learned, or of the report of a night, that could not be read or written. */
import { Runtime, Schema } from "effect"
import { systemErrorText } from "../system/systemErrorText.ts"

export class NightFileUnusable extends Schema.TaggedError<NightFileUnusable>()("NightFileUnusable", {
  path: Schema.String,
  reason: Schema.String,
  /** What to do first, for the report of a night. Absent: the reason says it, or nothing is known. */
  remedy: Schema.optionalKey(Schema.String)
}) {
  override readonly [Runtime.errorExitCode] = 3
  override get message() {
    return `${this.path} could not be used: ${this.reason}`
  }

  /** For what failed with this file; an error that names a file stays as it is. */
  static readonly of = (path: string) => (error: unknown) =>
    error instanceof NightFileUnusable ? error : new NightFileUnusable({ path, reason: systemErrorText(error) })
}
