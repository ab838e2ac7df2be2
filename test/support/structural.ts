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

/** What the structure rules say of a change: `rule file:line <- evidence`. `others` are files it did not touch. */
export const structureSaid =
  (parsing: ManagedRuntime.ManagedRuntime<SyntaxParser, never>) =>
  (texts: Texts, others: Readonly<Record<string, string>> = {}): Promise<ReadonlyArray<string>> =>
    parsing.runPromise(
      RepositoryReviewer.use((reviewer) => reviewer.review(changeOf(texts))).pipe(
        Effect.map(({ records }) =>
          records.map(
            ({ evidence, file, line, rule }) => `${rule?.replace("xref/", "")} ${file}:${line} <- ${evidence}`
          )
        ),
        Effect.provide(structural.pipe(Layer.provide([sourcesOf(texts, others), structureRules])))
      )
    )
