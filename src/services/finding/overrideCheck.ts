/**
 * Checks every type that a change touches against its parents and children: methods that no longer fit the parent's,
 * implementations that lack a method, overrides of nothing.
 *
 * Reports only what fitted before. The number of types is bounded; what a bound cut off is in `omitted`.
 */
import { Effect } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import type { DiffFile } from "../../domain/change/Diff.ts"
import { filesOfDiff } from "../../domain/change/filesOfDiff.ts"
import { isVendoredPath } from "../../domain/change/PathKind.ts"
import { placesText } from "../../domain/change/WordPlace.ts"
import { signatureText } from "../../domain/code/brokenUses.ts"
import {
  type HierarchyType,
  type Lineage,
  type MethodShape,
  type Mismatch,
  mismatches,
  type PlacedType
} from "../../domain/code/Hierarchy.ts"
import { folderOf } from "../../domain/code/Repository.ts"
import { addedLines } from "../../domain/finding/Claims.ts"
import { hierarchyOf } from "../../languages/languages.ts"
import type { StructureClaim } from "../../rules/structure/structureRecords.ts"
import { forEachFile } from "../change/progress/FileCounts.ts"
import { Sources } from "../change/Sources.ts"
import { FileTypes } from "../code/FileTypes.ts"
import { type Found, filesSearched, type Setting, TypeFinder } from "../code/TypeFinder.ts"
import { firstOf, isOwnFile, structureCheck } from "./structureCheck.ts"

const filesCompared = 200
/** The number of changed types that are checked, and the number of types they are checked against. */
const typesCompared = 120
const typesChecked = 400
/** Levels below a changed type that are searched. */
const levels = 3

/** What no longer fits in one type. */
interface Broken {
  readonly found: Found
  readonly type: PlacedType
  readonly mismatch: Mismatch
  readonly parent: PlacedType | undefined
}

export const overrideCheck = structureCheck({
  name: "overrideCheck",
  misfits: ["override", "missing-method", "stray-override"],
  isChecked: (file) => isOwnFile(file) && hierarchyOf(file.path) !== null,
  most: filesCompared,
  what: "overrides in",
  find: Effect.fnUntraced(function* (files, setting) {
    const changed = (yield* forEachFile("types", files, changedTypes)).flat()
    const { kept, omitted } = firstOf(changed, typesCompared, "overrides of", "changed types")
    const { cut, checked } = yield* typesToCheck(kept, setting)
    const broken = (yield* forEachFile("types", checked, (found) => brokenIn(found, setting))).flat()
    const below = cut ? ["overrides in some of the types that come from a changed one"] : []
    return { claims: claimsOf(broken, setting.change), omitted: [...omitted, ...below] }
  })
})

/** Types of both sides whose methods changed. */
const changedTypes = Effect.fnUntraced(function* (file: DiffFile) {
  const types = yield* FileTypes
  const { path } = file
  const { after, before } = yield* types.touched(file)
  return after.flatMap((type): ReadonlyArray<{ readonly found: Found; readonly asParent: boolean }> => {
    const was = before.find(({ name }) => name === type.name)
    if (was === undefined || sameFace(was, type)) return []
    const asParent = mayHaveChildren(type, path) && concernsChildren(was, type)
    return [{ found: { path, name: type.name }, asParent }]
  })
})

/** Go: types that declare that they implement this interface. */
const implementers = Effect.fnUntraced(function* (contract: Found, setting: Setting) {
  const sources = yield* Sources
  const finder = yield* TypeFinder
  const types = yield* FileTypes
  const mentioning = (yield* sources.mentioning([contract.name], [".go"])).filter(
    (path) => setting.sides.head.paths.has(path) && !isVendoredPath(path) && !path.endsWith("_test.go")
  )
  yield* sources.preload(mentioning.slice(0, filesSearched))
  const found: Array<Found> = []
  for (const path of mentioning.slice(0, filesSearched)) {
    for (const claim of yield* types.claimsIn(path)) {
      if (!claim.contract.endsWith(contract.name)) continue
      const resolved = yield* finder.resolve(claim.contract, path, setting)
      const isSame = resolved?.name === contract.name && folderOf(resolved.path) === folderOf(contract.path)
      const type = isSame ? yield* finder.resolve(claim.type, path, setting) : null
      if (type !== null) found.push(type)
    }
  }
  return { types: found, cut: mentioning.length > filesSearched }
})

/** Go: interfaces that this type declares to implement, in the files of its package. */
const contractsOf = Effect.fnUntraced(function* ({ name, path }: Found, setting: Setting) {
  const finder = yield* TypeFinder
  const types = yield* FileTypes
  const files = (setting.sides.head.byFolder.get(folderOf(path)) ?? []).filter(
    (each) => each.endsWith(".go") && !each.endsWith("_test.go")
  )
  const contracts: Array<Found> = []
  for (const each of files) {
    for (const claim of yield* types.claimsIn(each)) {
      const contract = claim.type === name ? yield* finder.resolve(claim.contract, each, setting) : null
      if (contract !== null) contracts.push(contract)
    }
  }
  return contracts
})

const lineageOf = Effect.fnUntraced(function* (which: "base" | "head", found: Found, setting: Setting) {
  const finder = yield* TypeFinder
  const lineage = yield* finder.lineage(which, found, setting)
  if (lineage === null || !found.path.endsWith(".go")) return lineage
  const contracts = yield* contractsOf(found, setting)
  const above = yield* Effect.forEach(contracts, (contract) => finder.typeAt(which, contract, setting))
  const unique = new Map(above.flatMap((type) => (type?.kind === "interface" ? [[type.name, type] as const] : [])))
  return { ...lineage, above: [...unique.values()] } satisfies Lineage
})

/** The changed types, and their children if the change concerns them. */
const typesToCheck = Effect.fnUntraced(function* (
  changed: ReadonlyArray<{ readonly found: Found; readonly asParent: boolean }>,
  setting: Setting
) {
  const finder = yield* TypeFinder
  const checked = new Map(changed.map(({ found }) => [`${found.path}\n${found.name}`, found]))
  let cut = false
  let frontier = changed.filter(({ asParent }) => asParent).map(({ found }) => found)
  for (let level = 0; level < levels && frontier.length > 0 && checked.size < typesChecked; level++) {
    const next: Array<Found> = []
    for (const found of frontier) {
      const answer = found.path.endsWith(".go")
        ? yield* implementers(found, setting)
        : yield* finder.below(found, setting)
      cut ||= answer.cut
      for (const child of answer.types) {
        const key = `${child.path}\n${child.name}`
        if (!checked.has(key)) next.push(child)
        checked.set(key, child)
      }
    }
    frontier = next
  }
  return { checked: [...checked.values()].slice(0, typesChecked), cut: cut || checked.size > typesChecked }
})

/** Python: a class with subclasses may leave methods to them. */
const isLeaf = Effect.fnUntraced(function* (found: Found, setting: Setting) {
  const finder = yield* TypeFinder
  return !found.path.endsWith(".py") || (yield* finder.below(found, setting)).types.length === 0
})

/**
 * Go: whether the types may be equal under two names. A name is distinct only if the repository declares it as a type of
 * its own, and not as an alias.
 */
const mayDifferByAlias = Effect.fnUntraced(function* (
  path: string,
  child: PlacedType,
  { above, method }: Mismatch,
  { sides: { head } }: Setting
) {
  const sources = yield* Sources
  const below = child.methods.find(({ name }) => name === method)
  if (!path.endsWith(".go") || above?.exact == null || below?.exact == null) return false
  if (above.signature?.parameters.length !== below.signature?.parameters.length) return false
  const [one, other] = [namedIn(above.exact), namedIn(below.exact)]
  const names = [...one.symmetricDifference(other)]
  const files = (yield* sources.mentioning(names, [".go"])).filter(
    (each) => head.paths.has(each) && !isVendoredPath(each)
  )
  yield* sources.preload(files.slice(0, filesSearched))
  const texts = yield* Effect.forEach(files.slice(0, filesSearched), sources.head)
  return names.some((name) => {
    const declared = new RegExp(`^(?:type\\s+${name}(?:\\[.*\\])?\\s+(?!=)|\\t${name}\\s+(?:struct|interface)\\b)`, "m")
    return !texts.some((source) => source._tag === "Text" && declared.test(source.text))
  })
})

const predeclared = new Set(
  "any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr map chan interface struct".split(
    " "
  )
)

/** The names of types that the language does not declare. */
const namedIn = (types: string): ReadonlySet<string> =>
  new Set((types.match(/[A-Za-z_]\w*/g) ?? []).filter((name) => !predeclared.has(name)))

const brokenIn = Effect.fnUntraced(function* (found: Found, setting: Setting) {
  const reader = hierarchyOf(found.path)
  const [before, after] = [yield* lineageOf("base", found, setting), yield* lineageOf("head", found, setting)]
  if (reader === null || before === null || after === null) return []
  const broken: Array<Broken> = []
  for (const mismatch of mismatches(before, after, reader.fit, reader.keyOf)) {
    if (mismatch.kind === "missing-method" && !(yield* isLeaf(found, setting))) continue
    if (mismatch.kind === "override" && (yield* mayDifferByAlias(found.path, after.type, mismatch, setting))) continue
    const parent = after.above.find(({ name }) => name === mismatch.parent)
    broken.push({ found, type: after.type, mismatch, parent })
  }
  return broken
})

const faceOf = ({ abstract, interfaces, kind, methods, others, parents }: HierarchyType): string =>
  JSON.stringify([
    abstract,
    interfaces,
    kind,
    parents,
    [...others].sort(),
    methods.map(({ awaited, callsParent, exact, name, required, isMarkedOverride, signature }) => [
      name,
      awaited,
      callsParent,
      exact,
      required,
      isMarkedOverride,
      signature
    ])
  ])

const sameFace = (a: HierarchyType, b: HierarchyType): boolean => faceOf(a) === faceOf(b)

/** A Go struct has no children: a type that embeds it gets its methods unchanged. */
const mayHaveChildren = ({ kind }: HierarchyType, path: string): boolean =>
  kind === "interface" || !path.endsWith(".go")

/** Anything except added methods that are not required. */
const concernsChildren = (before: HierarchyType, after: HierarchyType): boolean => {
  const text = ({ awaited, exact, name, required, signature }: MethodShape) =>
    JSON.stringify([name, awaited, exact, required, signature])
  const oldMethods = new Set(before.methods.map(text))
  const newMethods = new Set(after.methods.map(text))
  const isNew = ({ name, required }: MethodShape) => !required && !before.methods.some((each) => each.name === name)
  return (
    before.methods.some((method) => !newMethods.has(text(method))) ||
    after.methods.some((method) => !oldMethods.has(text(method)) && !isNew(method)) ||
    [...before.others].some((name) => !after.others.has(name))
  )
}

/** One finding for each method of a parent and kind, with all types that no longer fit it. */
const claimsOf = (broken: ReadonlyArray<Broken>, change: Change): ReadonlyArray<StructureClaim> => {
  const groups = Map.groupBy(
    broken,
    ({ mismatch }) => `${mismatch.kind}\n${mismatch.parent}\n${mismatch.method}\n${mismatch.became ?? ""}`
  )
  return [...groups.values()].flatMap((group): ReadonlyArray<StructureClaim> => {
    const [first] = group
    if (first === undefined) return []
    const { mismatch } = first
    const places = group.map(({ type }) => {
      const own = type.methods.find(({ name }) => name === mismatch.method)
      const { line, path } = own ?? type
      return { path, line, words: [own === undefined ? type.name : mismatch.method], message: messages[mismatch.kind] }
    })
    const { above, became, method, parent } = mismatch
    const message = became === null ? `declared in \`${parent}\`` : `now \`${became}\``
    const declared = above === null ? [] : [{ path: above.path, line: above.line, words: [became ?? method], message }]
    const at = reportedAt(group, change) ?? places[0] ?? { path: first.found.path, line: 1 }
    const own = [...declared, ...places].find(({ line, path }) => line === at.line && path === at.path)
    return [
      {
        misfit: mismatch.kind,
        title: titleOf(mismatch, group),
        detail: `${signaturesOf(first)}See ${placesText(places)}.`,
        path: at.path,
        line: at.line,
        words: own?.words ?? [method, became ?? "", ...group.map(({ type }) => type.name)],
        ...(own === undefined ? {} : { label: own.message }),
        places: [...places, ...declared]
      }
    ]
  })
}

const messages: Record<Mismatch["kind"], string> = {
  override: "the override",
  "missing-method": "does not implement it",
  "stray-override": "still overrides it"
}

/** The signature of the first child's method and of its parent's. */
const signaturesOf = ({ mismatch, type }: Broken): string => {
  const [above, below] = [mismatch.above, type.methods.find(({ name }) => name === mismatch.method)]
  if (mismatch.kind !== "override" || above?.signature == null || below?.signature == null) return ""
  const texts = [above, below].map(({ awaited, name, signature }) =>
    signature === null ? "" : `${awaited === true ? "async " : ""}${signatureText(name, signature)}`
  )
  return texts[0] === texts[1]
    ? ""
    : `It is ${texts[0]} in \`${mismatch.parent}\` and ${texts[1]} in \`${type.name}\`. `
}

const titleOf = ({ became, kind, method, parent }: Mismatch, group: ReadonlyArray<Broken>): string => {
  const [first] = group
  const who = group.length === 1 ? `\`${first?.type.name}\`` : `${group.length} types`
  const verb = (one: string, many: string) => (group.length === 1 ? one : many)
  const name = `\`${parent}.${method}\``
  switch (kind) {
    case "override":
      return `${name} and its override in ${who} no longer match`
    case "missing-method":
      return `${name} must be implemented, but ${who} ${verb("does", "do")} not implement it`
    case "stray-override":
      return became === null
        ? `${name} is gone, but ${who} still ${verb("overrides", "override")} it`
        : `${name} is now \`${became}\`, but ${who} still ${verb("overrides", "override")} the old name`
  }
}

/** The changed method, of the parent or the child; otherwise the changed type. */
const reportedAt = (group: ReadonlyArray<Broken>, change: Change): { path: string; line: number } | null => {
  const isTouched = ({ endLine, line, path }: { endLine: number; line: number; path: string }) => {
    const file = filesOfDiff(change.diff).at(path)
    return file !== undefined && addedLines(file).some((added) => added.line >= line && added.line <= endLine)
  }
  const methods = group.flatMap(({ mismatch, type }) => [
    ...(mismatch.above === null ? [] : [mismatch.above]),
    ...type.methods.filter(({ name }) => name === mismatch.method)
  ])
  const touched = methods.find(isTouched)
  if (touched !== undefined) return { path: touched.path, line: touched.line }
  const types = group.flatMap(({ parent, type }) => [type, ...(parent === undefined ? [] : [parent])])
  const changed = types.find(({ path }) => change.diff.files.some(({ newPath }) => newPath === path))
  return changed === undefined ? null : { path: changed.path, line: changed.line }
}
