/**
 * Who depends on what the change alters: places that call, import or override a changed definition.
 *
 * One search of the head side for the names of all changed definitions. A place is certain if the imports of its file
 * lead to the definition, or its package shares names; of a method, only a call on the object itself is. Lines are read
 * without a parser: an exact answer about one definition is that of `CodeQueries`. Bounded, never fails.
 */
import { Effect } from "effect"
import type { Found } from "../../domain/brief/Brief.ts"
import type { DefinitionChange } from "../../domain/brief/Definitions.ts"
import type { Dependent } from "../../domain/brief/Dependent.ts"
import { type LineUse, usesOnLine } from "../../domain/brief/definitions/lineUses.ts"
import type { Change } from "../../domain/change/Change.ts"
import { isMachineWritten, isTestPath } from "../../domain/change/PathKind.ts"
import { eachAlone, type WordPlace } from "../../domain/change/WordPlace.ts"
import { enclosingFunction, nameParts, qualifiedName } from "../../domain/code/CodeQuery.ts"
import { nearestFirst } from "../../domain/code/nearestFirst.ts"
import { folderOf, type Repository, repositoryOf, withPaths } from "../../domain/code/Repository.ts"
import type { Definition, ImportedName } from "../../domain/code/Symbol.ts"
import { compareText } from "../../domain/text/compareText.ts"
import { dataFiles, endingsBeside, resolveImport, sharesNames } from "../../languages/imports.ts"
import { familyOf } from "../../languages/languages.ts"
import { readTexts } from "../change/readTexts.ts"
import { Sources } from "../change/Sources.ts"
import { importNaming, linkOf, NameResolver } from "../code/NameResolver.ts"
import { SymbolIndex } from "../code/SymbolIndex.ts"

/** Changed definitions whose names are searched for, and those with the most users that are reported. */
const namesSearched = 60
const mostReported = 12
const mostNearest = 6
/** A word in more files is not the name of one definition. */
const filesWithWord = 400
const dataFilesRead = 120

/** A definition, its users are looked for by its name on the head side. */
interface Target {
  readonly name: string
  readonly container: string | null
  readonly path: string
  readonly line: number
  readonly endLine: number
  /** `Cart.total` */
  readonly shown: string
  /** No other type of its file has a method of this name. */
  readonly isAlone: boolean
}

interface Use extends LineUse {
  readonly path: string
  readonly line: number
  readonly certain: boolean
}

export interface Options {
  /** 1: places that use the definition itself; 2: also those that use the definitions around them; and so on. */
  readonly depth: number
}

export const dependentsOf = Effect.fn("brief.dependentsOf")(function* (
  change: Change,
  definitions: ReadonlyArray<DefinitionChange>,
  { depth }: Options = { depth: 1 }
) {
  const sources = yield* Sources
  const paths = yield* sources.headPaths
  const nothing: Found<ReadonlyArray<Dependent>> = { found: [], omitted: [] }
  const wanted = distinct(definitions.filter(hasUsers).toSorted(byWeight))
  if (wanted.length === 0) return nothing
  if (paths.length === 0) return { ...nothing, omitted: ["users of the changed definitions: there is no repository"] }
  const some = wanted.slice(0, namesSearched)
  const targets = yield* Effect.forEach(some, targetOf)
  const { omitted, uses } = yield* usesOf(targets, paths)
  const ranked = targets
    .map((target, at) => ({ target, uses: uses[at] ?? [], weight: weightOf(some[at]!) }))
    .filter(({ uses }) => uses.length > 0)
    .toSorted((a, b) => a.weight - b.weight || b.uses.length - a.uses.length)
  const shown = ranked.slice(0, mostReported)
  const touched = new Set(change.diff.files.flatMap(({ newPath }) => newPath ?? []))
  const found = yield* Effect.forEach(shown, ({ target, uses }) => dependentOf(target, uses, touched, depth, paths))
  const left = wanted.length - some.length + ranked.length - shown.length
  const answer: typeof nothing = {
    found,
    omitted: [...omitted, ...(left === 0 ? [] : [`users of ${left} of ${wanted.length} changed definitions`])]
  }
  return answer
})

/** Fields are used in too many ways, and what is new has no users that the change does not show. */
const hasUsers = ({ change, kind, name, public: isPublic }: DefinitionChange): boolean =>
  isPublic &&
  change !== "added" &&
  !/^(?:field|module|implementation)$/.test(kind) &&
  name !== "default" &&
  (isConstructor(name) || !/(?:^|\.)__\w+__$/.test(name))

/** A changed constructor concerns the users of its class. */
const isConstructor = (name: string): boolean => /\.(?:__init__|__new__|constructor)$/.test(name)

const usedName = (name: string): string => (isConstructor(name) ? name.slice(0, name.lastIndexOf(".")) : name)

/** A changed contract before a changed body. */
const weightOf = ({ change }: DefinitionChange): number => (change === "body" || change === "moved" ? 1 : 0)

const byWeight = (a: DefinitionChange, b: DefinitionChange): number => weightOf(a) - weightOf(b)

/** One change of each definition. */
const distinct = (definitions: ReadonlyArray<DefinitionChange>): ReadonlyArray<DefinitionChange> =>
  [...new Map(definitions.toReversed().map((each) => [`${each.file} ${each.name}`, each])).values()].reverse()

const targetOf = Effect.fnUntraced(function* ({ change, file, line, name: shown }: DefinitionChange) {
  const index = yield* SymbolIndex
  const { name, owner } = nameParts(usedName(shown))
  const container = owner.length === 0 ? null : owner.join(".")
  const symbols = change === "removed" ? null : yield* index.symbols(file)
  const named = symbols?.definitions.filter((each) => each.name === name) ?? []
  const own = named.find((each) => each.container === container && each.line <= line && line <= each.endLine)
  const target: Target = {
    name,
    container,
    path: file,
    line,
    // The methods of a class use it as well.
    endLine: isConstructor(shown) ? line : (own?.endLine ?? line),
    shown,
    isAlone: named.every((each) => each.container === container)
  }
  return target
})

/** The users of each target, in one search. */
const usesOf = Effect.fnUntraced(function* (targets: ReadonlyArray<Target>, paths: ReadonlyArray<string>) {
  const sources = yield* Sources
  const index = yield* SymbolIndex
  const words = targets.flatMap(({ container, name }) => [name, ...(container === null ? [] : [ownerOf(container)])])
  const endings = [...new Set(targets.flatMap(({ path }) => endingsBeside(path)))]
  const found = (yield* sources.places(eachAlone(words), endings)).filter(({ path }) => !isMachineWritten(path))
  const byWord = Map.groupBy(found, ({ word }) => word)
  const omitted: Array<string> = []
  const wanted = targets.map((target) => {
    const places = (byWord.get(target.name) ?? []).filter(({ path }) => familyOf(path) === familyOf(target.path))
    const files = Map.groupBy(places, ({ path }) => path)
    if (files.size <= filesWithWord) return files
    omitted.push(`users of ${target.shown}: ${files.size} files have this word`)
    return new Map<string, typeof places>()
  })
  const read = [...new Set(wanted.flatMap((files) => [...files.keys()]))]
  yield* sources.preload(read)
  yield* index.imports(read)
  const gone = targets.map(({ path }) => path).filter((path) => !paths.includes(path))
  const data = dataFiles([...read, ...gone], paths).slice(0, dataFilesRead)
  const repository = withPaths(repositoryOf(paths, yield* readTexts(sources, data)), gone)
  const uses = yield* Effect.forEach(targets, (target, at) =>
    usesOfOne(target, wanted[at] ?? new Map(), repository, byWord)
  )
  return { uses, omitted }
})

type Places = ReadonlyMap<string, ReadonlyArray<WordPlace>>

const usesOfOne = Effect.fnUntraced(function* (
  target: Target,
  files: Places,
  repository: Repository,
  byWord: ReadonlyMap<string, ReadonlyArray<WordPlace>>
) {
  const owner = target.container === null ? null : ownerOf(target.container)
  const naming = Map.groupBy(owner === null ? [] : (byWord.get(owner) ?? []), ({ path }) => path)
  const parts = yield* Effect.forEach(files, ([path, places]) =>
    usesIn(path, linesOf(places), target, repository, linesOf(naming.get(path) ?? []))
  )
  const found = parts.flatMap(({ uses }) => uses)
  if (owner === null) return found
  // A name that other types have, too: only objects that are named after the type.
  const others = parts.filter(({ others }) => others > 0).length
  const isDefinedElsewhere = parts.some(({ definitions }) => definitions > 0)
  const isDistinct =
    target.isAlone && !isDefinedElsewhere && others < parts.filter(({ uses }) => uses.length > 0).length
  return isDistinct
    ? found
    : found.filter(({ certain, kind, receiver }) => certain || kind === "definition" || isNamedAfter(receiver, owner))
})

const linesOf = (places: ReadonlyArray<WordPlace>): ReadonlySet<number> => new Set(places.map(({ line }) => line))

/** `session` and `self._session` for `ClientSession`. */
const isNamedAfter = (receiver: string | null, owner: string): boolean => {
  const last = (receiver ?? "").split(".").at(-1)?.replaceAll("_", "").toLowerCase() ?? ""
  return last.length > 2 && owner.replaceAll("_", "").toLowerCase().endsWith(last)
}

const ownerOf = (container: string): string => container.slice(container.lastIndexOf(".") + 1)

const usesIn = Effect.fnUntraced(function* (
  path: string,
  lines: ReadonlySet<number>,
  target: Target,
  repository: Repository,
  /** The lines with the name of the target's type. */
  ownerLines: ReadonlySet<number>
) {
  const sources = yield* Sources
  const source = yield* sources.head(path)
  const found = { uses: [] as Use[], others: 0, definitions: 0 }
  if (source._tag !== "Text") return found
  const leads = resolverIn(path, target, repository)
  const owner = target.container === null ? null : ownerOf(target.container)
  const sees = owner === null || (yield* seesType(path, target, ownerLines.size > 0, leads))
  const isChild = (): boolean =>
    owner !== null &&
    [...ownerLines].some((line) =>
      usesOnLine(source.lines[line - 1] ?? "", owner).some(({ kind }) => kind === "parent")
    )
  for (const line of lines) {
    const isOwn = path === target.path && line >= target.line && line <= target.endLine
    for (const use of isOwn ? [] : usesOnLine(source.lines[line - 1] ?? "", target.name)) {
      if (owner === null) {
        if (yield* isOfTarget(use, path, target, leads)) found.uses.push({ ...use, path, line, certain: true })
      } else if (use.kind === "definition") {
        if (path === target.path) continue
        if (sees && isChild()) found.uses.push({ ...use, path, line, certain: false })
        else found.definitions++
      } else if (use.receiver !== null) {
        const isSelf = path === target.path && target.isAlone && /^(?:self|this|cls|super)$/.test(use.receiver)
        const certain = isSelf || use.receiver === owner
        if (sees) found.uses.push({ ...use, path, line, certain })
        else found.others++
      }
    }
  }
  return found
})

type Leads = ReturnType<typeof resolverIn>

/** May a file have objects of the target's type, because it can name it? */
const seesType = Effect.fnUntraced(function* (
  path: string,
  { container, path: home }: Target,
  isNamed: boolean,
  leads: Leads
) {
  if (path === home) return true
  if (!isNamed || container === null) return false
  return sharesNames(home, path) || (yield* leads(ownerOf(container), container.split(".")[0] ?? ""))
})

/** Does a use mean the target, which is at the top of its file? */
const isOfTarget = Effect.fnUntraced(function* (
  { kind, receiver }: LineUse,
  path: string,
  { name, path: home }: Target,
  leads: Leads
) {
  if (kind === "definition" || receiver === "") return false
  if (path === home) return receiver === null
  if (receiver === null && sharesNames(home, path)) return true
  return yield* leads(receiver === null ? name : `${receiver}.${name}`, name)
})

/** Whether a path of names in a file leads to the top-level name of the target's file. */
const resolverIn = (path: string, target: Target, repository: Repository) => {
  const known = new Map<string, boolean>()
  return Effect.fnUntraced(function* (written: string, name: string) {
    const remembered = known.get(written)
    if (remembered !== undefined) return remembered
    const index = yield* SymbolIndex
    const [facts] = yield* index.imports([path])
    const answer = yield* leadsTo(path, written, name, target, facts?.imports ?? [], repository)
    known.set(written, answer)
    return answer
  })
}

const leadsTo = Effect.fnUntraced(function* (
  path: string,
  written: string,
  name: string,
  target: Target,
  imports: ReadonlyArray<ImportedName>,
  repository: Repository
) {
  const resolver = yield* NameResolver
  const imported = importNaming(written, imports) ?? imports.find((each) => each.name === name) ?? null
  // An import of Go does not name its package.
  const [, packageName] = (imported === null && path.endsWith(".go") && /^([^.]+)\.[^.]+$/.exec(written)) || []
  if (packageName !== undefined) {
    return (yield* resolver.packageNamed(path, packageName, repository)) === folderOf(target.path)
  }
  if (imported === null) return yield* leadsByFile(path, target, imports, repository)
  const link = linkOf(path, imported, repository)
  if (link._tag === "Nowhere") return false
  const member = written.slice(imported.local.length + 1)
  if (link._tag === "Module") {
    if (link.path === target.path) return true
    const isPackage = path.endsWith(".go") && folderOf(link.path) === folderOf(target.path)
    if (isPackage || member === "" || member.includes(".")) return isPackage
  }
  const wanted = link._tag === "Module" ? member : link.name
  if (link.path === target.path) return wanted === name || wanted === "default"
  const found = yield* resolver.provided(link.path, wanted, repository)
  return found._tag === "Defined" && found.path === target.path && found.definition.name === name
})

/** Languages whose imports name files or packages and not names: one of the imports leads to the file. */
const leadsByFile = (path: string, target: Target, imports: ReadonlyArray<ImportedName>, repository: Repository) =>
  Effect.sync(() => {
    const family = familyOf(path)
    if (family === "python" || family === "script" || family === "go") return false
    return imports.some(({ module, name }) =>
      resolveImport(path, { module, names: name === null ? [] : [name] }, repository).includes(target.path)
    )
  })

const dependentOf = Effect.fnUntraced(function* (
  target: Target,
  uses: ReadonlyArray<Use>,
  touched: ReadonlySet<string>,
  depth: number,
  paths: ReadonlyArray<string>
) {
  const files = new Set(uses.map(({ path }) => path))
  const nearest = yield* nearestUses(target, uses, touched, 1)
  const around: Array<Dependent["nearest"][number]> = [...nearest.places]
  const visited = new Set([`${target.path} ${target.shown}`])
  let next = depth > 1 ? yield* targetsAround(uses) : []
  for (let level = 2; level <= depth; level++) {
    const fresh = next.filter((each) => !visited.has(`${each.path} ${each.shown}`)).slice(0, namesSearched)
    if (fresh.length === 0) break
    for (const each of fresh) visited.add(`${each.path} ${each.shown}`)
    const found = (yield* usesOf(fresh, paths)).uses.flat()
    around.push(...(yield* nearestUses(target, found, touched, level)).places)
    next = level < depth ? yield* targetsAround(found) : []
  }
  const dependent: Dependent = {
    name: target.shown,
    file: target.path,
    line: target.line,
    callers: uses.filter(({ kind }) => kind === "call").length,
    uses: uses.filter(({ kind }) => kind === "use").length,
    importers: new Set(uses.filter(({ kind }) => kind === "import").map(({ path }) => path)).size,
    overriders: uses.filter(({ kind }) => kind === "definition" || kind === "parent").length,
    files: files.size,
    touched: [...files].filter((path) => touched.has(path)).length,
    nearest: around
  }
  return dependent
})

const nearKinds = { call: "call", use: "use", import: "import", definition: "override", parent: "override" } as const
const kindOrder = { definition: 0, parent: 0, call: 1, use: 2, import: 3 } as const

/** Certain ones first, then those outside of tests, then the nearest; imports only if there is nothing else. */
/** Places that the change does not edit come first: its reader does not see them otherwise. */
const nearestUses = Effect.fnUntraced(function* (
  target: Target,
  uses: ReadonlyArray<Use>,
  touched: ReadonlySet<string>,
  depth: number
) {
  const order = new Map(
    nearestFirst([target.path], [...new Set(uses.map(({ path }) => path))]).map((path, at) => [path, at])
  )
  const others = uses.filter(({ kind }) => kind !== "import")
  const sorted = (others.length > 0 ? others : uses).toSorted(
    (a, b) =>
      Number(b.certain) - Number(a.certain) ||
      Number(touched.has(a.path)) - Number(touched.has(b.path)) ||
      Number(isTestPath(a.path)) - Number(isTestPath(b.path)) ||
      (order.get(a.path) ?? 0) - (order.get(b.path) ?? 0) ||
      kindOrder[a.kind] - kindOrder[b.kind] ||
      a.line - b.line
  )
  // One place of each file before the second one of any.
  const firsts = [...Map.groupBy(sorted, ({ path }) => path).values()].flatMap(([first]) => first ?? [])
  const chosen = [...new Set([...firsts, ...sorted])].slice(0, mostNearest)
  const places = yield* Effect.forEach(chosen, (use) =>
    Effect.map(definitionAround(use), (around): Dependent["nearest"][number] => ({
      file: use.path,
      line: use.line,
      kind: nearKinds[use.kind],
      name: around === null ? null : qualifiedName(around),
      certain: use.certain,
      depth
    }))
  )
  return { places }
})

const definitionAround = Effect.fnUntraced(function* ({ line, path }: Use) {
  const index = yield* SymbolIndex
  const symbols = yield* index.symbols(path)
  return enclosingFunction(symbols?.definitions ?? [], line)
})

const targetsAround = Effect.fnUntraced(function* (uses: ReadonlyArray<Use>) {
  const found = new Map<string, Target>()
  for (const use of uses) {
    const around: Definition | null = use.kind === "import" ? null : yield* definitionAround(use)
    if (around === null) continue
    const { container, endLine, line, name } = around
    const shown = qualifiedName(around)
    found.set(`${use.path} ${shown}`, { name, container, path: use.path, line, endLine, shown, isAlone: true })
  }
  return [...found.values()].toSorted((a, b) => compareText(a.path, b.path) || a.line - b.line)
})
