/**
 * Which files load which others, on either side of a change, read on demand from import statements.
 *
 * A node is a file; for Go it is a package, named by its folder. An import that is not always executed is no edge.
 */

import { Context, Effect, Layer } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import { filesOfDiff } from "../../domain/change/filesOfDiff.ts"
import { isVendoredPath } from "../../domain/change/PathKind.ts"
import { folderOf, isFolder, type Repository } from "../../domain/code/Repository.ts"
import { filesOfPackage } from "../../languages/go/modules.ts"
import { resolveImport } from "../../languages/imports.ts"
import type { LoadedModule } from "../../languages/Language.ts"
import { familyOf, languageOf } from "../../languages/languages.ts"
import { forEachFile } from "../change/progress/FileCounts.ts"
import { Sources } from "../change/Sources.ts"
import { oncePerKey } from "../system/oncePerKey.ts"
import { linkOf } from "./NameResolver.ts"
import type { BothSides } from "./Surroundings.ts"

export interface Edge {
  readonly to: string
  /** The file that contains the import. */
  readonly path: string
  readonly line: number
  readonly endLine: number
  /** The names taken from the target itself: for Python, those that are not submodules. */
  readonly taken: ReadonlyArray<string>
}

export type Which = "base" | "head"

export class ImportGraph extends Context.Service<
  ImportGraph,
  {
    /** Edges from these nodes, in source order; each file is read once per side. */
    readonly edgesOf: (
      which: Which,
      nodes: ReadonlyArray<string>,
      sides: BothSides,
      change: Change
    ) => Effect.Effect<ReadonlyMap<string, ReadonlyArray<Edge>>>
  }
>()("dd/services/code/ImportGraph") {
  static readonly layer = Layer.effect(
    ImportGraph,
    Effect.gen(function* () {
      const sources = yield* Sources
      const edgesByFile = oncePerKey<string, ReadonlyArray<Edge>>()
      const targets: Readonly<Record<Which, Targets>> = { base: new Map(), head: new Map() }

      const ofFile = (which: Which, path: string, repository: Repository) =>
        edgesByFile(
          `${which}\n${path}`,
          Effect.map(sources[which](path), (source) =>
            source._tag === "Text"
              ? (languageOf(path)?.loaded?.(path, source.lines) ?? []).flatMap((loaded) =>
                  edgesTo(path, loaded, repository, targets[which])
                )
              : []
          )
        )

      const edgesOf = Effect.fn("ImportGraph.edgesOf")(function* (
        which: Which,
        nodes: ReadonlyArray<string>,
        sides: BothSides,
        change: Change
      ) {
        const files = filesOfDiff(change.diff)
        const isChanged = (path: string) => files.at(path) !== undefined || files.from(path) !== undefined
        const read = nodes.map((node) => filesOf(node, sides[which]))
        yield* sources.preload(read.flat())
        const found = new Map<string, ReadonlyArray<Edge>>()
        const readNode = Effect.fnUntraced(function* (node: string, at: number) {
          const edges: Array<Edge> = []
          for (const path of read[at] ?? []) {
            // An unchanged file loads the same files on both sides, except for changes of its targets.
            const side = isChanged(path) ? which : "head"
            edges.push(...(yield* ofFile(side, path, sides[side])))
          }
          found.set(
            node,
            edges.filter(({ to }) => to !== node)
          )
        })
        yield* forEachFile("imports", nodes, readNode)
        return found
      })

      return ImportGraph.of({ edgesOf })
    })
  )
}

/** The node that a file belongs to. */
export const nodeOf = (path: string): string => (path.endsWith(".go") ? folderOf(path) : path)

/** The files of a node, which are loaded together. */
const filesOf = (node: string, repository: Repository): ReadonlyArray<string> => {
  if (isFolder(node)) return filesOfPackage(node, repository)
  return repository.paths.has(node) ? [node] : []
}

/** The file that a module refers to from the files of a folder; null for one outside the repository. */
type Targets = Map<string, string | null>

const edgesTo = (path: string, loaded: LoadedModule, repository: Repository, known: Targets): ReadonlyArray<Edge> => {
  const { endLine, line, module, names } = loaded
  const targets = new Map<string, Array<string>>()
  if (familyOf(path) === "python" && names.length > 0) {
    for (const name of names) {
      const link = linkOf(path, { module, name }, repository)
      if (link._tag === "Nowhere") continue
      const taken = targets.get(link.path) ?? []
      if (link._tag === "Name") taken.push(name)
      targets.set(link.path, taken)
    }
  } else {
    // The same module names refer to the same files throughout a folder, unless a file refers to itself.
    const importer = `${folderOf(path)}:${path.slice(path.lastIndexOf("."))}`
    const key = `${folderOf(path)}\n${module}`
    const cached = known.get(key)
    const target =
      cached === undefined ? (resolveImport(importer, { module, names: [] }, repository)[0] ?? null) : cached
    known.set(key, target)
    if (target !== null) targets.set(nodeOf(target), [])
  }
  return [...targets]
    .filter(([to]) => to !== nodeOf(path) && !isVendoredPath(to))
    .map(([to, taken]) => ({ to, path, line, endLine, taken }))
}
