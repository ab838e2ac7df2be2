/**
 * Every rule's promise: it claims something in each of its bad examples and nothing in its good ones.
 *
 * The examples go through the static reviewer as a change would, so a query that does not fit its
 * grammar, a rule that throws and an example that does not parse are seen here too.
 */
import { describe, expect, test } from "bun:test"
import { Effect, Layer, ManagedRuntime } from "effect"
import { type Grammar, usualEnding } from "../../src/domain/change/Grammar.ts"
import { type FileRule, isFileRule, type Rule } from "../../src/domain/finding/Rule.ts"
import * as TreeSitter from "../../src/layers/code/syntax/TreeSitter.ts"
import * as Secretlint from "../../src/layers/secret/secrets/Secretlint.ts"
import { SyntaxParser } from "../../src/services/code/SyntaxParser.ts"
import { CloneReviewer } from "../../src/services/finding/CloneReviewer.ts"
import { ContractReviewer } from "../../src/services/finding/ContractReviewer.ts"
import { DriftReviewer } from "../../src/services/finding/DriftReviewer.ts"
import { RuleSet } from "../../src/services/finding/RuleSet.ts"
import { StaticReviewer } from "../../src/services/finding/StaticReviewer.ts"
import { StructureReviewer } from "../../src/services/finding/StructureReviewer.ts"
import { TestGapReviewer } from "../../src/services/finding/TestGapReviewer.ts"
import { Suppressor } from "../../src/services/review/Suppressor.ts"
import { changeOf, sourcesOf, type Texts } from "./change.ts"
import { structural } from "./structural.ts"

/** One for all examples: a grammar is loaded once for the whole test file. */
const parsing = ManagedRuntime.make(Layer.merge(TreeSitter.layer, Secretlint.layer))

/** The static reviewer's answer to a change written down as texts, by these rules alone. */
const reviewed = (rules: ReadonlyArray<Rule>, texts: Texts) =>
  Effect.gen(function* () {
    const reviewer = yield* StaticReviewer
    const change = changeOf(texts)
    const files = yield* reviewer.review(change, Object.keys(texts))
    const whole = yield* reviewer.reviewChange(change)
    const reviewers = [
      yield* ContractReviewer,
      yield* StructureReviewer,
      yield* CloneReviewer,
      yield* DriftReviewer,
      yield* TestGapReviewer
    ]
    const parts = yield* Effect.forEach(reviewers, (part) => part.review(change))
    // Every comment of the example is judged: its files were read whole.
    const coverage = Object.keys(texts).map((path) => ({ path, status: "reviewed" as const, reason: "" }))
    parts.push({ ...(yield* (yield* Suppressor).unused([], change, coverage)), rulesApplied: [], omitted: [] })
    const problems = [...files.problems, ...whole.problems].map((problem) => `${problem.message}: ${problem.cause}`)
    return { records: [...files.records, ...whole.records, ...parts.flatMap((part) => part.records)], problems }
  }).pipe(
    Effect.provide(
      Layer.mergeAll(StaticReviewer.layer, structural, Suppressor.layer).pipe(
        Layer.provide(Layer.mergeAll(RuleSet.layerOf(rules), sourcesOf(texts)))
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

/** The example as changes: a syntax example once for each of the rule's grammars that can read it. */
const changesOf = (rule: FileRule, example: string) =>
  Effect.gen(function* () {
    if (rule._tag !== "Syntax") return [{ [rule.examples.path]: [null, example] }] satisfies ReadonlyArray<Texts>
    const changes: Array<Texts> = []
    for (const grammar of rule.grammars) {
      if (yield* fits(grammar, example)) changes.push({ [`src/example.${usualEnding(grammar)}`]: [null, example] })
    }
    return changes
  })

const outcomes = (rule: Rule, example: "bad" | "good", at: number) =>
  Effect.gen(function* () {
    const changes = isFileRule(rule)
      ? yield* changesOf(rule, rule.examples[example][at] ?? "")
      : [rule.examples[example][at] ?? {}]
    expect(changes.length, "no grammar of the rule reads the example without an error").toBeGreaterThan(0)
    return yield* Effect.forEach(changes, (texts) => reviewed([rule], texts))
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
      test("says what it claims in one short sentence, and why, and what to do", () => {
        expect(rule.title.length).toBeLessThanOrEqual(80)
        expect(rule.title).not.toMatch(/\.$/)
        expect(rule.why).toMatch(/\.$/)
        expect(rule.fix).not.toBe("")
        expect(rule.reference).not.toBe("")
      })

      test("has at least three examples of each kind", () => {
        expect(rule.examples.bad.length).toBeGreaterThanOrEqual(3)
        expect(rule.examples.good.length).toBeGreaterThanOrEqual(3)
      })

      for (const grammar of rule._tag === "Syntax" ? rule.grammars : []) {
        test(`asks what the ${grammar} grammar can answer`, () =>
          parsing.runPromise(
            SyntaxParser.pipe(
              Effect.flatMap((parser) => parser.parse(grammar, "")),
              Effect.flatMap((file) => file.query(rule._tag === "Syntax" ? rule.query : "")),
              Effect.map((matches) => expect(matches).toEqual([])),
              Effect.scoped
            )
          ))
      }

      rule.examples.bad.forEach((_, at) => {
        test(`claims something in bad example ${at + 1}`, () =>
          parsing.runPromise(
            Effect.map(outcomes(rule, "bad", at), (answers) => {
              for (const { records, problems } of answers) {
                expect(problems).toEqual([])
                expect(records.map((record) => record.rule)).toContain(rule.id)
              }
            })
          ))
      })

      rule.examples.good.forEach((_, at) => {
        test(`is silent in good example ${at + 1}`, () =>
          parsing.runPromise(
            Effect.map(outcomes(rule, "good", at), (answers) => {
              for (const { records, problems } of answers) {
                expect(problems).toEqual([])
                expect(records.map(({ line, quote }) => `${line}: ${quote}`)).toEqual([])
              }
            })
          ))
      })
    })
  }
}
