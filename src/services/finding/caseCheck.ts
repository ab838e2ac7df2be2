/**
 * Finds the places that handled every member of a type and, after the change, do not: a `switch` without a case for a
 * new member, a table without its key, a case for a removed literal.
 *
 * A place counts if it named every member before, resolves to the type, and was not changed. The number of files is
 * bounded.
 */
import { Effect } from "effect"
import type { DiffFile } from "../../domain/change/Diff.ts"
import { filesOfDiff } from "../../domain/change/filesOfDiff.ts"
import { touchedBy } from "../../domain/change/HunkIndex.ts"
import { isGeneratedPath, isMarkedGenerated, isTestPath, isVendoredPath } from "../../domain/change/PathKind.ts"
import { placesText } from "../../domain/change/WordPlace.ts"
import { nearestFirst } from "../../domain/code/nearestFirst.ts"
import { folderOf } from "../../domain/code/Repository.ts"
import { wordPlaces } from "../../domain/code/Symbol.ts"
import {
  type CaseTable,
  type TableFault,
  tableFault,
  type VariantChange,
  type VariantType,
  variantChanges
} from "../../domain/code/Variants.ts"
import { addedLines } from "../../domain/finding/Claims.ts"
import type { Misfit } from "../../domain/finding/Rule.ts"
import { compareText } from "../../domain/text/compareText.ts"
import { filesOfPackage } from "../../languages/go/modules.ts"
import { casesOf } from "../../languages/languages.ts"
import type { StructureClaim } from "../../rules/structure/structureRecords.ts"
import { forEachFile } from "../change/progress/FileCounts.ts"
import { Sources } from "../change/Sources.ts"
import { NameResolver } from "../code/NameResolver.ts"
import { SymbolIndex } from "../code/SymbolIndex.ts"
import { SyntaxTrees } from "../code/SyntaxTrees.ts"
import type { Setting } from "../code/TypeFinder.ts"
import { firstOf, structureCheck } from "./structureCheck.ts"

/** Changed files whose types are compared, and files that are searched for cases of one type. */
const filesCompared = 200
export const filesSearched = 300
/** In a Go package, where any file may contain constants. */
const packageFiles = 80
/** A table without an annotation that names fewer members may be about something else. */
const tellingCount = 3

/** A changed type and the file that defines it. */
interface Changed {
  readonly file: DiffFile
  readonly path: string
  readonly change: VariantChange
}

interface Fault {
  readonly table: CaseTable
  readonly fault: TableFault
  readonly path: string
}

export const caseCheck = structureCheck({
  name: "caseCheck",
  misfits: ["uncovered-case", "uncompiled-case", "stale-case"],
  isChecked: (file) => isOwn(file),
  most: filesCompared,
  what: "cases of types in",
  find: Effect.fnUntraced(function* (files, setting) {
    const changed = (yield* forEachFile("types", files, (file) => changedIn(file, setting))).flat()
    const parts = yield* forEachFile("types", changed, (each) => faultsOf(each, setting))
    const omitted = new Set(parts.flatMap((part) => part.omitted))
    return { claims: parts.flatMap(({ claims }) => claims), omitted: [...omitted] }
  })
})

/** In a file of the head side, by its path, or in a changed file before the change. */
const variantsIn = Effect.fnUntraced(function* (file: string | DiffFile) {
  const trees = yield* SyntaxTrees
  const reader = casesOf(typeof file === "string" ? file : file.path)
  if (reader === null) return []
  const question = { marks: reader.marks, ask: reader.variants }
  return (yield* typeof file === "string" ? trees.head(file, question) : trees.base(file, question)) ?? []
})

/** Go: the constants of a type, from all files of its package. */
const packageVariants = Effect.fnUntraced(function* (
  which: "base" | "head",
  folder: string,
  { change, sides }: Setting
) {
  const sources = yield* Sources
  const before = new Map(change.diff.files.map((file) => [file.oldPath, file]))
  const files = filesOfPackage(folder, sides[which])
  if (files.length > packageFiles) return []
  yield* sources.preload(files)
  const parts = yield* Effect.forEach(files, (path) => variantsIn(which === "base" ? (before.get(path) ?? path) : path))
  const found = new Map<string, VariantType>()
  for (const type of parts.flat()) {
    const known = found.get(type.name)
    found.set(type.name, known === undefined ? type : { ...known, members: [...known.members, ...type.members] })
  }
  return [...found.values()]
})

const changedIn = Effect.fnUntraced(function* (file: DiffFile, setting: Setting) {
  const { newPath, oldPath } = file
  if (newPath === null || oldPath === null) return []
  const head = yield* variantsIn(newPath)
  if (head.length === 0) return []
  const changes = variantChanges(yield* variantsIn(file), head)
  if (changes.length === 0 || casesOf(newPath)?.lookup !== "package") {
    return changes.map((each): Changed => ({ file, path: newPath, change: each }))
  }
  const own = new Set(head.flatMap(({ members }) => members.map(({ name }) => name)))
  const folder = folderOf(newPath)
  const whole = variantChanges(
    yield* packageVariants("base", folder, setting),
    yield* packageVariants("head", folder, setting)
  )
  return whole
    .filter(({ added }) => added.some(({ name }) => own.has(name)))
    .map((each): Changed => ({ file, path: newPath, change: each }))
})

/** Whether this name, as the file writes it, refers to the changed type. */
const refersTo = Effect.fnUntraced(function* (
  written: string,
  from: string,
  { change, path }: Changed,
  { sides }: Setting
) {
  const resolver = yield* NameResolver
  const { name } = change.type
  if (from === path && written === name) return true
  const found = yield* resolver.definitionNamed(from, written, sides.head)
  return found?.path === path && found.definition.name === name
})

/** The cases whose types, as written, satisfy a condition. */
const casesOfTypes = Effect.fnUntraced(function* <R>(
  { cases }: CaseTable,
  isType: (written: string) => Effect.Effect<boolean, never, R>
) {
  const matching = yield* Effect.filter([...new Set(cases.flatMap(({ type }) => type ?? []))], isType)
  return membersOf(cases.filter(({ type }) => type !== null && matching.includes(type)))
})

const namedInPackage = Effect.fnUntraced(function* (
  table: CaseTable,
  from: string,
  { change, path }: Changed,
  { sides }: Setting
) {
  const resolver = yield* NameResolver
  if (table.annotated !== null && table.annotated !== change.type.name) return noMembers
  if (folderOf(from) === folderOf(path)) return membersOf(table.cases.filter(({ type }) => type === null))
  return yield* casesOfTypes(table, (local) =>
    Effect.map(resolver.packageNamed(from, local, sides.head), (folder) => folder === folderOf(path))
  )
})

const namedByImport = Effect.fnUntraced(function* (table: CaseTable, from: string, changed: Changed, setting: Setting) {
  const { before, type } = changed.change
  const isType = (written: string) => refersTo(written, from, changed, setting)
  const names = membersOf(table.cases)
  if (table.annotated !== null) return (yield* isType(table.annotated)) ? names : noMembers
  if (type.named === "qualified") return yield* casesOfTypes(table, isType)
  const isSame = names.size === before.length && names.size >= tellingCount
  const fits = type.property === null || table.property === type.property
  return isSame && fits && (yield* mentionsType(from, changed, setting)) ? names : noMembers
})

/** The members of the changed type that a table names; empty if it may be about another type. */
const namedIn = (table: CaseTable, from: string, changed: Changed, isOnly: boolean, setting: Setting) => {
  switch (casesOf(from)?.lookup) {
    case "declaration":
      return Effect.succeed(isOnly ? namedByDeclaration(table, changed.change) : noMembers)
    case "package":
      return namedInPackage(table, from, changed, setting)
    default:
      return namedByImport(table, from, changed, setting)
  }
}

/** Whether the file imports the type under its name, or declares it. */
const mentionsType = Effect.fnUntraced(function* (from: string, changed: Changed, setting: Setting) {
  const index = yield* SymbolIndex
  if (from === changed.path) return true
  const imports = (yield* index.imports([from]))[0]?.imports ?? []
  const locals = imports.flatMap(({ local, name }) => (name === changed.change.type.name ? [local] : []))
  const matching = yield* Effect.filter(locals, (local) => refersTo(local, from, changed, setting))
  return matching.length > 0
})

const faultsOf = Effect.fnUntraced(function* (changed: Changed, setting: Setting) {
  const sources = yield* Sources
  const trees = yield* SyntaxTrees
  const { before, type } = changed.change
  const reader = casesOf(changed.path)
  const isDeclared = reader?.lookup === "declaration"
  const word = type.named === "qualified" || isDeclared ? type.name : longest(before)
  const mentioning = reader === null ? [] : yield* sources.mentioning([word], reader.endings)
  const isWanted = (path: string) =>
    !isVendoredPath(path) && !isGeneratedPath(path) && setting.sides.head.paths.has(path)
  const all = nearestFirst([changed.path], mentioning.filter(isWanted))
  const noun = `files that mention ${word}, the farthest ones`
  const { kept: candidates, omitted } = firstOf(all, filesSearched, "cases in", noun)
  yield* sources.preload(candidates)
  const texts = new Map<string, string>()
  for (const path of candidates) {
    const source = yield* sources.head(path)
    if (source._tag === "Text" && !isMarkedGenerated(source.lines)) texts.set(path, source.text)
  }
  const defining = new RegExp(`\\benum\\s+${RegExp.escape(type.name)}\\b`, "g")
  const renaming = new RegExp(`\\bas\\s+${RegExp.escape(type.name)}\\b`)
  const isOnly = [...texts.values()].flatMap((text) => text.match(defining) ?? []).length === 1
  const found: Array<Fault> = []
  for (const [path, text] of texts) {
    const isAll = before.every((name) => (/^\w+$/.test(name) ? wordPlaces(text, name).length > 0 : text.includes(name)))
    if (!isAll || renaming.test(text)) continue
    // The types of another file are known only by their name.
    if (isDeclared && path !== changed.path && wordPlaces(text, type.name).length === 0) continue
    const tables = reader === null ? null : yield* trees.head(path, { ask: reader.tables })
    const file = filesOfDiff(setting.change.diff).at(path)
    for (const table of tables ?? []) {
      if (file !== undefined && touchedBy(file, table.line, table.endLine)) continue
      if (table.rest !== "checked" && isTestPath(path)) continue
      if (table.form === "table" && table.rest !== "checked" && before.length < tellingCount) continue
      const fault = tableFault(changed.change, yield* namedIn(table, path, changed, isOnly, setting), table)
      // An edit elsewhere in the file that mentions the member may exclude it here.
      if (fault === null || fault.missing.some((name) => file !== undefined && isMentionedIn(file, name))) continue
      found.push({ table, fault, path })
    }
  }
  return { claims: claimsOf(changed, found), omitted }
})

const noMembers: ReadonlySet<string> = new Set()

const membersOf = (cases: CaseTable["cases"]): ReadonlySet<string> => new Set(cases.map(({ member }) => member))

/** For a type that only one file of the repository declares. */
const namedByDeclaration = ({ cases }: CaseTable, { before, type }: VariantChange): ReadonlySet<string> => {
  if (type.named === "qualified") return membersOf(cases.filter((each) => each.type === type.name))
  const names = membersOf(cases)
  return names.size === before.length ? names : noMembers
}

const isOwn = (file: DiffFile): boolean =>
  file.newPath !== null &&
  file.oldPath !== null &&
  !file.binary &&
  casesOf(file.path) !== null &&
  !isVendoredPath(file.path)

const isMentionedIn = (file: DiffFile, name: string): boolean =>
  file.newPath !== null && addedLines(file).some(({ text }) => wordPlaces(text, name).length > 0)

const listed = (names: ReadonlyArray<string>): string => {
  const more = names.length - namesListed
  return [...names.slice(0, namesListed).map((name) => `\`${name}\``), ...(more > 0 ? [`${more} more`] : [])].join(", ")
}

const namesListed = 2

const longest = (names: ReadonlyArray<string>): string =>
  [...names].sort((a, b) => b.length - a.length || compareText(a, b))[0] ?? ""

/** The contract check reports uses of other removed members. */
const isReportedHere = ({ named }: VariantType, path: string): boolean =>
  named === "literal" || /\.(?:rs|java)$/.test(path)

/** One finding for what the compiler rejects, one for what it accepts, and one for cases of removed members. */
const claimsOf = ({ change, path }: Changed, faults: ReadonlyArray<Fault>): ReadonlyArray<StructureClaim> => {
  const { type } = change
  const shown = (name: string) => `\`${type.named === "literal" ? `${type.name}: ${name}` : `${type.name}.${name}`}\``
  const groups: ReadonlyArray<readonly [Misfit, ReadonlyArray<Fault>]> = [
    ["uncompiled-case", faults.filter(({ fault, table }) => fault.missing.length > 0 && table.rest === "checked")],
    ["uncovered-case", faults.filter(({ fault, table }) => fault.missing.length > 0 && table.rest !== "checked")],
    ["stale-case", isReportedHere(type, path) ? faults.filter(({ fault }) => fault.stale.length > 0) : []]
  ]
  return groups.flatMap(([misfit, some]): ReadonlyArray<StructureClaim> => {
    if (some.length === 0) return []
    const names = [...new Set(some.flatMap(({ fault }) => (misfit === "stale-case" ? fault.stale : fault.missing)))]
    const added = change.added.find(({ name }) => names.includes(name))
    const places = some.map(({ fault, path: at, table }) => ({
      path: at,
      line: table.line,
      words: ["switch", "match", type.name],
      message:
        misfit === "stale-case" ? `still has a case for ${listed(fault.stale)}` : `no case for ${listed(fault.missing)}`
    }))
    const count = places.length === 1 ? "one place" : `${places.length} places`
    const all = names.slice(0, 4).map(shown).join(", ")
    const refused = some.filter(({ table }) => table.rest === "refused").length
    const isOne = names.length === 1
    const title =
      misfit === "stale-case"
        ? `${all} ${isOne ? "is" : "are"} gone, and ${count} still ${places.length === 1 ? "has" : "have"} a case for ${isOne ? "it" : "them"}`
        : `${all} ${isOne ? "is" : "are"} new, and ${count} ${places.length === 1 ? "handles" : "handle"} every other member but not ${isOne ? "it" : "them"}`
    const detail = refused > 0 && misfit === "uncovered-case" ? "The code there rejects a value without a case. " : ""
    return [
      {
        misfit,
        title,
        detail: `${detail}See ${placesText(places)}.`,
        path,
        line: added?.line ?? type.members[0]?.line ?? 1,
        words: [added?.name ?? type.name],
        label: misfit === "stale-case" ? `no longer has ${listed(names)}` : "the new member",
        places
      }
    ]
  })
}
