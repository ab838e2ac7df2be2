import { Schema } from "effect"

/** Identifies a process even after its number was reused; `started` is null if the system does not report it. */
export const ProcessIdentity = Schema.Struct({
  pid: Schema.Int.check(Schema.isGreaterThan(0)),
  started: Schema.NullOr(Schema.Struct({ boot: Schema.NonEmptyString, ticks: Schema.NonEmptyString }))
})
export type ProcessIdentity = typeof ProcessIdentity.Type
