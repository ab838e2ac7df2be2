/**
 * Finds the uses in one file that a change breaks elsewhere: through its imports, in its own text, in its package.
 *
 * A use counts only when it leads to the definition; whatever could make it mean something else silences it.
 */
import { Context, Effect, Layer } from "effect"
import { bareUses, brokenCalls, memberUses, type Reader, selfUses } from "../domain/brokenUses.ts"
import { type ContractChange, known } from "../domain/contractChanges.ts"
import type { DiffFile } from "../domain/Diff.ts"
import { folderOf, type Repository } from "../domain/ImportResolution.ts"
import type { Breakage } from "../domain/Rule.ts"
import { type FileSymbols, type ImportedName, type Occurrence, wordPlaces } from "../domain/Symbol.ts"
import { languageOf } from "../rules/symbols/languages.ts"
import { linkOf, NameResolver } from "./NameResolver.ts"
import { Sources } from "./Sources.ts"
import { SymbolIndex, type Uses } from "./SymbolIndex.ts"

/** A changed file with what it took away from its users. */
export interface ChangedFile {
  readonly file: DiffFile
  /** The head side's path; the base side's when the file is gone. */
  readonly path: string
  readonly base: FileSymbols
  readonly head: FileSymbols | null
  readonly changes: ReadonlyArray<ContractChange>
}

/** The changed files of one language in their repository. */
export interface Scene {
  readonly head: Repository
  readonly base: Repository
  readonly changed: ReadonlyArray<ChangedFile>
  readonly byPath: ReadonlyMap<string, ChangedFile>
  /** Old paths at which there is nothing any more. */
  readonly gone: ReadonlyMap<string, DiffFile>
  /** Names under which other files know what something happened to. */
  readonly names: ReadonlySet<string>
  /** Members that are gone, and the names of the classes that had them. */
  readonly members: ReadonlySet<string>
  readonly containers: ReadonlySet<string>
  /** Head-side files that mention any of these, or may. */
  readonly mentioning: ReadonlyArray<string>
}

/** A place that the change breaks, and what did it; a `contract` of null is the file itself, deleted or moved. */
export interface BrokenPlace {
  readonly file: DiffFile
  readonly contract: ContractChange | null
  readonly breakage: Breakage
  readonly line: number
}

export class UseFinder extends Context.Service<
  UseFinder,
  {
    /** In source order of what was changed, not of the lines. */
    readonly brokenIn: (path: string, scene: Scene, reader: Reader) => Effect.Effect<ReadonlyArray<BrokenPlace>>
  }
>()("dd/services/UseFinder") {
  static readonly layer = Layer.effect(
    UseFinder,
    Effect.gen(function* () {
      const sources = yield* Sources
      const index = yield* SymbolIndex
      const resolver = yield* NameResolver

      /** The symbols of those head-side files that mention a word; null stands for one that cannot be known. */
      const symbolsOfThose = Effect.fnUntraced(function* (paths: ReadonlyArray<string>, word: string) {
        const found: Array<FileSymbols | null> = []
        for (const path of paths) {
          const source = yield* sources.head(path)
          if (source._tag !== "Text" || wordPlaces(source.text, word).length === 0) continue
          found.push(yield* index.symbols(path))
        }
        return found
      })

      /** May the member come from elsewhere: a parent, something embedded, a field? */
      const hasOtherSource = Effect.fnUntraced(function* (
        { base, head, path }: ChangedFile,
        name: string,
        container: string,
        scene: Scene
      ) {
        const isFrom = (symbols: FileSymbols | null | undefined) =>
          symbols?.types.find((type) => type.name === container)
        let type = isFrom(head)
        if (type === undefined && base.package !== "") {
          const beside = yield* symbolsOfThose(scene.head.byFolder.get(folderOf(path)) ?? [], container)
          type = beside.map(isFrom).find((found) => found !== undefined)
        }
        return type === undefined || type.open || type.fields.has(name)
      })

      /** A member of this name anywhere else may be what a mixin, a subclass or a protocol brings. */
      const isMemberElsewhere = Effect.fnUntraced(function* (name: string, { mentioning }: Scene) {
        const others = yield* symbolsOfThose(mentioning, name)
        return others.some(
          (symbols) =>
            symbols === null ||
            symbols.definitions.some((each) => each.name === name) ||
            symbols.types.some((type) => type.fields.has(name))
        )
      })

      /** What happened to a changed file, seen from its own text or, in Go, from that of its package. */
      const inside = Effect.fnUntraced(function* (path: string, changed: ChangedFile, scene: Scene, reader: Reader) {
        const language = languageOf(path)
        const symbols = yield* index.symbols(path)
        if (language === null || symbols === null || symbols.open) return []
        if (path !== changed.path && symbols.package !== changed.base.package) return []
        const { occurrences } = yield* index.uses(path, [...new Set(changed.changes.map(({ name }) => name))])
        const meaning = known(symbols)
        const isPackage = symbols.package !== ""
        const broken: Array<BrokenPlace> = []
        for (const contract of changed.changes) {
          const { container, name } = contract
          const places = occurrences.get(name) ?? []
          if (places.length === 0) continue
          if (contract._tag === "Signature") {
            const meant = container === null ? bareUses(places) : selfUses(places, container)
            broken.push(...brokenBy(changed.file, contract, meant, reader))
          } else if (container !== null) {
            const own = selfUses(places, container)
            const named = isPackage ? [] : memberUses(places, container)
            if (own.length + named.length === 0) continue
            if (yield* hasOtherSource(changed, name, container, scene)) continue
            broken.push(...brokenBy(changed.file, contract, named, reader))
            if (own.length === 0 || (!isPackage && (yield* isMemberElsewhere(name, scene)))) continue
            broken.push(...brokenBy(changed.file, contract, own, reader))
          } else if (contract.definition !== null && !meaning.has(name) && symbols.stars.length === 0) {
            if (language.builtins.has(name)) continue
            if (places.some(({ kind }) => kind === "definition" || kind === "import")) continue
            broken.push(...brokenBy(changed.file, contract, bareUses(places), reader))
          }
        }
        return broken
      })

      /** What the change did to the name that `target` offers; null when nothing is certain. */
      const fateOf = Effect.fnUntraced(function* (target: string, name: string, scene: Scene) {
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
          (each) => each._tag === "Signature" && each.name === provision.definition.name && each.container === null
        )
        return contract === undefined ? null : { file: changed.file, contract }
      })

      /** The imported name itself: gone at the import, or called where it is used. */
      const throughName = Effect.fnUntraced(function* (given: Given, target: string, name: string) {
        const { imported, reader, scene, uses } = given
        const fate = yield* fateOf(target, name, scene)
        if (fate === null) return []
        const places =
          fate.contract._tag === "Gone" ? [importPlace(imported)] : bareUses(uses.occurrences.get(imported.local) ?? [])
        return brokenBy(fate.file, fate.contract, places, reader)
      })

      /** `Color.RED`, where Color is imported and its members are all to be seen. */
      const throughClass = Effect.fnUntraced(function* (given: Given, target: string, name: string) {
        const { imported, reader, scene, uses } = given
        if (isShadowed(uses, imported.local)) return []
        const provision = yield* resolver.provided(target, name, scene.head)
        const changed = provision._tag === "Defined" ? scene.byPath.get(provision.path) : undefined
        if (provision._tag !== "Defined" || changed === undefined) return []
        const container = provision.definition.name
        const broken: Array<BrokenPlace> = []
        for (const contract of changed.changes) {
          if (contract._tag !== "Gone" || contract.container !== container) continue
          const places = memberUses(uses.occurrences.get(contract.name) ?? [], imported.local)
          if (places.length === 0 || (yield* hasOtherSource(changed, contract.name, container, scene))) continue
          broken.push(...brokenBy(changed.file, contract, places, reader))
        }
        return broken
      })

      /** `cart.total`, where cart is an imported module. */
      const throughModule = Effect.fnUntraced(function* (given: Given, target: string) {
        const { imported, reader, scene, uses } = given
        if (isShadowed(uses, imported.local)) return []
        const broken: Array<BrokenPlace> = []
        for (const name of scene.names) {
          const places = memberUses(uses.occurrences.get(name) ?? [], imported.local)
          const fate = places.length === 0 ? null : yield* fateOf(target, name, scene)
          if (fate !== null) broken.push(...brokenBy(fate.file, fate.contract, places, reader))
        }
        return broken
      })

      /** The deleted or moved file that an import used to mean, when it means nothing now. */
      const goneFile = Effect.fnUntraced(function* (path: string, imported: ImportedName, scene: Scene) {
        const was = linkOf(path, imported, scene.base)
        const file = was._tag === "Nowhere" ? undefined : scene.gone.get(was.path)
        if (was._tag === "Nowhere" || file === undefined) return null
        const link = linkOf(path, imported, scene.head)
        if (link._tag === "Nowhere") return file
        // `from package import module`: the package is there, the module in it is not.
        if (link._tag !== "Name" || was._tag !== "Module") return null
        return (yield* resolver.provided(link.path, link.name, scene.head))._tag === "Absent" ? file : null
      })

      const throughImports = Effect.fnUntraced(function* (path: string, scene: Scene, reader: Reader) {
        const stated = (yield* index.imports([path]))[0]?.imports ?? []
        const isRelevant = (imported: ImportedName) => {
          const link = linkOf(path, imported, scene.head)
          if (link._tag === "Name") return scene.names.has(link.name) || scene.containers.has(link.name)
          if (link._tag === "Module") return scene.changed.length > 0 && imported.local !== ""
          return scene.gone.size > 0
        }
        const isOfGone = (imported: ImportedName) => {
          const was = scene.gone.size === 0 ? null : linkOf(path, imported, scene.base)
          return was !== null && was._tag !== "Nowhere" && scene.gone.has(was.path)
        }
        const relevant = stated.filter((imported) => isRelevant(imported) || isOfGone(imported))
        if (relevant.length === 0) return []
        const locals = relevant.map(({ local }) => local).filter((local) => isWord.test(local))
        const uses = yield* index.uses(path, [...new Set([...scene.names, ...scene.members, ...locals])])
        const broken: Array<BrokenPlace> = []
        for (const imported of uses.imports) {
          if (imported.guarded) continue
          const lost = yield* goneFile(path, imported, scene)
          if (lost !== null) {
            broken.push({ file: lost, contract: null, breakage: "file-gone", line: imported.line })
            continue
          }
          const link = linkOf(path, imported, scene.head)
          const given: Given = { imported, uses, scene, reader }
          if (link._tag === "Module" && imported.local !== "") broken.push(...(yield* throughModule(given, link.path)))
          if (link._tag !== "Name") continue
          if (scene.containers.has(link.name)) broken.push(...(yield* throughClass(given, link.path, link.name)))
          if (scene.names.has(link.name)) broken.push(...(yield* throughName(given, link.path, link.name)))
        }
        return broken
      })

      /** Go: an import means a folder, and a file calls it what its package clause says. */
      const throughPackages = Effect.fnUntraced(function* (path: string, scene: Scene, reader: Reader) {
        const packageOf = (imported: ImportedName, repository: Repository) => {
          const link = linkOf(path, { ...imported, name: null }, repository)
          return link._tag === "Module" ? folderOf(link.path) : null
        }
        const changedIn = (imported: ImportedName) => {
          const folder = packageOf(imported, scene.head)
          return scene.changed.filter((each) => folder === folderOf(each.path) && !each.base.package.endsWith("_test"))
        }
        const goneWith = (imported: ImportedName) => {
          const folder = packageOf(imported, scene.head) === null ? packageOf(imported, scene.base) : null
          return folder === null ? undefined : [...scene.gone].find(([at]) => folderOf(at) === folder)?.[1]
        }
        const isRelevant = (imported: ImportedName) =>
          changedIn(imported).length > 0 || goneWith(imported) !== undefined
        const stated = ((yield* index.imports([path]))[0]?.imports ?? []).filter(isRelevant)
        if (stated.length === 0) return []
        const localOf = ({ local }: ImportedName, changed: ChangedFile) => (local === "" ? changed.base.package : local)
        const locals = stated.flatMap((imported) => changedIn(imported).map((each) => localOf(imported, each)))
        const uses = yield* index.uses(path, [...new Set([...scene.names, ...locals])])
        const broken: Array<BrokenPlace> = []
        for (const imported of uses.imports) {
          const lost = goneWith(imported)
          if (lost !== undefined) {
            broken.push({ file: lost, contract: null, breakage: "file-gone", line: imported.line })
          }
          for (const changed of changedIn(imported)) {
            const local = localOf(imported, changed)
            if (!isWord.test(local) || isShadowed(uses, local)) continue
            for (const contract of changed.changes) {
              if (contract.container !== null) continue
              const places = memberUses(uses.occurrences.get(contract.name) ?? [], local)
              broken.push(...brokenBy(changed.file, contract, places, reader))
            }
          }
        }
        return broken
      })

      const brokenIn = Effect.fn("UseFinder.brokenIn")(function* (path: string, scene: Scene, reader: Reader) {
        const broken: Array<BrokenPlace> = []
        const isGo = path.endsWith(".go")
        const near = isGo ? scene.changed.filter((each) => folderOf(each.path) === folderOf(path)) : []
        const own = scene.byPath.get(path)
        for (const changed of isGo ? near : own === undefined ? [] : [own]) {
          if (changed.changes.length > 0) broken.push(...(yield* inside(path, changed, scene, reader)))
        }
        broken.push(...(yield* isGo ? throughPackages(path, scene, reader) : throughImports(path, scene, reader)))
        return broken
      })

      return UseFinder.of({ brokenIn })
    })
  )
}

/** One import of the file that is looked at, and what there is to hold it against. */
interface Given {
  readonly imported: ImportedName
  readonly uses: Uses
  readonly scene: Scene
  readonly reader: Reader
}

/** A name a file can be asked for; Go's `.` and `_`, and dotted modules, are none. */
const isWord = /^(?!_$)[\p{L}_$][\w$]*$/u

/** Places that are known to mean what was changed, as far as the change breaks them. */
const brokenBy = (
  file: DiffFile,
  contract: ContractChange,
  places: ReadonlyArray<Occurrence>,
  reader: Reader
): ReadonlyArray<BrokenPlace> => {
  if (contract._tag === "Signature") {
    return brokenCalls(contract, places, reader).map((use) => ({ file, contract, ...use }))
  }
  const breakage = contract.kept ? "unexported" : "removed"
  return places.map(({ line }) => ({ file, contract, breakage, line }))
}

const importPlace = ({ line }: ImportedName): Occurrence => ({
  line,
  kind: "import",
  receiver: null,
  call: null,
  value: "passed",
  self: null
})

/** Does the word mean anything else somewhere in the file? */
const isShadowed = ({ occurrences }: Uses, local: string): boolean =>
  (occurrences.get(local) ?? []).some(({ kind, receiver }) => kind === "binding" && receiver === null)
