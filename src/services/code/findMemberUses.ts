/**
 * Finds uses of changed members on objects whose type is written down: declared, constructed in place, or one step away
 * from such an object. For Python, TypeScript, JavaScript and Go; the Rust and Java finders include members.
 */
import { Effect } from "effect"
import type { Reader } from "../../domain/code/brokenUses.ts"
import { type BrokenPlace, brokenBy, type ChangedContract, type Scene } from "../../domain/code/ContractScene.ts"
import { Sources } from "../change/Sources.ts"
import { MemberSources } from "./MemberSources.ts"
import { NamedTypes, type TypePlace } from "./NamedTypes.ts"
import { SymbolIndex } from "./SymbolIndex.ts"
import { isSameType, TypeResolver } from "./TypeResolver.ts"

interface ChangedMember extends ChangedContract {
  readonly container: string
}

export const findMemberUses = Effect.fn("findMemberUses")(function* (path: string, scene: Scene, reader: Reader) {
  const index = yield* SymbolIndex
  const types = yield* TypeResolver
  const named = yield* NamedTypes
  const members = yield* MemberSources
  const wanted = yield* mentioned(path, scene)
  if (wanted.length === 0) return []
  const { occurrences } = yield* index.uses(path, [...new Set(wanted.map(({ contract }) => contract.name))])
  const broken: Array<BrokenPlace> = []
  for (const member of wanted) {
    const { changed, container, contract } = member
    const places = occurrences.get(contract.name) ?? []
    // A member of this name is assigned to an object.
    if (places.some(({ kind, receiver }) => kind === "binding" && receiver !== null)) continue
    const objects = places.filter(({ kind, origin }) => kind === "member" && origin !== undefined)
    if (objects.length > 0 && (yield* mayUse(path, member))) continue
    const owner = objects.length === 0 ? null : yield* named.typeNamed(changed.path, container, scene.head)
    if (owner === null) continue
    for (const place of objects) {
      const found = brokenBy(changed.file, contract, [place], reader)
      const type = found.length === 0 ? null : yield* types.typeOf(path, place.origin!, scene.head)
      if (type === null || !(yield* refersTo(type, owner, member, scene))) continue
      // The class of `this` may be a subclass that gets the member from another parent.
      if (place.self !== null && contract._tag === "Gone" && (yield* members.isElsewhere(contract.name, scene)))
        continue
      broken.push(...found)
    }
  }
  return broken
})

/** The changed members whose names follow a dot in the file. */
const mentioned = Effect.fnUntraced(function* (path: string, scene: Scene) {
  const sources = yield* Sources
  const source = scene.members.size === 0 ? null : yield* sources.head(path)
  if (source?._tag !== "Text") return []
  return changedMembers(scene).filter(({ contract }) =>
    new RegExp(`\\.\\s*${RegExp.escape(contract.name)}(?![\\w$])`).test(source.text)
  )
})

/** Whether the type of the object still has the member, or another member of that name from any source. */
const refersTo = Effect.fnUntraced(function* (
  type: TypePlace,
  owner: TypePlace,
  { changed, contract }: ChangedMember,
  scene: Scene
) {
  const types = yield* TypeResolver
  const search = yield* types.memberOf(type, contract.name, scene.head)
  const isStillDefined = contract._tag !== "Gone" || contract.hidden !== undefined
  if (isStillDefined) return search.found !== null && isSameType(search.found, owner)
  if (search.found !== null || search.unknown || !search.searched.some((each) => isSameType(each, owner))) {
    return false
  }
  return changed.path.endsWith(".go") || !(yield* isInSubclass(contract.name, scene))
})

/** An object declared as one class may belong to a subclass that has a member of this name. */
const isInSubclass = Effect.fnUntraced(function* (name: string, scene: Scene) {
  const members = yield* MemberSources
  const others = yield* members.symbolsMentioning(scene.mentioning, name)
  return others.some(
    (symbols) =>
      symbols === null ||
      symbols.types.some(
        (type) =>
          type.describes !== true &&
          (type.open || (type.parents ?? []).length > 0) &&
          (type.fields.has(name) ||
            symbols.definitions.some((each) => each.container === type.name && each.name === name))
      )
  )
})

/** A subclass may use protected members; the file of the class may use all. */
const mayUse = Effect.fnUntraced(function* (path: string, { changed, contract }: ChangedMember) {
  const index = yield* SymbolIndex
  const hidden = contract._tag === "Gone" ? contract.hidden : undefined
  if (hidden === undefined) return false
  if (path === changed.path) return true
  const symbols = hidden.visibility === "protected" ? yield* index.symbols(path) : null
  return symbols?.types.some((type) => type.open && type.describes !== true) === true
})

const changedMembers = ({ changed }: Scene): ReadonlyArray<ChangedMember> =>
  changed.flatMap((each) =>
    each.changes.flatMap((contract) =>
      contract.container === null ? [] : [{ changed: each, contract, container: contract.container }]
    )
  )
