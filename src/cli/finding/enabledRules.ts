/** The rules that a review applies, and their texts by id. */
import type { Rule } from "../../domain/finding/Rule.ts"
import { namesRule } from "../../domain/finding/RulePattern.ts"
import type { ReviewSettings } from "../../domain/run/ReviewSettings.ts"
import { shippedRules } from "../../services/finding/RuleSet.ts"
import type { RenderContext } from "../review/render/RenderContext.ts"

/** Rules that are on by default or enabled, and not disabled. */
export const enabledRules = (
  { rulesDisable, rulesEnable }: Pick<ReviewSettings, "rulesDisable" | "rulesEnable">,
  rules: ReadonlyArray<Rule> = shippedRules
): ReadonlyArray<Rule> => {
  const isNamed = (patterns: ReadonlyArray<{ readonly value: string }>, { id }: Rule) =>
    patterns.some(({ value }) => namesRule(value, id))
  return rules.filter(
    (rule) => !isNamed(rulesDisable, rule) && (rule.offByDefault !== true || isNamed(rulesEnable, rule))
  )
}

export const ruleById = (rules: ReadonlyArray<Rule>): RenderContext["rule"] => {
  const byId = new Map([...shippedRules, ...rules].map((rule) => [rule.id, rule]))
  return (id) => byId.get(id)
}
