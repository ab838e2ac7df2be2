/** From a page to a rule: what the page leaves open comes from its area. */

import type { LineCheck, NodeCheck, Rule } from "../../domain/finding/Rule.ts"
import { looksAt } from "../../domain/finding/UserRule.ts"
import { grammarOf } from "../../languages/languages.ts"
import { isMovedLine } from "../shared/movedLine.ts"
import type { Areas } from "./Checks.ts"
import type { Condition, Page } from "./Page.ts"

/** Throws where the area, or the check that the page needs, is missing: a defect of dd that no build passes. */
export const ruleOf = (page: Page, areas: Areas): Rule => {
  const { confidence, fix, id, inTests, keywords, languages, paths, reference, severity, subject, title, why } = page
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
    ...{ id, stack: page.stack ?? area.stack, severity, confidence, title, why, fix, reference },
    ...(page.offByDefault === undefined ? {} : { offByDefault: page.offByDefault })
  }
  const isOfLines = subject._tag === "Line" || subject._tag === "Detector"
  const places = { languages: (isOfLines ? languages : undefined) ?? [], paths: paths ?? [] }
  const atPlaces =
    places.languages.length + places.paths.length === 0 ? {} : { looksAt: looksAt(places, { grammarOf }) }
  switch (subject._tag) {
    case "Nodes":
    case "Query": {
      const own = area.nodeChecks?.[slug]
      const isOpen = subject._tag === "Nodes" && subject.conditions.length === 0
      const check = isOpen ? (own ?? missing("nodeChecks", ", or where to the page")) : holds(subject.conditions, own)
      const pattern =
        subject._tag === "Nodes"
          ? ({ _tag: "Nodes", types: subject.types } as const)
          : ({ _tag: "Query", query: subject.query, owner: "dd" } as const)
      const grammars = languages ?? area.languages ?? []
      return { ...words, ...atPlaces, _tag: "Syntax", grammars, keywords, pattern, check, inTests }
    }
    case "Line": {
      const { line, unless } = subject
      const check = line === null ? (area.lineChecks?.[slug] ?? missing("lineChecks", "")) : lineHas(line, unless)
      return { ...words, ...atPlaces, _tag: "Line", check, inTests }
    }
    case "Change":
      return { ...words, _tag: "Change", check: area.changeChecks?.[slug] ?? missing("changeChecks", "") }
    case "Detector":
      return { ...words, ...atPlaces, _tag: "Detector", inTests }
    case "Contract":
      return { ...words, _tag: "Contract", breakage: subject.breakage }
    case "Structure":
      return { ...words, _tag: "Structure", misfit: subject.misfit }
    case "Repository":
      return { ...words, _tag: "Repository" }
  }
}

/** Do the conditions hold, and does the check agree, where there is one? A node without a query is captured as `claim`. */
const holds = (conditions: ReadonlyArray<Condition>, check: NodeCheck | undefined): NodeCheck => {
  const tests = conditions.map(({ pattern, ...condition }) => ({ ...condition, pattern: new RegExp(pattern) }))
  return (node, file, captures) =>
    tests.every(({ capture, isWanted, pattern }) =>
      (captures[capture] ?? []).every(({ text }) => pattern.test(text) === isWanted)
    ) &&
    (check?.(node, file, captures) ?? true)
}

/** A line that the change only moved is not reported. */
const lineHas = (line: string, unless: string | null): LineCheck => {
  const [found, excused] = [new RegExp(line), unless === null ? null : new RegExp(unless)]
  return (text, _line, file) => found.test(text) && excused?.test(text) !== true && !isMovedLine(file, text)
}
