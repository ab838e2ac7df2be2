/**
 * Which type of the repository a name in a Java file means, and which class a member of it comes from.
 *
 * By packages and paths: a public class stands in the file of its name. Null stands for what lies outside, and for
 * anything that is not certain.
 */
import { Context, Effect, Layer } from "effect"
import { folderOf, type Repository } from "../../domain/code/ImportResolution.ts"
import type { FileSymbols } from "../../domain/code/Symbol.ts"
import { SymbolIndex } from "./SymbolIndex.ts"

/** A type by its file and its path in it: `Outer.Inner`. */
export interface JavaType {
  readonly path: string
  readonly name: string
}

export interface MemberSearch {
  /** The nearest class that has it. */
  readonly found: JavaType | null
  /** Every class that was looked at. */
  readonly searched: ReadonlyArray<JavaType>
}

const longestChain = 8

export class JavaNames extends Context.Service<
  JavaNames,
  {
    /** The type's file is there; whether it still has the type is for the caller to see. */
    readonly typeNamed: (from: string, written: string, repository: Repository) => Effect.Effect<JavaType | null>
    /** In the type and, nearest first, in those it extends as far as they are in the repository. */
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

/** The words of a type without what stands between angle brackets; null for arrays and primitive types. */
const wordsOf = (written: string): ReadonlyArray<string> | null => {
  const plain = written.replace(/<.*>/s, "").replace(/^(?:@[\w.]+(?:\([^)]*\))?)+/, "")
  return /^\w+(?:\.\w+)*$/.test(plain) ? plain.split(".") : null
}

/** As the language looks for it: in the file, among its imports, in its package, in packages imported whole. */
export const typeIn = (
  from: string,
  symbols: FileSymbols,
  written: string,
  repository: Repository
): JavaType | null => {
  const words = wordsOf(written)
  const [first, ...rest] = words ?? []
  if (words === null || first === undefined) return null
  const inner = (name: string) => [name, ...rest].join(".")
  const own = symbols.definitions.filter(({ kind, name }) => name === first && (kind === "class" || kind === "type"))
  const paths = new Set(own.map(({ container, name }) => (container === null ? name : `${container}.${name}`)))
  const [local] = paths
  if (local !== undefined) return paths.size === 1 ? { path: from, name: inner(local) } : null
  const imported = symbols.imports.find((each) => each.local === first && each.member !== true)
  if (imported !== undefined) {
    const found = qualified(from, [...imported.module.split("."), first], repository)
    return found === null ? null : { path: found.path, name: inner(found.name) }
  }
  for (const name of [symbols.package, ...symbols.stars.filter((star) => !star.startsWith("static "))]) {
    const path = fileOf(from, name, first, repository)
    if (path !== null) return { path, name: inner(first) }
  }
  return /^[a-z]/.test(first) && words.length > 2 ? qualified(from, words, repository) : null
}

/** `com.shop.Cart.Item`: packages in small letters, then types. */
const qualified = (from: string, words: ReadonlyArray<string>, repository: Repository): JavaType | null => {
  const at = words.findIndex((word) => /^[A-Z]/.test(word))
  const first = words[at]
  if (first === undefined) return null
  const path = fileOf(from, words.slice(0, at).join("."), first, repository)
  return path === null ? null : { path, name: words.slice(at).join(".") }
}

/** The class's file; of several, the one that lies nearest to `from`. */
const fileOf = (from: string, name: string, type: string, { byName }: Repository): string | null => {
  const ending = `/${name === "" ? "" : `${name.replaceAll(".", "/")}/`}${type}.java`
  const found = (byName.get(`${type}.java`) ?? []).filter((path) => `/${path}`.endsWith(ending))
  if (found.length <= 1) return found[0] ?? null
  const nearness = found.map((path) => sharedFolders(path, from))
  const most = Math.max(...nearness)
  const nearest = found.filter((_, at) => nearness[at] === most)
  return nearest.length === 1 ? (nearest[0] ?? null) : null
}

const sharedFolders = (a: string, b: string): number => {
  const [x, y] = [folderOf(a).split("/"), folderOf(b).split("/")]
  let shared = 0
  while (shared < Math.min(x.length, y.length) && x[shared] === y[shared]) shared++
  return shared
}
