/** The plan of changing files of the user, which is on disk while they are changed. */
import { Schema } from "effect"
import { ProcessIdentity } from "../system/ProcessIdentity.ts"

const Bytes = Schema.NullOr(Schema.Uint8ArrayFromBase64)

/** Null: absent. */
export const PlannedFile = Schema.Struct({ path: Schema.String, before: Bytes, after: Bytes })
export type PlannedFile = typeof PlannedFile.Type

export const ApplyPlan = Schema.Struct({
  schema_version: Schema.Literal(1),
  /** Of the working tree, with links resolved. */
  root: Schema.String,
  /** In milliseconds since 1970. */
  started_at: Schema.Int,
  process: ProcessIdentity,
  files: Schema.Array(PlannedFile)
})
export type ApplyPlan = typeof ApplyPlan.Type

/** What a file of a plan has now; `other`: neither, because the user edited it. */
export type PlannedState = "before" | "after" | "other"

export const isSame = (a: Uint8Array | null, b: Uint8Array | null): boolean =>
  a === null || b === null ? a === b : a.length === b.length && a.every((byte, at) => byte === b[at])

export const stateOf = ({ after, before }: PlannedFile, now: Uint8Array | null): PlannedState =>
  isSame(now, before) ? "before" : isSame(now, after) ? "after" : "other"

/**
 * What a killed run left. `untouched`: no file was changed. `complete`: all were. `partial`: some were, and those can be
 * restored. `edited`: the user edited one of them since, so the files are left as they are.
 */
export type Remainder = "untouched" | "complete" | "partial" | "edited"

export const remainderOf = (states: ReadonlyArray<PlannedState>): Remainder => {
  if (states.every((state) => state === "before")) return "untouched"
  if (states.every((state) => state === "after")) return "complete"
  return states.includes("other") ? "edited" : "partial"
}
