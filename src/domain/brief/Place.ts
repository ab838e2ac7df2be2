import { Schema } from "effect"

/** A path from the root of the repository with forward slashes, and a line from 1; 0 for the file as a whole. */
export const place = {
  file: Schema.String,
  line: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
} as const

export const Place = Schema.Struct(place)
export type Place = typeof Place.Type

export const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
