/**
 * Every rule's promise: it reports something in each of its examples under `## Reported` and nothing in the others.
 *
 * The examples go through the static reviewer as a change would, so a node type that its grammar does not have, a
 * rule that throws and an example that does not parse are seen here too.
 */
import { describe, expect, test } from "bun:test"
import { Effect, Layer, ManagedRuntime } from "effect"
import type { Grammar } from "../../src/domain/change/Grammar.ts"
import { lineKey } from "../../src/domain/change/PastEdit.ts"
import { habitOf } from "../../src/domain/code/habits/Habit.ts"
import { habitSentence } from "../../src/domain/code/habits/habitSentence.ts"
import { longestLabel, type ReviewRecord } from "../../src/domain/finding/Finding.ts"
import type { Rule, SyntaxRule } from "../../src/domain/finding/Rule.ts"
import type { RuleExample } from "../../src/domain/finding/RuleExample.ts"
import { namesRule } from "../../src/domain/finding/RulePattern.ts"
import { usualEnding } from "../../src/languages/fileKinds.ts"
import { grammarOf } from "../../src/languages/languages.ts"
import * as TreeSitter from "../../src/layers/code/syntax/TreeSitter.ts"
import { catalogue } from "../../src/rules/catalogue.ts"
import { examplesOf } from "../../src/rules/examples.ts"
import { LearnedArtifacts } from "../../src/services/brief/LearnedArtifacts.ts"
import type { History } from "../../src/services/change/History.ts"
import { splitLines } from "../../src/services/change/Sources.ts"
import { SyntaxParser } from "../../src/services/code/SyntaxParser.ts"
import { RepositoryReviewer } from "../../src/services/finding/RepositoryReviewer.ts"
import { RuleSet } from "../../src/services/finding/RuleSet.ts"
import { StaticReviewer } from "../../src/services/finding/StaticReviewer.ts"
import { unusedSuppressions } from "../../src/services/review/suppress.ts"
import { changeOf, sourcesOf, type Texts } from "./change.ts"
import { structural } from "./structural.ts"

/** Rules dd ships: `py/*` for those of an area, or an id. */
export const shipped = (...patterns: ReadonlyArray<string>): ReadonlyArray<Rule> =>
  catalogue.filter(({ id }) => patterns.some((pattern) => namesRule(pattern, id)))

/** The code of a rule's examples that are a single file. */
export const codeOf = (rule: Rule, isReported?: boolean): ReadonlyArray<string> =>
  examplesOf(rule.id)
    .filter((example) => isReported === undefined || example.isReported === isReported)
    .flatMap(({ files }) => files.flatMap(({ after, path }) => (path === null && after !== null ? [after] : [])))

/** One for all examples: a grammar is loaded once for the whole test file. */
const parsing = ManagedRuntime.make(TreeSitter.layer)

/** A history in which one fix wrote the base side. */
const writtenByFix = (texts: Texts): History => {
  const paths = Object.keys(texts)
  const files = paths.map((path) => ({ status: "M", path, oldPath: null }))
  const fix = {
    sha: "f".repeat(40),
    parents: [],
    author: "a",
    date: "2026-01-02",
    time: 0,
    subject: "Fix a crash",
    files
  }
  const edits = paths.map((path) => {
    const [base] = texts[path]!
    const lines = typeof base === "string" ? splitLines(base) : []
    return { path, added: lines.flatMap((line) => lineKey(line) ?? []), deleted: [] }
  })
  return {
    commits: Effect.succeed({ commits: [fix], omitted: [] }),
    edits: (shas) => Effect.succeed(shas.map(() => edits))
  }
}

/** What dd has learned in the examples of `history/learned-convention`. */
const learned = ["naming:ts:=kebab-case", "testing:suffix:ts=.spec", "imports:extension:ts=.ts"].map((key) => {
  const habit = habitOf(key)!
  const title = habitSentence(habit)!
  return {
    id: key,
    kind: "convention",
    title,
    habit,
    files: [],
    rule: null,
    confidence: 0.9,
    from: { sessions: 3, since: "2026-09-01" }
  } as const
})

/** The static reviewer's answer to a change written down as texts, by these rules alone. */
const reviewed = (rules: ReadonlyArray<Rule>, texts: Texts) =>
  Effect.gen(function* () {
    const reviewer = yield* StaticReviewer
    const change = changeOf(texts)
    const files = yield* reviewer.review(change, Object.keys(texts))
    const whole = yield* reviewer.reviewChange(change)
    const around = yield* (yield* RepositoryReviewer).review(change)
    // Every comment of the example is judged: its files were read whole.
    const coverage = Object.keys(texts).map((path) => ({ path, status: "reviewed" as const, reason: "" }))
    const unused = yield* unusedSuppressions([], change, coverage)
    const problems = [...files.problems, ...whole.problems].map((problem) => `${problem.message}: ${problem.cause}`)
    return { records: [...files.records, ...whole.records, ...around.records, ...unused.records], problems }
  }).pipe(
    Effect.provideService(LearnedArtifacts, () => Effect.succeed(learned)),
    Effect.provide(
      Layer.mergeAll(StaticReviewer.layer, structural).pipe(
        Layer.provideMerge(Layer.mergeAll(RuleSet.layerOf(rules), sourcesOf(texts, {}, writtenByFix(texts))))
      )
    )
  )

/** What these rules alone say of a change written down as texts. */
export const reviewBy = (rules: ReadonlyArray<Rule>, texts: Texts) => parsing.runPromise(reviewed(rules, texts))

/** Does the text parse without an error? */
const fits = (grammar: Grammar, text: string) =>
  SyntaxParser.pipe(
    Effect.flatMap((parser) => parser.parse(grammar, text)),
    Effect.map(({ root }) => !root.hasError),
    Effect.scoped
  )

/** The example as changes: code without a path once for each of the rule's grammars that can read it. */
const changesOf = Effect.fnUntraced(function* (rule: Rule, { files }: RuleExample) {
  const [code] = files
  const changes: Array<Texts> = []
  if (rule._tag === "Syntax" && code?.path === null) {
    for (const grammar of rule.grammars) {
      const { after } = code
      if (yield* fits(grammar, after ?? "")) changes.push({ [`src/example.${usualEnding(grammar)}`]: [null, after] })
    }
  } else {
    const texts: Record<string, Texts[string]> = {}
    for (const { after, before, modes, path } of files) {
      texts[path ?? ""] = modes === undefined ? [before, after] : [before, after, modes]
    }
    changes.push(texts)
  }
  return changes
})

const outcomes = (rule: Rule, example: RuleExample) =>
  Effect.gen(function* () {
    const changes = yield* changesOf(rule, example)
    expect(changes.length, "no grammar of the rule reads the example without an error").toBeGreaterThan(0)
    return yield* Effect.forEach(changes, (texts) =>
      Effect.map(reviewed([rule], texts), (answer) => ({ ...answer, texts }))
    )
  })

/** The text with the suggestions of the records in its place, from the last to the first. */
const withSuggestions = (text: string, records: ReadonlyArray<ReviewRecord>): string => {
  if (records.every(({ suggestion }) => suggestion === undefined)) return text
  const lines = splitLines(text).map((line) => `${line}\n`)
  for (const { endLine, line, suggestion } of records.toSorted((a, b) => b.line - a.line)) {
    if (suggestion === undefined) continue
    lines.splice(line - 1, (endLine ?? line) - line + 1, suggestion === "" ? "" : `${suggestion}\n`)
  }
  return lines.join("")
}

/** The suggestions give what the page shows, which the rule does not report and which parses. */
const isFixedAsShown = Effect.fnUntraced(function* (
  rule: Rule,
  example: RuleExample,
  { records, texts }: { readonly records: ReadonlyArray<ReviewRecord>; readonly texts: Texts }
) {
  const after: Record<string, Texts[string]> = {}
  for (const [path, [base, head]] of Object.entries(texts)) {
    if (typeof head !== "string") continue
    const shown = example.files.find((file) => file.path === null || file.path === path)
    const fixed = withSuggestions(
      head,
      records.filter(({ file }) => file === path)
    )
    expect(fixed, `${path} with the suggestions; show it below the example in a fence that ends with "fixed"`).toBe(
      shown?.fixed ?? head
    )
    after[path] = [base, fixed]
    const grammar = grammarOf(path)
    if (fixed !== head && grammar !== null && (yield* fits(grammar, head))) {
      expect(yield* fits(grammar, fixed), `parses: ${fixed}`).toBe(true)
    }
  }
  if (example.files.every(({ fixed }) => fixed === undefined)) return
  const again = yield* reviewed([rule], after)
  expect(again.records.map(({ line, quote }) => `${line}: ${quote}`)).toEqual([])
})

/** What is marked in a report has a label, and a line that the text names is a place of the record. The columns are within the lines; a rule for nodes always has them. */
const hasColumnsOfItsLines = (rule: Rule, record: ReviewRecord, texts: Texts) => {
  const { column, endColumn, endLine, file, label, line, related = [] } = record
  for (const place of related) {
    expect(place.message).not.toBe("")
    if (place.deleted !== undefined) continue
    expect([place.file, place.line, place.column]).not.toEqual([file, line, column ?? null])
    const head = texts[place.file]?.[1]
    const text = typeof head === "string" ? (splitLines(head)[place.line - 1] ?? "") : ""
    if (place.column !== null) expect(text.slice(place.column - 1, (place.endColumn ?? 0) - 1).trim()).not.toBe("")
  }
  const isShown = (at: number) =>
    (at >= line && at <= (endLine ?? line)) || related.some((place) => place.file === file && place.line === at)
  const named = [...record.description.matchAll(/\blines? (\d+)(?: and (\d+))?(?![-\d]| before)/g)]
  for (const at of named.flatMap(([, first, second = first]) => [Number(first), Number(second)])) {
    expect(isShown(at), `line ${at} is named and not shown: no related place`).toBe(true)
  }
  expect((label ?? "").length).toBeLessThanOrEqual(longestLabel)
  if (line > 0) expect(label, `line ${line}: no label; add label to src/rules/${rule.id}.md`).toBeDefined()
  if (rule._tag === "Syntax") expect(column, `line ${line}: no columns`).toBeDefined()
  if (column === undefined || endColumn === undefined) return
  const head = texts[file]?.[1]
  const lines = typeof head === "string" ? splitLines(head) : []
  const last = lines[(endLine ?? line) - 1] ?? ""
  expect(column).toBeGreaterThan(0)
  expect(lines[line - 1]?.slice(column - 1).trim(), `line ${line}: column ${column} is past its text`).not.toBe("")
  expect(endColumn).toBeLessThanOrEqual(last.length + 1)
  if ((endLine ?? line) === line) expect(endColumn).toBeGreaterThan(column)
}

/** The node types of the rule that the grammar has. */
const nodesIn = ({ id, pattern }: SyntaxRule, grammar: Grammar) =>
  SyntaxParser.pipe(
    Effect.flatMap((parser) => parser.parse(grammar, "")),
    Effect.flatMap((file) =>
      Effect.filter(pattern._tag === "Nodes" ? pattern.types : [], (type) =>
        file.query(`(${type}) @claim`, id).pipe(
          Effect.as(true),
          Effect.orElseSucceed(() => false)
        )
      )
    ),
    Effect.scoped
  )

/** Fails with the page and what to do for a node type that none of the rule's grammars has, and a grammar without any. */
const hasNodes = Effect.fnUntraced(function* (rule: SyntaxRule) {
  if (rule.pattern._tag !== "Nodes") return
  const found = new Map<Grammar, ReadonlyArray<string>>()
  for (const grammar of rule.grammars) found.set(grammar, yield* nodesIn(rule, grammar))
  const advice = "print the nodes of your code with bun scripts/tree.ts FILE"
  const known = [...found.values()].flat()
  for (const type of rule.pattern.types) {
    expect(known, `src/rules/${rule.id}.md: nodes: no grammar has the node "${type}"; ${advice}`).toContain(type)
  }
  for (const [grammar, types] of found) {
    expect(types, `src/rules/${rule.id}.md: nodes: the ${grammar} grammar has none of them; ${advice}`).not.toEqual([])
  }
})

/** The promises every rule makes; call it once for a list of rules. */
export const itHoldsForRules = (rules: ReadonlyArray<Rule>): void => {
  test("every rule has an id of its own, in kebab case", () => {
    const ids = rules.map((rule) => rule.id)
    expect(ids.filter((id) => !/^[a-z0-9]+(-[a-z0-9]+)*\/[a-z0-9]+(-[a-z0-9]+)*$/.test(id))).toEqual([])
    expect([...new Set(ids)]).toEqual(ids)
  })

  for (const rule of rules) {
    describe(rule.id, () => {
      const examples = examplesOf(rule.id)

      test("has a short title, a reason, a fix and a reference", () => {
        expect(rule.title.length).toBeLessThanOrEqual(80)
        expect(rule.title).not.toMatch(/\.$/)
        expect(rule.why).toMatch(/\.$/)
        expect(rule.fix).toMatch(/\.$/)
        expect(rule.reference).not.toBe("")
      })

      test("has a label, if any, that is short and adds something to the title", () => {
        const { label, title } = rule
        if (label === undefined) return
        expect(label.length).toBeLessThanOrEqual(longestLabel)
        expect(label).not.toMatch(/^[A-Z](?!eact)|\.$/)
        expect(title.toLowerCase()).not.toContain(label.toLowerCase())
      })

      test("has at least three examples of what is reported and three of what is not", () => {
        expect(examples.filter(({ isReported }) => isReported).length).toBeGreaterThanOrEqual(3)
        expect(examples.filter(({ isReported }) => !isReported).length).toBeGreaterThanOrEqual(3)
      })

      if (rule._tag === "Syntax") {
        test("names nodes that its grammars have", () => parsing.runPromise(hasNodes(rule)))
      }

      // What running tests shows: test/binary/provePages.test.ts.
      for (const [at, example] of rule.id.startsWith("run/") ? [] : examples.entries()) {
        test(`${example.isReported ? "reports" : "does not report"} example ${at + 1} ${example.name}`.trim(), () =>
          parsing.runPromise(
            Effect.gen(function* () {
              for (const answer of yield* outcomes(rule, example)) {
                const { problems, records } = answer
                expect(problems).toEqual([])
                if (example.isReported) expect(records.map((record) => record.rule)).toContain(rule.id)
                else expect(records.map(({ line, quote }) => `${line}: ${quote}`)).toEqual([])
                for (const record of records) hasColumnsOfItsLines(rule, record, answer.texts)
                yield* isFixedAsShown(rule, example, answer)
              }
            })
          )
        )
      }
    })
  }
}
