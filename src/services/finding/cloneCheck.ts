/**
 * Finds new functions that repeat an existing one, statement for statement.
 *
 * Exact after normalisation (`rules/structure/functionShapes`), without a similarity measure. To limit the number of
 * files, only those are read in which several words of the new function occur close together, so a copy in which every
 * word was changed is not found. Bounded, deterministic.
 */
import { Effect } from "effect"
import type { Change } from "../../domain/change/Change.ts"
import type { DiffFile } from "../../domain/change/Diff.ts"
import { type DeletedLines, deletedLines } from "../../domain/change/deletedLines.ts"
import { isMarkedGenerated, isMinified } from "../../domain/change/PathKind.ts"
import type { WordPlace } from "../../domain/change/WordPlace.ts"
import { addedLines } from "../../domain/finding/Claims.ts"
import { nothingReviewed } from "../../domain/finding/RepositoryReview.ts"
import type { RepositoryRule } from "../../domain/finding/Rule.ts"
import { grammarOf } from "../../languages/languages.ts"
import {
  candidatesFor,
  endingsOf,
  type Found,
  hasEnough,
  hasEnoughNames,
  isCompared,
  nearestTo,
  placesBefore,
  repeats,
  type Sought,
  soughtBy
} from "../../rules/structure/cloneCandidates.ts"
import { type Clone, cloneRecords, outermost } from "../../rules/structure/cloneRecords.ts"
import { functionsOf, isRequired, type NamedFunction, shapeOf } from "../../rules/structure/functionShapes.ts"
import { forEachFile } from "../change/progress/FileCounts.ts"
import { Sources } from "../change/Sources.ts"
import { SyntaxTrees } from "../code/SyntaxTrees.ts"
import { RuleSet } from "./RuleSet.ts"
import { firstOf, lineTexts } from "./structureCheck.ts"

/** Functions with fewer statements may be equal by chance. */
const fewestStatements = 6
/** The number of new functions that are compared, largest first. */
const functionsSought = 60

export const cloneCheck = Effect.fn("cloneCheck")(function* (change: Change) {
  const sources = yield* Sources
  const { rules } = yield* RuleSet
  const rule = rules.find((each): each is RepositoryRule => each._tag === "Repository" && each.id === cloneRule)
  if (rule === undefined) return nothingReviewed
  const files = change.diff.files.filter(isOwnCode)
  if (files.length === 0 || (yield* sources.headPaths).length === 0) return nothingReviewed
  const deleted = deletedLines(change.diff)
  const fresh = (yield* forEachFile("symbols", files.filter(mayHaveNew), (file) => newFunctions(file, deleted))).flat()
  const done = { ...nothingReviewed, rulesApplied: [rule.id] }
  const largest = fresh.toSorted((a, b) => b.shape.statements - a.shape.statements)
  const { kept, omitted } = firstOf(largest, functionsSought, "clones of", "new functions, the smallest ones")
  const sought = kept.flatMap((copy) => soughtBy(copy) ?? [])
  if (sought.length === 0) return done
  const endings = endingsOf(sought.flatMap(({ copy }) => grammarOf(copy.path) ?? []))
  const places = yield* sources.places(sought, endings)
  const lines = new Map(change.diff.files.map((file) => [file.path, new Set(addedLines(file).map(({ line }) => line))]))
  const added = (path: string): ReadonlySet<number> => lines.get(path) ?? untouched
  const originals = yield* originalsOf(sought, placesBefore(places, added), added)
  const clones = sought.flatMap((each): ReadonlyArray<Clone> => {
    const original = nearestTo(each.copy, originals.get(each) ?? [])
    return original === null ? [] : [{ copy: each.copy, original }]
  })
  const gone = clones.length === 0 ? new Set() : yield* deletedShapes(change)
  const reported = outermost(clones.filter(({ copy }) => !gone.has(copy.shape.shape)))
  const textAt = yield* lineTexts(
    sources,
    reported.map(({ original }) => original)
  )
  return { ...done, records: cloneRecords(rule, reported, textAt), omitted }
})

/**
 * Shapes of the functions of a head-side file that begin in one of these rows (from 0, ascending) and that `wanted`
 * selects.
 */
const shapesIn = Effect.fnUntraced(function* (
  path: string,
  rows: ReadonlySet<number>,
  wanted: (found: NamedFunction, lines: ReadonlyArray<string>) => boolean
) {
  const sources = yield* Sources
  const trees = yield* SyntaxTrees
  const grammar = grammarOf(path)
  const source = yield* sources.head(path)
  if (grammar === null || source._tag !== "Text" || isMinified(source.lines) || isMarkedGenerated(source.lines)) {
    return []
  }
  if (rows.size === 0) return []
  const found = yield* trees.head(path, {
    ask: (root) =>
      functionsOf(root, grammar, rows)
        .filter((each) => spanOf(each) >= fewestStatements && wanted(each, source.lines) && !isRequired(each))
        .map(
          (each): Found => ({
            path,
            name: each.name,
            line: each.node.startPosition.row + 1,
            endLine: each.node.endPosition.row + 1,
            shape: shapeOf(each, grammar)
          })
        )
  })
  return found ?? []
})

/** The functions that the change adds completely. */
const newFunctions = Effect.fnUntraced(function* (file: DiffFile, deleted: DeletedLines) {
  const added = new Set(addedLines(file).map(({ line }) => line))
  const isNew = (row: number, text: string) => added.has(row + 1) || !hasWord.test(text)
  const found = yield* shapesIn(file.path, new Set([...added].map((line) => line - 1)), ({ name, node }, lines) => {
    const first = node.startPosition.row
    const own = lines.slice(first, node.endPosition.row + 1)
    return own.every((text, at) => isNew(first + at, text)) && !deleted.defines(name) && !deleted.hasMostOf(own)
  })
  return found.filter(({ shape }) => shape.statements >= fewestStatements)
})

/** Shapes of the functions that the change deletes completely: one that reappears under another name was moved. */
const deletedShapes = Effect.fnUntraced(function* (change: Change) {
  const trees = yield* SyntaxTrees
  const shapes = new Set<string>()
  for (const file of change.diff.files) {
    const { hunks, oldPath } = file
    const deleted = new Set(
      hunks.flatMap(({ lines }) => lines.flatMap(({ kind, oldLine }) => (kind === "deleted" ? [oldLine] : [])))
    )
    const grammar = oldPath === null ? null : grammarOf(oldPath)
    if (grammar === null || deleted.size < fewestStatements) continue
    const rows = new Set([...deleted].flatMap((line) => (line !== null && deleted.has(line + 1) ? [line - 1] : [])))
    const found = yield* trees.base(file, {
      ask: (root) => functionsOf(root, grammar, rows).map((each) => shapeOf(each, grammar).shape)
    })
    for (const shape of found ?? []) shapes.add(shape)
  }
  return shapes
})

/** For each function, the equal functions that the change does not touch. */
const originalsOf = Effect.fnUntraced(function* (
  sought: ReadonlyArray<Sought>,
  placesByPath: ReadonlyMap<string, ReadonlyArray<WordPlace>>,
  added: (path: string) => ReadonlySet<number>
) {
  const sources = yield* Sources
  const candidates = (yield* Effect.forEach(sought, (each) =>
    Effect.sync(() => candidatesFor(each, placesByPath))
  )).flat()
  yield* sources.preload([...new Set(candidates.map(({ path }) => path))])
  const originals = new Map<Sought, Array<Found>>()
  for (const [path, inFile] of Map.groupBy(candidates, (each) => each.path)) {
    const source = yield* sources.head(path)
    if (source._tag !== "Text") continue
    const read = inFile.filter((each) => hasEnoughNames(each, source.lines))
    if (read.length === 0) continue
    const [places, changed] = [placesByPath.get(path) ?? [], added(path)]
    const rows = new Set<number>()
    for (const { first, last } of read.flatMap(({ stretches }) => stretches)) {
      for (let row = first - 1; row < last; row++) rows.add(row)
    }
    const found = yield* shapesIn(path, new Set([...rows].sort((a, b) => a - b)), ({ node }) => {
      const lines = { first: node.startPosition.row + 1, last: node.endPosition.row + 1 }
      for (let line = lines.first; line <= lines.last; line++) if (changed.has(line)) return false
      return read.some(({ sought }) => hasEnough(sought, places, lines))
    })
    for (const { sought } of read) {
      const own = found.filter((other) => repeats(sought.copy, other))
      if (own.length > 0) originals.set(sought, [...(originals.get(sought) ?? []), ...own])
    }
  }
  return originals
})

export const cloneRule = "clone/repeated-function"

const hasWord = /\w{2}/
const spanOf = ({ node }: NamedFunction): number => node.endPosition.row - node.startPosition.row

const untouched: ReadonlySet<number> = new Set()

const isOwnCode = (file: DiffFile): boolean =>
  file.newPath !== null && !file.binary && isCompared(file.path) && addedLines(file).length >= fewestStatements

/** Whether enough consecutive lines could be a new function: each is added, or has no word. */
const mayHaveNew = ({ hunks }: DiffFile): boolean =>
  hunks.some(({ lines }) => {
    let run = 0
    return lines.some(({ kind, text }) => {
      if (kind === "added" || (kind === "context" && !hasWord.test(text))) run++
      else if (kind === "context") run = 0
      return run > fewestStatements
    })
  })
