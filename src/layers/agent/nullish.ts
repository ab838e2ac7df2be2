import { Schema } from "effect"

/** A field that others may leave out or write as null. */
export const nullish = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

export const MaybeText = nullish(Schema.String)
export const MaybeNumber = nullish(Schema.Finite)
export const MaybeAny = Schema.optionalKey(Schema.Unknown)
