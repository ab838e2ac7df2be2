/**
 * Resolves a type or a value that a file names, by the rules of the file's language.
 *
 * Null as soon as a step is not written down or leads out of the repository.
 */
import { Context, Effect, Layer } from "effect"
import { folderOf, isFolder, type Repository } from "../../domain/code/Repository.ts"
import { type FileSymbols, type Origin, wordPlaces } from "../../domain/code/Symbol.ts"
import { filesOfPackage } from "../../languages/go/modules.ts"
import type { Family } from "../../languages/Language.ts"
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

/** A type as a file writes it. */
export interface WrittenType {
  readonly path: string
  readonly type: string | null
  /** The origin of the value, if no type is written. */
  readonly valueOrigin?: Origin | undefined
}

interface Lookup {
  readonly type: (path: string, name: string, repository: Repository) => Effect.Effect<TypePlace | null>
  readonly value: (path: string, name: string, repository: Repository) => Effect.Effect<WrittenType | null>
}

/** How many type aliases are followed. */
const longestChain = 8

export class NamedTypes extends Context.Service<
  NamedTypes,
  {
    /** Resolves a type as a file writes it. */
    readonly typeNamed: (path: string, written: string, repository: Repository) => Effect.Effect<TypePlace | null>
    /** The type written at the definition of a name, and the file it is written in. */
    readonly valueNamed: (path: string, name: string, repository: Repository) => Effect.Effect<WrittenType | null>
    /** The files in which a type and its members may be defined; for a Go package, those that mention the word. */
    readonly filesOf: (
      place: TypePlace,
      word: string,
      repository: Repository
    ) => Effect.Effect<ReadonlyArray<readonly [path: string, symbols: FileSymbols]>>
  }
>()("dd/services/code/NamedTypes") {
  static readonly layer = Layer.effect(
    NamedTypes,
    Effect.gen(function* () {
      const sources = yield* Sources
      const index = yield* SymbolIndex
      const { definitionNamed, packageNamed } = yield* NameResolver
      const rustPaths = yield* RustPaths
      const javaNames = yield* JavaNames

      const filesOf = Effect.fnUntraced(function* (place: TypePlace, word: string, repository: Repository) {
        const found: Array<readonly [string, FileSymbols]> = []
        const isPackage = isFolder(place.path)
        for (const path of isPackage ? filesOfPackage(place.path, repository) : [place.path]) {
          const source = isPackage ? yield* sources.head(path) : null
          if (source !== null && (source._tag !== "Text" || wordPlaces(source.text, word).length === 0)) continue
          const symbols = yield* index.symbols(path)
          if (symbols !== null) found.push([path, symbols])
        }
        return found
      })

      const goType = Effect.fnUntraced(function* (path: string, written: string, repository: Repository) {
        const [name = "", of] = written.replace(/\[.*$/s, "").split(".").toReversed()
        const folder = of === undefined ? folderOf(path) : yield* packageNamed(path, of, repository)
        return folder === null ? null : { path: folder, name }
      })

      const goValue = Effect.fnUntraced(function* (path: string, written: string, repository: Repository) {
        const place = yield* goType(path, written, repository)
        if (place === null) return null
        const files = yield* filesOf(place, place.name, repository)
        return onlyType(
          files.flatMap(([file, { definitions }]) =>
            definitions
              .filter(({ container, name }) => name === place.name && container === null)
              .map(({ kind, name, type }) => ({ path: file, type: kind === "type" ? name : (type ?? null) }))
          )
        )
      })

      const rustType = Effect.fnUntraced(function* (path: string, name: string, repository: Repository) {
        const target = yield* rustPaths.resolve(path, segmentsOf(name), repository)
        const isType = target._tag === "Item" && target.definition.kind === "type"
        return isType ? { path: target.path, name: target.definition.name } : null
      })

      const rustValue = Effect.fnUntraced(function* (path: string, written: string, repository: Repository) {
        const target = yield* rustPaths.resolve(path, segmentsOf(written), repository)
        if (target._tag === "Member") {
          const valueOrigin: Origin = { root: { _tag: "Type", type: target.type }, steps: [`${target.name}()`] }
          return { path: target.path, type: null, valueOrigin }
        }
        if (target._tag !== "Item") return null
        const { kind, name, type } = target.definition
        return { path: target.path, type: kind === "type" ? name : (type ?? null) }
      })

      /** A class or a type; aliases are followed. */
      const importedType = (
        path: string,
        name: string,
        repository: Repository,
        depth = 0
      ): Effect.Effect<TypePlace | null> =>
        Effect.gen(function* () {
          const found = yield* definitionNamed(path, name, repository)
          if (found === null) return null
          const { kind, type } = found.definition
          if (kind === "type" && type !== undefined) {
            const other = depth < longestChain ? plainType(found.path, type) : null
            return other === null ? null : yield* importedType(found.path, other, repository, depth + 1)
          }
          return kind === "class" || kind === "type" ? { path: found.path, name: found.definition.name } : null
        })

      const importedValue = (path: string, written: string, repository: Repository) =>
        Effect.map(definitionNamed(path, written, repository), (found): WrittenType | null => {
          if (found === null) return null
          const { valueOrigin, kind, name, type } = found.definition
          return kind === "class"
            ? { path: found.path, type: name }
            : { path: found.path, type: type ?? null, valueOrigin }
        })

      const imported: Lookup = { type: importedType, value: importedValue }
      const lookups: Partial<Record<Family, Lookup>> = {
        go: { type: goType, value: goValue },
        rust: { type: rustType, value: rustValue },
        java: { type: javaNames.typeNamed, value: () => Effect.succeed(null) }
      }
      const lookupFor = (path: string): Lookup => {
        const family = familyOf(path)
        return (family === null ? undefined : lookups[family]) ?? imported
      }

      return NamedTypes.of({
        typeNamed: (path, written, repository) => {
          const name = plainType(path, written)
          return name === null ? Effect.succeed(null) : lookupFor(path).type(path, name, repository)
        },
        valueNamed: (path, name, repository) => lookupFor(path).value(path, name, repository),
        filesOf
      })
    })
  )
}

/** Several definitions of a name count only if they are equal. */
export const onlyType = <A extends WrittenType>(found: ReadonlyArray<A>): A | null => {
  const [first] = found
  const isSame = (each: WrittenType) =>
    each.type === first?.type && JSON.stringify(each.valueOrigin) === JSON.stringify(first?.valueOrigin)
  return first !== undefined && found.every(isSame) ? first : null
}

/** The name of the object's own type, without wrappers, as the file's language writes it. */
export const plainType = (path: string, written: string): string | null =>
  languageOf(path)?.types?.plain(written.replace(/\s+/g, "")) ?? null
