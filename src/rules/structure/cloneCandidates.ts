/**
 * Finds the files that may contain an original of a new function, by the words they share, so that most files need not be
 * parsed. Linear in the places of the words.
 *
 * The required number of words and names follows from the number of names that may differ, so no original in the files is
 * missed, unless its layout is much longer than that of its copy.
 */

import { type Grammar, grammars } from "../../domain/change/Grammar.ts"
import { isGeneratedPath, isTestPath, isVendoredPath } from "../../domain/change/PathKind.ts"
import type { WordPlace } from "../../domain/change/WordPlace.ts"
import { nearestFirst } from "../../domain/code/nearestFirst.ts"
import { compareText } from "../../domain/text/compareText.ts"
import { namesOf } from "../../languages/fileKinds.ts"
import { grammarOf } from "../../languages/languages.ts"
import { type FunctionShape, hasShapes } from "./functionShapes.ts"

/** The minimum number of common names, and their share of all such names. */
const fewestShared = 4
const shareOfNames = 0.75

/** The number of words that are searched for a function, and of files that are read for it. */
const wordsSearched = 6
const fewestSearched = 3
const filesRead = 8

/** How many times longer than its copy the original may be, including comments. */
const timesLonger = 2
const linesLonger = 20

/** A function with its shape. */
export interface Found {
  readonly path: string
  readonly name: string
  /** From 1, both included. */
  readonly line: number
  readonly endLine: number
  readonly shape: FunctionShape
}

/** A new function with the words to search for, and the number of them that its original must have. */
export interface Sought {
  readonly copy: Found
  readonly words: ReadonlyArray<string>
  readonly enough: number
}

/** A range of lines from 1, both included. */
interface Stretch {
  readonly first: number
  readonly last: number
}

/** A file that may contain an original, with the ranges. */
export interface Candidate {
  readonly sought: Sought
  readonly path: string
  /** The maximum number of its words that are close together. */
  readonly count: number
  /** Every original in this file is in one of these ranges. */
  readonly stretches: ReadonlyArray<Stretch>
}

/** Is the code of this file compared? Tests, migrations and vendored code may repeat on purpose. */
export const isCompared = (path: string): boolean => {
  const grammar = grammarOf(path)
  return (
    grammar !== null &&
    hasShapes(grammar) &&
    !isTestPath(path) &&
    !isVendoredPath(path) &&
    !isGeneratedPath(path) &&
    // A migration contains copies of code, so that later changes do not affect it.
    !/(?:^|\/)(?:migrations?|migrate)\//.test(path)
  )
}

/** Languages whose functions can be compared with each other. */
const kin = (grammar: Grammar | null): string =>
  grammar === "typescript" || grammar === "tsx" || grammar === "javascript" ? "script" : (grammar ?? "")

/** The endings of files with functions that can be compared with those of these languages. */
export const endingsOf = (compared: ReadonlyArray<Grammar>): ReadonlyArray<string> => {
  const wanted = new Set(compared.map(kin))
  return grammars.filter((grammar) => wanted.has(kin(grammar))).flatMap(namesOf)
}

/** May one file contain the original of a function in the other? Variants for a platform or a version repeat on purpose. */
const isRelated = (path: string, copied: string): boolean =>
  kin(grammarOf(path)) === kin(grammarOf(copied)) && (path === copied || variantless(path) !== variantless(copied))

const variant =
  /(?<![a-z])(?:v\d+|linux|windows|win32|darwin|macos|osx|ios|android|unix|posix|wasm|bsd|freebsd|openbsd|netbsd|solaris|plan9|amd64|arm64|arm|386|x86|x86_64|web|native|desktop|mobile|server|client|browser|node|other|others|stub|noop)(?![a-z])/g

const variantless = (path: string): string =>
  path
    .toLowerCase()
    .replace(variant, "*")
    .replace(/[_-]?\*/g, "")

/** Do they have the same shape, and enough common calls and literals? */
export const repeats = (copy: Found, original: Found): boolean => {
  if (copy.shape.shape !== original.shape.shape) return false
  const { same, all } = commonNames(copy.shape, original.shape)
  return same >= fewestShared && same >= all * shareOfNames
}

const commonNames = (a: FunctionShape, b: FunctionShape) => {
  let same = 0
  let all = 0
  for (const [at, name] of a.names.entries()) {
    if (!name.shared) continue
    all++
    if (b.names[at]?.text === name.text) same++
  }
  return { same, all }
}

/** The words to search for a function: long ones are rare. */
const tellingWords = ({ names }: FunctionShape): ReadonlyArray<string> => {
  const words = names.flatMap(({ shared, text }) => (shared ? (text.match(/\b[A-Za-z_]\w{4,}/g) ?? []) : []))
  const weight = (word: string) => word.length + 3 * (word.match(/[A-Z_]/g)?.length ?? 0)
  return [...new Set(words)].toSorted((a, b) => weight(b) - weight(a) || compareText(a, b)).slice(0, wordsSearched)
}

/** The search for the originals of a function; null if it has too few distinctive words. */
export const soughtBy = (copy: Found): Sought | null => {
  const words = tellingWords(copy.shape)
  return words.length < fewestSearched ? null : { copy, words, enough: fewestWords(copy.shape, words) }
}

/** The number of these words in every original: a different name removes the words that occur only in it. */
const fewestWords = ({ names }: FunctionShape, words: ReadonlyArray<string>): number => {
  const shared = names.filter((name) => name.shared)
  const lost = shared
    .map(({ text }) => words.filter((word) => text.includes(word)).length)
    .toSorted((a, b) => b - a)
    .slice(0, Math.floor(shared.length * (1 - shareOfNames)))
    .reduce((sum, count) => sum + count, 0)
  return Math.max(Math.ceil(words.length / 2), words.length - lost)
}

/** The places of the words in the compared files that the change did not add, by file and line. */
export const placesBefore = (
  places: ReadonlyArray<WordPlace>,
  added: (path: string) => ReadonlySet<number>
): ReadonlyMap<string, ReadonlyArray<WordPlace>> =>
  new Map(
    [...Map.groupBy(places, ({ path }) => path)].flatMap(([path, inFile]) => {
      const own = added(path)
      const before = inFile.filter(({ line }) => !own.has(line))
      return before.length > 0 && isCompared(path) ? [[path, before] as const] : []
    })
  )

/** The files in which enough of its words are as close together as in a function of its size. */
export const candidatesFor = (
  sought: Sought,
  placesByPath: ReadonlyMap<string, ReadonlyArray<WordPlace>>
): ReadonlyArray<Candidate> => {
  const { copy, enough, words } = sought
  const own = new Set(words)
  const span = timesLonger * (copy.endLine - copy.line) + linesLonger
  const found = new Map<string, Candidate>()
  for (const [path, places] of placesByPath) {
    // Fast checks first: there may be thousands of files.
    if (places.length < enough) continue
    const { count, stretches } = gathered(
      places.filter(({ word }) => own.has(word)),
      enough,
      span
    )
    if (stretches.length > 0 && isRelated(path, copy.path)) found.set(path, { sought, path, count, stretches })
  }
  return nearestFirst([copy.path], [...found.keys()])
    .flatMap((path) => found.get(path) ?? [])
    .toSorted((a, b) => b.count - a.count)
    .slice(0, filesRead)
}

/**
 * The ranges of all functions of at most `span` lines with enough different words, and the maximum number of these words
 * in one range. Places are sorted by line.
 */
const gathered = (places: ReadonlyArray<WordPlace>, enough: number, span: number) => {
  const counts = new Map<string, number>()
  const stretches: Array<Stretch> = []
  let most = 0
  let from = 0
  for (const { line, word } of places) {
    counts.set(word, (counts.get(word) ?? 0) + 1)
    for (let first = places[from]; first !== undefined && first.line < line - span; first = places[++from]) {
      const left = (counts.get(first.word) ?? 0) - 1
      if (left === 0) counts.delete(first.word)
      else counts.set(first.word, left)
    }
    most = Math.max(most, counts.size)
    if (counts.size < enough) continue
    // The last of its words is here.
    const stretch = { first: Math.max(1, line - span), last: line + span }
    const before = stretches[stretches.length - 1]
    if (before === undefined || before.last < stretch.first) stretches.push(stretch)
    else stretches[stretches.length - 1] = { first: before.first, last: Math.max(before.last, stretch.last) }
  }
  return { count: most, stretches }
}

/** Does one of the ranges contain the required number of names? Else the file need not be parsed. */
export const hasEnoughNames = ({ sought, stretches }: Candidate, lines: ReadonlyArray<string>): boolean => {
  const names = sought.copy.shape.names.filter(({ shared }) => shared)
  const allowed = names.length * (1 - shareOfNames)
  return stretches.some(({ first, last }) => {
    const text = lines.slice(first - 1, last).join("\n")
    // A name of several lines depends on the line ends.
    return names.filter((name) => !name.text.includes("\n") && !text.includes(name.text)).length <= allowed
  })
}

/** Are enough of its words in these lines? */
export const hasEnough = (
  { enough, words }: Sought,
  places: ReadonlyArray<WordPlace>,
  { first, last }: Stretch
): boolean => {
  const within = new Set(places.flatMap(({ line, word }) => (line >= first && line <= last ? [word] : [])))
  return words.filter((word) => within.has(word)).length >= enough
}

/** The original in the same file, else in the nearest file. */
export const nearestTo = (copy: Found, originals: ReadonlyArray<Found>): Found | null => {
  const [nearest] = nearestFirst(
    [copy.path],
    originals.map(({ path }) => path)
  )
  return originals.find(({ path }) => path === copy.path) ?? originals.find(({ path }) => path === nearest) ?? null
}
