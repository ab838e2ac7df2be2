/** Builds a rule from its page; the area has the defaults. */

import { confidenceOf } from "../../domain/finding/Judged.ts"
import {
  type LineCheck,
  type LineSuggestion,
  matchOf,
  type NodeCheck,
  type NodeSuggestion,
  type Rule
} from "../../domain/finding/Rule.ts"
import { isInPaths } from "../../domain/finding/UserRule.ts"
import type { Areas } from "./Checks.ts"
import type { Condition, Page } from "./Page.ts"

/** Throws if the area or a required check is missing: such a build fails. */
export const ruleOf = (page: Page, areas: Areas): Rule => {
  const { fix, id, inTests, judged, keywords, languages, paths, reference, severity, subject, title, why } = page
  const [name = "", slug = ""] = id.split("/")
  const area = areas[name]
  const file = `src/rules/${id}.md`
  if (area === undefined) throw new Error(`${file}: ${name} is no area; add it to the areas in src/rules/catalogue.ts`)
  const missing = (list: string, needs: string): never => {
    throw new Error(
      `${file}: nothing decides what it reports; add "${slug}" to ${list} in src/rules/${name}/checks.ts${needs}`
    )
  }
  const words = {
    ...{ id, stack: page.stack ?? area.stack, severity, title, why, fix, reference },
    confidence: judged === undefined ? page.confidence : confidenceOf(judged, page.confidence),
    ...(page.label === undefined ? {} : { label: page.label }),
    ...(judged === undefined ? {} : { judged }),
    ...(page.offByDefault === undefined ? {} : { offByDefault: page.offByDefault })
  }
  const grammars = languages ?? area.languages
  const atPlaces = paths === undefined ? {} : { appliesToPath: isInPaths(paths) }
  switch (subject._tag) {
    case "Nodes": {
      const { condition, types } = subject
      const own = area.nodeChecks?.[slug]
      const check = isEmpty(condition)
        ? (own ?? missing("nodeChecks", ", or where to the page"))
        : holds(condition, own)
      const suggestion = page.replace === undefined ? area.nodeSuggestions?.[slug] : nodeReplaced(page.replace)
      return {
        ...words,
        ...atPlaces,
        _tag: "Syntax",
        grammars: grammars ?? [],
        keywords,
        pattern: { _tag: "Nodes", types },
        check,
        inTests,
        ...(suggestion === undefined ? {} : { suggestion }),
        ...(page.wholeFile === undefined ? {} : { wholeFile: page.wholeFile })
      }
    }
    case "Line": {
      const { condition } = subject
      const check = isEmpty(condition) ? (area.lineChecks?.[slug] ?? missing("lineChecks", "")) : lineHas(condition)
      const suggestion = page.replace === undefined ? area.lineSuggestions?.[slug] : lineReplaced(page.replace)
      return {
        ...words,
        ...atPlaces,
        _tag: "Line",
        ...(grammars === undefined ? {} : { grammars }),
        check,
        inTests,
        ...(suggestion === undefined ? {} : { suggestion })
      }
    }
    case "Change":
      return { ...words, _tag: "Change", check: area.changeChecks?.[slug] ?? missing("changeChecks", "") }
    case "Contract":
      return { ...words, _tag: "Contract", breakage: subject.breakage }
    case "Structure":
      return { ...words, _tag: "Structure", misfit: subject.misfit }
    case "Repository":
      return { ...words, _tag: "Repository" }
  }
}

const isEmpty = ({ unless, where }: Condition): boolean => unless === null && where === null

/** A test of the condition on a text. */
const fits = ({ unless, where }: Condition): ((text: string) => boolean) => {
  const [wanted, excused] = [where, unless].map((pattern) => (pattern === null ? null : new RegExp(pattern)))
  return (text) => wanted?.test(text) !== false && excused?.test(text) !== true
}

/** Combines the condition on the text of the node with the check, if there is one. */
const holds = (condition: Condition, check: NodeCheck | undefined): NodeCheck => {
  const isFitting = fits(condition)
  return (node, file, captures) => isFitting(node.text) && (check?.(node, file, captures) ?? true)
}

type Replacements = NonNullable<Page["replace"]>

/** The text after the first replacement that changes it; null if none does. */
const replaced = (replacements: Replacements): ((text: string) => string | null) => {
  const patterns = replacements.map(([pattern, replacement]) => [new RegExp(pattern), replacement] as const)
  return (text) => {
    for (const [pattern, replacement] of patterns) {
      if (pattern.test(text)) return text.replace(pattern, replacement)
    }
    return null
  }
}

const nodeReplaced = (replacements: Replacements): NodeSuggestion => {
  const textAfter = replaced(replacements)
  return (node) => {
    const text = textAfter(node.text)
    return text === null ? null : [{ node, text }]
  }
}

const lineReplaced = (replacements: Replacements): LineSuggestion => replaced(replacements)

const lineHas = (condition: Condition): LineCheck => {
  const isFitting = fits(condition)
  const wanted = new RegExp(condition.where ?? ".*")
  return (text, line) => {
    const found = isFitting(text) ? wanted.exec(text) : null
    return found !== null && matchOf(line, found)
  }
}
