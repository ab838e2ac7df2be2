/** Notes on rules that dd does not ship: which were applied, and which could not be loaded. */
import type { Degraded } from "../../domain/change/Degraded.ts"
import type { Rule } from "../../domain/finding/Rule.ts"
import { unknownRule } from "../../domain/finding/RulePattern.ts"
import { type RuleFileProblem, repositoryRuleFolder, ruleFileProblemText } from "../../domain/finding/UserRule.ts"
import type { ReviewSettings } from "../../domain/run/ReviewSettings.ts"
import { originText } from "../../domain/run/Setting.ts"
import { someOf } from "../text/Tally.ts"

/** Broken files named in a review; a hostile repository could fill the report with them. */
const mostFiles = 10
const mostNamed = 10

export const ownRulesNote = (rules: ReadonlyArray<Rule>, side: "base" | "working tree"): ReadonlyArray<string> => {
  const ofArea = (area: string) => rules.flatMap(({ id }) => (id.startsWith(`${area}/`) ? [id] : []))
  const [user, repository] = [ofArea("user"), ofArea("repo")]
  return [
    ...(user.length === 0 ? [] : [`Your own rules: ${named(user)}.`]),
    ...(repository.length === 0
      ? []
      : [`Rules of this repository (${repositoryRuleFolder} of the ${side}): ${named(repository)}.`])
  ]
}

/** Unknown rules in the settings. `isIncomplete`: some rule files could not be read, so their ids are unknown. */
export const unknownRuleNotes = (
  { rulesDisable, rulesEnable }: Pick<ReviewSettings, "rulesDisable" | "rulesEnable">,
  rules: ReadonlyArray<Rule>,
  isIncomplete: boolean
): ReadonlyArray<string> => {
  const ids = new Set(rules.map(({ id }) => id))
  const notes = (key: string, named: ReviewSettings["rulesDisable"]) =>
    named.flatMap(({ origin, value }) => {
      const unknown = isIncomplete && /^(?:user|repo)\//.test(value) ? null : unknownRule(value, ids)
      return unknown === null ? [] : [`${key} (${originText(origin)}): ${value}: ${unknown}`]
    })
  return [...notes("rules.disable", rulesDisable), ...notes("rules.enable", rulesEnable)]
}

const named = (ids: ReadonlyArray<string>): string => someOf(ids, mostNamed)

/** The first problem of each broken rule file. */
export const ruleFileWords = (problems: ReadonlyArray<RuleFileProblem>): ReadonlyArray<string> => {
  const files = [...Map.groupBy(problems, ({ file }) => file).values()]
  const words = files.slice(0, mostFiles).flatMap((found) => {
    const [first] = found
    if (first === undefined) return []
    const more = found.length === 1 ? "" : ` (and ${found.length - 1} more; see dd rules check)`
    return [`rule file not loaded: ${ruleFileProblemText(first)}${more}`]
  })
  const more = files.length - mostFiles
  return more > 0 ? [...words, `${more} more rule files were not loaded; see dd rules check`] : words
}

export const ruleFileDegradations = (problems: ReadonlyArray<RuleFileProblem>): ReadonlyArray<Degraded> =>
  ruleFileWords(problems).map((detail) => ({ step: "rules", error: "RuleFileInvalid", detail }))
