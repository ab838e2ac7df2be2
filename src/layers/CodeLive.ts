/** Queries on code, and the reviewers that need no model. Sources and symbols are left open. */
import { Layer } from "effect"
import { StaticReviews } from "../services/agent/StaticReviews.ts"
import { Briefs } from "../services/brief/Briefs.ts"
import { CodeQueries } from "../services/code/CodeQueries.ts"
import { ContractScenes } from "../services/code/ContractScenes.ts"
import { FileTypes } from "../services/code/FileTypes.ts"
import { ImportGraph } from "../services/code/ImportGraph.ts"
import { ImportTracer } from "../services/code/ImportTracer.ts"
import { JavaNames } from "../services/code/JavaNames.ts"
import { MemberSources } from "../services/code/MemberSources.ts"
import { NamedTypes } from "../services/code/NamedTypes.ts"
import { NameResolver } from "../services/code/NameResolver.ts"
import { PythonLoader } from "../services/code/PythonLoader.ts"
import { References } from "../services/code/References.ts"
import { RustPaths } from "../services/code/RustPaths.ts"
import { Surroundings } from "../services/code/Surroundings.ts"
import { TypeFinder } from "../services/code/TypeFinder.ts"
import { TypeResolver } from "../services/code/TypeResolver.ts"
import { UseFinder } from "../services/code/UseFinder.ts"
import { RepositoryReviewer } from "../services/finding/RepositoryReviewer.ts"
import { StaticReviewer } from "../services/finding/StaticReviewer.ts"

/** Resolution of names across files; sources and symbols are left open. */
const names = Layer.mergeAll(UseFinder.layer, ContractScenes.layer).pipe(
  Layer.provide([MemberSources.layer, TypeResolver.layer]),
  Layer.provideMerge(NamedTypes.layer),
  Layer.provideMerge(Layer.mergeAll(NameResolver.layer, RustPaths.layer, JavaNames.layer))
)

/** The same with types and their parents; syntax trees are also left open. */
export const namesAndTypes = Layer.mergeAll(PythonLoader.layer, TypeFinder.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(Surroundings.layer, ImportGraph.layer, FileTypes.layer)),
  Layer.provideMerge(names)
)

/** Questions about the code around a change; sources and symbols are left open. */
export const codeQueries = CodeQueries.layer.pipe(
  Layer.provide([ImportTracer.layer, References.layer]),
  Layer.provide(names)
)

/** The same, with the brief of a change; syntax trees are also left open. */
export const briefs = Briefs.layer.pipe(Layer.provideMerge(codeQueries), Layer.provide(names))

/** The findings of the static rules; sources, symbols, trees and rules are left open. */
export const staticReviews = StaticReviews.layer.pipe(
  Layer.provide([StaticReviewer.layer, RepositoryReviewer.layer]),
  Layer.provide(namesAndTypes)
)
