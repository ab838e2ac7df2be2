/** Every rule dd ships, made of its page and, where the page does not say what to report, of a check of its area. */

import type { Grammar } from "../domain/change/Grammar.ts"
import type { Captures, SyntaxNode } from "../domain/code/Syntax.ts"
import type { LineCheck, NodeCheck, Rule } from "../domain/finding/Rule.ts"
import { looksAt } from "../domain/finding/UserRule.ts"
import { changeChecks as ciChanges, lineChecks as ciLines } from "./ci/checks.ts"
import { lineChecks as debugLines } from "./debug/checks.ts"
import { changeChecks as depsChanges } from "./deps/checks.ts"
import { nodeChecks as elixirNodes } from "./elixir/checks.ts"
import { lineChecks as exLines } from "./ex/checks.ts"
import { changeChecks as filesChanges } from "./files/checks.ts"
import { nodeChecks as goNodes } from "./go/checks.ts"
import { lineChecks as injectionLines } from "./injection/checks.ts"
import { nodeChecks as javaNodes } from "./java/checks.ts"
import { lineChecks as jsLines } from "./js/checks.ts"
import { lineChecks as metaLines } from "./meta/checks.ts"
import type { ChangeChecks, LineChecks, NodeChecks } from "./page/Checks.ts"
import type { Condition, Page } from "./page/Page.ts"
import { readPages } from "./page/pages.ts" with { type: "macro" }
import { lineChecks as pyLines, nodeChecks as pyNodes } from "./py/checks.ts"
import { lineChecks as rbLines } from "./rb/checks.ts"
import { nodeChecks as reactNodes } from "./react/checks.ts"
import { nodeChecks as rubyNodes } from "./ruby/checks.ts"
import { nodeChecks as rustNodes } from "./rust/checks.ts"
import { lineChecks as secretLines } from "./secret/checks.ts"
import { isMovedLine } from "./shared/movedLine.ts"
import { nodeChecks as swiftNodes } from "./swift/checks.ts"
import { changeChecks as testChanges, lineChecks as testLines } from "./test/checks.ts"
import { lineChecks as textLines } from "./text/checks.ts"
import { nodeChecks as tsNodes } from "./ts/checks.ts"

/** What the rules of a folder have in common; a page may name another stack or other languages. */
interface Area {
  readonly stack: string
  readonly languages?: ReadonlyArray<Grammar>
  readonly nodeChecks?: NodeChecks
  readonly lineChecks?: LineChecks
  readonly changeChecks?: ChangeChecks
}

/** The folders with pages, in the order in which a list of the rules is read. */
const areas: Readonly<Record<string, Area>> = {
  meta: { stack: "generic", lineChecks: metaLines },
  secret: { stack: "generic", lineChecks: secretLines },
  text: { stack: "generic", lineChecks: textLines },
  injection: { stack: "generic", lineChecks: injectionLines },
  ci: { stack: "generic", lineChecks: ciLines, changeChecks: ciChanges },
  test: { stack: "generic", lineChecks: testLines, changeChecks: testChanges },
  deps: { stack: "structure", changeChecks: depsChanges },
  files: { stack: "structure", changeChecks: filesChanges },
  xref: { stack: "structure" },
  clone: { stack: "structure" },
  drift: { stack: "structure" },
  dd: { stack: "structure" },
  py: { stack: "python", languages: ["python"], nodeChecks: pyNodes, lineChecks: pyLines },
  js: { stack: "typescript", lineChecks: jsLines },
  ts: { stack: "typescript", languages: ["typescript", "tsx", "javascript"], nodeChecks: tsNodes },
  react: { stack: "react", languages: ["tsx", "javascript", "typescript"], nodeChecks: reactNodes },
  go: { stack: "go", languages: ["go"], nodeChecks: goNodes },
  rust: { stack: "rust", languages: ["rust"], nodeChecks: rustNodes },
  ex: { stack: "elixir", lineChecks: exLines },
  elixir: { stack: "elixir", languages: ["elixir"], nodeChecks: elixirNodes },
  swift: { stack: "ios", languages: ["swift"], nodeChecks: swiftNodes },
  java: { stack: "java", languages: ["java"], nodeChecks: javaNodes },
  rb: { stack: "ruby", lineChecks: rbLines },
  ruby: { stack: "ruby", languages: ["ruby"], nodeChecks: rubyNodes },
  debug: { stack: "generic", lineChecks: debugLines }
}

const ruleOf = (page: Page): Rule => {
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
  const atPlaces = places.languages.length + places.paths.length === 0 ? {} : { looksAt: looksAt(places) }
  switch (subject._tag) {
    case "Nodes":
    case "Query": {
      const { conditions } = subject
      const check =
        conditions.length > 0 || subject._tag === "Query"
          ? conditionsHold(conditions)
          : (area.nodeChecks?.[slug] ?? missing("nodeChecks", ", or where to the page"))
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

/** A node of a page without a query is captured as `claim` alone. */
const conditionsHold = (conditions: ReadonlyArray<Condition>): NodeCheck => {
  const tests = conditions.map(({ capture, isWanted, pattern }) => ({
    capture,
    isWanted,
    pattern: new RegExp(pattern)
  }))
  return (_node: SyntaxNode, _file, captures: Captures) =>
    tests.every(({ capture, isWanted, pattern }) =>
      (captures[capture] ?? []).every((node) => pattern.test(node.text) === isWanted)
    )
}

/** A line that the change only moved is not reported. */
const lineHas = (line: string, unless: string | null): LineCheck => {
  const [found, excused] = [new RegExp(line), unless === null ? null : new RegExp(unless)]
  return (text, _line, file) => found.test(text) && excused?.test(text) !== true && !isMovedLine(file, text)
}

const order = Object.keys(areas)

const areaOf = ({ id }: Page): number => order.indexOf(id.slice(0, id.indexOf("/")))

const { pages, problems } = readPages()
if (problems.length > 0) throw new Error(`pages of rules are broken:\n${problems.join("\n")}`)

export const catalogue: ReadonlyArray<Rule> = pages.toSorted((a, b) => areaOf(a) - areaOf(b)).map(ruleOf)
