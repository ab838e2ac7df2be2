/**
 * Resolves a Rust path on the head side: through the module tree, `use`, `pub use` and globs, across the workspace.
 *
 * The result is `Unknown` as soon as a step cannot be resolved, and `Absent` only if every place was searched.
 */
import { Context, Effect, Layer } from "effect"
import type { Repository } from "../../domain/code/Repository.ts"
import type { Definition, ImportedName, Occurrence, Uses } from "../../domain/code/Symbol.ts"
import {
  childFile,
  crates,
  isCrateRoot,
  mayHaveParent,
  moduleName,
  parentCandidates,
  segmentsOf
} from "../../languages/rust/paths.ts"
import { oncePerKey } from "../system/oncePerKey.ts"
import { withServices } from "../system/withServices.ts"
import { HiddenDefinitions, SymbolIndex } from "./SymbolIndex.ts"

export type RustTarget =
  | { readonly _tag: "Module"; readonly path: string }
  | { readonly _tag: "Item"; readonly path: string; readonly definition: Definition }
  /** A member of a type, whether or not it exists; `path` is the file that defines the type. */
  | { readonly _tag: "Member"; readonly path: string; readonly type: string; readonly name: string }
  /** The modules that could have defined it, and the segment that is missing there. */
  | { readonly _tag: "Absent"; readonly places: ReadonlyArray<{ readonly path: string; readonly name: string }> }
  | { readonly _tag: "Unknown" }

/** The place in a file where a path is written. */
export interface RustPlace {
  readonly path: string
  /** The inline modules around it, innermost first, and the imports of the file's `use` statements. */
  readonly within: ReadonlyArray<string>
  readonly imports: ReadonlyArray<ImportedName>
  /** What binds the first name there. */
  readonly inner: Occurrence["inner"]
}

const longestChain = 8

export class RustPaths extends Context.Service<
  RustPaths,
  {
    /** Resolves path segments as written in a file outside any inline module. */
    readonly resolve: (
      from: string,
      segments: ReadonlyArray<string>,
      repository: Repository
    ) => Effect.Effect<RustTarget>
    /** Resolves path segments as written at a place that may be in an inline module. */
    readonly resolveAt: (
      place: RustPlace,
      segments: ReadonlyArray<string>,
      repository: Repository
    ) => Effect.Effect<RustTarget>
    /** The root file of the crate that this file is a module of; null if it is not evident. */
    readonly rootOf: (path: string, repository: Repository) => Effect.Effect<string | null>
  }
>()("dd/services/code/RustPaths") {
  static readonly layer = Layer.effect(
    RustPaths,
    Effect.gen(function* () {
      const usesOf = oncePerKey<string, Uses>()

      const walkIn = (repository: Repository): Walk => ({ repository, usesOf, depth: 0 })

      return RustPaths.of(
        yield* withServices({
          resolve: (path: string, segments: ReadonlyArray<string>, repository: Repository) =>
            from(path, segments, walkIn(repository)),
          resolveAt: (place: RustPlace, segments: ReadonlyArray<string>, repository: Repository) =>
            resolveAt(place, segments, walkIn(repository)),
          rootOf
        })
      )
    })
  )
}

/** The way from one module to the next. */
interface Walk {
  readonly repository: Repository
  readonly usesOf: (path: string, compute: Effect.Effect<Uses>) => Effect.Effect<Uses>
  readonly depth: number
}

const deeper = (walk: Walk): Walk => ({ ...walk, depth: walk.depth + 1 })

const declares = Effect.fnUntraced(function* (path: string, module: string) {
  const index = yield* SymbolIndex
  const symbols = yield* index.symbols(path)
  return symbols?.definitions.some(({ kind, name }) => kind === "module" && name === module) === true
})

/** Whether the file itself defines the word. */
const names = Effect.fnUntraced(function* (path: string, word: string) {
  const index = yield* SymbolIndex
  const symbols = yield* index.symbols(path)
  return (
    symbols === null ||
    symbols.bound.has(word) ||
    symbols.imports.some(({ local }) => local === word) ||
    symbols.definitions.some(({ container, name }) => name === word && container === null)
  )
})

const parentOf = Effect.fnUntraced(function* (path: string, repository: Repository) {
  for (const candidate of parentCandidates(path, repository)) {
    if (repository.paths.has(candidate) && (yield* declares(candidate, moduleName(path)))) return candidate
  }
  return null
})

const rootOf = Effect.fnUntraced(function* (path: string, repository: Repository) {
  let at = path
  for (let depth = 0; depth < 20; depth++) {
    const parent = mayHaveParent(at) ? yield* parentOf(at, repository) : null
    if (parent === null) return isCrateRoot(at) ? at : null
    at = parent
  }
  return null
})

const inModule = (
  path: string,
  segments: ReadonlyArray<string>,
  walk: Walk
): Effect.Effect<RustTarget, never, SymbolIndex> =>
  Effect.gen(function* () {
    const index = yield* SymbolIndex
    const [name, ...rest] = segments
    if (name === undefined) return { _tag: "Module" as const, path }
    if (walk.depth > longestChain) return unknown
    const symbols = yield* index.symbols(path)
    if (symbols === null) return unknown
    const found = symbols.definitions.filter((each) => each.name === name && each.container === null)
    const [definition] = found
    if (definition?.kind === "module") {
      const child = childFile(path, name, walk.repository)
      return child === null ? unknown : yield* inModule(child, rest, deeper(walk))
    }
    if (definition !== undefined) return itemOf(path, definition, found.length, rest, symbols.types)
    const imported = symbols.imports.find(({ local }) => local === name)
    if (imported !== undefined) return yield* throughImport(path, imported, rest, walk)
    if (symbols.bound.has(name)) return yield* inInlineModule(path, name, rest, walk)
    return yield* inGlobs(path, segments, symbols.stars, symbols.open, walk)
  })

/** `mod prelude { pub use crate::cart::Cart; }`: only names that it imports explicitly are known. */
const inInlineModule = (
  path: string,
  module: string,
  [name, ...rest]: ReadonlyArray<string>,
  walk: Walk
): Effect.Effect<RustTarget, never, SymbolIndex> =>
  Effect.gen(function* () {
    const index = yield* SymbolIndex
    const { imports } = yield* walk.usesOf(path, index.uses(path, []))
    const own = imports.filter(({ local, within }) => within === module && local === name)
    const [imported] = own
    return imported === undefined || own.length > 1 ? unknown : yield* throughImport(path, imported, rest, deeper(walk))
  })

/** A chain that the change breaks at the import is reported there; one that leads to a hidden definition uses it. */
const throughImport = (
  path: string,
  { module, name }: ImportedName,
  rest: ReadonlyArray<string>,
  walk: Walk
): Effect.Effect<RustTarget, never, SymbolIndex> =>
  Effect.gen(function* () {
    const target = yield* from(path, [...segmentsOf(module), name ?? ""], deeper(walk))
    if (target._tag === "Absent") return (yield* HiddenDefinitions).length === 0 ? unknown : target
    if (rest.length === 0 || target._tag === "Unknown") return target
    if (target._tag === "Module") return yield* inModule(target.path, rest, deeper(walk))
    if (target._tag === "Member") return unknown
    const symbols = yield* (yield* SymbolIndex).symbols(target.path)
    return itemOf(target.path, target.definition, 1, rest, symbols?.types ?? [])
  })

const inGlobs = (
  path: string,
  segments: ReadonlyArray<string>,
  globs: ReadonlyArray<string>,
  open: boolean,
  walk: Walk
): Effect.Effect<RustTarget, never, SymbolIndex> =>
  Effect.gen(function* () {
    const places = [{ path, name: segments[0] ?? "" }]
    let isUnknown = open
    for (const glob of globs) {
      const found = yield* from(path, [...segmentsOf(glob), ...segments], deeper(walk))
      if (found._tag === "Member" && !(yield* hasMember(found.path, found.type, found.name))) continue
      if (found._tag === "Absent") places.push(...found.places)
      else if (found._tag === "Unknown") isUnknown = true
      else return found
    }
    return isUnknown ? unknown : { _tag: "Absent" as const, places }
  })

const hasMember = Effect.fnUntraced(function* (path: string, type: string, name: string) {
  const index = yield* SymbolIndex
  const symbols = yield* index.symbols(path)
  return symbols?.definitions.some((each) => each.container === type && each.name === name) === true
})

const from = (
  path: string,
  segments: ReadonlyArray<string>,
  walk: Walk
): Effect.Effect<RustTarget, never, SymbolIndex> =>
  Effect.gen(function* () {
    if (walk.depth > longestChain) return unknown
    const [first = "", ...rest] = segments
    if (first === "crate") {
      const root = yield* rootOf(path, walk.repository)
      return root === null ? unknown : yield* inModule(root, rest, walk)
    }
    if (first === "self") return yield* inModule(path, rest, walk)
    if (first === "super") {
      const parent = mayHaveParent(path) ? yield* parentOf(path, walk.repository) : null
      return parent === null ? unknown : yield* from(parent, ["self", ...rest], deeper(walk))
    }
    if (first === "") return yield* inCrate(rest, walk)
    // A name from a glob never shadows a crate; a name of the module itself does.
    const isCrate = rest.length > 0 && walk.repository.once(crates).has(first)
    if (isCrate && !(yield* names(path, first))) return yield* inCrate(segments, walk)
    const here = yield* inModule(path, segments, walk)
    if (here._tag !== "Absent" || rest.length === 0) return here
    const other = yield* inCrate(segments, walk)
    return other._tag === "Unknown" ? here : other
  })

const inCrate = Effect.fnUntraced(function* (segments: ReadonlyArray<string>, walk: Walk) {
  const [crate = "", ...rest] = segments
  const folder = walk.repository.once(crates).get(crate)
  const root = folder === undefined ? "" : `${folder}lib.rs`
  return walk.repository.paths.has(root) ? yield* inModule(root, rest, deeper(walk)) : unknown
})

const resolveAt = Effect.fnUntraced(function* (
  { imports, inner, path, within }: RustPlace,
  segments: ReadonlyArray<string>,
  walk: Walk
) {
  const [first = "", ...rest] = segments
  if (inner !== undefined) {
    const bound = imports.find(({ line, local }) => line === inner && local === first)
    return bound === undefined ? unknown : yield* throughImport(path, bound, rest, walk)
  }
  // A function may import the name with everything else of a module.
  for (const { module } of imports.filter((each) => each.inner === true && each.name === "*")) {
    const found = yield* from(path, [...segmentsOf(module), ...segments], deeper(walk))
    const isThere =
      found._tag === "Member" ? yield* hasMember(found.path, found.type, found.name) : found._tag !== "Absent"
    if (isThere) return unknown
  }
  if (within.length === 0 || first === "crate") return yield* from(path, segments, walk)
  if (first === "self") return unknown
  if (first === "super") {
    const outer = segments.slice(within.length)
    const isOutside = segments.slice(0, within.length).every((segment) => segment === "super")
    if (!isOutside) return unknown
    return yield* from(path, outer[0] === "super" ? outer : ["self", ...outer], walk)
  }
  const scope = within.join(" ")
  const own = imports.filter((each) => each.within === scope && each.inner === undefined)
  const imported = own.find(({ local }) => local === first)
  if (imported !== undefined) return yield* throughImport(path, imported, rest, walk)
  const globs = own.flatMap(({ module, name }) => (name === "*" ? [module] : []))
  // Without a glob it can only be defined in the inline module itself.
  if (globs.length === 0) return unknown
  return yield* inGlobs(path, segments, globs, false, walk)
})

const unknown: RustTarget = { _tag: "Unknown" }

const itemOf = (
  path: string,
  definition: Definition,
  count: number,
  rest: ReadonlyArray<string>,
  types: ReadonlyArray<{ readonly name: string }>
): RustTarget => {
  const [member] = rest
  // With `cfg`, one name may have several definitions.
  if (member === undefined) return count === 1 ? { _tag: "Item", path, definition } : unknown
  // An alias is another type.
  const isType = types.some(({ name }) => name === definition.name)
  return rest.length === 1 && isType ? { _tag: "Member", path, type: definition.name, name: member } : unknown
}
