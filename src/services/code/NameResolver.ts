/**
 * Which definition a name taken from a file means, on the head side: through re-exports, star imports and packages.
 *
 * Answers `Unknown` as soon as anything on the way cannot be seen; `Absent` only when every place was looked at.
 */
import { Context, Effect, Layer } from "effect"
import type { Repository } from "../../domain/code/Repository.ts"
import type { Definition, FileSymbols, ImportedName } from "../../domain/code/Symbol.ts"
import { resolveImport } from "../../languages/imports.ts"
import { grammarOf } from "../../languages/languages.ts"
import { SymbolIndex } from "./SymbolIndex.ts"

export type Provision =
  | { readonly _tag: "Defined"; readonly path: string; readonly definition: Definition }
  /** The name is there; what it means is not one definition of this repository. */
  | { readonly _tag: "Present" }
  /** `searched`: the files that would have had to offer it. */
  | { readonly _tag: "Absent"; readonly searched: ReadonlyArray<string> }
  | { readonly _tag: "Unknown" }

/** What an imported name refers to. */
export type Link =
  | { readonly _tag: "Module"; readonly path: string }
  | { readonly _tag: "Name"; readonly path: string; readonly name: string }
  /** Leads out of the repository, or nowhere. */
  | { readonly _tag: "Nowhere" }

/** Re-exports are followed this far. */
const longestChain = 6

export class NameResolver extends Context.Service<
  NameResolver,
  {
    /** What the file at `path` offers under a name. */
    readonly provided: (path: string, name: string, repository: Repository) => Effect.Effect<Provision>
  }
>()("dd/services/code/NameResolver") {
  static readonly layer = Layer.effect(
    NameResolver,
    Effect.gen(function* () {
      const index = yield* SymbolIndex

      const through = (
        path: string,
        imported: Pick<ImportedName, "module" | "name">,
        repository: Repository,
        depth: number
      ): Effect.Effect<Provision> => {
        const link = linkOf(path, imported, repository)
        if (link._tag !== "Name") return Effect.succeed(present)
        // A chain that breaks further on breaks there, and is said there.
        return Effect.map(search(link.path, link.name, repository, depth + 1), (found) =>
          found._tag === "Absent" ? present : found
        )
      }

      const inStars = Effect.fnUntraced(function* (
        path: string,
        name: string,
        symbols: FileSymbols,
        repository: Repository,
        depth: number
      ) {
        const searched = [path]
        let unknown = symbols.open
        // `export *` leaves the default out.
        for (const module of name === "default" ? [] : symbols.stars) {
          const link = linkOf(path, { module, name: null }, repository)
          const target = link._tag === "Module" ? yield* index.symbols(link.path) : null
          if (link._tag === "Module" && target?.listed?.includes(name) === false) {
            // Python's `__all__` says what a star takes.
            searched.push(link.path)
            continue
          }
          const found = link._tag === "Module" ? yield* search(link.path, name, repository, depth + 1) : unseen
          if (found._tag === "Defined" || found._tag === "Present") return found
          if (found._tag === "Unknown") unknown = true
          else searched.push(...found.searched)
        }
        const answer: Provision = unknown ? unseen : { _tag: "Absent", searched }
        return answer
      })

      const search = (path: string, name: string, repository: Repository, depth: number): Effect.Effect<Provision> =>
        Effect.gen(function* () {
          if (depth > longestChain) return unseen
          const symbols = yield* index.symbols(path)
          if (symbols === null) return unseen
          const exported = symbols.exports?.find((each) => each.name === name)
          if (exported?.from != null) return yield* through(path, exported.from, repository, depth)
          const local = symbols.exports === null ? name : exported?.local
          if (exported !== undefined && local == null) return present
          if (local != null) {
            const definitions = symbols.definitions.filter((each) => each.name === local && each.container === null)
            const [definition] = definitions
            if (definition !== undefined) {
              return definitions.length === 1 ? { _tag: "Defined" as const, path, definition } : present
            }
            const imported = symbols.imports.find((each) => each.local === local)
            if (imported !== undefined) return yield* through(path, imported, repository, depth)
            const isBound =
              symbols.bound.has(local) || symbols.imports.some((each) => each.local.startsWith(`${local}.`))
            if (isBound || exported !== undefined || isSubmodule(path, name, repository)) return present
          }
          return yield* inStars(path, name, symbols, repository, depth)
        })

      return NameResolver.of({ provided: (path, name, repository) => search(path, name, repository, 0) })
    })
  )
}

const present: Provision = { _tag: "Present" }
const unseen: Provision = { _tag: "Unknown" }

/** A module or package of its own beside Python's `__init__.py`. */
const isSubmodule = (path: string, name: string, { byFolder, paths }: Repository): boolean => {
  const folder = /^(.*\/|)__init__\.pyi?$/.exec(path)?.[1]
  if (folder === undefined) return false
  return paths.has(`${folder}${name}.py`) || byFolder.has(`${folder}${name}/`)
}

/** Where an imported name leads, by paths alone. */
export const linkOf = (
  from: string,
  { module, name }: Pick<ImportedName, "module" | "name">,
  repository: Repository
): Link => {
  const grammar = grammarOf(from)
  if (grammar === null) return nowhere
  const [itself] = resolveImport(from, { module, names: [] }, repository)
  if (name === null) return itself === undefined ? nowhere : { _tag: "Module", path: itself }
  if (grammar !== "python") return itself === undefined ? nowhere : { _tag: "Name", path: itself, name }
  const [target] = resolveImport(from, { module, names: [name] }, repository)
  if (target === undefined) return nowhere
  return target === itself ? { _tag: "Name", path: target, name } : modulesOwn(target, name)
}

const nowhere: Link = { _tag: "Nowhere" }

/** `from . import a` answers a's own file, or the package's when there is no such file. */
const modulesOwn = (target: string, name: string): Link =>
  new RegExp(`(?:^|/)${RegExp.escape(name)}(?:/__init__)?\\.pyi?$`).test(target)
    ? { _tag: "Module", path: target }
    : { _tag: "Name", path: target, name }
