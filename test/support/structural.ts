/** Everything that looks at a change in its whole repository, wired as a run has it; sources, parser and rules are open. */
import { Layer } from "effect"
import * as NoSymbolCache from "../../src/layers/symbols/None.ts"
import { CaseReviewer } from "../../src/services/CaseReviewer.ts"
import { ContractReviewer } from "../../src/services/ContractReviewer.ts"
import { CycleReviewer } from "../../src/services/CycleReviewer.ts"
import { ImportGraph } from "../../src/services/ImportGraph.ts"
import { ImportReviewer } from "../../src/services/ImportReviewer.ts"
import { NameResolver } from "../../src/services/NameResolver.ts"
import { OverrideReviewer } from "../../src/services/OverrideReviewer.ts"
import { PythonLoader } from "../../src/services/PythonLoader.ts"
import { StructureReviewer } from "../../src/services/StructureReviewer.ts"
import { Surroundings } from "../../src/services/Surroundings.ts"
import { SymbolIndex } from "../../src/services/SymbolIndex.ts"
import { TypeFinder } from "../../src/services/TypeFinder.ts"
import { UseFinder } from "../../src/services/UseFinder.ts"

export const structural = Layer.merge(
  ContractReviewer.layer,
  StructureReviewer.layer.pipe(
    Layer.provide([ImportReviewer.layer, CycleReviewer.layer, CaseReviewer.layer, OverrideReviewer.layer])
  )
).pipe(
  Layer.provide([PythonLoader.layer, TypeFinder.layer]),
  Layer.provide([UseFinder.layer, Surroundings.layer, ImportGraph.layer]),
  Layer.provide(NameResolver.layer),
  Layer.provide(SymbolIndex.layer),
  Layer.provide(NoSymbolCache.layer)
)
