import { isUsuallyRight, type Judged, judgedCount, noneJudged, verdictsOf } from "../../domain/finding/Judged.ts"
import type { Rule } from "../../domain/finding/Rule.ts"
import type { RuleExample } from "../../domain/finding/RuleExample.ts"
import { oneLine, visibleCode } from "../../domain/text/Printable.ts"
import { plural } from "../../domain/text/plural.ts"
import { wordsFor } from "../review/render/Presentable.ts"
import type { Ink } from "../text/Ink.ts"
import { wrap } from "../text/Page.ts"

type Listed = ReturnType<typeof listedRules>
type Shown = ReturnType<typeof shownRule>

type Redact = (text: string) => string

/** Stacks in the order of the rules. Texts of rule files are untrusted. */
export const listedRules = (rules: ReadonlyArray<Rule>, redact: Redact) => ({
  schema_version: 1,
  rules: [...Map.groupBy(rules, (rule) => rule.stack).values()].flat().map((rule) => listedRule(rule, redact))
})

type Origin = "built-in" | "user" | "repository"

const listedRule = (rule: Rule, redact: Redact) => {
  const { line } = wordsFor(redact)
  const origin: Origin = rule.file === undefined ? "built-in" : rule.id.startsWith("repo/") ? "repository" : "user"
  return {
    id: rule.id,
    stack: rule.stack,
    severity: rule.severity,
    confidence: rule.confidence,
    title: line(rule.title),
    /** Applied only if `rules.enable` names it. */
    off_by_default: rule.offByDefault === true,
    /** With the file of a rule that dd does not ship. */
    origin: {
      kind: origin,
      file: rule.file === undefined ? null : line(rule.file)
    }
  }
}

export const listText = ({ rules }: Listed, ink: Ink): string => {
  const width = Math.max(0, ...rules.map(({ id }) => id.length))
  const blocks = [...Map.groupBy(rules, ({ stack }) => stack)].map(([stack, ofStack]) =>
    [
      `${ink.bold(stack)} (${plural(ofStack.length, "rule")})`,
      ...ofStack.map(
        ({ id, off_by_default, severity, title }) =>
          `  ${id.padEnd(width)}  ${ink.severity(severity, severity)}${" ".repeat(6 - severity.length)}  ${title}${off_by_default ? " (off by default)" : ""}`
      )
    ].join("\n")
  )
  return [...blocks, `${plural(rules.length, "rule")}. For details: dd rules show ID`].join("\n\n")
}

export const shownRule = (rule: Rule, examples: ReadonlyArray<RuleExample>, redact: Redact) => {
  const { line } = wordsFor(redact)
  const filesOf = (isReported: boolean) =>
    examples
      .filter((example) => example.isReported === isReported)
      .map(({ files }) =>
        files.map(({ after, before, fixed, path }) => ({
          path,
          /** Null for text that is checked completely. */
          before: before === null ? null : redact(before),
          after: after === null ? null : redact(after),
          /** `after` with the suggestions of the rule applied; null if it has none. */
          fixed: fixed === undefined ? null : redact(fixed)
        }))
      )
  return {
    schema_version: 1,
    rule: {
      ...listedRule(rule, redact),
      /** Verdicts of readers on findings in real code; null for a rule that dd does not ship. */
      judged: rule.judged ?? null,
      /** Does the confidence follow from `judged`? */
      confidence_is_measured: isUsuallyRight(rule.judged ?? noneJudged) !== null,
      why: line(rule.why),
      fix: line(rule.fix),
      reference: line(rule.reference),
      /** What the rule checks: lines, syntax trees, the whole change, or the repository around it. */
      looks_at: appliesToPath[rule._tag],
      in_tests: "inTests" in rule ? rule.inTests : true,
      bad: filesOf(true),
      good: filesOf(false)
    }
  }
}

const appliesToPath = {
  Line: "lines",
  Syntax: "syntax",
  Change: "change",
  Contract: "repository",
  Structure: "repository",
  Repository: "repository"
} as const

/** `examples`: the examples to show. */
export const shownText = (
  { rule }: Shown,
  examples: ReadonlyArray<RuleExample>,
  { ink, width }: { readonly ink: Ink; readonly width: number }
): string => {
  const namesOf = (isReported: boolean) =>
    examples.filter((example) => example.isReported === isReported).map(({ name }) => name)
  const words = (label: string, text: string) =>
    wrap(text, width - labelWidth).map((each, at) =>
      `${at === 0 ? ink.bold(label) : " ".repeat(label.length)}${" ".repeat(labelWidth - label.length)}${each}`.trimEnd()
    )
  // A line at the left edge is the heading of an example.
  const headed = (line: string) => line.replace(/^(?:Not reported|Reported)[^:]*:/, ink.bold)
  const tests = rule.in_tests ? "" : "; not in tests and examples"
  const origin = {
    "built-in": "built into dd",
    user: "your own rule",
    repository: "rule of this repository, at the base"
  }[rule.origin.kind]
  return [
    `${ink.bold(rule.id)}  ${ink.severity(rule.severity, rule.severity)}, ${rule.confidence.toLowerCase()} confidence${rule.off_by_default ? ", off by default" : ""}`,
    rule.title,
    "",
    ...words("Why", rule.why),
    ...words("Fix", rule.fix),
    ...words("Reference", rule.reference),
    ...words("Checks", `${rule.stack}: ${lookWords[rule.looks_at]}${tests}`),
    ...(rule.judged === null ? [] : words("Judged", judgedText(rule.judged))),
    ...words("Source", rule.origin.file === null ? origin : `${rule.origin.file} (${origin})`),
    ...examplesText("Reported", rule.bad, namesOf(true), width).map(headed),
    ...examplesText("Not reported", rule.good, namesOf(false), width).map(headed)
  ].join("\n")
}

const judgedText = (judged: Judged): string => {
  const verdicts = verdictsOf(judged)
  const all = judgedCount(verdicts)
  if (all === 0) return "no finding in real code; the confidence is an estimate"
  const isMeasured = isUsuallyRight(judged) !== null
  const onCommits = judgedCount(judged.commits)
  return (
    `${plural(all, "finding")} in real code: ${verdicts.true} true, ${verdicts.arguable} arguable, ` +
    `${verdicts.false} false (${onCommits} on commits, ${all - onCommits} on whole trees); ` +
    (isMeasured ? "the confidence follows from them" : "too few, the confidence is an estimate")
  )
}

const labelWidth = 11

const lookWords = {
  lines: "each added line",
  syntax: "the syntax of added lines",
  change: "the change as a whole",
  repository: "what the change does to the rest of the repository"
} as const

type Examples = Shown["rule"]["bad"]

const examplesText = (
  label: string,
  examples: Examples,
  names: ReadonlyArray<string>,
  width: number
): ReadonlyArray<string> =>
  examples.flatMap((files, at) => {
    const name = names[at] ?? ""
    const number = examples.length === 1 ? "" : `, ${at + 1} of ${examples.length}`
    return ["", ...wrap(`${label}${number}:${name === "" ? "" : ` ${name}`}`, width), ...files.flatMap(fileText)]
  })

const fileText = ({ path, before, after, fixed }: Examples[number][number]): ReadonlyArray<string> => {
  const code = (text: string) =>
    text
      .replace(/\n$/, "")
      .split("\n")
      .slice(0, mostLines)
      .map((each) => `    ${visibleCode(each).slice(0, mostColumns)}`.trimEnd())
  const fix = fixed === null ? [] : ["  fixed:", ...code(fixed)]
  if (path === null) return [...(after === null ? [] : code(after)), ...fix]
  const named = `  ${oneLine(path)}`
  if (after !== null && (before === null || before === after)) {
    return [before === null ? named : `${named}, unchanged`, ...code(after), ...fix]
  }
  return [
    ...(before === null ? [] : [`${named}, before`, ...code(before)]),
    after === null ? `${named}, deleted` : `${named}, after`,
    ...(after === null ? [] : code(after)),
    ...fix
  ]
}

/** The number of lines shown of an example. */
const mostLines = 30
const mostColumns = 160
