/** Every rule that dd ships, built from its page and, if the page has no complete condition, a check of its area. */

import type { Rule } from "../domain/finding/Rule.ts"
import { changeChecks as ciChanges, lineChecks as ciLines } from "./ci/checks.ts"
import { nodeChecks as codeNodes } from "./code/checks.ts"
import { lineSuggestions as debugLineSuggestions, lineChecks as debugLines } from "./debug/checks.ts"
import { changeChecks as depsChanges } from "./deps/checks.ts"
import { nodeChecks as elixirNodes } from "./elixir/checks.ts"
import { changeChecks as filesChanges } from "./files/checks.ts"
import { nodeChecks as goNodes } from "./go/checks.ts"
import { nodeSuggestions as goSuggestions } from "./go/suggestions.ts"
import { lineChecks as injectionLines } from "./injection/checks.ts"
import { nodeChecks as javaNodes } from "./java/checks.ts"
import { nodeSuggestions as javaSuggestions } from "./java/suggestions.ts"
import { lineChecks as metaLines } from "./meta/checks.ts"
import type { Areas } from "./page/Checks.ts"
import type { Page } from "./page/Page.ts"
import { readPages } from "./page/pages.ts" with { type: "macro" }
import { ruleOf } from "./page/ruleOf.ts"
import { nodeChecks as pyNodes } from "./py/checks.ts"
import { nodeSuggestions as pySuggestions } from "./py/suggestions.ts"
import { nodeChecks as reactNodes } from "./react/checks.ts"
import { nodeSuggestions as reactSuggestions } from "./react/suggestions.ts"
import { nodeChecks as rubyNodes } from "./ruby/checks.ts"
import { nodeChecks as rustNodes } from "./rust/checks.ts"
import { nodeSuggestions as rustSuggestions } from "./rust/suggestions.ts"
import { lineChecks as secretLines } from "./secret/checks.ts"
import {
  elixirBreakpoints,
  pythonBreakpoints,
  rubyBreakpoints,
  scriptBreakpoints,
  withoutBreakpoints,
  withoutScriptBreakpoints
} from "./shared/breakpoints.ts"
import { nodeChecks as swiftNodes } from "./swift/checks.ts"
import { nodeSuggestions as swiftSuggestions } from "./swift/suggestions.ts"
import { changeChecks as testChanges, lineChecks as testLines } from "./test/checks.ts"
import { lineSuggestions as textLineSuggestions, lineChecks as textLines } from "./text/checks.ts"
import { nodeChecks as tsNodes } from "./ts/checks.ts"
import { nodeSuggestions as tsSuggestions } from "./ts/suggestions.ts"

/** The folders with pages, in the order of the list of rules. */
const areas: Areas = {
  meta: { stack: "generic", lineChecks: metaLines },
  secret: { stack: "generic", lineChecks: secretLines },
  text: { stack: "generic", lineChecks: textLines, lineSuggestions: textLineSuggestions },
  injection: { stack: "generic", lineChecks: injectionLines },
  ci: { stack: "generic", lineChecks: ciLines, changeChecks: ciChanges },
  test: { stack: "generic", lineChecks: testLines, changeChecks: testChanges },
  deps: { stack: "structure", changeChecks: depsChanges },
  files: { stack: "structure", changeChecks: filesChanges },
  xref: { stack: "structure" },
  clone: { stack: "structure" },
  drift: { stack: "structure" },
  lost: { stack: "structure" },
  history: { stack: "structure" },
  dd: { stack: "structure" },
  run: { stack: "structure" },
  code: {
    stack: "generic",
    languages: ["python", "typescript", "tsx", "javascript", "go", "rust", "java"],
    nodeChecks: codeNodes
  },
  py: {
    stack: "python",
    languages: ["python"],
    nodeChecks: pyNodes,
    nodeSuggestions: pySuggestions,
    lineChecks: pythonBreakpoints,
    lineSuggestions: withoutBreakpoints
  },
  js: {
    stack: "typescript",
    languages: ["typescript", "tsx", "javascript"],
    lineChecks: scriptBreakpoints,
    lineSuggestions: withoutScriptBreakpoints
  },
  ts: {
    stack: "typescript",
    languages: ["typescript", "tsx", "javascript"],
    nodeChecks: tsNodes,
    nodeSuggestions: tsSuggestions
  },
  react: {
    stack: "react",
    languages: ["tsx", "javascript", "typescript"],
    nodeChecks: reactNodes,
    nodeSuggestions: reactSuggestions
  },
  go: { stack: "go", languages: ["go"], nodeChecks: goNodes, nodeSuggestions: goSuggestions },
  rust: { stack: "rust", languages: ["rust"], nodeChecks: rustNodes, nodeSuggestions: rustSuggestions },
  ex: { stack: "elixir", languages: ["elixir"], lineChecks: elixirBreakpoints, lineSuggestions: withoutBreakpoints },
  elixir: { stack: "elixir", languages: ["elixir"], nodeChecks: elixirNodes },
  swift: { stack: "ios", languages: ["swift"], nodeChecks: swiftNodes, nodeSuggestions: swiftSuggestions },
  java: { stack: "java", languages: ["java"], nodeChecks: javaNodes, nodeSuggestions: javaSuggestions },
  rb: { stack: "ruby", languages: ["ruby"], lineChecks: rubyBreakpoints, lineSuggestions: withoutBreakpoints },
  ruby: { stack: "ruby", languages: ["ruby"], nodeChecks: rubyNodes },
  debug: { stack: "generic", lineChecks: debugLines, lineSuggestions: debugLineSuggestions }
}

const order = Object.keys(areas)

const areaOf = ({ id }: Page): number => order.indexOf(id.slice(0, id.indexOf("/")))

const { pages, problems } = readPages()
if (problems.length > 0) throw new Error(`pages of rules are broken:\n${problems.join("\n")}`)

export const catalogue: ReadonlyArray<Rule> = pages
  .toSorted((a, b) => areaOf(a) - areaOf(b))
  .map((page) => ruleOf(page, areas))
