/** Notes on rules that dd does not ship: which were applied, and which could not be loaded. */
import type { Degraded } from "../../domain/change/Degraded.ts"
import type { Rule } from "../../domain/finding/Rule.ts"
import { unknownRule } from "../../domain/finding/RulePattern.ts"
import { type RuleFileProblem, repositoryRuleFolder, ruleFileProblemText } from "../../domain/finding/UserRule.ts"
import type { ReviewSettings } from "../../domain/run/ReviewSettings.ts"
import { originText } from "../../domain/run/Setting.ts"
import { plural } from "../../domain/text/plural.ts"
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

/** The first problem of each broken rule file, in one line; null if no file is broken. */
export const ruleFileWords = (problems: ReadonlyArray<RuleFileProblem>): string | null => {
  const files = [...Map.groupBy(problems, ({ file }) => file).values()]
  const named = files.slice(0, mostFiles).flatMap(([first, ...others]) => {
    if (first === undefined) return []
    return [`${ruleFileProblemText(first)}${others.length === 0 ? "" : ` (and ${others.length} more)`}`]
  })
  if (named.length === 0) return null
  const left = files.length - named.length
  const more = left === 0 ? "" : `; and ${plural(left, "more file")}`
  const were = plural(files.length, "rule file was", "rule files were")
  const check = left > 0 || problems.length > files.length ? "; see dd rules check" : ""
  return `${were} not loaded: ${named.join("; ")}${more}${check}`
}

export const ruleFileDegradations = (problems: ReadonlyArray<RuleFileProblem>): ReadonlyArray<Degraded> => {
  const detail = ruleFileWords(problems)
  return detail === null ? [] : [{ step: "rules", error: "RuleFileInvalid", detail }]
}
