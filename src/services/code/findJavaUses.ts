/**
 * Finds what a change breaks in one Java file: at its imports, at names of its package, and at members of types that
 * are written down.
 *
 * A use counts only if it resolves to the definition and no type from outside the repository may provide the name.
 */
import { Effect } from "effect"
import { bareUses, type Reader } from "../../domain/code/brokenUses.ts"
import {
  type BrokenPlace,
  brokenBy,
  type ChangedContract,
  contractsIn,
  importPlace,
  type Scene
} from "../../domain/code/ContractScene.ts"
import type { Repository } from "../../domain/code/Repository.ts"
import { type FileSymbols, type ImportedName, type Occurrence, wordPlaces } from "../../domain/code/Symbol.ts"
import { isDefinedElsewhere, isVisibleTo, mayStillExist } from "../../languages/java/changes.ts"
import { isOfRepository, type JavaType, qualifiedType, typeIn, typeOfFile } from "../../languages/java/names.ts"
import { javaBuiltins } from "../../languages/java/symbols.ts"
import { Sources } from "../change/Sources.ts"
import { JavaNames, type MemberSearch } from "./JavaNames.ts"
import { SymbolIndex } from "./SymbolIndex.ts"
import { TypeResolver } from "./TypeResolver.ts"

/** The file that is searched. */
interface User {
  readonly path: string
  readonly symbols: FileSymbols
  readonly imports: ReadonlyArray<ImportedName>
  readonly occurrences: ReadonlyMap<string, ReadonlyArray<Occurrence>>
}

export const findJavaUses = Effect.fn("findJavaUses")(function* (path: string, scene: Scene, reader: Reader) {
  const sources = yield* Sources
  const index = yield* SymbolIndex
  const source = yield* sources.head(path)
  if (source._tag !== "Text") return []
  const wanted = contractsIn(source.text, scene)
  const gone = [...scene.gone.keys()].map(typeOfFile).filter((name) => wordPlaces(source.text, name).length > 0)
  if (wanted.length + gone.length === 0) return []
  const symbols = yield* index.symbols(path)
  if (symbols === null || symbols.open) return []
  const words = new Set([...wanted.map(({ contract }) => contract.name), ...gone])
  const user: User = { path, symbols, ...(yield* index.uses(path, [...words])) }
  const broken: Array<BrokenPlace> = [...brokenFiles(user, scene)]
  for (const each of wanted) {
    const { container } = each.contract
    const kind = each.contract._tag === "Gone" ? each.contract.definition?.kind : each.contract.before.kind
    if (container === null) broken.push(...brokenTypes(user, each, scene, reader))
    else if (kind === "method" || kind === "constant") {
      broken.push(...(yield* brokenMembers(user, each, scene, reader)))
    }
  }
  return broken
})

/** Resolves a name without an object: a member of a class around it, innermost first. */
const unqualified = Effect.fnUntraced(function* (user: User, place: Occurrence, name: string, scene: Scene) {
  const names = yield* JavaNames
  const searched: Array<JavaType> = []
  for (const own of place.within ?? []) {
    // A class in a method has no path by which it could be looked up.
    if (own === "") return null
    const type = own.startsWith("new ")
      ? typeIn(user.path, user.symbols, own.slice(4), scene.head)
      : { path: user.path, name: own }
    if (type === null) continue
    const search = yield* names.member(type, name, scene.head)
    if (search.found !== null) return search
    searched.push(...search.searched)
  }
  const result: MemberSearch = { found: null, searched }
  return result
})

const staticallyImported = Effect.fnUntraced(function* (
  user: User,
  { module }: ImportedName,
  name: string,
  scene: Scene
) {
  const names = yield* JavaNames
  const type = qualifiedType(user.path, module, scene.head)
  return type === null ? null : yield* names.member(type, name, scene.head)
})

/** Where the member of a place is looked up; null if this is not certain. */
const searchOf = Effect.fnUntraced(function* (user: User, place: Occurrence, name: string, scene: Scene) {
  const names = yield* JavaNames
  const types = yield* TypeResolver
  if (place.kind === "use") {
    const search = yield* unqualified(user, place, name, scene)
    if (search === null || search.found !== null) return search
    const imported = user.imports.find((each) => each.member === true && each.local === name)
    // An unresolved static import is reported at its own line.
    if (imported === undefined) return search
    const target = yield* staticallyImported(user, imported, name, scene)
    return target?.found === null ? null : target
  }
  const type = place.origin === undefined ? null : yield* types.typeOf(user.path, place.origin, scene.head)
  return type === null ? null : yield* names.member(type, name, scene.head)
})

const memberBreaks = (user: User, search: MemberSearch, wanted: ChangedContract): boolean => {
  const { changed, contract } = wanted
  const isOwner = ({ name, path }: JavaType) => path === changed.path && name === contract.container
  if (contract._tag === "Gone" && contract.hidden === undefined) {
    return search.found === null && search.searched.some(isOwner) && !mayStillExist(changed, contract)
  }
  if (search.found === null || !isOwner(search.found)) return false
  return contract._tag === "Signature" || !isVisibleTo(user, wanted)
}

const brokenMembers = Effect.fnUntraced(function* (user: User, wanted: ChangedContract, scene: Scene, reader: Reader) {
  const { changed, contract } = wanted
  const { name } = contract
  const kind = contract._tag === "Gone" ? contract.definition?.kind : contract.before.kind
  const places = user.occurrences.get(name) ?? []
  const broken: Array<BrokenPlace> = []
  for (const imported of user.imports) {
    if (imported.member !== true || imported.local !== name || contract._tag !== "Gone") continue
    const search = yield* staticallyImported(user, imported, name, scene)
    if (search === null || !memberBreaks(user, search, wanted)) continue
    broken.push(...brokenBy(changed.file, contract, [importPlace(imported)], reader))
  }
  const isMethod = kind === "method"
  const bare = isMethod ? places.filter((each) => each.kind === "use") : bareUses(places)
  for (const place of [...bare, ...places.filter((each) => each.kind === "member")]) {
    // A method and a variable may have the same name.
    if (place.kind === "use" && isMethod !== (place.call !== null)) continue
    const found = brokenBy(changed.file, contract, [place], reader)
    const search = found.length === 0 ? null : yield* searchOf(user, place, name, scene)
    if (search !== null && memberBreaks(user, search, wanted)) broken.push(...found)
  }
  return broken
})

/** A class at the top of a file that was removed, was hidden, or has another constructor. */
const brokenTypes = (user: User, { changed, contract }: ChangedContract, scene: Scene, reader: Reader) => {
  const { name } = contract
  const type = typeIn(user.path, user.symbols, name, scene.head)
  if (type?.path !== changed.path || type.name !== name) return []
  const isHidden = contract._tag === "Gone" && contract.hidden !== undefined
  if (isHidden && isVisibleTo(user, { changed, contract })) return []
  const imported = user.imports.find((each) => each.local === name && each.member !== true)
  const places =
    contract._tag === "Gone" && imported !== undefined
      ? [importPlace(imported)]
      : (user.occurrences.get(name) ?? []).filter(({ kind, receiver }) => kind === "use" && receiver === null)
  const isBound = (user.occurrences.get(name) ?? []).some(({ kind }) => kind === "binding")
  return isBound ? [] : brokenBy(changed.file, contract, places, reader)
}

/** Types whose file is gone: at the import, or where a file of the package names them. */
const brokenFiles = (user: User, scene: Scene): ReadonlyArray<BrokenPlace> =>
  [...scene.gone].flatMap(([gone, file]): ReadonlyArray<BrokenPlace> => {
    const name = typeOfFile(gone)
    const brokenAt = (line: number): BrokenPlace => ({ file, contract: null, breakage: "file-gone", line })
    const isLost = (found: (repository: Repository) => JavaType | null) =>
      found(scene.base)?.path === gone && found(scene.head) === null
    if (isDefinedElsewhere(gone, scene)) return []
    const imports = user.imports.filter(({ member, module, name: last }) =>
      isLost((repository) =>
        qualifiedType(user.path, member === true || last === "*" ? module : `${module}.${last}`, repository)
      )
    )
    if (imports.length > 0) return imports.map(({ line }) => brokenAt(line))
    if (javaBuiltins.has(name) || user.imports.some(({ local }) => local === name)) return []
    if (!isLost((repository) => typeIn(user.path, user.symbols, name, repository))) return []
    // A package from outside that is imported with a wildcard may have one of that name.
    if (user.symbols.stars.some((star) => !isOfRepository(star, scene.head))) return []
    const places = user.occurrences.get(name) ?? []
    if (places.some(({ kind }) => kind === "binding" || kind === "definition")) return []
    return places.filter(({ kind }) => kind === "use").map(({ line }) => brokenAt(line))
  })
