/**
 * Finds what a change breaks in one Go file: in its own package, and through the packages it imports.
 *
 * A use counts only when it leads to the definition; whatever could make it mean something else silences it.
 */
import { Context, Effect, Layer } from "effect"
import { bareUses, memberUses, type Reader, selfUses } from "../../domain/code/brokenUses.ts"
import { type BrokenPlace, brokenBy, type ChangedFile, type Scene } from "../../domain/code/ContractScene.ts"
import { known } from "../../domain/code/contractChanges.ts"
import { folderOf, type Repository } from "../../domain/code/Repository.ts"
import type { ImportedName } from "../../domain/code/Symbol.ts"
import { languageOf } from "../../languages/languages.ts"
import { MemberSources } from "./MemberSources.ts"
import { linkOf } from "./NameResolver.ts"
import { SymbolIndex, type Uses } from "./SymbolIndex.ts"

export class PackageUses extends Context.Service<
  PackageUses,
  { readonly brokenIn: (path: string, scene: Scene, reader: Reader) => Effect.Effect<ReadonlyArray<BrokenPlace>> }
>()("dd/services/code/PackageUses") {
  static readonly layer = Layer.effect(
    PackageUses,
    Effect.gen(function* () {
      const index = yield* SymbolIndex
      const members = yield* MemberSources

      /** What happened to a file of the package, seen from this one. */
      const inPackage = Effect.fnUntraced(function* (path: string, changed: ChangedFile, scene: Scene, reader: Reader) {
        const language = languageOf(path)
        const symbols = yield* index.symbols(path)
        if (language === null || symbols === null || symbols.open) return []
        if (path !== changed.path && symbols.package !== changed.base.package) return []
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
            const own = selfUses(places, container)
            if (own.length === 0 || (yield* members.hasOtherSource(changed, name, container, scene))) continue
            broken.push(...brokenBy(changed.file, contract, own, reader))
          } else if (contract.definition !== null && !meaning.has(name) && symbols.stars.length === 0) {
            if (language.contracts?.builtins.has(name) === true) continue
            if (places.some(({ kind }) => kind === "definition" || kind === "import")) continue
            broken.push(...brokenBy(changed.file, contract, bareUses(places), reader))
          }
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

      const brokenIn = Effect.fn("PackageUses.brokenIn")(function* (path: string, scene: Scene, reader: Reader) {
        const broken: Array<BrokenPlace> = []
        for (const changed of scene.changed) {
          if (folderOf(changed.path) !== folderOf(path) || changed.changes.length === 0) continue
          broken.push(...(yield* inPackage(path, changed, scene, reader)))
        }
        broken.push(...(yield* throughPackages(path, scene, reader)))
        // One file that is gone is one thing, however much it defined.
        return broken.map((place) =>
          scene.gone.has(place.file.oldPath ?? "")
            ? { ...place, contract: null, breakage: "file-gone" as const }
            : place
        )
      })

      return PackageUses.of({ brokenIn })
    })
  )
}

/** A name a file can be asked for; Go's `.` and `_`, and dotted modules, are none. */
const isWord = /^(?!_$)[\p{L}_$][\w$]*$/u

/** Does the word mean anything else somewhere in the file? */
const isShadowed = ({ occurrences }: Uses, local: string): boolean =>
  (occurrences.get(local) ?? []).some(({ kind, receiver }) => kind === "binding" && receiver === null)
