/** Which static rules a run applies. The default is everything dd ships; a user's own come on top of it. */
import { Context, Layer } from "effect"
import type { Rule } from "../../domain/finding/Rule.ts"
import { catalogue } from "../../rules/catalogue.ts"

/** Every rule dd ships. */
export const shippedRules: ReadonlyArray<Rule> = catalogue

export class RuleSet extends Context.Service<RuleSet, { readonly rules: ReadonlyArray<Rule> }>()(
  "dd/services/finding/RuleSet"
) {
  static readonly layer = Layer.succeed(RuleSet, { rules: shippedRules })

  static readonly layerOf = (rules: ReadonlyArray<Rule>) => Layer.succeed(RuleSet, { rules })
}
