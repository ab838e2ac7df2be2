/**
 * Resolves a name in a Java file to a type of the repository, and a member of it to the class it comes from.
 *
 * By packages and paths: a public class is in the file of its name. Null means outside the repository, or not certain.
 */
import { Context, Effect, Layer } from "effect"
import type { Repository } from "../../domain/code/Repository.ts"
import { type JavaType, typeIn } from "../../languages/java/names.ts"
import { SymbolIndex } from "./SymbolIndex.ts"

export interface MemberSearch {
  /** The nearest class that has the member. */
  readonly found: JavaType | null
  /** All classes that were searched. */
  readonly searched: ReadonlyArray<JavaType>
}

const longestChain = 8

export class JavaNames extends Context.Service<
  JavaNames,
  {
    /** The file of the type exists; the caller checks whether it still has the type. */
    readonly typeNamed: (from: string, written: string, repository: Repository) => Effect.Effect<JavaType | null>
    /** Searches the type and then, nearest first, the types of the repository that it extends. */
    readonly member: (type: JavaType, name: string, repository: Repository) => Effect.Effect<MemberSearch>
  }
>()("dd/services/code/JavaNames") {
  static readonly layer = Layer.effect(
    JavaNames,
    Effect.gen(function* () {
      const index = yield* SymbolIndex

      const typeNamed = Effect.fnUntraced(function* (from: string, written: string, repository: Repository) {
        const symbols = yield* index.symbols(from)
        return symbols === null ? null : typeIn(from, symbols, written, repository)
      })

      const search = (
        type: JavaType,
        name: string,
        repository: Repository,
        searched: Array<JavaType>
      ): Effect.Effect<JavaType | null> =>
        Effect.gen(function* () {
          const isKnown = searched.some((each) => each.path === type.path && each.name === type.name)
          if (isKnown || searched.length >= longestChain) return null
          searched.push(type)
          const symbols = yield* index.symbols(type.path)
          if (symbols === null) return null
          if (symbols.definitions.some((each) => each.name === name && each.container === type.name)) return type
          const parents = symbols.types.find((each) => each.name === type.name)?.parents ?? []
          for (const written of parents) {
            const parent = typeIn(type.path, symbols, written, repository)
            const found = parent === null ? null : yield* search(parent, name, repository, searched)
            if (found !== null) return found
          }
          return null
        })

      const member = Effect.fnUntraced(function* (type: JavaType, name: string, repository: Repository) {
        const searched: Array<JavaType> = []
        const found = yield* search(type, name, repository, searched)
        return { found, searched }
      })

      return JavaNames.of({ typeNamed, member })
    })
  )
}
