/**
 * Follows the imports of a Python module as the interpreter does, and reports where an import cycle makes one fail.
 *
 * Nothing is run: statements at the left margin are followed in order, on either side of a change. Loading fails if a
 * module takes a name from a module that is still being loaded and has not reached that name. If in doubt, loading
 * succeeds.
 */
import { Context, Effect, Layer } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import { filesOfDiff } from "../../domain/change/filesOfDiff.ts"
import type { FileSymbols } from "../../domain/code/Symbol.ts"
import { boundBefore, packagesAbove } from "../../languages/python/loading.ts"
import { type Edge, ImportGraph, type Which } from "./ImportGraph.ts"
import type { BothSides } from "./Surroundings.ts"
import { SymbolIndex } from "./SymbolIndex.ts"

/** The maximum number of modules that are loaded from one module. */
const modulesLoaded = 1_500

interface FailedLoading {
  /** The statement that fails, and the name it imports. */
  readonly path: string
  readonly line: number
  readonly name: string
  /** The module it is imported from, and the line that the loading of that module had reached. */
  readonly from: string
  readonly reached: number
}

export class PythonLoader extends Context.Service<
  PythonLoader,
  {
    /** Null if this module can, as far as is known, be loaded before any other. */
    readonly failure: (
      which: Which,
      entry: string,
      sides: BothSides,
      change: Change
    ) => Effect.Effect<FailedLoading | null>
  }
>()("dd/services/code/PythonLoader") {
  static readonly layer = Layer.effect(
    PythonLoader,
    Effect.gen(function* () {
      const graph = yield* ImportGraph
      const index = yield* SymbolIndex

      const symbolsOf = (which: Which, path: string, change: Change): Effect.Effect<FileSymbols | null> => {
        const file = which === "base" ? filesOfDiff(change.diff).from(path) : undefined
        return file === undefined ? index.symbols(path) : index.symbolsBefore(file)
      }

      const failure = Effect.fn("PythonLoader.failure")(function* (
        which: Which,
        entry: string,
        sides: BothSides,
        change: Change
      ) {
        /** The line that the loading of each module has reached; infinite for a loaded module. */
        const reached = new Map<string, number>()

        const hasBound = Effect.fnUntraced(function* (path: string, name: string, before: number) {
          const symbols = yield* symbolsOf(which, path, change)
          return symbols === null || boundBefore(symbols, name, before)
        })

        const follow = Effect.fnUntraced(function* (path: string, edge: Edge) {
          const failed = yield* load(edge.to)
          if (failed !== null) return failed
          const line = reached.get(edge.to) ?? Number.POSITIVE_INFINITY
          if (line === Number.POSITIVE_INFINITY) return null
          for (const name of edge.taken) {
            if (yield* hasBound(edge.to, name, line)) continue
            return { path, line: edge.line, name, from: edge.to, reached: line } satisfies FailedLoading
          }
          return null
        })

        const load = (path: string): Effect.Effect<FailedLoading | null> =>
          Effect.gen(function* () {
            if (reached.has(path) || reached.size > modulesLoaded) return null
            for (const parent of packagesAbove(path, sides[which].paths)) {
              const failed = yield* load(parent)
              if (failed !== null) return failed
            }
            // A package may have loaded the module in between.
            if (reached.has(path)) return null
            reached.set(path, 0)
            const edges = (yield* graph.edgesOf(which, [path], sides, change)).get(path) ?? []
            for (const edge of edges) {
              reached.set(path, edge.line)
              const failed = yield* follow(path, edge)
              if (failed !== null) return failed
            }
            reached.set(path, Number.POSITIVE_INFINITY)
            return null
          })

        const found = yield* load(entry)
        return reached.size > modulesLoaded ? null : found
      })

      return PythonLoader.of({ failure })
    })
  )
}
