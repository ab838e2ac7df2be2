/**
 * Finds the import cycles that a change closes: from a file through a new import back to that file.
 *
 * A cycle counts only if no neighbours in it were in one before, and only if it has an effect: the language forbids it, or
 * a module uses a name when it is loaded that may not exist yet. The number of files is bounded; what a bound cut off is
 * in `omitted`.
 */
import { Effect } from "effect"
import type { DiffFile } from "../../domain/change/Diff.ts"
import { filesOfDiff } from "../../domain/change/filesOfDiff.ts"
import { isVendoredPath } from "../../domain/change/PathKind.ts"
import { isTestFile } from "../../domain/change/TestFile.ts"
import { folderOf } from "../../domain/code/Repository.ts"
import { wordPlaces } from "../../domain/code/Symbol.ts"
import { addedLines } from "../../domain/finding/Claims.ts"
import { compareText } from "../../domain/text/compareText.ts"
import { foldersAbove } from "../../domain/text/foldersAbove.ts"
import { importWord } from "../../languages/imports.ts"
import type { Family } from "../../languages/Language.ts"
import { endingsOf, familyOf } from "../../languages/languages.ts"
import { importsConditionally } from "../../languages/python/loading.ts"
import type { StructureClaim } from "../../rules/structure/structureRecords.ts"
import { isValueUse } from "../../rules/structure/valueUse.ts"
import { Sources } from "../change/Sources.ts"
import { type Edge, ImportGraph, nodeOf, type Which } from "../code/ImportGraph.ts"
import { PythonLoader } from "../code/PythonLoader.ts"
import { SymbolIndex } from "../code/SymbolIndex.ts"
import { SyntaxTrees } from "../code/SyntaxTrees.ts"
import type { Setting } from "../code/TypeFinder.ts"
import { failedScriptLoading } from "./scriptLoading.ts"
import { firstOf, isOwnFile, structureCheck } from "./structureCheck.ts"

/** Files (packages for Go) that are visited on the way back to one changed file. */
export const filesFollowed = 3_000
/** Changed files with a new import that are followed. */
const filesStarted = 40
/** Edges that import only types and are removed before the search gives up. */
const edgesBanned = 12
/** Modules of a cycle that are loaded first in a trial, each through all of the others. */
const entriesLoaded = 24
/** The number of neighbours in a cycle that are checked for an older cycle. */
const neighboursChecked = 12

const familiesWithCycles: ReadonlyArray<Family> = ["python", "script", "go"]

/** A new import and the way back from its target. */
interface Cycle {
  readonly start: DiffFile
  readonly edges: ReadonlyArray<Edge>
}

export const cycleCheck = structureCheck({
  name: "cycleCheck",
  misfits: ["import-cycle", "broken-import-cycle"],
  isChecked: (file) => mayImport(file),
  most: Number.POSITIVE_INFINITY,
  what: "import cycles from",
  find: Effect.fnUntraced(function* (files, setting) {
    const parts = yield* Effect.forEach(familiesWithCycles, (family) =>
      reviewFamily(
        family,
        files.filter(({ path }) => familyOf(path) === family),
        setting
      )
    )
    return { claims: parts.flatMap(({ claims }) => claims), omitted: parts.flatMap(({ omitted }) => omitted) }
  })
})

/** Go: an external test package is a separate package that nothing imports. */
const isExternalTest = Effect.fnUntraced(function* (path: string) {
  const sources = yield* Sources
  const source = path.endsWith("_test.go") ? yield* sources.head(path) : null
  return source?._tag === "Text" && source.lines.some((line) => /^package\s+\w+_test\b/.test(line))
})

/** New imports of the file, at added lines. */
const newEdges = Effect.fnUntraced(function* (file: DiffFile, setting: Setting) {
  const graph = yield* ImportGraph
  const { newPath, oldPath } = file
  if (newPath === null || (yield* isExternalTest(newPath))) return []
  const edges = (yield* graph.edgesOf("head", [newPath], setting.sides, setting.change)).get(newPath) ?? []
  const before = oldPath === null ? [] : [nodeOf(oldPath)]
  const had = (yield* graph.edgesOf("base", before, setting.sides, setting.change)).get(before[0] ?? "") ?? []
  const known = new Set(had.map(({ to }) => to))
  const added = addedLines(file)
  const isAdded = ({ endLine, line }: Edge) => added.some((each) => each.line >= line && each.line <= endLine)
  return edges.filter((edge) => edge.to !== nodeOf(newPath) && !known.has(baseName(edge.to, setting)) && isAdded(edge))
})

/** Whether anything imports one of these; a file without importers is in no cycle. */
const importedNodes = Effect.fnUntraced(function* (paths: ReadonlyArray<string>, family: Family, setting: Setting) {
  const sources = yield* Sources
  const graph = yield* ImportGraph
  const words = paths.flatMap((path) => (family === "go" ? folderWord(path, setting) : (importWord(path) ?? [])))
  const candidates = (yield* sources.mentioning([...new Set(words)], endingsOf(family))).filter(
    (path) => !isVendoredPath(path)
  )
  if (candidates.length > filesFollowed) return new Set(paths.map(nodeOf))
  const nodes = [...new Set(candidates.map(nodeOf))]
  const edges = yield* graph.edgesOf("head", nodes, setting.sides, setting.change)
  return new Set([...edges.values()].flatMap((some) => some.map(({ to }) => to)))
})

/** The shortest way from one of the first edges to `goal`; `seen` collects the visited nodes. */
const pathTo = Effect.fnUntraced(function* (
  which: Which,
  first: ReadonlyArray<Edge>,
  goal: string,
  setting: Setting,
  banned: ReadonlySet<string>
) {
  const graph = yield* ImportGraph
  const cameBy = new Map<string, { readonly edge: Edge; readonly before: string | null }>()
  let frontier: Array<string> = []
  for (const edge of first) {
    if (cameBy.has(edge.to) || banned.has(keyOf(edge))) continue
    cameBy.set(edge.to, { edge, before: null })
    frontier.push(edge.to)
  }
  while (frontier.length > 0 && !cameBy.has(goal)) {
    if (cameBy.size > filesFollowed) return { cut: true, edges: null }
    const next: Array<string> = []
    const edges = yield* graph.edgesOf(which, frontier, setting.sides, setting.change)
    for (const node of frontier) {
      for (const edge of edges.get(node) ?? []) {
        if (cameBy.has(edge.to) || banned.has(keyOf(edge))) continue
        cameBy.set(edge.to, { edge, before: node })
        next.push(edge.to)
      }
    }
    frontier = next
  }
  const way: Array<Edge> = []
  for (let at = cameBy.get(goal); at !== undefined; at = at.before === null ? undefined : cameBy.get(at.before)) {
    way.unshift(at.edge)
  }
  return { cut: false, edges: way.length === 0 ? null : way }
})

/** Whether both were in one cycle before. True if this is unknown. */
const wereInOneCycle = Effect.fnUntraced(function* (a: string, b: string, setting: Setting) {
  const graph = yield* ImportGraph
  for (const [from, to] of [
    [a, b],
    [b, a]
  ] as const) {
    const first = (yield* graph.edgesOf("base", [from], setting.sides, setting.change)).get(from) ?? []
    const { cut, edges } = yield* pathTo("base", first, to, setting, new Set())
    if (cut) return true
    if (edges === null) return false
  }
  return true
})

/** Whether any neighbours of this cycle were in one before; joining an old cycle closes no new one. */
const joinsOldCycle = Effect.fnUntraced(function* (nodes: ReadonlyArray<string>, setting: Setting) {
  for (const [at, node] of nodes.slice(0, neighboursChecked).entries()) {
    const next = nodes[at + 1]
    if (next === undefined) continue
    if (yield* wereInOneCycle(baseName(node, setting), baseName(next, setting), setting)) return true
  }
  return false
})

/** TypeScript omits an import that is used only for types. */
const isLoaded = Effect.fnUntraced(function* ({ endLine, line, path }: Edge) {
  const index = yield* SymbolIndex
  const trees = yield* SyntaxTrees
  if (!/\.(?:[cm]?ts|tsx)$/.test(path)) return true
  const { imports } = yield* index.uses(path, [])
  const names = imports.filter((each) => each.line >= line && each.line <= endLine)
  // Imported for its side effects, or re-exported.
  if (names.length === 0 || names.some(({ local, name }) => local === "" && name === null)) return true
  if (names.some(({ local }) => local === "")) return true
  const isUsed = yield* trees.head(path, {
    ask: (root, { text }) =>
      names.some(({ local }) =>
        wordPlaces(text, local).some((at) => {
          const node = root.descendantForIndex(at, at + local.length)
          return node !== null && isValueUse(node)
        })
      )
  })
  return isUsed === true
})

/** The shortest cycle of imports that are actually loaded, through one of the new ones. */
const cycleFrom = Effect.fnUntraced(function* (path: string, edges: ReadonlyArray<Edge>, setting: Setting) {
  const banned = new Set<string>()
  while (banned.size <= edgesBanned) {
    const found = yield* pathTo("head", edges, nodeOf(path), setting, banned)
    if (found.edges === null) return found
    const idle = (yield* Effect.filter(found.edges, (edge) => Effect.map(isLoaded(edge), (loaded) => !loaded)))[0]
    if (idle === undefined) return found
    banned.add(keyOf(idle))
  }
  return { cut: false, edges: null }
})

/** A conditional import of a package on the way may load these modules in another order. */
const isOrderKnown = Effect.fnUntraced(function* ({ edges }: Cycle, { sides: { head } }: Setting) {
  const sources = yield* Sources
  const paths = edges.flatMap(({ to }) => [to, ...foldersAbove(to).map((folder) => `${folder}__init__.py`)])
  for (const path of new Set(paths.filter((each) => head.paths.has(each)))) {
    const source = yield* sources.head(path)
    if (source._tag !== "Text" || importsConditionally(source.lines)) return false
  }
  return true
})

/** The first of these modules that can no longer be loaded, and where it fails. */
const failedPythonLoading = Effect.fnUntraced(function* (cycle: Cycle, setting: Setting) {
  const loader = yield* PythonLoader
  for (const { to } of cycle.edges.slice(0, entriesLoaded)) {
    const now = yield* loader.failure("head", to, setting.sides, setting.change)
    if (now === null) continue
    const before = yield* loader.failure("base", baseName(to, setting), setting.sides, setting.change)
    if (before === null) return { entry: to, ...now }
  }
  return null
})

/** How the cycle fails: a name that is used before it exists. Null if all of it can be loaded in any order. */
const failureOf = Effect.fnUntraced(function* (cycle: Cycle, family: Family, setting: Setting) {
  if (family === "go") return { isCertain: true, text: "Go does not compile packages that import each other." }
  if (family === "python") {
    const failed = yield* failedPythonLoading(cycle, setting)
    if (failed === null) return null
    const isCertain = yield* isOrderKnown(cycle, setting)
    const { entry, from, line, name, path, reached } = failed
    const text = `Loading ${entry} first fails: ${path}:${line} takes \`${name}\` from ${from}, which has only been loaded up to line ${reached}.`
    return { isCertain, text: isCertain ? text : "" }
  }
  const failed = yield* failedScriptLoading(cycle.edges, setting)
  if (failed === null) return null
  const { entry, from, line, name, path } = failed
  const text = `If ${entry} is loaded first, ${path}:${line} uses \`${name}\` before ${from} has defined it.`
  return { isCertain: false, text }
})

const reviewFamily = Effect.fnUntraced(function* (family: Family, files: ReadonlyArray<DiffFile>, setting: Setting) {
  const started: Array<{ readonly file: DiffFile; readonly path: string; readonly edges: ReadonlyArray<Edge> }> = []
  for (const file of files) {
    const edges = yield* newEdges(file, setting)
    if (edges.length > 0 && file.newPath !== null) started.push({ file, path: file.newPath, edges })
  }
  if (started.length === 0) return { claims: [], omitted: [] }
  const paths = started.map(({ path }) => path)
  const imported = yield* importedNodes(paths, family, setting)
  const candidates = started.filter(({ path }) => imported.has(nodeOf(path)))
  const first = firstOf(candidates, filesStarted, "import cycles from", `${family} files with new imports`)
  const omitted = new Set(first.omitted)
  const cycles: Array<Cycle> = []
  for (const { edges, file, path } of first.kept) {
    const { cut, edges: found } = yield* cycleFrom(path, edges, setting)
    if (cut) omitted.add(`import cycles of more than ${filesFollowed} ${family} files`)
    if (found === null) continue
    if (yield* joinsOldCycle([nodeOf(path), ...found.map(({ to }) => to)], setting)) continue
    cycles.push({ start: file, edges: found })
  }
  const claims: Array<StructureClaim> = []
  for (const cycle of distinct(cycles)) {
    const failure = yield* failureOf(cycle, family, setting)
    if (failure !== null) claims.push(...claimOf(cycle, failure))
  }
  return { claims, omitted: [...omitted] }
})

/** Go: the last word of an import of the file's package. */
const folderWord = (path: string, { sides: { head } }: Setting): string => {
  const folder = folderOf(path).slice(0, -1)
  const module = /^module\s+"?([^\s"]+)/m.exec(head.data.get("go.mod") ?? "")?.[1] ?? ""
  const whole = folder === "" ? module.replace(/\/v\d+$/, "") : folder
  return whole.slice(whole.lastIndexOf("/") + 1)
}

const keyOf = ({ path, to }: Edge): string => `${path}\n${to}`

/** Whether an added line of this file may be an import. */
const mayImport = (file: DiffFile): boolean => {
  const family = familyOf(file.path)
  return (
    isOwnFile(file) &&
    family !== null &&
    familiesWithCycles.includes(family) &&
    !(family !== "go" && isTestFile(file.path)) &&
    addedLines(file).some(({ text }) =>
      /\b(?:import|from)\b|^\s*(?:[\w.]+\s+)?"[^"]+"\s*$|^\s*\w+(?: as \w+)?,?$/.test(text)
    )
  )
}

/** The name of a head-side node before the change. */
const baseName = (node: string, { change }: Setting): string => {
  const file = filesOfDiff(change.diff).at(node)
  return (file?.status === "renamed" ? file.oldPath : null) ?? node
}

/** Without duplicates, the shortest first: a cycle through another cycle's new import adds nothing. */
const distinct = (cycles: ReadonlyArray<Cycle>): ReadonlyArray<Cycle> => {
  const kept: Array<Cycle> = []
  const sorted = [...cycles].sort((a, b) => a.edges.length - b.edges.length || compareText(a.start.path, b.start.path))
  for (const cycle of sorted) {
    const keys = new Set(cycle.edges.map(keyOf))
    if (!kept.some(({ edges }) => edges.some((edge) => keys.has(keyOf(edge))))) kept.push(cycle)
  }
  return kept
}

const shownNode = (node: string): string => (node === "" ? "the module's root" : node.replace(/\/$/, ""))

/** `cart` for `shop/cart.py`. */
const stemOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1).replace(/\..*$/, "")

const claimOf = (
  { edges, start }: Cycle,
  { isCertain, text }: { readonly isCertain: boolean; readonly text: string }
): ReadonlyArray<StructureClaim> => {
  const [first] = edges
  if (first === undefined) return []
  const from = shownNode(nodeOf(start.path))
  const cycle = [from, ...edges.map(({ to }) => shownNode(to))].join(" → ")
  const places = edges.map(({ line, path, to }) => ({
    path,
    line,
    words: [stemOf(shownNode(to))],
    message: `imports ${shownNode(to)}`
  }))
  return [
    {
      misfit: isCertain ? "broken-import-cycle" : "import-cycle",
      title: `This import closes a cycle: ${cycle.length > 160 ? `${cycle.slice(0, 157)}...` : cycle}`,
      detail: `${text}${text === "" ? "" : " "}The path back: ${places
        .map(({ line, path }) => `${path}:${line}`)
        .join(", ")}.`,
      path: first.path,
      line: first.line,
      words: [stemOf(shownNode(first.to))],
      places
    }
  ]
}
