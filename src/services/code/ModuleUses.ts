/**
 * Finds what a change breaks in one file of Python, TypeScript or JavaScript: through its imports and in its own text.
 *
 * A use counts only when it leads to the definition; whatever could make it mean something else silences it.
 */
import { Context, Effect, Layer } from "effect"
import { bareUses, memberUses, type Reader, selfUses } from "../../domain/code/brokenUses.ts"
import {
  type BrokenPlace,
  brokenBy,
  type ChangedFile,
  importPlace,
  type Scene
} from "../../domain/code/ContractScene.ts"
import { known } from "../../domain/code/contractChanges.ts"
import type { ImportedName } from "../../domain/code/Symbol.ts"
import { languageOf } from "../../languages/languages.ts"
import { pythonBuiltins } from "../../languages/python/symbols.ts"
import { Sources } from "../change/Sources.ts"
import { MemberSources } from "./MemberSources.ts"
import { linkOf, NameResolver } from "./NameResolver.ts"
import { SymbolIndex, type Uses } from "./SymbolIndex.ts"

export class ModuleUses extends Context.Service<
  ModuleUses,
  { readonly brokenIn: (path: string, scene: Scene, reader: Reader) => Effect.Effect<ReadonlyArray<BrokenPlace>> }
>()("dd/services/code/ModuleUses") {
  static readonly layer = Layer.effect(
    ModuleUses,
    Effect.gen(function* () {
      const sources = yield* Sources
      const index = yield* SymbolIndex
      const resolver = yield* NameResolver
      const members = yield* MemberSources

      /** What happened to a changed file, seen from its own text. */
      const inside = Effect.fnUntraced(function* (path: string, changed: ChangedFile, scene: Scene, reader: Reader) {
        const language = languageOf(path)
        const symbols = yield* index.symbols(path)
        if (language === null || symbols === null || symbols.open) return []
        const { occurrences } = yield* index.uses(path, [...new Set(changed.changes.map(({ name }) => name))])
        const meaning = known(symbols)
        const broken: Array<BrokenPlace> = []
        for (const contract of changed.changes) {
          const { container, name } = contract
          const places = occurrences.get(name) ?? []
          if (places.length === 0) continue
          if (contract._tag === "Signature") {
            const meant = container === null ? bareUses(places) : selfUses(places, container)
            broken.push(...brokenBy(changed.file, contract, meant, reader))
          } else if (container !== null) {
            // What is private now is there for its own file.
            if (contract.hidden !== undefined) continue
            const own = selfUses(places, container)
            const named = memberUses(places, container)
            if (own.length + named.length === 0) continue
            if (yield* members.hasOtherSource(changed, name, container, scene)) continue
            broken.push(...brokenBy(changed.file, contract, named, reader))
            if (own.length === 0 || (yield* members.isElsewhere(name, scene))) continue
            broken.push(...brokenBy(changed.file, contract, own, reader))
          } else if (contract.definition !== null && !meaning.has(name) && symbols.stars.length === 0) {
            if (language.contracts?.builtins.has(name) === true) continue
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
          if (places.length === 0 || (yield* members.hasOtherSource(changed, contract.name, container, scene))) continue
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

      /** Python: names that only a star import brings in. */
      const throughStars = Effect.fnUntraced(function* (path: string, scene: Scene, reader: Reader) {
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
          const fate = places.length === 0 ? null : yield* fateOf(path, name, scene)
          if (fate !== null) broken.push(...brokenBy(fate.file, fate.contract, places, reader))
        }
        return broken
      })

      const brokenIn = Effect.fn("ModuleUses.brokenIn")(function* (path: string, scene: Scene, reader: Reader) {
        const own = scene.byPath.get(path)
        const inItself = own === undefined || own.changes.length === 0 ? [] : yield* inside(path, own, scene, reader)
        return [
          ...inItself,
          ...(yield* throughImports(path, scene, reader)),
          ...(yield* throughStars(path, scene, reader))
        ]
      })

      return ModuleUses.of({ brokenIn })
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

/** Does the word mean anything else somewhere in the file? */
const isShadowed = ({ occurrences }: Uses, local: string): boolean =>
  (occurrences.get(local) ?? []).some(({ kind, receiver }) => kind === "binding" && receiver === null)
