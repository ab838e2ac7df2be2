/** An action among others: it forgets what its arguments are, and refuses any that are not its own. */
import { Effect, Schema } from "effect"
import type { Action } from "./Action.ts"

/** What an action says of itself; it reads, so it changes nothing and needs no second try. */
export interface ReadAction<A> {
  readonly name: string
  readonly description: string
  readonly input: Schema.Codec<A, unknown>
  readonly act: Action<A>["act"]
}

/** Longer than any bound inside of an action: those answer with what they have. */
const longest = "30 seconds"

export const readActionOf = <A>(action: ReadAction<A>): Action =>
  actionOf({ ...action, changesThings: false, timeout: longest, concurrency: 4, retries: 0 })

export const actionOf = <A>(action: Action<A>): Action => {
  const isInput = Schema.is(Schema.toType(action.input))
  return {
    ...action,
    act: (input) =>
      isInput(input)
        ? action.act(input)
        : Effect.succeed({ text: `these are not the arguments of ${action.name}`, isError: true })
  }
}

/** An argument that may be left out, or be null. */
export const optional = <S extends Schema.Top>(schema: S, description: string) =>
  Schema.optionalKey(Schema.NullOr(schema).annotate({ description }))

const largest = 10_000_000

/** A whole number from 1: a line, a place in a list, a number of things. */
export const Ordinal = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: largest }))

export const SideName = Schema.Literals(["head", "base"])
export type SideName = typeof SideName.Type

/** After the change or before it. */
export const side = optional(SideName, "head: after the change (default). base: before it.")
