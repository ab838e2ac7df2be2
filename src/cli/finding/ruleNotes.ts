/** What the reader of a review is told of rules that dd did not bring: which were applied, and which could not be. */

import type { Degraded } from "../../domain/change/Degraded.ts"
import type { Rule } from "../../domain/finding/Rule.ts"
import { unknownRule } from "../../domain/finding/RulePattern.ts"
import { type RuleFileProblem, repositoryRuleFolder, ruleFileProblemText } from "../../domain/finding/UserRule.ts"
import type { ReviewSettings } from "../../domain/run/ReviewSettings.ts"
import { originText } from "../../domain/run/Setting.ts"

/** Broken files named in a review; a hostile repository could fill the report with them. */
const mostFiles = 10
const mostNamed = 10

/** A sentence for the user's own rules and one for the repository's, where there are any. */
export const ownRulesNote = (rules: ReadonlyArray<Rule>, side: "base" | "working tree"): ReadonlyArray<string> => {
  const ofArea = (area: string) => rules.flatMap(({ id }) => (id.startsWith(`${area}/`) ? [id] : []))
  const [user, repository] = [ofArea("user"), ofArea("repo")]
  return [
    ...(user.length === 0 ? [] : [`Your own rules among them: ${named(user)}.`]),
    ...(repository.length === 0
      ? []
      : [`Rules of this repository (${repositoryRuleFolder} of the ${side}) among them: ${named(repository)}.`])
  ]
}

/** Unknown rules in the settings. `isIncomplete`: some rule files could not be read, so their ids are not known. */
export const unknownRuleNotes = (
  { rulesDisable, rulesEnable }: Pick<ReviewSettings, "rulesDisable" | "rulesEnable">,
  rules: ReadonlyArray<Rule>,
  isIncomplete: boolean
): ReadonlyArray<string> => {
  const ids = new Set(rules.map(({ id }) => id))
  const notes = (key: string, named: ReviewSettings["rulesDisable"]) =>
    named.flatMap(({ origin, value }) => {
      const unknown = isIncomplete && /^(?:user|repo)\//.test(value) ? null : unknownRule(value, ids)
      return unknown === null ? [] : [`${key} (${originText(origin)}) names ${value}, and ${unknown}`]
    })
  return [...notes("rules.disable", rulesDisable), ...notes("rules.enable", rulesEnable)]
}

const named = (ids: ReadonlyArray<string>): string =>
  ids.length <= mostNamed ? ids.join(", ") : `${ids.slice(0, mostNamed).join(", ")} and ${ids.length - mostNamed} more`

/** A sentence for each broken rule file: its first problem, and how many more it has. */
export const ruleFileWords = (problems: ReadonlyArray<RuleFileProblem>): ReadonlyArray<string> => {
  const files = [...Map.groupBy(problems, ({ file }) => file).values()]
  const words = files.slice(0, mostFiles).flatMap((said) => {
    const [first] = said
    if (first === undefined) return []
    const more = said.length === 1 ? "" : ` (and ${said.length - 1} more in it: dd rules check)`
    return [`left out: ${ruleFileProblemText(first)}${more}`]
  })
  const more = files.length - mostFiles
  return more > 0 ? [...words, `${more} more rule files are broken and left out: dd rules check`] : words
}

export const ruleFileDegradations = (problems: ReadonlyArray<RuleFileProblem>): ReadonlyArray<Degraded> =>
  ruleFileWords(problems).map((detail) => ({ step: "rules", error: "RuleFileInvalid", detail }))
