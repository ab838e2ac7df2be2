/** Finds what the change of a file breaks in the file itself, or in another file of its package. */
import { Effect } from "effect"
import { bareUses, memberUses, type Reader, selfUses } from "../../domain/code/brokenUses.ts"
import { type BrokenPlace, brokenBy, type ChangedFile, type Scene } from "../../domain/code/ContractScene.ts"
import { known } from "../../domain/code/contractChanges.ts"
import { languageOf } from "../../languages/languages.ts"
import { MemberSources } from "./MemberSources.ts"
import { SymbolIndex } from "./SymbolIndex.ts"

export const findOwnUses = Effect.fnUntraced(function* (
  path: string,
  changed: ChangedFile,
  scene: Scene,
  reader: Reader
) {
  const index = yield* SymbolIndex
  const members = yield* MemberSources
  const language = languageOf(path)
  const symbols = yield* index.symbols(path)
  if (language === null || symbols === null || symbols.open) return []
  if (path !== changed.path && symbols.package !== changed.base.package) return []
  const { occurrences } = yield* index.uses(path, [...new Set(changed.changes.map(({ name }) => name))])
  const meaning = known(symbols)
  const isPackage = changed.base.package !== ""
  const broken: Array<BrokenPlace> = []
  for (const contract of changed.changes) {
    const { container, name } = contract
    const places = occurrences.get(name) ?? []
    if (places.length === 0) continue
    if (contract._tag !== "Gone") {
      const uses = container === null ? bareUses(places) : selfUses(places, container)
      broken.push(...brokenBy(changed.file, contract, uses, reader))
    } else if (container !== null) {
      // A definition that became private can still be used in its own file.
      if (contract.hidden !== undefined) continue
      const own = selfUses(places, container)
      const named = isPackage ? [] : memberUses(places, container)
      if (own.length + named.length === 0) continue
      if (yield* members.hasOtherSource(changed, name, container, scene)) continue
      broken.push(...brokenBy(changed.file, contract, named, reader))
      if (own.length === 0 || (!isPackage && (yield* members.isElsewhere(name, scene)))) continue
      broken.push(...brokenBy(changed.file, contract, own, reader))
    } else if (contract.definition !== null && !meaning.has(name) && symbols.stars.length === 0) {
      if (language.contracts?.builtins.has(name) === true) continue
      if (places.some(({ inner, kind }) => kind === "definition" || (kind === "import" && inner === undefined)))
        continue
      broken.push(...brokenBy(changed.file, contract, bareUses(places), reader))
    }
  }
  return broken
})
