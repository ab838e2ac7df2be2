/** Everything that looks at a change in its whole repository, wired as a run has it; sources, parser and rules are open. */
import { Effect, Layer, type ManagedRuntime } from "effect"
import * as NoSymbolCache from "../../src/layers/code/symbols/None.ts"
import { ContractScenes } from "../../src/services/code/ContractScenes.ts"
import { ImportGraph } from "../../src/services/code/ImportGraph.ts"
import { JavaNames } from "../../src/services/code/JavaNames.ts"
import { JavaUses } from "../../src/services/code/JavaUses.ts"
import { MemberSources } from "../../src/services/code/MemberSources.ts"
import { MemberUses } from "../../src/services/code/MemberUses.ts"
import { ModuleUses } from "../../src/services/code/ModuleUses.ts"
import { NameResolver } from "../../src/services/code/NameResolver.ts"
import { PackageUses } from "../../src/services/code/PackageUses.ts"
import { PythonLoader } from "../../src/services/code/PythonLoader.ts"
import { RustPaths } from "../../src/services/code/RustPaths.ts"
import { RustUses } from "../../src/services/code/RustUses.ts"
import { Surroundings } from "../../src/services/code/Surroundings.ts"
import { SymbolIndex } from "../../src/services/code/SymbolIndex.ts"
import type { SyntaxParser } from "../../src/services/code/SyntaxParser.ts"
import { SyntaxTrees } from "../../src/services/code/SyntaxTrees.ts"
import { TypeFinder } from "../../src/services/code/TypeFinder.ts"
import { TypeResolver } from "../../src/services/code/TypeResolver.ts"
import { UseFinder } from "../../src/services/code/UseFinder.ts"
import { ContractReviewer } from "../../src/services/finding/ContractReviewer.ts"
import { RepositoryReviewer } from "../../src/services/finding/RepositoryReviewer.ts"
import { RuleSet, shippedRules } from "../../src/services/finding/RuleSet.ts"
import { changeOf, sourcesOf, type Texts } from "./change.ts"

export const structural = Layer.mergeAll(ContractReviewer.layer, RepositoryReviewer.layer).pipe(
  Layer.provide([PythonLoader.layer, TypeFinder.layer]),
  Layer.provide([UseFinder.layer, ContractScenes.layer, Surroundings.layer, ImportGraph.layer]),
  Layer.provide([ModuleUses.layer, PackageUses.layer, MemberUses.layer, RustUses.layer, JavaUses.layer]),
  Layer.provide([MemberSources.layer, TypeResolver.layer]),
  Layer.provide([NameResolver.layer, RustPaths.layer, JavaNames.layer]),
  Layer.provide(SymbolIndex.layer),
  Layer.provideMerge(SyntaxTrees.layer),
  Layer.provide(NoSymbolCache.layer)
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
