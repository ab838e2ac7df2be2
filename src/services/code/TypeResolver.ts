/**
 * Finds the type of an object from what is written: declared types, results, fields.
 *
 * Null as soon as a step is not written down or leads out of the repository; nothing is inferred.
 */
import { Context, Effect, Layer } from "effect"
import type { Repository } from "../../domain/code/Repository.ts"
import type { Origin } from "../../domain/code/Symbol.ts"
import { familyOf, languageOf } from "../../languages/languages.ts"
import { withServices } from "../system/withServices.ts"
import { JavaNames } from "./JavaNames.ts"
import { NamedTypes, onlyType, plainType, type TypePlace, type WrittenType } from "./NamedTypes.ts"

export interface MemberSearch {
  /** The nearest type that has the member. */
  readonly found: TypePlace | null
  /** All types that were searched. */
  readonly searched: ReadonlyArray<TypePlace>
  /** A type on the way is outside the repository, accepts any name, or has a field of that name. */
  readonly unknown: boolean
}

export class TypeResolver extends Context.Service<
  TypeResolver,
  {
    /** The type of an object, from the origin at a place in a file. */
    readonly typeOf: (path: string, origin: Origin, repository: Repository) => Effect.Effect<TypePlace | null>
    /**
     * The type that a member of an object comes from: its own, or one that it extends or embeds. Not for Rust and Java.
     */
    readonly memberOf: (type: TypePlace, name: string, repository: Repository) => Effect.Effect<MemberSearch>
  }
>()("dd/services/code/TypeResolver") {
  static readonly layer = Layer.effect(
    TypeResolver,
    Effect.suspend(() => withServices({ typeOf, memberOf }))
  )
}

/** The declared type of a member (`name`) or of its result (`name()`), and the file that declares it. */
const member = (
  type: AppliedType,
  step: string,
  repository: Repository,
  depth = 0
): Effect.Effect<Written | null, never, NamedTypes | JavaNames> =>
  Effect.gen(function* () {
    const { filesOf } = yield* NamedTypes
    const javaNames = yield* JavaNames
    const isCall = step.endsWith("()")
    const name = isCall ? step.slice(0, -2) : step
    const family = familyOf(type.place.path)
    const inJava = family === "java" && isCall ? yield* javaNames.member(type.place, name, repository) : null
    const place = inJava === null ? type.place : inJava.found
    if (place === null) return null
    const files = yield* filesOf(place, name, repository)
    const found = files.flatMap(([path, symbols]): ReadonlyArray<Written> => {
      const methods = symbols.definitions.filter((each) => each.container === place.name && each.name === name)
      const fields = symbols.types.flatMap((each) => (each.name === place.name ? (each.fieldTypes ?? []) : []))
      return [
        ...(isCall ? methods : []).map(({ valueOrigin, type: written }) => ({
          path,
          type: written ?? null,
          valueOrigin
        })),
        ...fields.flatMap(([field, written]) => (field === step ? [{ path, type: written }] : []))
      ]
    })
    const own = onlyType(found)
    if (own !== null) return { ...own, given: type.given }
    const isFinal = found.length > 0 || family === "rust" || family === "java" || depth >= longestChain
    return isFinal ? null : yield* inherited(type, step, name, repository, depth)
  })

/** The member of the nearest parent that has it. */
const inherited = Effect.fnUntraced(function* (
  { given, place }: AppliedType,
  step: string,
  name: string,
  repository: Repository,
  depth: number
) {
  const { filesOf } = yield* NamedTypes
  const files = yield* filesOf(place, place.name, repository)
  const declared = files.flatMap(([path, { types }]) =>
    types.flatMap((shape) => (shape.name === place.name ? [{ path, shape }] : []))
  )
  const [own] = declared
  if (own === undefined || declared.length > 1 || own.shape.fields.has(name)) return null
  for (const [at, written] of (own.shape.parents ?? []).entries()) {
    const list = own.shape.parentArguments?.[at] ?? []
    const type = list.length === 0 ? written : `${written}<${list.join(",")}>`
    const parent = yield* typeWritten({ path: own.path, type, given }, repository)
    // An unknown parent may also have it.
    if (parent === null) return null
    const self = [...given].filter(([each]) => selfNames.includes(each))
    const above = { place: parent.place, given: new Map([...parent.given, ...self]) }
    const found = yield* member(above, step, repository, depth + 1)
    if (found !== null) return found
  }
  return null
})

/** Resolves a written type and the arguments of its parameters. */
const typeWritten = Effect.fnUntraced(function* (written: Written, repository: Repository) {
  const { filesOf, typeNamed } = yield* NamedTypes
  const at = substituted(written)
  const { given, path, type } = at
  const place = type === null ? null : yield* typeNamed(path, type, repository)
  if (type === null || place === null) return null
  const types = languageOf(path)?.types?.given(type) ?? []
  const files = types.length === 0 ? [] : yield* filesOf(place, place.name, repository)
  const shape = files.flatMap(([, symbols]) => symbols.types).find(({ name }) => name === place.name)
  const parameters = (shape?.parameters ?? []).flatMap((name, index): ReadonlyArray<[string, Written]> => {
    const of = types[index]
    return of === undefined ? [] : [[name, { path, type: of, ...(given === undefined ? {} : { given }) }]]
  })
  const self: Written = { path, type, ...(given === undefined ? {} : { given }) }
  const names = familyOf(path) === "rust" ? [] : selfNames
  return { place, given: new Map([...parameters, ...names.map((name) => [name, self] as const)]) }
})

/** The type that an origin leads to, as it is written. */
const writtenOf = (
  path: string,
  { root, steps }: Origin,
  repository: Repository,
  depth: number
): Effect.Effect<Written | null, never, NamedTypes | JavaNames> =>
  Effect.gen(function* () {
    const { valueNamed } = yield* NamedTypes
    const begun: Written | null =
      root._tag === "Type" ? { path, type: root.type } : yield* valueNamed(path, root.name, repository)
    let at = begun === null ? null : yield* traced(begun, null, repository, depth)
    for (const step of steps) {
      if (at === null) return null
      at = substituted(at)
      const inner = at.type === null ? null : stepInto(at.path, at.type, step)
      if (inner !== null) {
        at = { ...at, type: inner }
        continue
      }
      if (/^(?:\?|\[\d*\])$/.test(step)) return null
      const type: AppliedType | null = yield* typeWritten(at, repository)
      const next: Written | null = type === null ? null : yield* member(type, step, repository)
      at = next === null || type === null ? null : yield* traced(next, type, repository, depth)
    }
    return at
  })

/** Without a declared type, the origin of the value is followed. */
const traced = Effect.fnUntraced(function* (
  written: Written,
  type: AppliedType | null,
  repository: Repository,
  depth: number
) {
  const { valueOrigin, path } = written
  if (written.type !== null || valueOrigin === undefined) {
    const isRust = familyOf(path) === "rust" && type !== null
    return isRust ? { path, type: selfAs(written.type, type.place.name) } : written
  }
  return depth < longestChain ? yield* writtenOf(path, valueOrigin, repository, depth + 1) : null
})

const typeOf = Effect.fn("TypeResolver.typeOf")(function* (path: string, origin: Origin, repository: Repository) {
  const written = yield* writtenOf(path, origin, repository, 0)
  return written === null ? null : ((yield* typeWritten(written, repository))?.place ?? null)
})

const search = (
  place: TypePlace,
  name: string,
  repository: Repository,
  searched: Array<TypePlace>
): Effect.Effect<Omit<MemberSearch, "searched">, never, NamedTypes> =>
  Effect.gen(function* () {
    const { filesOf, typeNamed } = yield* NamedTypes
    if (searched.some((each) => isSameType(each, place))) return { found: null, unknown: false }
    if (searched.length >= longestChain) return { found: null, unknown: true }
    searched.push(place)
    const files = yield* filesOf(place, place.name, repository)
    const has = files.some(([, symbols]) =>
      symbols.definitions.some((each) => each.container === place.name && each.name === name)
    )
    if (has) return { found: place, unknown: false }
    const declared = files.flatMap(([path, { types }]) =>
      types.flatMap((type) => (type.name === place.name ? [{ path, type }] : []))
    )
    const [own] = declared
    if (own === undefined || declared.length > 1 || own.type.marks !== "" || own.type.fields.has(name)) {
      return { found: null, unknown: true }
    }
    let unknown = false
    for (const written of own.type.parents ?? []) {
      const parent = yield* typeNamed(own.path, written, repository)
      if (parent === null) {
        unknown = true
        continue
      }
      const above = yield* search(parent, name, repository, searched)
      if (above.found !== null) return above
      unknown = unknown || above.unknown
    }
    return { found: null, unknown }
  })

const memberOf = Effect.fn("TypeResolver.memberOf")(function* (type: TypePlace, name: string, repository: Repository) {
  const searched: Array<TypePlace> = []
  return { ...(yield* search(type, name, repository, searched)), searched }
})

/** How many levels of parents are followed. */
const longestChain = 8

export const isSameType = (a: TypePlace, b: TypePlace): boolean => a.path === b.path && a.name === b.name

/** With the meaning of names that are not types of the file: type parameters, and the object's own type. */
interface Written extends WrittenType {
  readonly given?: ReadonlyMap<string, Written>
}

/** A type, and the arguments of its parameters. */
interface AppliedType {
  readonly place: TypePlace
  readonly given: ReadonlyMap<string, Written>
}

/** The names by which a class refers to itself. */
const selfNames: ReadonlyArray<string> = ["Self", "this"]

/** Replaces a type parameter by its argument. */
const substituted = (written: Written): Written => {
  let at = written
  for (let depth = 0; depth < longestChain && at.type !== null; depth++) {
    const next = at.given?.get(plainType(at.path, at.type) ?? "")
    if (next === undefined) return at
    at = next
  }
  return at
}

const selfAs = (type: string | null, name: string): string | null => type?.replace(/\bSelf\b/g, name) ?? null

/** The result of a step into a type that no file declares: a list, a table, a promise. */
const stepInto = (path: string, type: string, step: string): string | null =>
  languageOf(path)?.types?.step(type.replace(/\s+/g, ""), step) ?? null
