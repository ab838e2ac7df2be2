/** Promises about the contract check, written as texts: what a change breaks in files it does not touch. */
import { afterAll, expect, test } from "bun:test"
import { Effect, Layer, ManagedRuntime } from "effect"
import * as TreeSitter from "../../src/layers/code/syntax/TreeSitter.ts"
import { RepositoryReviewer } from "../../src/services/finding/RepositoryReviewer.ts"
import { RuleSet } from "../../src/services/finding/RuleSet.ts"
import { changeOf, sourcesOf, type Texts } from "./change.ts"
import { shipped } from "./rules.ts"
import { structural } from "./structural.ts"

const contractRules = RuleSet.layerOf(shipped("xref/*").filter(({ _tag }) => _tag === "Contract"))

type Others = Readonly<Record<string, string>>

/** For one test file: `reviewOf` runs a review, `speaks` and `silent` promise what comes of one. */
export const contractReviews = () => {
  const parsing = ManagedRuntime.make(TreeSitter.layer)
  afterAll(() => parsing.dispose())

  const reviewOf = (texts: Texts, others: Others = {}) =>
    parsing.runPromise(
      RepositoryReviewer.use((reviewer) => reviewer.review(changeOf(texts))).pipe(
        Effect.provide(structural.pipe(Layer.provide([sourcesOf(texts, others), contractRules])))
      )
    )

  /** `rule place: evidence` of each record. */
  const said = async (texts: Texts, others: Others = {}) =>
    (await reviewOf(texts, others)).records.map(
      ({ evidence, file, line, rule }) => `${rule?.replace("xref/", "")} ${file}:${line} <- ${evidence}`
    )

  /** A promise of silence: what the change is, and what else is there. */
  const silent = (title: string, texts: Texts, others: Others = {}) =>
    test(`is silent about ${title}`, async () => expect(await said(texts, others)).toEqual([]))

  const speaks = (title: string, texts: Texts, others: Others, expected: ReadonlyArray<string>) =>
    test(title, async () => expect(await said(texts, others)).toEqual([...expected]))

  return { reviewOf, said, silent, speaks }
}
