/**
 * Finds what a change breaks in one Rust file: at its `mod` and `use` lines, at paths, bare names and methods.
 *
 * A use counts only if it resolves to the definition and no trait, macro or glob from outside may provide the name.
 */
import { Effect } from "effect"
import { isRebound, type Reader } from "../../domain/code/brokenUses.ts"
import {
  type BrokenPlace,
  brokenBy,
  type ChangedContract,
  contractsIn,
  importPlace,
  type Scene
} from "../../domain/code/ContractScene.ts"
import { folderOf } from "../../domain/code/Repository.ts"
import type { ImportedName, Occurrence } from "../../domain/code/Symbol.ts"
import { childFile, segmentsOf } from "../../languages/rust/paths.ts"
import { rustBuiltins } from "../../languages/rust/symbols.ts"
import { Sources } from "../change/Sources.ts"
import { MemberSources } from "./MemberSources.ts"
import { NamedTypes } from "./NamedTypes.ts"
import { RustPaths, type RustTarget } from "./RustPaths.ts"
import { SymbolIndex } from "./SymbolIndex.ts"
import { TypeResolver } from "./TypeResolver.ts"

export const findRustUses = Effect.fn("findRustUses")(function* (path: string, scene: Scene, reader: Reader) {
  const sources = yield* Sources
  const index = yield* SymbolIndex
  const paths = yield* RustPaths
  const types = yield* TypeResolver
  const named = yield* NamedTypes
  const broken: Array<BrokenPlace> = [...(yield* goneModules(path, scene))]
  const source = yield* sources.head(path)
  const wanted = source._tag === "Text" ? contractsIn(source.text, scene) : []
  if (wanted.length === 0) return broken
  const names = new Set(wanted.map(({ contract }) => contract.name))
  const { imports, occurrences } = yield* index.uses(path, [...names])
  for (const imported of imports) {
    const segments = [...segmentsOf(imported.module), ...(imported.name === "*" ? [] : [imported.name ?? ""])]
    if (!segments.some((segment) => names.has(segment))) continue
    const target = yield* paths.resolve(path, segments, scene.head)
    for (const each of wanted) {
      if (each.contract._tag !== "Gone" || !(yield* breaks(path, target, each, true, scene))) continue
      broken.push(...brokenBy(each.changed.file, each.contract, [importPlace(imported)], reader))
    }
  }
  const targetOf = Effect.fnUntraced(function* (place: Occurrence, name: string) {
    const at = { path, imports, within: place.within ?? [], inner: place.inner }
    if (place.kind === "use") return yield* paths.resolveAt(at, [name], scene.head)
    if (place.path !== undefined) {
      if (place.path === "") return null
      return yield* paths.resolveAt(at, [...segmentsOf(place.path), name], scene.head)
    }
    const type =
      place.origin !== undefined
        ? yield* types.typeOf(path, place.origin, scene.head)
        : place.self !== null
          ? yield* named.typeNamed(path, place.self, scene.head)
          : null
    return type === null ? null : ({ _tag: "Member", path: type.path, type: type.name, name } as const)
  })
  // `use crate::cart::total as sum;`
  const isRenamed = ({ local, name }: ImportedName) => local !== "" && local !== name && names.has(name ?? "")
  const aliases = new Set(imports.filter(isRenamed).map(({ local }) => local))
  const renamed = aliases.size === 0 ? new Map() : (yield* index.uses(path, [...aliases])).occurrences
  for (const name of new Set([...names, ...aliases])) {
    const places: ReadonlyArray<Occurrence> = occurrences.get(name) ?? renamed.get(name) ?? []
    const isOther = rustBuiltins.has(name) || isRebound(new Map([[name, places]]), name)
    const bare = isOther ? [] : places.filter(({ inner, kind }) => kind === "use" && inner !== "local")
    const defined = new Set(
      places.flatMap(({ kind, within = [] }) => (kind === "definition" ? [within.join(" ")] : []))
    )
    for (const place of [...bare, ...places.filter(({ kind }) => kind === "member")]) {
      const scope = place.within?.join(" ")
      if (place.kind === "use" && scope !== undefined && defined.has(scope)) continue
      const target = yield* targetOf(place, name)
      if (target === null) continue
      for (const each of wanted) {
        if (each.contract.name !== name && !aliases.has(name)) continue
        const found = brokenBy(each.changed.file, each.contract, [place], reader)
        if (found.length > 0 && (yield* breaks(path, target, each, place.path !== undefined, scene))) {
          broken.push(...found)
        }
      }
    }
  }
  return broken
})

/** `mod name;` whose file the change removed. */
const goneModules = Effect.fnUntraced(function* (path: string, scene: Scene) {
  const index = yield* SymbolIndex
  const symbols = scene.gone.size === 0 ? null : yield* index.symbols(path)
  const modules = symbols?.definitions.filter(({ kind }) => kind === "module") ?? []
  return modules.flatMap(({ line, name }): ReadonlyArray<BrokenPlace> => {
    const was = childFile(path, name, scene.base)
    const file = was === null ? undefined : scene.gone.get(was)
    if (file === undefined || childFile(path, name, scene.head) !== null) return []
    return [{ file, contract: null, breakage: "file-gone", line }]
  })
})

/** Whether the altered definition is visible in the module that uses it. */
const isVisibleTo = Effect.fnUntraced(function* (path: string, { changed, contract }: ChangedContract, scene: Scene) {
  const paths = yield* RustPaths
  const hidden = contract._tag === "Gone" ? contract.hidden : undefined
  if (hidden === undefined) return true
  // Some files in `tests/` are the root of a crate; the others are modules of one.
  const isRoot = (yield* paths.rootOf(changed.path, scene.head)) === changed.path
  const below = isRoot || /(?:^|\/)mod\.rs$/.test(changed.path) ? folderOf(changed.path) : ownFolder(changed.path)
  if (path === changed.path || path.startsWith(below)) return true
  switch (hidden.visibility) {
    case "private":
      return false
    case "internal": {
      const [root, changedRoot] = [yield* paths.rootOf(path, scene.head), yield* paths.rootOf(changed.path, scene.head)]
      return root === null || changedRoot === null || root === changedRoot
    }
    default:
      return true
  }
})

/** Whether a member is looked up in the type whose implementation changed. */
const isOfType = Effect.fnUntraced(function* (
  target: Extract<RustTarget, { _tag: "Member" }>,
  { changed, contract }: ChangedContract,
  scene: Scene
) {
  const named = yield* NamedTypes
  if (contract.container === null || target.name !== contract.name) return false
  const owner = yield* named.typeNamed(changed.path, contract.container, scene.head)
  return owner?.path === target.path && owner.name === target.type
})

/** A trait, another `impl`, or an attribute that generates code may provide the removed member. */
const hasOtherSource = Effect.fnUntraced(function* (
  { changed, contract }: ChangedContract,
  viaPath: boolean,
  scene: Scene
) {
  const members = yield* MemberSources
  const { base, head } = changed
  const { container, name } = contract
  const marksOf = (symbols: typeof base | null) => symbols?.types.find((type) => type.name === container)?.marks
  if (head?.bound.has(name) === true || marksOf(base) !== marksOf(head)) return true
  const others = yield* members.symbolsMentioning(scene.mentioning, name)
  return others.some(
    (symbols) =>
      symbols === null ||
      symbols.definitions.some(
        (each) => each.name === name && (each.container === container || (!viaPath && each.inherited === true))
      )
  )
})

const breaks = Effect.fnUntraced(function* (
  path: string,
  target: RustTarget,
  wanted: ChangedContract,
  viaPath: boolean,
  scene: Scene
) {
  const { changed, contract } = wanted
  const { container, name } = contract
  const isLost = contract._tag === "Gone" && contract.hidden === undefined
  switch (target._tag) {
    case "Absent":
      return (
        isLost &&
        container === null &&
        target.places.some((place) => place.path === changed.path && place.name === name)
      )
    case "Item": {
      const isDefinition = container === null && target.path === changed.path && target.definition.name === name
      return isDefinition && !isLost && (contract._tag === "Signature" || !(yield* isVisibleTo(path, wanted, scene)))
    }
    case "Member": {
      if (!(yield* isOfType(target, wanted, scene))) return false
      if (isLost) return !(yield* hasOtherSource(wanted, viaPath, scene))
      return contract._tag === "Signature" || !(yield* isVisibleTo(path, wanted, scene))
    }
    default:
      return false
  }
})

/** The folder of the submodules of a file that is not a `mod.rs`. */
const ownFolder = (path: string): string => `${path.slice(0, -".rs".length)}/`
