/**
 * The types of a repository with their parents, on both sides of a change, read on demand.
 *
 * A parent is followed only where its name leads to one type of the repository for certain: through an import, in the
 * same file or package, or, where a language has no such way, when there is only one declaration of that name.
 */
import { Context, Effect, Layer } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import { isGeneratedPath, isVendoredPath } from "../../domain/change/PathKind.ts"
import type { Lineage, PlacedType } from "../../domain/code/Hierarchy.ts"
import { folderOf, isFolder } from "../../domain/code/Repository.ts"
import { filesOfPackage } from "../../languages/go/modules.ts"
import { hierarchyOf } from "../../languages/languages.ts"
import { Sources } from "../change/Sources.ts"
import { withServices } from "../system/withServices.ts"
import { FileTypes } from "./FileTypes.ts"
import type { Which } from "./ImportGraph.ts"
import { NamedTypes } from "./NamedTypes.ts"
import type { BothSides } from "./Surroundings.ts"
import { SymbolIndex } from "./SymbolIndex.ts"

/** A type, and the head-side file that defines it. */
export interface Found {
  readonly path: string
  readonly name: string
}

/** What all questions about one change have in common. */
export interface Setting {
  readonly sides: BothSides
  readonly change: Change
}

/** Files that mention one name: read for whether they come from it, or for what they declare. */
export const filesSearched = 1_200
/** Types above one type. */
const typesAbove = 12
const packageFiles = 80

export class TypeFinder extends Context.Service<
  TypeFinder,
  {
    /** A type as that side has it; for Go with the methods of its whole package. Null when it is not there. */
    readonly typeAt: (which: Which, found: Found, setting: Setting) => Effect.Effect<PlacedType | null>
    /** The type that a name means in a file; null when that is not certain. */
    readonly resolve: (written: string, from: string, setting: Setting) => Effect.Effect<Found | null>
    /** A type with those above it. */
    readonly lineage: (which: Which, found: Found, setting: Setting) => Effect.Effect<Lineage | null>
    /** Types that come directly from this one; `cut` when more files mention it than were searched. */
    readonly below: (
      found: Found,
      setting: Setting
    ) => Effect.Effect<{ readonly types: ReadonlyArray<Found>; readonly cut: boolean }>
  }
>()("dd/services/code/TypeFinder") {
  static readonly layer = Layer.effect(
    TypeFinder,
    Effect.suspend(() => withServices({ typeAt, resolve, lineage, below }))
  )
}

/** Go: the type's methods from every file of its package. */
const inPackage = Effect.fnUntraced(function* (which: Which, { name, path }: Found, setting: Setting) {
  const sources = yield* Sources
  const fileTypes = yield* FileTypes
  const files = filesOfPackage(folderOf(path), setting.sides[which])
  if (files.length > packageFiles) return null
  yield* sources.preload(files)
  const parts = (yield* Effect.forEach(files, (each) => fileTypes.in(which, each, setting.change)))
    .flat()
    .filter((each) => each.name === name)
  // Where the type itself is declared; another file has only methods of it.
  const first = parts.find(({ line, methods }) => methods.every((method) => method.line > line)) ?? parts[0]
  if (first === undefined) return null
  return { ...first, open: parts.some(({ open }) => open), methods: parts.flatMap(({ methods }) => methods) }
})

const typeAt = Effect.fnUntraced(function* (which: Which, found: Found, setting: Setting) {
  const fileTypes = yield* FileTypes
  if (found.path.endsWith(".go")) return yield* inPackage(which, found, setting)
  const same = (yield* fileTypes.in(which, found.path, setting.change)).filter(({ name }) => name === found.name)
  return same.length === 1 ? (same[0] ?? null) : null
})

/** Of the files of a Go package, the one that declares the type. */
const declaringFile = Effect.fnUntraced(function* (folder: string, name: string, setting: Setting) {
  const sources = yield* Sources
  const fileTypes = yield* FileTypes
  const files = (setting.sides.head.byFolder.get(folder) ?? []).filter((path) => path.endsWith(".go"))
  if (files.length > packageFiles) return null
  yield* sources.preload(files)
  for (const path of files) {
    const types = yield* fileTypes.in("head", path, setting.change)
    if (types.some((each) => each.name === name)) return path
  }
  return null
})

const resolve = Effect.fnUntraced(function* (written: string, from: string, setting: Setting) {
  const resolver = yield* NamedTypes
  const place = yield* resolver.typeNamed(from, written, setting.sides.head)
  if (place === null) return null
  // The path of a type inside of another one ends in its own name.
  const name = place.name.slice(place.name.lastIndexOf(".") + 1)
  const path = isFolder(place.path) ? yield* declaringFile(place.path, name, setting) : place.path
  return path === null ? null : { path, name }
})

const lineage = Effect.fn("TypeFinder.lineage")(function* (which: Which, found: Found, setting: Setting) {
  const type = yield* typeAt(which, found, setting)
  if (type === null) return null
  const bare = hierarchyOf(found.path)?.bare ?? new Set()
  const above: Array<PlacedType> = []
  const seen = new Set([`${found.path}\n${found.name}`])
  let complete = !type.open
  let whole = true
  let frontier = [{ path: found.path, type }]
  while (frontier.length > 0 && above.length < typesAbove) {
    const next: typeof frontier = []
    for (const { path, type: child } of frontier) {
      for (const [written, isParent] of [
        ...child.parents.map((each) => [each, true] as const),
        ...child.interfaces.map((each) => [each, false] as const)
      ]) {
        const parent = yield* resolve(written, path, setting)
        const at = parent === null ? null : yield* typeAt(which, parent, setting)
        if (parent === null || at === null) {
          // What is only promised brings nothing to run, but may want the same method.
          if (bare.has(written)) continue
          if (isParent) complete = false
          else whole = false
          continue
        }
        // A trait whose items are compiled only sometimes may want less than it seems.
        if (at.open && (at.kind === "class" || at.path.endsWith(".rs"))) complete = false
        if (at.open) whole = false
        const key = `${parent.path}\n${parent.name}`
        if (seen.has(key)) continue
        seen.add(key)
        above.push(at)
        next.push({ path: parent.path, type: at })
      }
    }
    frontier = next
  }
  return { type, above, complete: complete && frontier.length === 0, whole }
})

const below = Effect.fn("TypeFinder.below")(function* (found: Found, setting: Setting) {
  const sources = yield* Sources
  const fileTypes = yield* FileTypes
  const reader = hierarchyOf(found.path)
  if (reader === null) return { types: [], cut: false }
  const mentioning = (yield* sources.mentioning([found.name], reader.endings)).filter(
    (path) => setting.sides.head.paths.has(path) && !isVendoredPath(path) && !isGeneratedPath(path)
  )
  const files = mentioning.slice(0, filesSearched)
  yield* sources.preload(files)
  const types: Array<Found> = []
  const derives = reader.derives(found.name)
  const renames = new RegExp(`\\b${RegExp.escape(found.name)} as\\b`)
  for (const path of files) {
    const source = yield* sources.head(path)
    if (source._tag !== "Text" || !(derives.test(source.text) || renames.test(source.text))) continue
    for (const type of yield* fileTypes.in("head", path, setting.change)) {
      for (const written of [...type.parents, ...type.interfaces]) {
        // Under another name it may be imported as well.
        if (!written.endsWith(found.name) && !(yield* isAlias(path, written, found.name))) continue
        const parent = yield* resolve(written, path, setting)
        if (parent?.path === found.path && parent.name === found.name) types.push({ path, name: type.name })
      }
    }
  }
  return { types, cut: files.length < mentioning.length }
})

const isAlias = Effect.fnUntraced(function* (path: string, written: string, name: string) {
  const index = yield* SymbolIndex
  const symbols = yield* index.symbols(path)
  return symbols?.imports.some((each) => each.local === written && each.name === name) === true
})
