/**
 * Of which type of the repository an object is, by what is plainly written: declared types, results, fields.
 *
 * Null as soon as a step is not written down or leads out of the repository; nothing is inferred.
 */
import { Context, Effect, Layer } from "effect"
import type { DefinitionPlace } from "../../domain/code/CodeQuery.ts"
import { folderOf, isFolder, type Repository } from "../../domain/code/Repository.ts"
import { type FileSymbols, type Origin, wordPlaces } from "../../domain/code/Symbol.ts"
import { filesOfPackage } from "../../languages/go/modules.ts"
import { familyOf, languageOf } from "../../languages/languages.ts"
import { segmentsOf } from "../../languages/rust/paths.ts"
import { Sources } from "../change/Sources.ts"
import { JavaNames } from "./JavaNames.ts"
import { NameResolver } from "./NameResolver.ts"
import { RustPaths } from "./RustPaths.ts"
import { SymbolIndex } from "./SymbolIndex.ts"

/** A type by its name and its file; in Go, by the folder of its package. */
export interface TypePlace {
  readonly path: string
  readonly name: string
}

export interface MemberSearch {
  /** The nearest type that has it. */
  readonly found: TypePlace | null
  /** Every type that was looked at. */
  readonly searched: ReadonlyArray<TypePlace>
  /** Something on the way leads out of the repository, answers for any name, or has a field of that name. */
  readonly unknown: boolean
}

export class TypeResolver extends Context.Service<
  TypeResolver,
  {
    /** The type that a name means in a file. */
    readonly typeNamed: (path: string, written: string, repository: Repository) => Effect.Effect<TypePlace | null>
    /** The type of an object that a place in a file begins with. */
    readonly typeOf: (path: string, origin: Origin, repository: Repository) => Effect.Effect<TypePlace | null>
    /** Which type a member of an object comes from: its own, or one that it extends or embeds. Not for Rust and Java. */
    readonly memberOf: (type: TypePlace, name: string, repository: Repository) => Effect.Effect<MemberSearch>
  }
>()("dd/services/code/TypeResolver") {
  static readonly layer = Layer.effect(
    TypeResolver,
    Effect.gen(function* () {
      const sources = yield* Sources
      const index = yield* SymbolIndex
      const resolver = yield* NameResolver
      const rustPaths = yield* RustPaths
      const javaNames = yield* JavaNames

      /** Go: what the files of a package that mention a word define. */
      const symbolsIn = Effect.fnUntraced(function* (folder: string, word: string, repository: Repository) {
        const found: Array<readonly [string, FileSymbols]> = []
        for (const path of filesOfPackage(folder, repository)) {
          const source = yield* sources.head(path)
          if (source._tag !== "Text" || wordPlaces(source.text, word).length === 0) continue
          const symbols = yield* index.symbols(path)
          if (symbols !== null) found.push([path, symbols])
        }
        return found
      })

      const goName = Effect.fnUntraced(function* (path: string, written: string, repository: Repository) {
        const [name = "", of] = written.replace(/\[.*$/s, "").split(".").toReversed()
        const folder = of === undefined ? folderOf(path) : yield* resolver.packageNamed(path, of, repository)
        return folder === null ? null : { path: folder, name }
      })

      /** A type that is another one's second name stands for that one. */
      const followed = Effect.fnUntraced(function* (found: DefinitionPlace | null, repository: Repository) {
        let at = found
        for (let depth = 0; at?.definition.kind === "type" && at.definition.type !== undefined; depth++) {
          const name = depth < longestChain ? plainType(at.path, at.definition.type) : null
          at = name === null ? null : yield* resolver.definitionNamed(at.path, name, repository)
        }
        return at
      })

      const typeNamed = Effect.fn("TypeResolver.typeNamed")(function* (
        path: string,
        written: string,
        repository: Repository
      ) {
        const name = plainType(path, written)
        if (name === null) return null
        switch (familyOf(path)) {
          case "go":
            return yield* goName(path, name, repository)
          case "java":
            return yield* javaNames.typeNamed(path, name, repository)
          case "rust": {
            const target = yield* rustPaths.resolve(path, segmentsOf(name), repository)
            return target._tag === "Item" && target.definition.kind === "type"
              ? { path: target.path, name: target.definition.name }
              : null
          }
          default: {
            const found = yield* followed(yield* resolver.definitionNamed(path, name, repository), repository)
            const isType = found?.definition.kind === "class" || found?.definition.kind === "type"
            return found !== null && isType ? { path: found.path, name: found.definition.name } : null
          }
        }
      })

      /** The type written at a name's definition, and the file it is written in. */
      const valueNamed = Effect.fnUntraced(function* (path: string, name: string, repository: Repository) {
        switch (familyOf(path)) {
          case "go": {
            const place = yield* goName(path, name, repository)
            if (place === null) return null
            const files = yield* symbolsIn(place.path, place.name, repository)
            return only(
              files.flatMap(([file, symbols]) =>
                symbols.definitions.flatMap(({ container, kind, name: own, type }) =>
                  own !== place.name || container !== null
                    ? []
                    : { path: file, type: kind === "type" ? own : (type ?? null) }
                )
              )
            )
          }
          case "rust": {
            const target = yield* rustPaths.resolve(path, segmentsOf(name), repository)
            if (target._tag === "Member") {
              const place = { path: target.path, name: target.type }
              const found: Written | null = yield* member({ place, given: noTypes }, `${target.name}()`, repository)
              return found === null ? null : { ...found, type: selfAs(found.type, target.type) }
            }
            if (target._tag !== "Item") return null
            const { definition } = target
            return { path: target.path, type: definition.kind === "type" ? definition.name : (definition.type ?? null) }
          }
          case "java":
            return null
          default: {
            const found = yield* resolver.definitionNamed(path, name, repository)
            if (found === null) return null
            const { kind, name: own, type } = found.definition
            if (kind === "class") return { path: found.path, type: own }
            return { path: found.path, type: type ?? null, gives: found.definition.gives }
          }
        }
      })

      /** The declared type of a member (`name`) or of what it gives (`name()`), and the file that says so. */
      const member = (type: Typed, step: string, repository: Repository, depth = 0): Effect.Effect<Written | null> =>
        Effect.gen(function* () {
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
              ...(isCall ? methods : []).map(({ gives, type: written }) => ({ path, type: written ?? null, gives })),
              ...fields.flatMap(([field, written]) => (field === step ? [{ path, type: written }] : []))
            ]
          })
          const own = only(found)
          if (own !== null) return { ...own, given: type.given }
          const isFinal = found.length > 0 || family === "rust" || family === "java" || depth >= longestChain
          return isFinal ? null : yield* inherited(type, step, name, repository, depth)
        })

      /** The member of the nearest parent that has it. */
      const inherited = Effect.fnUntraced(function* (
        { given, place }: Typed,
        step: string,
        name: string,
        repository: Repository,
        depth: number
      ) {
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
          // What cannot be seen may have it as well.
          if (parent === null) return null
          const self = [...given].filter(([each]) => selfNames.includes(each))
          const above = { place: parent.place, given: new Map([...parent.given, ...self]) }
          const found = yield* member(above, step, repository, depth + 1)
          if (found !== null) return found
        }
        return null
      })

      /** Of which type that is, and what the type's parameters stand for. */
      const typeWritten = Effect.fnUntraced(function* (written: Written, repository: Repository) {
        const at = standFor(written)
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
      ): Effect.Effect<Written | null> =>
        Effect.gen(function* () {
          const begun: Written | null =
            root._tag === "Typed" ? { path, type: root.type } : yield* valueNamed(path, root.name, repository)
          let at = begun === null ? null : yield* traced(begun, null, repository, depth)
          for (const step of steps) {
            if (at === null) return null
            at = standFor(at)
            const inner = at.type === null ? null : stepInto(at.path, at.type, step)
            if (inner !== null) {
              at = { ...at, type: inner }
              continue
            }
            if (/^(?:\?|\[\d*\])$/.test(step)) return null
            const type: Typed | null = yield* typeWritten(at, repository)
            const next: Written | null = type === null ? null : yield* member(type, step, repository)
            at = next === null || type === null ? null : yield* traced(next, type, repository, depth)
          }
          return at
        })

      /** What is not declared is followed to where it comes from. */
      const traced = Effect.fnUntraced(function* (
        written: Written,
        type: Typed | null,
        repository: Repository,
        depth: number
      ) {
        const { gives, path } = written
        if (written.type !== null || gives === undefined) {
          const isRust = familyOf(path) === "rust" && type !== null
          return isRust ? { path, type: selfAs(written.type, type.place.name) } : written
        }
        return depth < longestChain ? yield* writtenOf(path, gives, repository, depth + 1) : null
      })

      const typeOf = Effect.fn("TypeResolver.typeOf")(function* (path: string, origin: Origin, repository: Repository) {
        const written = yield* writtenOf(path, origin, repository, 0)
        return written === null ? null : ((yield* typeWritten(written, repository))?.place ?? null)
      })

      /** The files in which a type and its members may stand. */
      const filesOf = (place: TypePlace, word: string, repository: Repository) =>
        isFolder(place.path)
          ? symbolsIn(place.path, word, repository)
          : Effect.map(index.symbols(place.path), (symbols) =>
              symbols === null ? [] : [[place.path, symbols] as const]
            )

      const search = (
        place: TypePlace,
        name: string,
        repository: Repository,
        searched: Array<TypePlace>
      ): Effect.Effect<Omit<MemberSearch, "searched">> =>
        Effect.gen(function* () {
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

      const memberOf = Effect.fn("TypeResolver.memberOf")(function* (
        type: TypePlace,
        name: string,
        repository: Repository
      ) {
        const searched: Array<TypePlace> = []
        return { ...(yield* search(type, name, repository, searched)), searched }
      })

      return TypeResolver.of({ typeNamed, typeOf, memberOf })
    })
  )
}

/** Parents of parents are followed this far. */
const longestChain = 8

export const isSameType = (a: TypePlace, b: TypePlace): boolean => a.path === b.path && a.name === b.name

/** A type as a file writes it. */
interface Written {
  readonly path: string
  readonly type: string | null
  /** Where the value comes from, when no type is written. */
  readonly gives?: Origin | undefined
  /** What names in the type stand for that are no types of the file: parameters, and the object's own type. */
  readonly given?: ReadonlyMap<string, Written>
}

/** A type, and what its parameters stand for. */
interface Typed {
  readonly place: TypePlace
  readonly given: ReadonlyMap<string, Written>
}

/** What a class calls the class of its own object. */
const selfNames: ReadonlyArray<string> = ["Self", "this"]

const noTypes: ReadonlyMap<string, Written> = new Map()

/** A type parameter stands for what it is given. */
const standFor = (written: Written): Written => {
  let at = written
  for (let depth = 0; depth < longestChain && at.type !== null; depth++) {
    const next = at.given?.get(plainType(at.path, at.type) ?? "")
    if (next === undefined) return at
    at = next
  }
  return at
}

/** Several definitions of one name count only where they say the same. */
const only = (found: ReadonlyArray<Written>): Written | null => {
  const [first] = found
  const isSame = (each: Written) =>
    each.type === first?.type && JSON.stringify(each.gives) === JSON.stringify(first?.gives)
  return first !== undefined && found.every(isSame) ? first : null
}

const selfAs = (type: string | null, name: string): string | null => type?.replace(/\bSelf\b/g, name) ?? null

/** The one name that stands for the type of the object itself, in the language of a file. */
const plainType = (path: string, written: string): string | null =>
  languageOf(path)?.types?.plain(written.replace(/\s+/g, "")) ?? null

/** What a step leads to inside of a type that no file declares: a list, a table, a promise. */
const stepInto = (path: string, type: string, step: string): string | null =>
  languageOf(path)?.types?.step(type.replace(/\s+/g, ""), step) ?? null
