/** Who depends on what the change alters: places that call, import or override a changed definition. */
import { Effect } from "effect"
import type { Found } from "../../domain/brief/Brief.ts"
import type { DefinitionChange, ValueChange } from "../../domain/brief/Definitions.ts"
import type { Dependent } from "../../domain/brief/Dependent.ts"
import type { Change } from "../../domain/change/Change.ts"
import { HunkIndex } from "../../domain/change/HunkIndex.ts"
import { isTestPath } from "../../domain/change/PathKind.ts"
import { enclosingFunction, nameParts, qualifiedName } from "../../domain/code/CodeQuery.ts"
import { nearestFirst } from "../../domain/code/nearestFirst.ts"
import type { Definition } from "../../domain/code/Symbol.ts"
import { compareText } from "../../domain/text/compareText.ts"
import { plural } from "../../domain/text/plural.ts"
import { sharesNames } from "../../languages/imports.ts"
import { Sources } from "../change/Sources.ts"
import { SymbolIndex } from "../code/SymbolIndex.ts"
import { type Target, type Use, usesOf } from "../code/uses/usesOf.ts"

/** Changed definitions whose names are searched for, and those with the most users that are reported. */
const namesSearched = 60
const mostReported = 12
const mostNearest = 6

export interface Options {
  /** 1: places that use the definition itself; 2: also those that use the definitions around them; and so on. */
  readonly depth: number
}

export const dependentsOf = Effect.fn("brief.dependentsOf")(function* (
  change: Change,
  definitions: ReadonlyArray<DefinitionChange>,
  values: ReadonlyArray<ValueChange>,
  { depth }: Options = { depth: 1 }
) {
  const sources = yield* Sources
  const paths = yield* sources.headPaths
  const nothing: Found<ReadonlyArray<Dependent>> = { found: [], omitted: [] }
  const left = (yield* Effect.forEach(definitions.filter(hasUsers), (each) => nameLeft(each, change))).flat()
  const changed = [...definitions, ...left, ...values.flatMap(changeOfValue)]
  const wanted = distinct(changed.filter(hasUsers).toSorted(byWeight))
  if (wanted.length === 0) return nothing
  if (paths.length === 0) return { ...nothing, omitted: ["users of the changed definitions: there is no repository"] }
  const some = wanted.slice(0, namesSearched)
  const targets = yield* Effect.forEach(some, targetOf)
  const { omitted, uses } = yield* usesOf(targets, paths)
  const ranked = targets
    .map((target, at) => ({ target, uses: uses[at] ?? [], weight: weightOf(some[at]!) }))
    .filter(({ uses }) => uses.length > 0)
    .toSorted((a, b) => a.weight - b.weight || b.uses.length - a.uses.length)
  const shown = ranked.slice(0, mostReported)
  const hunks = new HunkIndex(change.diff)
  const isEdited: IsEdited = ({ line, path }) => hunks.isAdded(path, line)
  const found = yield* Effect.forEach(shown, ({ target, uses }) => dependentOf(target, uses, isEdited, depth, paths))
  const others = wanted.length - some.length + ranked.length - shown.length
  const answer: typeof nothing = {
    found,
    omitted: [
      ...omitted,
      ...(others === 0 ? [] : [`users of ${others} of ${plural(wanted.length, "changed definition")}`])
    ]
  }
  return answer
})

/** Does the change edit the line of a place? */
type IsEdited = (place: Pick<Use, "line" | "path">) => boolean

/** Of a renamed or moved definition: its old name as a removed one, unless the old file still has it. */
const nameLeft = Effect.fnUntraced(function* (each: DefinitionChange, { diff }: Change) {
  const { before, change, file, from, ...rest } = each
  if (before === null || (change !== "renamed" && change !== "moved")) return []
  const old = from?.file ?? diff.files.find(({ newPath }) => newPath === file)?.oldPath ?? file
  const name = change === "moved" ? each.name : before
  const index = yield* SymbolIndex
  const symbols = yield* index.symbols(old)
  const [first = ""] = name.split(".")
  const isKept =
    symbols !== null &&
    (symbols.stars.length > 0 ||
      symbols.bound.has(first) ||
      symbols.definitions.some((other) => qualifiedName(other) === name) ||
      symbols.imports.some(({ local }) => local === first) ||
      symbols.exports?.some((other) => other.name === first) === true)
  // Names of one package do not depend on the file.
  if (isKept || (change === "moved" && sharesNames(old, file))) return []
  const gone: DefinitionChange = {
    ...rest,
    before,
    change: "removed",
    name,
    file: old,
    line: from?.line ?? each.line,
    after: null
  }
  return [gone]
})

/** Another default or another value of a constant is a change of its definition: `load` for `load(strict)`. */
const changeOfValue = ({
  after,
  before,
  change,
  file,
  kind,
  line,
  name
}: ValueChange): ReadonlyArray<DefinitionChange> => {
  if (change !== "changed" || (kind !== "default" && kind !== "constant")) return []
  const changed = { file, line, before, after, change: "signature", public: true } as const
  return [
    kind === "constant"
      ? { ...changed, kind, name }
      : { ...changed, kind: "function", name: name.replace(/\([^()]*\)$/, "") }
  ]
}

/** Fields are used in too many ways, and what is new has no users that the change does not show. */
const hasUsers = ({ after, before, change, kind, name, public: isPublic }: DefinitionChange): boolean =>
  isPublic &&
  change !== "added" &&
  !/^(?:module|implementation)$/.test(kind) &&
  // A method without a body has parameters.
  (kind !== "field" || (after ?? before ?? "").includes(`${name}(`)) &&
  name !== "default" &&
  (isConstructor(name) || !/(?:^|\.)__\w+__$/.test(name))

/** A changed constructor concerns the users of its class. */
const isConstructor = (name: string): boolean => /\.(?:__init__|__new__|__construct|constructor|initialize)$/.test(name)

const usedName = (name: string): string => (isConstructor(name) ? name.slice(0, name.lastIndexOf(".")) : name)

/** What breaks its users first, and a changed contract before a changed body. */
const weightOf = ({ change }: DefinitionChange): number =>
  change === "removed" ? 0 : change === "body" || change === "moved" ? 2 : 1

const byWeight = (a: DefinitionChange, b: DefinitionChange): number => weightOf(a) - weightOf(b)

/** One change of each definition. */
const distinct = (definitions: ReadonlyArray<DefinitionChange>): ReadonlyArray<DefinitionChange> =>
  [...new Map(definitions.toReversed().map((each) => [`${each.file} ${each.name}`, each])).values()].reverse()

const targetOf = Effect.fnUntraced(function* ({ change, file, line, name: shown }: DefinitionChange) {
  const index = yield* SymbolIndex
  const { name, owner } = nameParts(usedName(shown))
  const container = owner.length === 0 ? null : owner.join(".")
  const symbols = change === "removed" ? null : yield* index.symbols(file)
  const named = symbols?.definitions.filter((each) => each.name === name) ?? []
  const own = named.find((each) => each.container === container && each.line <= line && line <= each.endLine)
  const target: Target = {
    name,
    container,
    path: file,
    line,
    // The methods of a class use it as well.
    endLine: isConstructor(shown) ? line : (own?.endLine ?? line),
    shown,
    isAlone: named.every((each) => each.container === container)
  }
  return target
})

const dependentOf = Effect.fnUntraced(function* (
  target: Target,
  uses: ReadonlyArray<Use>,
  isEdited: IsEdited,
  depth: number,
  paths: ReadonlyArray<string>
) {
  const files = Map.groupBy(uses, ({ path }) => path)
  const nearest = yield* nearestUses(target, uses, isEdited, 1)
  const around: Array<Dependent["nearest"][number]> = [...nearest.places]
  const visited = new Set([`${target.path} ${target.shown}`])
  let next = depth > 1 ? yield* targetsAround(uses) : []
  for (let level = 2; level <= depth; level++) {
    const fresh = next.filter((each) => !visited.has(`${each.path} ${each.shown}`)).slice(0, namesSearched)
    if (fresh.length === 0) break
    for (const each of fresh) visited.add(`${each.path} ${each.shown}`)
    const found = (yield* usesOf(fresh, paths)).uses.flat()
    around.push(...(yield* nearestUses(target, found, isEdited, level)).places)
    next = level < depth ? yield* targetsAround(found) : []
  }
  const certainly = (wanted: Use["kind"]): number =>
    uses.filter(({ certain, kind }) => certain && kind === wanted).length
  const dependent: Dependent = {
    name: target.shown,
    file: target.path,
    line: target.line,
    callers: certainly("call"),
    uses: certainly("use"),
    importers: new Set(uses.filter(({ kind }) => kind === "import").map(({ path }) => path)).size,
    overriders: certainly("definition"),
    subtypes: certainly("parent"),
    possible: uses.filter(({ certain }) => !certain).length,
    files: files.size,
    touched: [...files.values()].filter((some) => some.every(isEdited)).length,
    nearest: around
  }
  return dependent
})

const nearKinds = { call: "call", use: "use", import: "import", definition: "override", parent: "subtype" } as const
const kindOrder = { definition: 0, parent: 0, call: 1, use: 2, import: 3 } as const

/** Places that the change does not edit come first: its reader does not see them otherwise. */
const nearestUses = Effect.fnUntraced(function* (
  target: Target,
  uses: ReadonlyArray<Use>,
  isEdited: IsEdited,
  depth: number
) {
  const order = new Map(
    nearestFirst([target.path], [...new Set(uses.map(({ path }) => path))]).map((path, at) => [path, at])
  )
  const others = uses.filter(({ kind }) => kind !== "import")
  const sorted = (others.length > 0 ? others : uses).toSorted(
    (a, b) =>
      Number(b.certain) - Number(a.certain) ||
      Number(isEdited(a)) - Number(isEdited(b)) ||
      Number(isTestPath(a.path)) - Number(isTestPath(b.path)) ||
      (order.get(a.path) ?? 0) - (order.get(b.path) ?? 0) ||
      kindOrder[a.kind] - kindOrder[b.kind] ||
      a.line - b.line
  )
  // One place of each file before the second one of any.
  const firsts = [...Map.groupBy(sorted, ({ path }) => path).values()].flatMap(([first]) => first ?? [])
  const byPlace = Map.groupBy([...firsts, ...sorted], ({ line, path }) => `${path}:${line}`)
  const chosen = [...byPlace.values()].flatMap(([first]) => first ?? []).slice(0, mostNearest)
  const places = yield* Effect.forEach(chosen, (use) =>
    Effect.map(definitionAround(use), (around): Dependent["nearest"][number] => ({
      file: use.path,
      line: use.line,
      kind: nearKinds[use.kind],
      name: around === null ? null : qualifiedName(around),
      certain: use.certain,
      depth
    }))
  )
  return { places }
})

const definitionAround = Effect.fnUntraced(function* ({ line, path }: Use) {
  const index = yield* SymbolIndex
  const symbols = yield* index.symbols(path)
  return enclosingFunction(symbols?.definitions ?? [], line)
})

const targetsAround = Effect.fnUntraced(function* (uses: ReadonlyArray<Use>) {
  const found = new Map<string, Target>()
  for (const use of uses) {
    const around: Definition | null = use.kind === "import" ? null : yield* definitionAround(use)
    if (around === null) continue
    const { container, endLine, line, name } = around
    const shown = qualifiedName(around)
    found.set(`${use.path} ${shown}`, { name, container, path: use.path, line, endLine, shown, isAlone: true })
  }
  return [...found.values()].toSorted((a, b) => compareText(a.path, b.path) || a.line - b.line)
})
