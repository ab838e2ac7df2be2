/**
 * Queries about the code around a change: definitions, references, importers, callers, callees and tests. All answers
 * are about the head side, deterministic, and bounded; what a bound cut off is in `omitted`. Never fails.
 *
 * A `certain` answer was resolved as the contract reviewer resolves (`References`). The others have the name in a file
 * that is near or imports the definition's; in a language whose uses are not followed there are only those.
 */
import { Context, Effect, Layer } from "effect"
import { isVendoredPath } from "../../domain/change/PathKind.ts"
import { isTestFile } from "../../domain/change/TestFile.ts"
import {
  type Answer,
  askedParts,
  byPlace,
  type Callee,
  type Caller,
  type DefinitionPlace,
  enclosingFunction,
  isNamedBy,
  mergedCallees,
  qualifiedName,
  type Reference,
  type TestOf
} from "../../domain/code/CodeQuery.ts"
import { nearestFirst } from "../../domain/code/nearestFirst.ts"
import { compareText } from "../../domain/text/compareText.ts"
import { plural } from "../../domain/text/plural.ts"
import { endingsBeside, sharesNames } from "../../languages/imports.ts"
import { allEndings } from "../../languages/languages.ts"
import { testsByName } from "../../languages/tests.ts"
import { forEachFile } from "../change/progress/FileCounts.ts"
import { Sources } from "../change/Sources.ts"
import { oncePerKey } from "../system/oncePerKey.ts"
import { withServices } from "../system/withServices.ts"
import { filesSearched } from "./ContractScenes.ts"
import { ImportTracer } from "./ImportTracer.ts"
import { References } from "./References.ts"
import { SymbolIndex } from "./SymbolIndex.ts"
import { type Target, usesOf } from "./uses/usesOf.ts"

/** Definitions of one name that a call may mean, beyond which nothing is reported. */
const likelyCallees = 5

export class CodeQueries extends Context.Service<
  CodeQueries,
  {
    /**
     * Of a name as people write it: `total`, `Cart.total`, `shop.cart.total`. By path, then line; in all files, or in
     * those that are wanted.
     */
    readonly definitionsOf: (
      written: string,
      isWanted?: (path: string) => boolean
    ) => Effect.Effect<Answer<DefinitionPlace>>
    /** The places that may mean each definition, and those that certainly do by imports and packages. */
    readonly usesOf: (targets: ReadonlyArray<Target>) => Effect.Effect<Effect.Success<ReturnType<typeof usesOf>>>
    readonly referencesTo: (place: DefinitionPlace) => Effect.Effect<Answer<Reference>>
    /** Functions and methods in which it is called, and files that call it at their top. */
    readonly callersOf: (place: DefinitionPlace) => Effect.Effect<Answer<Caller>>
    /** Definitions of the repository that are called between its first and last line. */
    readonly calleesOf: (place: DefinitionPlace) => Effect.Effect<Answer<Callee>>
    /** Files whose imports lead to this one, or to the package it is part of. */
    readonly importersOf: (path: string) => Effect.Effect<Answer<string>>
    readonly testsOf: (place: DefinitionPlace) => Effect.Effect<Answer<TestOf>>
    /** For each of these files, the files that its imports lead to. */
    readonly importedBy: (paths: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, ReadonlyArray<string>>>
    /** What changed files import and who imports them, all at once and within a review's bounds. */
    readonly importsAround: ImportTracer["Service"]["trace"]
  }
>()("dd/services/code/CodeQueries") {
  static readonly layer = Layer.effect(
    CodeQueries,
    Effect.gen(function* () {
      const tracer = yield* ImportTracer

      const {
        callersAmong: callers,
        testsAmong: tests,
        ...methods
      } = yield* withServices({
        definitionsOf,
        usesOf: allUses,
        referencesTo,
        callersAmong,
        calleesOf,
        importersOf,
        importedBy,
        testsAmong
      })
      // Callers and tests are found among the references.
      const known = oncePerKey<DefinitionPlace, Answer<Reference>>()
      const references = (place: DefinitionPlace) => known(place, methods.referencesTo(place))

      return CodeQueries.of({
        ...methods,
        referencesTo: references,
        callersOf: (place) => Effect.flatMap(references(place), callers),
        testsOf: (place) => Effect.flatMap(references(place), (used) => tests(place, used)),
        importsAround: tracer.trace
      })
    })
  )
}

/** The first of the files, read. */
const bounded = Effect.fnUntraced(function* (found: ReadonlyArray<string>, nounPhrase: string) {
  const sources = yield* Sources
  const paths = found.slice(0, filesSearched)
  yield* sources.preload(paths)
  const omitted =
    paths.length === found.length
      ? []
      : [`${found.length - paths.length} of ${plural(found.length, "file")} ${nounPhrase}`]
  return { paths, omitted }
})

/** Files that may use what is defined in one, nearest first. */
const filesWith = Effect.fnUntraced(function* (words: ReadonlyArray<string>, path: string) {
  const sources = yield* Sources
  const found = (yield* sources.mentioning(words, endingsBeside(path))).filter((each) => !isVendoredPath(each))
  const wanted = words.length === 1 ? `the word ${words[0]}` : "one of the called names"
  return yield* bounded(nearestFirst([path], found), `that have ${wanted}, the farthest ones`)
})

const definitionsOf = Effect.fn("CodeQueries.definitionsOf")(function* (
  written: string,
  isWanted: (path: string) => boolean = () => true
) {
  const sources = yield* Sources
  const index = yield* SymbolIndex
  const { name, owner } = askedParts(written)
  if (name === "") return nothing
  const mentioning = (yield* sources.mentioning([name], allEndings)).filter((each) => !isVendoredPath(each))
  const { omitted, paths } = yield* bounded(
    mentioning.filter(isWanted),
    `that may define ${name}, the last ones by path`
  )
  const found: Array<DefinitionPlace> = []
  const define = Effect.fnUntraced(function* (path: string) {
    const symbols = yield* index.symbols(path)
    // A private member of JavaScript may be written without its mark.
    const named = symbols?.definitions.filter((each) => each.name === name || each.name === `#${name}`) ?? []
    const nested = yield* index.nested(path, name)
    found.push(
      ...[...named, ...nested].map((definition) => ({ path, definition })).filter((place) => isNamedBy(place, owner))
    )
  })
  yield* forEachFile("symbols", paths, define)
  const hasMacro = found.some(({ definition }) => definition.shape.startsWith("macro_rules!"))
  return { found: found.toSorted(byPlace), omitted: [...omitted, ...(hasMacro ? [`uses of the macro ${name}`] : [])] }
})

const importersOf = Effect.fn("CodeQueries.importersOf")(function* (path: string) {
  const sources = yield* Sources
  const index = yield* SymbolIndex
  const tracer = yield* ImportTracer
  const symbols = yield* index.symbols(path)
  return yield* tracer.importersOf(path, symbols, yield* sources.headPaths)
})

const importedBy = Effect.fn("CodeQueries.importedBy")(function* (subjects: ReadonlyArray<string>) {
  const sources = yield* Sources
  const tracer = yield* ImportTracer
  return yield* tracer.importedBy(subjects, yield* sources.headPaths)
})

const allUses = Effect.fnUntraced(function* (targets: ReadonlyArray<Target>) {
  const sources = yield* Sources
  return yield* usesOf(targets, yield* sources.headPaths, true)
})

/** Places that may mean the definition, and are not certain to. */
const possibleUses = Effect.fnUntraced(function* (
  { definition, path }: DefinitionPlace,
  certain: ReadonlyArray<Reference>
) {
  const index = yield* SymbolIndex
  const { container, endLine, line, name } = definition
  const named = (yield* index.symbols(path))?.definitions.filter((each) => each.name === name) ?? []
  const isAlone = named.every((each) => each.container === container)
  const target = { name, container, path, line, endLine, shown: qualifiedName(definition), isAlone }
  const { omitted, uses } = yield* allUses([target])
  const known = new Set(certain.map((each) => `${each.path}:${each.line}`))
  const found = uses.flat().flatMap(({ kind, line, path }): ReadonlyArray<Reference> => {
    if (kind === "definition" || known.has(`${path}:${line}`)) return []
    return [{ path, line, kind: kind === "parent" ? "use" : kind, certain: false }]
  })
  return { found: distinct(found), omitted }
})

const referencesTo = Effect.fn("CodeQueries.referencesTo")(function* (place: DefinitionPlace) {
  const references = yield* References
  const { definition, path } = place
  const symbols = yield* (yield* SymbolIndex).symbols(path)
  const isIndexed =
    symbols?.definitions.some(({ line, name }) => line === definition.line && name === definition.name) === true
  // No name is resolved to a nested definition; the hidden name could be that of another one.
  const certain = isIndexed ? yield* references.to(place) : noReference
  const possible = yield* possibleUses(place, certain.found)
  return {
    found: [...certain.found, ...possible.found].toSorted(
      (a, b) => compareText(a.path, b.path) || a.line - b.line || compareText(a.kind, b.kind)
    ),
    omitted: [...new Set([...certain.omitted, ...possible.omitted])]
  }
})

const callersAmong = Effect.fn("CodeQueries.callersAmong")(function* ({ found, omitted }: Answer<Reference>) {
  const index = yield* SymbolIndex
  const callers: Array<Caller> = []
  for (const [path, all] of Map.groupBy(found, (each) => each.path)) {
    const definitions = (yield* index.symbols(path))?.definitions ?? []
    const calls = all.filter(({ kind }) => kind === "call")
    for (const [definition, some] of Map.groupBy(calls, ({ line }) => enclosingFunction(definitions, line))) {
      const lines = some.map(({ line }) => line)
      callers.push({ path, definition, lines, certain: some.some(({ certain }) => certain) })
    }
  }
  return { found: callers, omitted }
})

/** Definitions that the file of a call can see, by name. */
const visibleDefinitions = Effect.fnUntraced(function* (path: string, names: ReadonlyArray<string>) {
  const sources = yield* Sources
  const index = yield* SymbolIndex
  const tracer = yield* ImportTracer
  const paths = yield* sources.headPaths
  const near = new Set([path, ...((yield* tracer.importedBy([path], paths)).get(path) ?? [])])
  const { omitted, paths: mentioning } = yield* filesWith(names, path)
  const wanted = new Set(names)
  const found: Array<DefinitionPlace> = []
  for (const other of mentioning) {
    const symbols = yield* index.symbols(other)
    const isNear = near.has(other) || sharesNames(path, other)
    for (const definition of symbols?.definitions ?? []) {
      // A method's class need not be imported where its object comes from elsewhere.
      if (wanted.has(definition.name) && (isNear || definition.container !== null)) {
        found.push({ path: other, definition })
      }
    }
  }
  return { found, omitted }
})

const calleesOf = Effect.fn("CodeQueries.calleesOf")(function* ({ definition, path }: DefinitionPlace) {
  const sources = yield* Sources
  const index = yield* SymbolIndex
  const references = yield* References
  const source = yield* sources.head(path)
  if (source._tag !== "Text") return noCallee
  const body = source.lines.slice(definition.line - 1, definition.endLine).join("\n")
  const words = [...new Set(body.match(/[\p{L}_$][\p{L}\p{N}_$]*[?!]?/gu) ?? [])]
  const { occurrences } = yield* index.uses(path, words)
  const isInside = ({ line }: { readonly line: number }) => definition.line <= line && line <= definition.endLine
  const called = new Map(
    [...occurrences].flatMap(([word, places]) => {
      const calls = places.filter((each) => each.call !== null && isInside(each))
      return calls.length === 0 ? [] : [[word, calls.map(({ line }) => line)] as const]
    })
  )
  if (called.size === 0) return noCallee
  const visible = yield* visibleDefinitions(path, [...called.keys()])
  const candidates = visible.found
  const used = (yield* references.usedIn(path, candidates)).filter(
    ({ line, place }) => called.get(place.definition.name)?.includes(line) === true
  )
  const found: Array<Callee> = []
  for (const [place, some] of Map.groupBy(used, (each) => each.place)) {
    found.push({ ...place, lines: [...new Set(some.map(({ line }) => line))], certain: true })
  }
  for (const [name, lines] of called) {
    const rest = lines.filter((line) => !used.some((each) => each.line === line && each.place.definition.name === name))
    const likely = candidates.filter((each) => each.definition.name === name)
    if (rest.length === 0 || likely.length > likelyCallees) continue
    found.push(...likely.map((place) => ({ ...place, lines: [...new Set(rest)], certain: false })))
  }
  const ambiguous = [...called].flatMap(([name]) =>
    candidates.filter((each) => each.definition.name === name).length > likelyCallees &&
    !used.some(({ place }) => place.definition.name === name)
      ? [`callees named ${name}: more than ${likelyCallees} definitions could be meant`]
      : []
  )
  return { found: mergedCallees(found), omitted: [...visible.omitted, ...ambiguous] }
})

const testsNamedAfter = Effect.fnUntraced(function* (wanted: ReadonlyArray<string>) {
  const sources = yield* Sources
  return testsByName(wanted, yield* sources.headPaths)
})

const testsAmong = Effect.fn("CodeQueries.testsAmong")(function* (place: DefinitionPlace, used: Answer<Reference>) {
  const named = (yield* testsNamedAfter([place.path])).map(({ test }) => test)
  const importers = yield* importersOf(place.path)
  const of = (by: TestOf["by"], paths: ReadonlyArray<string>) =>
    paths.filter((path) => isTestFile(path) && path !== place.path).map((path): TestOf => ({ path, by }))
  const uses = used.found.filter(({ certain, kind }) => certain && kind !== "import").map(({ path }) => path)
  const all = [...of("use", uses), ...of("name", named), ...of("import", importers.found)]
  const first = new Map(all.toReversed().map((each) => [each.path, each]))
  return {
    found: [...first.values()].toSorted((a, b) => compareText(a.path, b.path)),
    omitted: [...new Set([...importers.omitted, ...used.omitted])]
  }
})

const nothing: Answer<DefinitionPlace> = { found: [], omitted: [] }
const noReference: Answer<Reference> = { found: [], omitted: [] }
const noCallee: Answer<Callee> = { found: [], omitted: [] }

const distinct = (references: ReadonlyArray<Reference>): ReadonlyArray<Reference> => [
  ...new Map(references.map((each) => [`${each.path}:${each.line} ${each.kind}`, each])).values()
]
