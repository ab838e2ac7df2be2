/** Schemas for the arguments of actions. */
import { Schema } from "effect"

/** An argument that may be absent or null. */
export const optional = <S extends Schema.Top>(schema: S, description: string) =>
  Schema.optionalKey(Schema.NullOr(schema).annotate({ description }))

/** A positive integer: a line number or a position in a list. */
export const Ordinal = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000_000 }))

export const SideName = Schema.Literals(["head", "base"])
export type SideName = typeof SideName.Type

export const side = optional(SideName, "head: after the change (default). base: before it.")
