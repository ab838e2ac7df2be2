/**
 * Where an original of a new function may be, by the words they share: finds, before anything is parsed, that
 * most files hold none. Pure; linear in the places of the words.
 *
 * How many words and names a file must have follows from how many names may differ, so no original in the files that
 * are read is lost, unless it is laid out much longer than its copy.
 */

import { type Grammar, grammars } from "../../domain/change/Grammar.ts"
import { isGeneratedPath, isTestPath, isVendoredPath } from "../../domain/change/PathKind.ts"
import type { WordPlace } from "../../domain/change/WordPlace.ts"
import { nearestFirst } from "../../domain/code/nearestFirst.ts"
import { compareText } from "../../domain/text/compareText.ts"
import { endingsOfGrammar, grammarOf } from "../../languages/languages.ts"
import { type FunctionShape, hasShapes } from "./functionShapes.ts"

/** Names that the two must have in common, and how many of all such names; the rest may be others. */
const fewestShared = 4
const shareOfNames = 0.75

/** Words a function is looked for by, and files that are read for it. */
const wordsSearched = 6
const fewestSearched = 3
const filesRead = 8

/** How much longer than its copy the original may be laid out, with comments among its lines. */
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

/** A new function with the words it is looked for by, and how many of them its original must have. */
export interface Sought {
  readonly copy: Found
  readonly words: ReadonlyArray<string>
  readonly enough: number
}

/** A run of lines, from 1, both included. */
interface Stretch {
  readonly first: number
  readonly last: number
}

/** A file that may hold an original, and where. */
export interface Candidate {
  readonly sought: Sought
  readonly path: string
  /** How many of its words are close together, at most. */
  readonly count: number
  /** Every original in this file is in one of them. */
  readonly stretches: ReadonlyArray<Stretch>
}

/** Is the code of this file compared? Tests, migrations and what others wrote repeat for reasons of their own. */
export const isCompared = (path: string): boolean => {
  const grammar = grammarOf(path)
  return (
    grammar !== null &&
    hasShapes(grammar) &&
    !isTestPath(path) &&
    !isVendoredPath(path) &&
    !isGeneratedPath(path) &&
    // A migration is a record of its day: it repeats what it needs, so that nothing changes it later.
    !/(?:^|\/)(?:migrations?|migrate)\//.test(path)
  )
}

/** Languages whose functions can be compared with each other. */
const kin = (grammar: Grammar | null): string =>
  grammar === "typescript" || grammar === "tsx" || grammar === "javascript" ? "script" : (grammar ?? "")

/** Of all files with functions that can be compared with those of these languages. */
export const endingsOf = (compared: ReadonlyArray<Grammar>): ReadonlyArray<string> => {
  const wanted = new Set(compared.map(kin))
  return grammars.filter((grammar) => wanted.has(kin(grammar))).flatMap(endingsOfGrammar)
}

/** May one hold the original of a function in the other? Variants for a platform or a version repeat on purpose. */
const isRelated = (path: string, copied: string): boolean =>
  kin(grammarOf(path)) === kin(grammarOf(copied)) && (path === copied || variantless(path) !== variantless(copied))

const variant =
  /(?<![a-z])(?:v\d+|linux|windows|win32|darwin|macos|osx|ios|android|unix|posix|wasm|bsd|freebsd|openbsd|netbsd|solaris|plan9|amd64|arm64|arm|386|x86|x86_64|web|native|desktop|mobile|server|client|browser|node|other|others|stub|noop)(?![a-z])/g

const variantless = (path: string): string =>
  path
    .toLowerCase()
    .replace(variant, "*")
    .replace(/[_-]?\*/g, "")

/** Same shape, and enough of their calls and literals are the same. */
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

/** The words by which a function is looked for: long ones are rare. */
const tellingWords = ({ names }: FunctionShape): ReadonlyArray<string> => {
  const words = names.flatMap(({ shared, text }) => (shared ? (text.match(/\b[A-Za-z_]\w{4,}/g) ?? []) : []))
  const weight = (word: string) => word.length + 3 * (word.match(/[A-Z_]/g)?.length ?? 0)
  return [...new Set(words)].toSorted((a, b) => weight(b) - weight(a) || compareText(a, b)).slice(0, wordsSearched)
}

/** By what it is looked for; null: it has too few words of its own. */
export const soughtBy = (copy: Found): Sought | null => {
  const words = tellingWords(copy.shape)
  return words.length < fewestSearched ? null : { copy, words, enough: fewestWords(copy.shape, words) }
}

/** How many of these words every original has: a different name removes the words that occur only in it. */
const fewestWords = ({ names }: FunctionShape, words: ReadonlyArray<string>): number => {
  const shared = names.filter((name) => name.shared)
  const lost = shared
    .map(({ text }) => words.filter((word) => text.includes(word)).length)
    .toSorted((a, b) => b - a)
    .slice(0, Math.floor(shared.length * (1 - shareOfNames)))
    .reduce((sum, count) => sum + count, 0)
  return Math.max(Math.ceil(words.length / 2), words.length - lost)
}

/** The words in the compared files that the change did not add, by file and line. */
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

/** The files where enough of its words are as near to each other as in a function of its size. */
export const candidatesFor = (
  sought: Sought,
  placesByPath: ReadonlyMap<string, ReadonlyArray<WordPlace>>
): ReadonlyArray<Candidate> => {
  const { copy, enough, words } = sought
  const own = new Set(words)
  const span = timesLonger * (copy.endLine - copy.line) + linesLonger
  const found = new Map<string, Candidate>()
  for (const [path, places] of placesByPath) {
    // Cheap questions first: there may be thousands of files.
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
 * The stretches that hold every function of at most `span` lines with enough different words, and how many of them one
 * has at most. Places come by line.
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

/** Does one of the stretches have as many of its names as an original must have? Without them nothing needs be parsed. */
export const hasEnoughNames = ({ sought, stretches }: Candidate, lines: ReadonlyArray<string>): boolean => {
  const names = sought.copy.shape.names.filter(({ shared }) => shared)
  const allowed = names.length * (1 - shareOfNames)
  return stretches.some(({ first, last }) => {
    const text = lines.slice(first - 1, last).join("\n")
    // What a name of several lines is, depends on how lines end.
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

/** In the same file, else in the nearest. */
export const nearestTo = (copy: Found, originals: ReadonlyArray<Found>): Found | null => {
  const [nearest] = nearestFirst(
    [copy.path],
    originals.map(({ path }) => path)
  )
  return originals.find(({ path }) => path === copy.path) ?? originals.find(({ path }) => path === nearest) ?? null
}
