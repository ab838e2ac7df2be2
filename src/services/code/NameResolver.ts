/**
 * Resolves a name taken from a file to a definition on the head side, through re-exports, star imports and packages.
 *
 * The result is `Unknown` as soon as a step cannot be resolved, and `Absent` only if every place was searched.
 */
import { Context, Effect, Layer } from "effect"
import type { DefinitionPlace } from "../../domain/code/CodeQuery.ts"
import { folderOf, type Repository } from "../../domain/code/Repository.ts"
import type { Definition, FileSymbols, ImportedName } from "../../domain/code/Symbol.ts"
import { resolveImport } from "../../languages/imports.ts"
import { withServices } from "../system/withServices.ts"
import { HiddenDefinitions, SymbolIndex } from "./SymbolIndex.ts"

export type Provision =
  | { readonly _tag: "Defined"; readonly path: string; readonly definition: Definition }
  /** The name exists but is not one definition of this repository. `overload`: the first of several in one file. */
  | { readonly _tag: "Present"; readonly overload?: DefinitionPlace }
  /** `searched`: the files that could have defined it. */
  | { readonly _tag: "Absent"; readonly searched: ReadonlyArray<string> }
  | { readonly _tag: "Unknown" }

/** What an imported name refers to. */
export type Link =
  | { readonly _tag: "Module"; readonly path: string }
  | { readonly _tag: "Name"; readonly path: string; readonly name: string }
  /** Outside the repository, or unresolved. */
  | { readonly _tag: "Nowhere" }

/** How many re-exports are followed. */
const longestChain = 6

export class NameResolver extends Context.Service<
  NameResolver,
  {
    /** Resolves a name that the file at `path` provides. */
    readonly provided: (path: string, name: string, repository: Repository) => Effect.Effect<Provision>
    /** The definition of a name as a file writes it: `Cart`, `shop.Cart`. Null if it is not certain. */
    readonly definitionNamed: (
      from: string,
      written: string,
      repository: Repository
    ) => Effect.Effect<DefinitionPlace | null>
    /** Go: the folder of the package that has this name in the file. */
    readonly packageNamed: (from: string, local: string, repository: Repository) => Effect.Effect<string | null>
  }
>()("dd/services/code/NameResolver") {
  static readonly layer = Layer.effect(
    NameResolver,
    Effect.suspend(() => withServices({ provided, definitionNamed, packageNamed }))
  )
}

const through = (
  path: string,
  imported: Pick<ImportedName, "module" | "name">,
  repository: Repository,
  depth: number
): Effect.Effect<Provision, never, SymbolIndex> => {
  const link = linkOf(path, imported, repository)
  if (link._tag !== "Name") return Effect.succeed(present)
  return Effect.zipWith(search(link.path, link.name, repository, depth + 1), HiddenDefinitions, (found, hidden) =>
    // A chain that the change breaks later is reported there; one that leads to a hidden definition uses it.
    found._tag === "Absent" && hidden.length === 0 ? present : found
  )
}

const inStars = Effect.fnUntraced(function* (
  path: string,
  name: string,
  symbols: FileSymbols,
  repository: Repository,
  depth: number
) {
  const index = yield* SymbolIndex
  const searched = [path]
  let unknown = symbols.open
  // `export *` does not include the default.
  for (const module of name === "default" ? [] : symbols.stars) {
    const link = linkOf(path, { module, name: null }, repository)
    const target = link._tag === "Module" ? yield* index.symbols(link.path) : null
    if (link._tag === "Module" && target?.listed?.includes(name) === false) {
      // A star import takes what Python's `__all__` lists.
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

const search = (
  path: string,
  name: string,
  repository: Repository,
  depth: number
): Effect.Effect<Provision, never, SymbolIndex> =>
  Effect.gen(function* () {
    const index = yield* SymbolIndex
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
        return definitions.length === 1
          ? { _tag: "Defined" as const, path, definition }
          : { _tag: "Present" as const, overload: { path, definition } }
      }
      const imported = symbols.imports.find((each) => each.local === local)
      if (imported !== undefined) return yield* through(path, imported, repository, depth)
      const isBound = symbols.bound.has(local) || symbols.imports.some((each) => each.local.startsWith(`${local}.`))
      if (isBound || exported !== undefined || isSubmodule(path, name, repository)) return present
    }
    return yield* inStars(path, name, symbols, repository, depth)
  })

const provided = (path: string, name: string, repository: Repository) => search(path, name, repository, 0)

const importsOf = Effect.fnUntraced(function* (path: string) {
  const index = yield* SymbolIndex
  const [facts] = yield* index.imports([path])
  return facts?.imports ?? []
})

const definitionNamed = Effect.fnUntraced(function* (from: string, written: string, repository: Repository) {
  const index = yield* SymbolIndex
  const symbols = yield* index.symbols(from)
  if (symbols === null) return null
  const own = symbols.definitions.filter((each) => each.name === written && each.container === null)
  const [definition] = own
  if (definition !== undefined) return own.length === 1 ? { path: from, definition } : null
  const imported = importNaming(written, yield* importsOf(from))
  const link = imported === null ? nowhere : linkOf(from, imported, repository)
  const member = imported === null ? "" : written.slice(imported.local.length + 1)
  if (link._tag === "Nowhere" || member.includes(".")) return null
  if ((link._tag === "Module") !== (member !== "")) return null
  const found = yield* provided(link.path, link._tag === "Module" ? member : link.name, repository)
  return found._tag === "Defined" ? { path: found.path, definition: found.definition } : null
})

const packageNamed = Effect.fnUntraced(function* (from: string, local: string, repository: Repository) {
  const index = yield* SymbolIndex
  for (const imported of yield* importsOf(from)) {
    const isLikely = imported.local === "" ? imported.module.includes(local) : imported.local === local
    const link = isLikely ? linkOf(from, { module: imported.module, name: null }, repository) : nowhere
    if (link._tag !== "Module") continue
    // Without an alias, the package clause decides the name, which may differ from the folder's.
    const symbols = imported.local === "" ? yield* index.symbols(link.path) : null
    if (symbols === null || symbols.package === local) return folderOf(link.path)
  }
  return null
})

const present: Provision = { _tag: "Present" }
const unseen: Provision = { _tag: "Unknown" }

/** A separate module or package next to Python's `__init__.py`. */
const isSubmodule = (path: string, name: string, { byFolder, paths }: Repository): boolean => {
  const folder = /^(.*\/|)__init__\.pyi?$/.exec(path)?.[1]
  if (folder === undefined) return false
  return paths.has(`${folder}${name}.py`) || byFolder.has(`${folder}${name}/`)
}

/** The import that binds a name or the beginning of a dotted one; null if two different imports do. */
export const importNaming = (written: string, imports: ReadonlyArray<ImportedName>): ImportedName | null => {
  const binding = imports.filter(({ local }) => local !== "" && `${written}.`.startsWith(`${local}.`))
  const longest = Math.max(...binding.map(({ local }) => local.length))
  const [imported, ...others] = binding.filter(({ local }) => local.length === longest)
  const isSame = others.every(({ module, name }) => module === imported?.module && name === imported.name)
  return imported !== undefined && isSame ? imported : null
}

/** Resolves an imported name, by paths alone. */
export const linkOf = (
  from: string,
  { module, name }: Pick<ImportedName, "module" | "name">,
  repository: Repository
): Link => {
  const targetOf = (names: ReadonlyArray<string>) => resolveImport(from, { module, names }, repository)[0]
  const target = targetOf(name === null ? [] : [name])
  if (target === undefined) return nowhere
  if (name === null) return { _tag: "Module", path: target }
  // `from . import a` refers to the file of `a`, or to a name of the package if there is no such file.
  const isSubmodule = isFileOf(target, name) && targetOf([]) !== target
  return isSubmodule ? { _tag: "Module", path: target } : { _tag: "Name", path: target, name }
}

const nowhere: Link = { _tag: "Nowhere" }

const isFileOf = (path: string, module: string): boolean =>
  new RegExp(`(?:^|/)${RegExp.escape(module)}(?:/__init__)?\\.pyi?$`).test(path)
