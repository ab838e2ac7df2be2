/**
 * The rescues that `--warn-only` has left, over all nights of a repository: `warn-only.json` of the corpus. Each rescue takes one;
 * without any, nights are strict until a person resets the budget.
 */
import { Option, Schema } from "effect"

export const WarnOnlyBudget = Schema.Struct({
  version: Schema.Literal(1),
  remaining: Schema.Int,
  /** The ceiling, which a reset restores. */
  initial_budget: Schema.Int,
  /** RFC 3339; null: never. */
  last_reset_at: Schema.NullOr(Schema.String),
  last_decrement_at: Schema.NullOr(Schema.String)
})
export type WarnOnlyBudget = typeof WarnOnlyBudget.Type

export const warnOnlyNote = "warn-only.json"

const defaultRescues = 3

export const fullBudget = (rescues = defaultRescues): WarnOnlyBudget => ({
  version: 1,
  remaining: rescues,
  initial_budget: rescues,
  last_reset_at: null,
  last_decrement_at: null
})

/** Null: there is no file. A budget that makes no sense is read as the nearest that does, with a note. */
export const readBudget = (text: string | null): { readonly budget: WarnOnlyBudget; readonly note: string | null } => {
  if (text === null) return { budget: fullBudget(), note: null }
  const written = Option.getOrNull(decode(text))
  if (written === null || written.initial_budget < 0) {
    return { budget: fullBudget(), note: `${warnOnlyNote} could not be read: ${defaultRescues} rescues are left` }
  }
  const budget = { ...fullBudget(), ...written }
  const remaining = Math.min(Math.max(0, budget.remaining), budget.initial_budget)
  return {
    budget: { ...budget, remaining },
    note:
      remaining === budget.remaining ? null : `${warnOnlyNote} has ${budget.remaining} rescues, read as ${remaining}`
  }
}

export const writtenBudget = (budget: WarnOnlyBudget): string =>
  `${JSON.stringify(Schema.encodeSync(WarnOnlyBudget)(budget), null, 2)}\n`

/** One rescue less. `at` is RFC 3339. */
export const withoutRescue = (budget: WarnOnlyBudget, at: string): WarnOnlyBudget => ({
  ...budget,
  remaining: Math.max(0, budget.remaining - 1),
  last_decrement_at: at
})

/** As many rescues as at first, or `rescues`. */
export const resetBudget = (
  budget: WarnOnlyBudget,
  at: string,
  rescues: number = budget.initial_budget
): WarnOnlyBudget => ({ ...budget, remaining: rescues, initial_budget: rescues, last_reset_at: at })

/** The counts are enough. */
const Written = Schema.Struct({
  remaining: Schema.Int,
  initial_budget: Schema.Int,
  last_reset_at: Schema.optionalKey(Schema.NullOr(Schema.String)),
  last_decrement_at: Schema.optionalKey(Schema.NullOr(Schema.String))
})
const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Written))
