/** Finds a rule by its id; the error suggests similar ids. */
import { Effect, Runtime, Schema } from "effect"
import type { Rule } from "../../domain/finding/Rule.ts"
import { oneLine } from "../../domain/text/Printable.ts"
import { didYouMean, nearestFew } from "../../domain/text/Suggestion.ts"

export class RuleUnknown extends Schema.TaggedError<RuleUnknown>()("RuleUnknown", {
  rule: Schema.String,
  nearest: Schema.Array(Schema.String)
}) {
  override readonly [Runtime.errorExitCode] = 2
  override get message() {
    return `unknown rule "${oneLine(this.rule)}"${didYouMean(this.nearest)}; see dd rules list`
  }
}

export const findRule = (rules: ReadonlyArray<Rule>, id: string): Effect.Effect<Rule, RuleUnknown> => {
  const rule = rules.find((each) => each.id === id)
  if (rule !== undefined) return Effect.succeed(rule)
  const ids = rules.map((each) => each.id)
  return Effect.fail(new RuleUnknown({ rule: id, nearest: nearestFew(id, ids) }))
}
