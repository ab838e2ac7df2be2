/** Everything that looks at a change in its whole repository, wired as a run has it; sources, parser and rules are open. */
import { Effect, Layer, type ManagedRuntime } from "effect"
import * as CodeLive from "../../src/layers/CodeLive.ts"
import * as NoFacts from "../../src/layers/change/facts/None.ts"
import { SymbolIndex } from "../../src/services/code/SymbolIndex.ts"
import type { SyntaxParser } from "../../src/services/code/SyntaxParser.ts"
import { SyntaxTrees } from "../../src/services/code/SyntaxTrees.ts"
import { RepositoryReviewer } from "../../src/services/finding/RepositoryReviewer.ts"
import { RuleSet, shippedRules } from "../../src/services/finding/RuleSet.ts"
import { changeOf, sourcesOf, type Texts } from "./change.ts"

export const structural = RepositoryReviewer.layer.pipe(
  Layer.provide(CodeLive.namesAndTypes),
  Layer.provide(SymbolIndex.layer),
  Layer.provideMerge(SyntaxTrees.layer),
  Layer.provide(NoFacts.layer)
)

const structureRules = RuleSet.layerOf(shippedRules.filter(({ _tag }) => _tag === "Structure"))

type Parsing = ManagedRuntime.ManagedRuntime<SyntaxParser, never>
type Others = Readonly<Record<string, string>>

/** The records of the structure rules for a change. `others` are files it did not touch. */
const recordsOf = (parsing: Parsing, texts: Texts, others: Others) =>
  parsing.runPromise(
    RepositoryReviewer.use((reviewer) => reviewer.review(changeOf(texts))).pipe(
      Effect.map(({ records }) => records),
      Effect.provide(structural.pipe(Layer.provide([sourcesOf(texts, others), structureRules])))
    )
  )

/** `rule file:line <- evidence` of each record. */
export const structureSaid =
  (parsing: Parsing) =>
  async (texts: Texts, others: Others = {}): Promise<ReadonlyArray<string>> =>
    (await recordsOf(parsing, texts, others)).map(
      ({ evidence, file, line, rule }) => `${rule?.replace("xref/", "")} ${file}:${line} <- ${evidence}`
    )

/** The description of each record. */
export const structureDescribed =
  (parsing: Parsing) =>
  async (texts: Texts, others: Others = {}): Promise<ReadonlyArray<string>> =>
    (await recordsOf(parsing, texts, others)).map(({ description }) => description)
