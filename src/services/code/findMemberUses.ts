/**
 * Finds uses of changed members on objects whose type is written down: declared, constructed in place, or one step away
 * from such an object. For Python, TypeScript, JavaScript and Go; the Rust and Java finders include members.
 *
 * In Python and JavaScript, where few types are written, a removed name counts on any object if it is an unusual one and
 * no other member of the repository has it.
 */
import { Effect } from "effect"
import type { Reader } from "../../domain/code/brokenUses.ts"
import {
  type BrokenPlace,
  brokenBy,
  type ChangedContract,
  namedBy,
  type Scene
} from "../../domain/code/ContractScene.ts"
import { type Definition, type ImportedName, type Occurrence, wordPlaces } from "../../domain/code/Symbol.ts"
import { familyOf } from "../../languages/languages.ts"
import { Sources } from "../change/Sources.ts"
import { MemberSources } from "./MemberSources.ts"
import { NamedTypes, type TypePlace } from "./NamedTypes.ts"
import { linkOf } from "./NameResolver.ts"
import { SymbolIndex } from "./SymbolIndex.ts"
import { isSameType, TypeResolver } from "./TypeResolver.ts"

interface ChangedMember extends ChangedContract {
  readonly container: string
}

export const findMemberUses = Effect.fn("findMemberUses")(function* (path: string, scene: Scene, reader: Reader) {
  const index = yield* SymbolIndex
  const types = yield* TypeResolver
  const named = yield* NamedTypes
  const wanted = yield* mentioned(path, scene)
  if (wanted.length === 0) return []
  const { imports, occurrences } = yield* index.uses(path, [...new Set(wanted.map(({ contract }) => contract.name))])
  const isUntyped = familyOf(path) === "python" || !reader.strict
  const foreign = isUntyped ? imports.filter((each) => linkOf(path, each, scene.head)._tag === "Nowhere") : []
  const broken: Array<BrokenPlace> = []
  for (const member of wanted) {
    const { changed, container, contract } = member
    const places = occurrences.get(contract.name) ?? []
    // A member of this name is assigned to an object.
    if (places.some(({ kind, receiver }) => kind === "binding" && receiver !== null)) continue
    const objects = places.filter(({ kind, origin }) => kind === "member" && (isUntyped || origin !== undefined))
    if (objects.length > 0 && (yield* mayUse(path, member))) continue
    const owner = objects.length === 0 ? null : yield* named.typeNamed(changed.path, container, scene.head)
    if (owner === null) continue
    const unknown: Array<Occurrence> = []
    for (const object of objects) {
      // Base.__init__(self, a): a call on the class passes the object itself.
      const place = isSpecial.test(contract.name) && object.receiver === container ? withoutFirst(object) : object
      const found = brokenBy(changed.file, contract, [place], reader)
      const { origin } = place
      const type = found.length === 0 || origin === undefined ? null : yield* types.typeOf(path, origin, scene.head)
      if (type === null) {
        unknown.push(place)
        continue
      }
      if (!(yield* refersTo(type, owner, member, scene))) continue
      if (place.self !== null && contract._tag === "Gone" && (yield* isInOtherClass(member, scene))) continue
      broken.push(...found)
    }
    const own = isUntyped ? unknown.filter((place) => !startsWith(place, foreign)) : []
    if (own.length > 0 && (yield* isOnlyMember(owner, member, scene)))
      broken.push(...namedBy(changed.file, contract, own))
  }
  return broken
})

const isSpecial = /^__\w+__$/

const withoutFirst = (place: Occurrence): Occurrence =>
  place.call === null ? place : { ...place, call: { ...place.call, positional: place.call.positional - 1 } }

/** Is the object a module or a value that one of these imports provides? */
const startsWith = ({ origin, receiver }: Occurrence, imports: ReadonlyArray<ImportedName>): boolean => {
  const [first] = receiver?.split(".") ?? []
  const root = origin?.root._tag === "Value" ? origin.root.name : origin?.root.type
  return imports.some(({ local }) => local !== "" && [first, root].some((name) => `${name}.`.startsWith(`${local}.`)))
}

/** Whether only the removed member had its name, and every mention of it in code reads it from an object. */
const isOnlyMember = Effect.fnUntraced(function* (
  owner: TypePlace,
  { changed, contract }: ChangedMember,
  scene: Scene
) {
  const sources = yield* Sources
  const types = yield* TypeResolver
  const members = yield* MemberSources
  const { name } = contract
  if (contract._tag !== "Gone" || contract.kept || contract.definition === null) return false
  if (!scene.isComplete || !isUnusual.test(name)) return false
  const found = yield* types.memberOf(owner, name, scene.head)
  if (found.found !== null || found.unknown || (yield* members.isElsewhere(name, scene))) return false
  const read = readOf(name)
  for (const path of scene.mentioning) {
    const source = yield* sources.head(path)
    const count = source._tag === "Text" ? wordPlaces(source.text, name).length : -1
    if (source._tag !== "Text" || count !== [...source.text.matchAll(read)].length) return false
  }
  // A member that wraps another one of its name does not prove that this one is gone.
  const base = yield* sources.base(changed.file.oldPath ?? changed.path)
  const { endLine, line } = contract.definition
  return base._tag === "Text" && !wrapped(name).test(base.lines.slice(line - 1, endLine).join("\n"))
})

/** A name of several words. */
const isUnusual = /[a-z\d]_[a-z\d]|[a-z][A-Z]/

/** Reads a member, and does not assign it or delete it. */
const readOf = (name: string): RegExp =>
  new RegExp(
    `(?<!\\b(?:as|for|del|delete)\\s+[\\w.]*)\\.${RegExp.escape(name)}(?![\\w$])(?!\\s*(?::[^=\\n]*)?=(?![=>]))`,
    "g"
  )

const wrapped = (name: string): RegExp => new RegExp(`(?<!\\b(?:self|cls|this))\\.${RegExp.escape(name)}\\b`)

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

/** The class of `self` may be a subclass that gets the member from another parent. */
const isInOtherClass = Effect.fnUntraced(function* ({ container, contract }: ChangedMember, scene: Scene) {
  const members = yield* MemberSources
  const others = yield* members.symbolsMentioning(scene.mentioning, contract.name)
  const isOther = (each: Definition) =>
    each.name === contract.name && each.container !== null && each.container !== container
  return others.some((symbols) => symbols?.definitions.some(isOther) === true)
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
