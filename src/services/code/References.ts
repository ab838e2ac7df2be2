/**
 * Finds the uses of a definition of the head side as broken uses are found: by what would not resolve without it.
 *
 * Uses the resolution of the contract check, for the same languages and within the same limits. A use that is not found
 * may still exist.
 */
import { Context, Effect, Layer } from "effect"
import { type Diff, untouchedFile } from "../../domain/change/Diff.ts"
import { bareUses, type Reader } from "../../domain/code/brokenUses.ts"
import type { Answer, DefinitionPlace, Reference } from "../../domain/code/CodeQuery.ts"
import type { ChangedFile, Scene } from "../../domain/code/ContractScene.ts"
import { contractChanges } from "../../domain/code/contractChanges.ts"
import type { ImportedName, Occurrence } from "../../domain/code/Symbol.ts"
import { plural } from "../../domain/text/plural.ts"
import { familyOf, isJudged } from "../../languages/languages.ts"
import { forEachFile } from "../change/progress/FileCounts.ts"
import { Sources } from "../change/Sources.ts"
import { withServices } from "../system/withServices.ts"
import { ContractScenes } from "./ContractScenes.ts"
import { HiddenDefinitions, SymbolIndex } from "./SymbolIndex.ts"
import { UseFinder } from "./UseFinder.ts"

/** How many definitions of one name are searched for in a file; the first ones are. */
const mostRounds = 6

/** A line of a file that uses a definition. */
export interface UsedLine {
  readonly place: DefinitionPlace
  readonly line: number
}

export class References extends Context.Service<
  References,
  {
    /** All places that certainly refer to the definition; none in a language whose uses are not resolved. */
    readonly to: (place: DefinitionPlace) => Effect.Effect<Answer<Reference>>
    /**
     * Which of these definitions one file uses, and where; only the first few definitions of one name are considered.
     */
    readonly usedIn: (path: string, places: ReadonlyArray<DefinitionPlace>) => Effect.Effect<ReadonlyArray<UsedLine>>
  }
>()("dd/services/code/References") {
  static readonly layer = Layer.effect(
    References,
    Effect.suspend(() => withServices({ to, usedIn }))
  )
}

const changedFileWithout = Effect.fnUntraced(function* (path: string, some: ReadonlyArray<DefinitionPlace>) {
  const index = yield* SymbolIndex
  const base = yield* index.symbols(path)
  const head = yield* Effect.provideService(index.symbols(path), HiddenDefinitions, some)
  if (base === null || head === null) return []
  const changes = contractChanges(base, head, /(?:^|\/)__init__\.pyi?$/.test(path))
  const changed: ChangedFile = { file: untouchedFile(path), path, base, head, changes }
  return [changed]
})

/** Evaluates the effect in a repository without these definitions, all of one language. */
const inRepositoryWithout = Effect.fnUntraced(function* <A, R>(
  places: ReadonlyArray<DefinitionPlace>,
  ask: (scene: Scene, users: number) => Effect.Effect<A, never, R>
) {
  const sources = yield* Sources
  const scenes = yield* ContractScenes
  const family = familyOf(places[0]?.path ?? "")
  const followed = places.filter(({ path }) => isJudged(path) && familyOf(path) === family)
  if (family === null || followed.length === 0) return null
  const paths = yield* sources.headPaths
  const changed = yield* Effect.forEach(
    Map.groupBy(followed, ({ path }) => path),
    ([path, some]) => changedFileWithout(path, some)
  )
  const setting = { family, changed: changed.flat(), gone: new Map(), diff: nothing, paths }
  return yield* Effect.gen(function* () {
    const built = yield* scenes.around(setting)
    return built === null ? null : yield* ask(built.scene, built.users)
  }).pipe(Effect.provideService(HiddenDefinitions, followed))
})

const to = Effect.fn("References.to")(function* (place: DefinitionPlace) {
  const finder = yield* UseFinder
  const broken = yield* inRepositoryWithout(
    [place],
    Effect.fnUntraced(function* (scene, users) {
      const found: Array<{ readonly path: string; readonly lines: ReadonlySet<number> }> = []
      const findBroken = Effect.fnUntraced(function* (path: string) {
        const lines = (yield* finder.brokenIn(path, scene, reader)).map(({ line }) => line)
        if (lines.length > 0) found.push({ path, lines: new Set(lines) })
      })
      yield* forEachFile("users", scene.mentioning, findBroken)
      const names = new Set(scene.changed.flatMap(({ changes }) => changes.map(({ name }) => name)))
      return { found, names, users, searched: scene.mentioning.length }
    })
  )
  if (broken === null) return none
  const { found, names, searched, users } = broken
  const places = yield* Effect.forEach(found, ({ lines, path }) => inFile(path, lines, names, place))
  const answer: Answer<Reference> = {
    found: places.flat(),
    omitted:
      searched === users
        ? []
        : [`references in ${users - searched} of ${plural(users, "file")} with the word, the farthest ones`]
  }
  return answer
})

/** The references on these lines of a file, and the uses of names that are imported there. */
const inFile = Effect.fnUntraced(function* (
  path: string,
  lines: ReadonlySet<number>,
  names: ReadonlySet<string>,
  { definition }: DefinitionPlace
) {
  const index = yield* SymbolIndex
  const { imports, occurrences } = yield* index.uses(path, [...names])
  const taken = imports.filter((each) => lines.has(each.line) && takes(each, names))
  const binding = definition.container === null ? taken.filter(({ local }) => local !== "") : []
  const locals = binding.map(({ local }) => local)
  const more = locals.length === 0 ? new Map() : (yield* index.uses(path, locals)).occurrences
  const found: Array<Reference> = taken.map(({ line }) => ({ path, line, kind: "import", certain: true }))
  const importLines = new Set(taken.map(({ line }) => line))
  const use = ({ call, line }: Occurrence): Reference => ({
    path,
    line,
    kind: call === null ? "use" : "call",
    certain: true
  })
  for (const each of binding) found.push(...bareUses(more.get(each.local) ?? [], each).map(use))
  const named = [...occurrences.values()].flat().filter(({ kind, line }) => isUse(kind) && lines.has(line))
  found.push(...named.map(use))
  const reported = new Set(found.map(({ line }) => line))
  for (const line of lines) {
    if (!reported.has(line)) found.push({ path, line, kind: importLines.has(line) ? "import" : "use", certain: true })
  }
  return distinct(found)
})

const usedIn = Effect.fn("References.usedIn")(function* (path: string, places: ReadonlyArray<DefinitionPlace>) {
  const finder = yield* UseFinder
  const found: Array<UsedLine> = []
  // With two definitions of one name hidden, a use of one would be reported for both.
  for (const round of roundsOf(places).slice(0, mostRounds)) {
    const broken = (yield* inRepositoryWithout(round, (scene) => finder.brokenIn(path, scene, reader))) ?? []
    for (const place of round) {
      const { container, name } = place.definition
      const own = broken.filter(
        ({ contract, file }) => file.path === place.path && contract?.name === name && contract.container === container
      )
      if (own.length === 0) continue
      const lines = new Set(own.map(({ line }) => line))
      const uses = yield* inFile(path, lines, new Set([name]), place)
      found.push(...uses.flatMap(({ kind, line }) => (kind === "import" ? [] : [{ place, line }])))
    }
  }
  return found
})

const none: Answer<Reference> = { found: [], omitted: [] }

/** The repository as it is, without added lines. */
const nothing: Diff = { files: [] }

const reader: Reader = { isAdded: () => false, dropsMatter: false, awaitsFail: false, strict: true }

const isUse = (kind: Occurrence["kind"]): boolean => kind === "use" || kind === "member"

const takes = ({ local, name }: ImportedName, names: ReadonlySet<string>): boolean =>
  names.has(local) || (name !== null && names.has(name))

/** In source order, without duplicates. */
const distinct = (references: ReadonlyArray<Reference>): ReadonlyArray<Reference> =>
  [...new Map(references.map((each) => [`${each.line} ${each.kind}`, each])).values()].toSorted(
    (a, b) => a.line - b.line || (a.kind < b.kind ? -1 : 1)
  )

/** Groups without two definitions of the same name. */
const roundsOf = (places: ReadonlyArray<DefinitionPlace>): ReadonlyArray<ReadonlyArray<DefinitionPlace>> => {
  const rounds: Array<Array<DefinitionPlace>> = []
  for (const place of places) {
    const round = rounds.find((some) =>
      some.every(({ definition, path }) => {
        const isSame = path === place.path && definition.container === place.definition.container
        return definition.name !== place.definition.name || isSame
      })
    )
    if (round === undefined) rounds.push([place])
    else round.push(place)
  }
  return rounds
}
