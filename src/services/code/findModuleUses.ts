/**
 * Finds what a change breaks in one file of Python, TypeScript or JavaScript: through its imports and in its own text.
 *
 * A use counts only if it resolves to the definition. If the name may have another meaning, it is not reported.
 */
import { Effect } from "effect"
import { bareUses, isRebound, isSimpleName, memberUses, type Reader } from "../../domain/code/brokenUses.ts"
import { type BrokenPlace, brokenBy, importPlace, type Scene } from "../../domain/code/ContractScene.ts"
import { known } from "../../domain/code/contractChanges.ts"
import type { Repository } from "../../domain/code/Repository.ts"
import type { ImportedName, Uses } from "../../domain/code/Symbol.ts"
import { pythonBuiltins } from "../../languages/python/symbols.ts"
import { Sources } from "../change/Sources.ts"
import { findOwnUses } from "./findOwnUses.ts"
import { MemberSources } from "./MemberSources.ts"
import { linkOf, NameResolver } from "./NameResolver.ts"
import { HiddenDefinitions, SymbolIndex } from "./SymbolIndex.ts"

export const findModuleUses = Effect.fn("findModuleUses")(function* (path: string, scene: Scene, reader: Reader) {
  const own = scene.byPath.get(path)
  const inItself = own === undefined || own.changes.length === 0 ? [] : yield* findOwnUses(path, own, scene, reader)
  return [...inItself, ...(yield* throughImports(path, scene, reader)), ...(yield* throughStars(path, scene, reader))]
})

/** How the change altered the name that `target` provides; null if this is not certain. */
const lossOf = Effect.fnUntraced(function* (target: string, name: string, scene: Scene) {
  const resolver = yield* NameResolver
  const provision = yield* resolver.provided(target, name, scene.head)
  if (provision._tag === "Absent") {
    const lost = provision.searched.flatMap((path) => {
      const changed = scene.byPath.get(path)
      const contract = changed?.changes.find(
        (each) => each._tag === "Gone" && each.name === name && each.container === null
      )
      return changed === undefined || contract === undefined ? [] : [{ file: changed.file, contract }]
    })
    return lost[0] ?? null
  }
  const changed = provision._tag === "Defined" ? scene.byPath.get(provision.path) : undefined
  if (provision._tag !== "Defined" || changed === undefined) return null
  const contract = changed.changes.find(
    (each) => each._tag !== "Gone" && each.name === provision.definition.name && each.container === null
  )
  return contract === undefined ? null : { file: changed.file, contract }
})

/** The imported name itself: missing at the import, or called where it is used. */
const throughName = Effect.fnUntraced(function* (use: ImportedUse, target: string, name: string) {
  const { imported, reader, scene, uses } = use
  const loss = yield* lossOf(target, name, scene)
  if (loss === null) return []
  const places = bareUses(uses.occurrences.get(imported.local) ?? [], imported)
  if (loss.contract._tag !== "Gone") return brokenBy(loss.file, loss.contract, places, reader)
  const imports = brokenBy(loss.file, loss.contract, [importPlace(imported)], reader)
  return imports.map((place) => ({ ...place, uses: places }))
})

/** `Color.RED`, where Color is imported and all its members are known. */
const throughClass = Effect.fnUntraced(function* (use: ImportedUse, target: string, name: string) {
  const resolver = yield* NameResolver
  const members = yield* MemberSources
  const { imported, reader, scene, uses } = use
  if (isRebound(uses.occurrences, imported.local)) return []
  const provision = yield* resolver.provided(target, name, scene.head)
  const changed = provision._tag === "Defined" ? scene.byPath.get(provision.path) : undefined
  if (provision._tag !== "Defined" || changed === undefined) return []
  const container = provision.definition.name
  const broken: Array<BrokenPlace> = []
  for (const contract of changed.changes) {
    if (contract._tag !== "Gone" || contract.container !== container) continue
    const places = memberUses(uses.occurrences.get(contract.name) ?? [], imported.local, imported)
    if (places.length === 0 || (yield* members.hasOtherSource(changed, contract.name, container, scene))) continue
    broken.push(...brokenBy(changed.file, contract, places, reader))
  }
  return broken
})

/** `cart.total`, where cart is an imported module. */
const throughModule = Effect.fnUntraced(function* (use: ImportedUse, target: string) {
  const { imported, reader, scene, uses } = use
  if (isRebound(uses.occurrences, imported.local)) return []
  const broken: Array<BrokenPlace> = []
  for (const name of scene.names) {
    const places = memberUses(uses.occurrences.get(name) ?? [], imported.local, imported)
    const loss = places.length === 0 ? null : yield* lossOf(target, name, scene)
    if (loss !== null) broken.push(...brokenBy(loss.file, loss.contract, places, reader))
  }
  return broken
})

/** The deleted or moved file that an import referred to, if it now refers to none. */
const fileLostBy = Effect.fnUntraced(function* (path: string, imported: ImportedName, scene: Scene) {
  const resolver = yield* NameResolver
  const was = linkOf(path, imported, scene.base)
  const file = was._tag === "Nowhere" ? undefined : scene.gone.get(was.path)
  if (was._tag === "Nowhere" || file === undefined) return null
  const link = linkOf(path, imported, scene.head)
  if (link._tag === "Nowhere") return file
  // `from package import module`: the package exists, but the module does not.
  if (link._tag !== "Name" || was._tag !== "Module") return null
  return (yield* resolver.provided(link.path, link.name, scene.head))._tag === "Absent" ? file : null
})

/** What an import leads to; a search for all uses follows `export * as cart from "./cart"` to the module. */
const linkIn = Effect.fnUntraced(function* (path: string, imported: ImportedName, repository: Repository) {
  const index = yield* SymbolIndex
  const link = linkOf(path, imported, repository)
  if (link._tag !== "Name" || (yield* HiddenDefinitions).length === 0) return link
  const symbols = yield* index.symbols(link.path)
  const exported = symbols?.exports?.find(({ name }) => name === link.name)
  const source = exported?.from ?? symbols?.imports.find(({ local }) => local === exported?.local)
  return source?.name === null ? linkOf(link.path, source, repository) : link
})

const throughImports = Effect.fnUntraced(function* (path: string, scene: Scene, reader: Reader) {
  const index = yield* SymbolIndex
  const stated = (yield* index.imports([path]))[0]?.imports ?? []
  const isRelevant = Effect.fnUntraced(function* (imported: ImportedName) {
    const link = yield* linkIn(path, imported, scene.head)
    if (link._tag === "Name") return scene.names.has(link.name) || scene.containers.has(link.name)
    if (link._tag === "Module") return scene.changed.length > 0 && imported.local !== ""
    return scene.gone.size > 0
  })
  const isOfGone = (imported: ImportedName) => {
    const was = scene.gone.size === 0 ? null : linkOf(path, imported, scene.base)
    return was !== null && was._tag !== "Nowhere" && scene.gone.has(was.path)
  }
  const relevant = yield* Effect.filter(stated, (imported) =>
    Effect.map(isRelevant(imported), (relevant) => relevant || isOfGone(imported))
  )
  if (relevant.length === 0) return []
  const locals = relevant.map(({ local }) => local).filter((local) => isSimpleName(local))
  const uses = yield* index.uses(path, [...new Set([...scene.names, ...scene.members, ...locals])])
  const broken: Array<BrokenPlace> = []
  for (const imported of uses.imports) {
    if (imported.guarded) continue
    const lost = yield* fileLostBy(path, imported, scene)
    if (lost !== null) {
      broken.push({ file: lost, contract: null, breakage: "file-gone", line: imported.line })
      continue
    }
    const link = yield* linkIn(path, imported, scene.head)
    const use: ImportedUse = { imported, uses, scene, reader }
    if (link._tag === "Module" && imported.local !== "") broken.push(...(yield* throughModule(use, link.path)))
    if (link._tag !== "Name") continue
    if (scene.containers.has(link.name)) broken.push(...(yield* throughClass(use, link.path, link.name)))
    if (scene.names.has(link.name)) broken.push(...(yield* throughName(use, link.path, link.name)))
  }
  return broken
})

/** Python: names that only a star import brings in. */
const throughStars = Effect.fnUntraced(function* (path: string, scene: Scene, reader: Reader) {
  const sources = yield* Sources
  const index = yield* SymbolIndex
  const source = path.endsWith(".py") ? yield* sources.head(path) : null
  if (source?._tag !== "Text" || !/^\s*from\s.*\bimport\s+\*/m.test(source.text)) return []
  const symbols = yield* index.symbols(path)
  if (symbols === null || symbols.open) return []
  const meaning = known(symbols)
  const names = [...scene.names].filter((name) => !meaning.has(name) && !pythonBuiltins.has(name))
  const { occurrences } = yield* index.uses(path, names)
  const broken: Array<BrokenPlace> = []
  for (const name of names) {
    const places = bareUses(occurrences.get(name) ?? [])
    const loss = places.length === 0 ? null : yield* lossOf(path, name, scene)
    if (loss !== null) broken.push(...brokenBy(loss.file, loss.contract, places, reader))
  }
  return broken
})

/** One import of the searched file, with the data to check it. */
interface ImportedUse {
  readonly imported: ImportedName
  readonly uses: Uses
  readonly scene: Scene
  readonly reader: Reader
}
