/**
 * Finds what a change breaks in one Go file: in its own package, and through the packages it imports.
 *
 * A use counts only if it resolves to the definition. If the name may have another meaning, it is not reported.
 */
import { Effect } from "effect"
import { bareUses, isRebound, isSimpleName, memberUses, type Reader } from "../../domain/code/brokenUses.ts"
import { type BrokenPlace, brokenBy, type ChangedFile, type Scene } from "../../domain/code/ContractScene.ts"
import { folderOf, type Repository } from "../../domain/code/Repository.ts"
import type { ImportedName } from "../../domain/code/Symbol.ts"
import { findOwnUses } from "./findOwnUses.ts"
import { linkOf } from "./NameResolver.ts"
import { SymbolIndex } from "./SymbolIndex.ts"

export const findPackageUses = Effect.fn("findPackageUses")(function* (path: string, scene: Scene, reader: Reader) {
  const index = yield* SymbolIndex
  const broken: Array<BrokenPlace> = []
  const packages = new Set(((yield* index.imports([path]))[0]?.imports ?? []).map(packageName))
  for (const changed of scene.changed) {
    // The name of an imported package is not the definition's.
    const changes = changed.changes.filter(({ name }) => !packages.has(name))
    if (folderOf(changed.path) !== folderOf(path) || changes.length === 0) continue
    broken.push(...(yield* findOwnUses(path, { ...changed, changes }, scene, reader)))
  }
  broken.push(...(yield* throughPackages(path, scene, reader)))
  // One removed file is one finding, however many definitions it had.
  return broken.map((place) =>
    scene.gone.has(place.file.oldPath ?? "") ? { ...place, contract: null, breakage: "file-gone" as const } : place
  )
})

/** The name of a package in the file, or the last part of its path that is no version. */
const packageName = ({ local, module }: ImportedName): string =>
  local !== ""
    ? local
    : (module
        .replace(/\/v\d+$/, "")
        .split("/")
        .at(-1) ?? "")

/** Go: an import names a folder; the package clause there decides the name in the file. */
const throughPackages = Effect.fnUntraced(function* (path: string, scene: Scene, reader: Reader) {
  const index = yield* SymbolIndex
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
  const isRelevant = (imported: ImportedName) => changedIn(imported).length > 0 || goneWith(imported) !== undefined
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
      // `import . "m/cart"` binds the names themselves.
      const isDot = local === "."
      if (!isDot && (!isSimpleName(local) || isRebound(uses.occurrences, local))) continue
      for (const contract of changed.changes) {
        if (contract.container !== null) continue
        const named = uses.occurrences.get(contract.name) ?? []
        const places = isDot ? bareUses(named) : memberUses(named, local)
        broken.push(...brokenBy(changed.file, contract, places, reader))
      }
    }
  }
  return broken
})
