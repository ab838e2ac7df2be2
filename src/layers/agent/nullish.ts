import { Schema } from "effect"

/** A field that may be absent or null in foreign data. */
export const nullish = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

export const MaybeText = nullish(Schema.String)
export const MaybeNumber = nullish(Schema.Finite)
export const MaybeAny = Schema.optionalKey(Schema.Unknown)
