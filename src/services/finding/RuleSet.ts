/** Which static rules a run applies. The default is everything dd ships; a user's own come on top of it. */
import { Context, Effect, Layer } from "effect"
import type { Rule } from "../../domain/finding/Rule.ts"
import type { RuleExample } from "../../domain/finding/RuleExample.ts"
import { catalogue } from "../../rules/catalogue.ts"

/** Every rule dd ships. */
export const shippedRules: ReadonlyArray<Rule> = catalogue

/** The examples of a rule dd ships, which are loaded when they are asked for. */
export const shippedExamples = (id: string): Effect.Effect<ReadonlyArray<RuleExample>> =>
  Effect.map(
    Effect.promise(() => import("../../rules/examples.ts")),
    ({ examplesOf }) => examplesOf(id)
  )

export class RuleSet extends Context.Service<RuleSet, { readonly rules: ReadonlyArray<Rule> }>()(
  "dd/services/finding/RuleSet"
) {
  static readonly layer = Layer.succeed(RuleSet, { rules: shippedRules })

  static readonly layerOf = (rules: ReadonlyArray<Rule>) => Layer.succeed(RuleSet, { rules })
}
