/** The static rules that a run applies: by default all rules dd ships; the user's own are added. */
import { Context, Effect, Layer } from "effect"
import type { Rule } from "../../domain/finding/Rule.ts"
import type { RuleExample } from "../../domain/finding/RuleExample.ts"
import { catalogue } from "../../rules/catalogue.ts"

/** All rules that dd ships. */
export const shippedRules: ReadonlyArray<Rule> = catalogue

/** The examples of a rule that dd ships, loaded on demand. */
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
