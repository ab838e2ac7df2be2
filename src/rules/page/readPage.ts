/**
 * Reads the page of a rule: the data in its front matter, then the title, the reason, `## Fix` and the examples.
 *
 * Runs at build time. Reports all problems of a page at once, each with its line and a fix.
 */
import { grammars } from "../../domain/change/Grammar.ts"
import { breakages } from "../../domain/code/brokenUses.ts"
import { longestLabel } from "../../domain/finding/Finding.ts"
import { misfits } from "../../domain/finding/Rule.ts"
import { didYouMean, nearest } from "../../domain/text/Suggestion.ts"
import type { Condition, Page, Subject, WrittenExample } from "./Page.ts"
import { readExamples } from "./readExamples.ts"
import { frontMatterOf, type PageProblem, type Report, sectionsOf } from "./readMarkdown.ts"

export interface ReadPage {
  readonly page: Page
  readonly examples: ReadonlyArray<WrittenExample>
  /** Sorted by line; the page is not usable if there are any. */
  readonly problems: ReadonlyArray<PageProblem>
}

const keys = [
  "severity",
  "label",
  "confidence",
  "stack",
  "languages",
  "kind",
  "nodes",
  "keywords",
  "line",
  "where",
  "unless",
  "paths",
  "breakage",
  "misfit",
  "in_tests",
  "off_by_default",
  "whole_file",
  "reference",
  "placeholders",
  "replace"
]

const kinds = ["line", "change", "repository"] as const

const sections = ["Fix", "Reported", "Not reported"]

const longestTitle = 80

/** Reads a file; `file` is its path from the root of the repository, `src/rules/AREA/NAME.md`. */
export const readPage = (file: string, text: string): ReadPage => {
  const problems: Array<PageProblem> = []
  const report: Report = (line, problem) => problems.push({ file, line, problem })
  const front = frontMatterOf(text, report)
  const { title, sections: found } = sectionsOf(text, front.end, report)
  const data = dataOf(front.values, report)

  for (const [key, { line }] of front.values) {
    if (!keys.includes(key)) report(line, `${key} is not a key of a page${didYouMean(nearest(key, keys))}`)
  }
  for (const { line, name } of found.slice(1)) {
    if (!sections.includes(name)) report(line, `there is no section "${name}"; known: ${sections.join(", ")}`)
  }
  const sectionOf = (name: string) => found.find((section) => section.name === name)
  const needed = (name: string, prose: string | undefined) => {
    if (prose === undefined || prose === "") report(front.end, `${name} is missing; write it as text`)
    return prose ?? ""
  }

  if (title === "") report(front.end, "the title is missing; write it as # Title")
  if (title.length > longestTitle)
    report(front.end, `the title has ${title.length} characters; shorten it to ${longestTitle}`)
  const id = /([^/]+\/[^/]+)\.md$/.exec(file)?.[1] ?? file
  if (!/^[a-z0-9]+\/[a-z0-9]+(?:-[a-z0-9]+)*$/.test(id)) {
    report(1, "the name of the file is part of the rule's id; use lower-case words joined by hyphens")
  }
  const subject = subjectOf(front.values, data, report)
  const stack = data.text("stack")
  const label = data.text("label")
  if (label !== null && label.length > longestLabel)
    data.wrong("label", `it has ${label.length} characters; shorten it to ${longestLabel}`)
  if (label?.toLowerCase() === title.toLowerCase()) data.wrong("label", "it repeats the title; remove it")
  const languages = data.each("languages", grammars)
  const paths = data.texts("paths")
  const replace = data.table("replace")
  for (const [pattern] of replace) patternFault(data, "replace", pattern)
  if (replace.length > 0 && subject._tag !== "Nodes" && subject._tag !== "Line") {
    data.wrong("replace", "it belongs to nodes or lines; remove it")
  }
  const page: Page = {
    id,
    severity: data.one("severity", ["high", "medium", "low"]) ?? "low",
    confidence: data.one("confidence", ["high", "medium"], "high") === "medium" ? "MEDIUM" : "HIGH",
    title,
    why: needed("the reason (below the title)", found[0]?.prose),
    fix: needed("## Fix", sectionOf("Fix")?.prose),
    reference: data.text("reference", true) ?? "",
    subject,
    inTests: data.flag("in_tests", true),
    keywords: data.texts("keywords"),
    ...(stack === null ? {} : { stack }),
    ...(label === null ? {} : { label }),
    ...(languages.length === 0 ? {} : { languages }),
    ...(paths.length === 0 ? {} : { paths }),
    ...(data.flag("off_by_default", false) ? { offByDefault: true } : {}),
    ...(data.flag("whole_file", false) ? { wholeFile: true } : {}),
    ...(replace.length === 0 ? {} : { replace })
  }
  const isOfChanges = !["Nodes", "Line"].includes(subject._tag)
  const examples = (["Reported", "Not reported"] as const).flatMap((name) => {
    const section = sectionOf(name)
    if (section === undefined || section.fences.length === 0) {
      report(section?.line ?? front.end, `## ${name} has no example; add one in a fence`)
      return []
    }
    const needsPath = subject._tag === "Line"
    return readExamples(section, { isOfChanges, needsPath, placeholders: data.table("placeholders") }, report)
  })
  return { page, examples, problems: problems.sort((a, b) => a.line - b.line) }
}

type Values = ReturnType<typeof frontMatterOf>["values"]
type Data = ReturnType<typeof dataOf>

/** Reads values of the front matter; an invalid value is reported and replaced by a default. */
const dataOf = (values: Values, report: Report) => {
  const wrong = (key: string, problem: string) => report(values.get(key)?.line ?? 1, `${key}: ${problem}`)
  const text = (key: string, isNeeded = false): string | null => {
    const value = values.get(key)?.value
    if (typeof value === "string" && value !== "") return value
    if (isNeeded || value !== undefined) wrong(key, value === undefined ? "missing; add it" : "write a text")
    return null
  }
  const texts = (key: string): ReadonlyArray<string> => {
    const value = values.get(key)?.value ?? []
    if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value
    wrong(key, "write a list of texts: [one, two]")
    return []
  }
  const one = <const A extends string>(key: string, allowed: ReadonlyArray<A>, otherwise?: A): A | undefined => {
    const value = values.get(key)?.value ?? otherwise
    const known = allowed.find((each) => each === value)
    if (known === undefined) wrong(key, `write one of ${allowed.join(", ")}`)
    return known
  }
  const each = <const A extends string>(key: string, allowed: ReadonlyArray<A>): ReadonlyArray<A> =>
    texts(key).flatMap((item) => {
      const known = allowed.find((one) => one === item)
      if (known === undefined) {
        wrong(key, `${item} is not known${didYouMean(nearest(item, allowed))}; known: ${allowed.join(", ")}`)
      }
      return known === undefined ? [] : [known]
    })
  const flag = (key: string, otherwise: boolean): boolean => {
    const value = values.get(key)?.value ?? otherwise
    if (typeof value !== "boolean") wrong(key, "write true or false")
    return value === true
  }
  const table = (key: string): ReadonlyArray<readonly [string, string]> => {
    const value = values.get(key)?.value ?? {}
    const entries = typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : null
    const fitting = entries?.flatMap(([name, item]) => (typeof item === "string" ? [[name, item] as const] : []))
    if (entries === null || fitting?.length !== entries.length) wrong(key, "write a table of texts below it")
    return fitting ?? []
  }
  return { wrong, text, texts, one, each, flag, table }
}

/** What the rule checks: exactly one key decides. */
const subjectOf = (values: Values, data: Data, report: Report): Subject => {
  const subjects = ["nodes", "line", "kind", "breakage", "misfit"]
  const [key, ...others] = subjects.filter((each) => values.has(each))
  if (key === undefined) report(1, `the page does not name what the rule looks at; add one of ${subjects.join(", ")}`)
  if (others.length > 0) report(1, `${[key, ...others].join(" and ")} exclude each other; keep one`)
  for (const each of ["where", "keywords"]) {
    if (values.has(each) && key !== "nodes") data.wrong(each, "it belongs to nodes; remove it")
  }
  switch (key) {
    case "nodes":
      return { _tag: "Nodes", types: data.texts("nodes"), condition: conditionOf(data, "where") }
    case "line":
      return { _tag: "Line", condition: conditionOf(data, "line") }
    case "breakage":
      return { _tag: "Contract", breakage: data.one("breakage", breakages) ?? "removed" }
    case "misfit":
      return { _tag: "Structure", misfit: data.one("misfit", misfits) ?? "override" }
    default: {
      const kind = key === undefined ? "repository" : data.one("kind", kinds)
      if (kind === "line") return { _tag: "Line", condition: { where: null, unless: null } }
      return { _tag: kind === "change" ? "Change" : "Repository" }
    }
  }
}

const conditionOf = (data: Data, where: "where" | "line"): Condition => ({
  where: patternOf(data, where),
  unless: patternOf(data, "unless")
})

const patternOf = (data: Data, key: string): string | null => {
  const pattern = data.text(key)
  patternFault(data, key, pattern ?? "")
  return pattern
}

const patternFault = (data: Data, key: string, pattern: string): void => {
  try {
    new RegExp(pattern)
  } catch (cause) {
    data.wrong(key, `${cause instanceof Error ? cause.message : cause}; correct the regular expression`)
  }
}
