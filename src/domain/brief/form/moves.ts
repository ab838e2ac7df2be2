/** Definitions and blocks that a change deletes at one place and adds at another. */
import type { CodeSide, CodeToken, Unit } from "./CodeSide.ts"
import { isSameList } from "./sameCode.ts"

/** One side of a file whose units may have moved. */
export interface MoveSide {
  readonly file: string
  readonly code: CodeSide
  readonly isFree: (row: number) => boolean
  /** The name of the definition that the unit is, if its order has no meaning; null for other code. */
  readonly definitionOf: (unit: Unit) => string | null
  /** Does its container define the name more than once, and does their order have a meaning? */
  readonly isAmbiguous: (name: string) => boolean
  /** What the name means at the top of the file; equal texts are the same thing. Null for a name of the language. */
  readonly bindingOf: (name: string) => string | null
  /** Does the file define it? */
  readonly defines: (name: string) => boolean
  /** How many lines above the row name it outside of the bodies of functions. */
  readonly mentionsAbove: (name: string, row: number) => number
  /** How many of these lines give it a meaning. */
  readonly bindingsAbove: (name: string, row: number) => number
  /** The folder of the file. */
  readonly folder: string
  /** Matches the start of a definition that has the same meaning anywhere among its neighbours. */
  readonly anyOrder: RegExp
  /** Matches the header of a type that definitions in several files extend. */
  readonly reopened: RegExp | null
  /** A string with a match may contain names of the code around it. */
  readonly namesInStrings: RegExp
}

/** Rows from 0; `end` is included. */
export interface Moved {
  readonly base: { readonly file: string; readonly row: number; readonly endRow: number }
  readonly head: { readonly file: string; readonly row: number; readonly endRow: number }
  /** Pairs of rows that are equal; absent: all are. */
  readonly equal?: ReadonlyArray<readonly [base: number, head: number]>
}

/** Lines with a letter or a digit in code that moves to another file, or that is edited. */
const fewestLines = 3
const mostCandidates = 40
/** The share of lines that are equal in code that was moved and edited. */
const leastEqual = 0.8
const mostCompared = 400

interface Place {
  readonly side: MoveSide
  readonly units: ReadonlyArray<Unit>
  readonly at: number
}

export const movesBetween = (bases: ReadonlyArray<MoveSide>, heads: ReadonlyArray<MoveSide>): ReadonlyArray<Moved> => {
  // Definitions that move together still use each other.
  let together = sharedDefinitions(bases, heads)
  for (let round = 0; round < mostRounds; round++) {
    const moves = movesWith(bases, heads, together)
    const moved = new Set(moves.flatMap(({ names }) => names))
    const kept = new Set([...together].filter((pair) => moved.has(pair)))
    if (kept.size === together.size) return moves.map(({ moved }) => moved)
    together = kept
  }
  return movesWith(bases, heads, new Set()).map(({ moved }) => moved)
}

/** Each round leaves out what uses a definition that does not move; a chain of uses may have thousands. */
const mostRounds = 8

interface NamedMove {
  readonly moved: Moved
  /** What the names of the definitions mean on both sides. */
  readonly names: ReadonlyArray<string>
}

const movesWith = (
  bases: ReadonlyArray<MoveSide>,
  heads: ReadonlyArray<MoveSide>,
  together: ReadonlySet<string>
): ReadonlyArray<NamedMove> => {
  const added = placesByKey(heads)
  const taken = { base: new TakenRows(), head: new TakenRows() }
  const exact = bases.flatMap(definitionsIn).flatMap((place) => {
    if (!isFree(place, taken.base)) return []
    const candidates = added.get(keyOf(place.side.code, place.units[place.at]!)) ?? []
    const found = longest(place, candidates.slice(0, mostCandidates), taken, together)
    if (found === null) return []
    taken.base.add(found.moved.base)
    taken.head.add(found.moved.head)
    return [found]
  })
  const edited = editedMoves(bases, heads, taken, together).map((moved) => ({ moved, names: [] }))
  return [...exact, ...edited].map(({ moved, names }) => ({ moved: withCommentsAbove(moved, bases, heads), names }))
}

const placesByKey = (sides: ReadonlyArray<MoveSide>): ReadonlyMap<string, ReadonlyArray<Place>> =>
  Map.groupBy(sides.flatMap(definitionsIn), ({ at, side, units }) => keyOf(side.code, units[at]!))

/** What the names of definitions mean that are deleted in one file and added in another. */
const sharedDefinitions = (bases: ReadonlyArray<MoveSide>, heads: ReadonlyArray<MoveSide>): ReadonlySet<string> => {
  const added = placesByKey(heads)
  return new Set(
    bases
      .flatMap(definitionsIn)
      .flatMap((from) =>
        (added.get(keyOf(from.side.code, from.units[from.at]!)) ?? [])
          .slice(0, mostCandidates)
          .map((to) => meanings(from, to, nameOf(from)))
      )
  )
}

const nameOf = ({ at, side, units }: Place): string => side.definitionOf(units[at]!)?.split(".").at(-1) ?? ""

const meanings = (from: Place, to: Place, name: string): string =>
  `${from.side.bindingOf(name)} ${to.side.bindingOf(name)}`

type Taken = { readonly base: TakenRows; readonly head: TakenRows }

/** The move of most lines from this place on; null if it has too few. */
const longest = (
  from: Place,
  candidates: ReadonlyArray<Place>,
  taken: Taken,
  together: ReadonlySet<string>
): NamedMove | null => {
  let best: { readonly to: Place; readonly count: number; readonly lines: number } | null = null
  for (const to of candidates) {
    const count = matching(from, to, taken, together)
    if (count === 0) continue
    const lines = significantLines(from.side.code, from.units[from.at]!, from.units[from.at + count - 1]!)
    if (best === null || lines > best.lines) best = { to, count, lines }
  }
  if (best === null || best.lines < (best.to.side.file === from.side.file ? 1 : fewestLines)) return null
  const { count, to } = best
  const names = Array.from({ length: count }, (_, step) => {
    const old = { ...from, at: from.at + step }
    return meanings(old, to, nameOf(old))
  })
  return { moved: { base: rangeOf(from, count), head: rangeOf(to, count) }, names }
}

class TakenRows {
  readonly #rows = new Map<string, Set<number>>()
  add({ endRow, file, row }: Moved["base"]): void {
    const known = this.#rows.get(file) ?? new Set()
    this.#rows.set(file, known)
    for (let at = row; at <= endRow; at++) known.add(at)
  }
  has(file: string, row: number): boolean {
    return this.#rows.get(file)?.has(row) === true
  }
}

const definitionsIn = (side: MoveSide): ReadonlyArray<Place> =>
  side.code.groups.flatMap((units) =>
    units.flatMap((unit, at) => (side.definitionOf(unit) === null ? [] : [{ side, units, at }]))
  )

const isFree = ({ at, side, units }: Place, taken: TakenRows): boolean => {
  const unit = units[at]
  if (unit === undefined) return false
  for (let row = unit.row; row <= unit.endRow; row++) if (taken.has(side.file, row) || !side.isFree(row)) return false
  return true
}

/** How many neighbours from here on are the same. */
const matching = (from: Place, to: Place, taken: Taken, together: ReadonlySet<string>): number => {
  let count = 0
  for (;;) {
    const [old, now] = [
      { ...from, at: from.at + count },
      { ...to, at: to.at + count }
    ]
    if (!isFree(old, taken.base) || !isFree(now, taken.head)) return count
    if (!isSameUnit(old.side.code, old.units[old.at]!, now.side.code, now.units[now.at]!)) return count
    if (!mayMove(old, now, together)) return count
    count++
  }
}

/** Only definitions move: statements that leave one function for another change both. */
const mayMove = (from: Place, to: Place, together: ReadonlySet<string>): boolean => {
  const [old, now] = [from.units[from.at]!, to.units[to.at]!]
  const [name, other] = [from.side.definitionOf(old), to.side.definitionOf(now)]
  if (name === null || name !== other) return false
  const headers = onOneLine(old.headers)
  // Code under another condition, or in another type, has another meaning.
  if (old.conditions !== now.conditions || headers !== onOneLine(now.headers)) return false
  if (from.side.file === to.side.file) {
    return !from.side.isAmbiguous(name) && !to.side.isAmbiguous(name) && keepsOrder(from, to)
  }
  const isWithin = headers !== ""
  if (isWithin && from.side.reopened?.test(headers) !== true) return false
  return hasSameBindings(from, to, together)
}

const onOneLine = (text: string): string => text.replace(/\s+/g, " ").trim()

/** What runs where it is defined comes after the same lines. */
const keepsOrder = (from: Place, to: Place): boolean => {
  const [old, now] = [from.units[from.at]!, to.units[to.at]!]
  const tokens = from.side.code.tokens.slice(old.first, old.last)
  const start = tokens.filter(({ text }) => !/^(?:\/[/*]|#)/.test(text)).slice(0, 6)
  if (from.side.anyOrder.test(`${start.map(({ text }) => text).join(" ")} `)) return true
  const early = tokens.filter(({ opens, path }) => !inBody.test(path) && !isParameter({ opens, path }))
  const used = namesIn(early, from.side.namesInStrings).filter((name) => from.side.defines(name))
  const { side } = from
  const name = nameOf(from)
  return (
    side.mentionsAbove(name, old.row) === to.side.mentionsAbove(name, now.row) &&
    used.every((each) => side.bindingsAbove(each, old.row) === to.side.bindingsAbove(each, now.row))
  )
}

/** The path of a token that runs when the function is called. */
const inBody =
  /\/(?:function\w*|method\w*|arrow_function|lambda\w*|singleton_method)\/(?:block|statement_block|body_statement|compound_statement|formal_parameters|type_annotation)/

/** Is it the name of a parameter, not its default value? */
const isParameter = ({ opens, path }: Pick<CodeToken, "opens" | "path">): boolean =>
  /\/(?:\w*parameters|typed_parameter)$/.test(path) || opens.some((type) => type.endsWith("default_parameter"))

/** In another file, each name that the code uses is bound to the same thing. */
const hasSameBindings = (from: Place, to: Place, together: ReadonlySet<string>): boolean => {
  const [old, now] = [from.units[from.at]!, to.units[to.at]!]
  const tokens = [
    ...from.side.code.tokens.slice(old.first, old.last),
    ...to.side.code.tokens.slice(now.first, now.last)
  ]
  if (tokens.some((token, at) => dependsOnFile(token, tokens[at + 1]?.text))) return false
  if (from.side.folder !== to.side.folder && tokens.some(dependsOnFolder)) return false
  const used = new Set([...namesIn(tokens, from.side.namesInStrings), ...namesInHeaders(old)])
  used.delete(nameOf(from))
  return [...used].every(
    (name) => from.side.bindingOf(name) === to.side.bindingOf(name) || together.has(meanings(from, to, name))
  )
}

const word = /[\p{L}_][\p{L}\p{N}_]*/gu

/** Names that are looked up around the code. */
const namesIn = (tokens: ReadonlyArray<CodeToken>, inStrings: RegExp): ReadonlyArray<string> =>
  tokens.flatMap(({ isMember, isName, text }) => {
    if (isName) return isMember ? [] : [text]
    return /["'`]/.test(text) && inStrings.test(text) ? (text.match(word) ?? []) : []
  })

const namesInHeaders = ({ headers }: Unit): ReadonlyArray<string> => headers.match(word) ?? []

const fileWords = new Set(
  `__name__ __file__ __package__ __spec__ __path__ __loader__ globals __dirname __filename module exports
  require_relative __FILE__ __LINE__ __DIR__ __dir__ __NAMESPACE__ module_path include_str include_bytes`.split(/\s+/)
)

const dependsOnFile = ({ isMember, text }: CodeToken, next: string | undefined): boolean =>
  (!isMember && fileWords.has(text)) ||
  (next === "::" && (text === "self" || text === "super")) ||
  (text === "import" && next === ".")

const dependsOnFolder = ({ path, text }: CodeToken): boolean =>
  /^["'`]\.{1,2}\//.test(text) || path.includes("relative_import")

/** Equal for equal units. */
const keyOf = ({ tokens }: CodeSide, { first, last, type }: Unit): string => {
  let [a, b] = [17, 31]
  for (let at = first; at < last; at++) {
    const { text } = tokens[at]!
    for (let index = 0; index < text.length; index++) {
      a = (Math.imul(a, 31) + text.charCodeAt(index)) | 0
      b = (Math.imul(b, 131) ^ text.charCodeAt(index)) | 0
    }
    a = Math.imul(a, 37) | 0
  }
  return `${type} ${last - first} ${a} ${b}`
}

const isSameUnit = (base: CodeSide, old: Unit, head: CodeSide, now: Unit): boolean => {
  const count = old.last - old.first
  if (old.type !== now.type || count !== now.last - now.first) return false
  for (let at = 0; at < count; at++) {
    const [before, after] = [base.tokens[old.first + at]!, head.tokens[now.first + at]!]
    if (before.text !== after.text) return false
    // The first and the last token also begin and end nodes around the unit.
    const [opened, opens] =
      at > 0 ? [before.opens, after.opens] : [before.opens.slice(old.outer), after.opens.slice(now.outer)]
    if (!isSameList(opened, opens)) return false
    if (at < count - 1 ? before.closes !== after.closes : old.closes !== now.closes) return false
  }
  return true
}

const significantLines = ({ tokens }: CodeSide, first: Unit, last: Unit): number => {
  const rows = new Set<number>()
  for (const { row, text } of tokens.slice(first.first, last.last)) if (/[\p{L}\p{N}]/u.test(text)) rows.add(row)
  return rows.size
}

const rangeOf = ({ at, side, units }: Place, count: number): Moved["base"] => ({
  file: side.file,
  row: units[at]!.row,
  endRow: units[at + count - 1]!.endRow
})

/** Definitions of the same name of which most lines are the same. */
const editedMoves = (
  bases: ReadonlyArray<MoveSide>,
  heads: ReadonlyArray<MoveSide>,
  taken: Taken,
  together: ReadonlySet<string>
): ReadonlyArray<Moved> => {
  const named = (sides: ReadonlyArray<MoveSide>, rows: TakenRows) =>
    Map.groupBy(
      sides.flatMap(definitionsIn).filter((place) => {
        const unit = place.units[place.at]!
        return isFree(place, rows) && unit.endRow - unit.row < mostCompared
      }),
      ({ at, side, units }) => `${units[at]!.type} ${side.definitionOf(units[at]!)}`
    )
  const added = named(heads, taken.head)
  return [...named(bases, taken.base)].flatMap(([key, deleted]) => {
    const [[from, ...others], [to, ...more]] = [deleted, added.get(key) ?? []]
    if (from === undefined || to === undefined || others.length > 0 || more.length > 0) return []
    if (!mayMove(from, to, together)) return []
    const [old, now] = [from.units[from.at]!, to.units[to.at]!]
    const equal = equalRows(from.side.code, old, to.side.code, now)
    const significant = equal.filter(([row]) => isSignificant(from.side.code.lines[row])).length
    const most = Math.max(linesOf(from.side.code, old), linesOf(to.side.code, now))
    if (significant < fewestLines || significant < most * leastEqual) return []
    return [{ base: rangeOf(from, 1), head: rangeOf(to, 1), equal }]
  })
}

const isSignificant = (line: string | undefined): boolean => line !== undefined && /[\p{L}\p{N}]/u.test(line)

const linesOf = ({ lines }: CodeSide, { endRow, row }: Unit): number =>
  lines.slice(row, endRow + 1).filter(isSignificant).length

/** The longest common subsequence of the lines. */
const equalRows = (base: CodeSide, old: Unit, head: CodeSide, now: Unit): ReadonlyArray<readonly [number, number]> => {
  const [before, after] = [lineKeys(base, old), lineKeys(head, now)]
  const width = after.length + 1
  const lengths = new Uint16Array((before.length + 1) * width)
  for (let i = before.length - 1; i >= 0; i--) {
    for (let j = after.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        before[i] === after[j]
          ? lengths[(i + 1) * width + j + 1]! + 1
          : Math.max(lengths[(i + 1) * width + j]!, lengths[i * width + j + 1]!)
    }
  }
  const equal: Array<readonly [number, number]> = []
  for (let i = 0, j = 0; i < before.length && j < after.length; ) {
    if (before[i] === after[j]) equal.push([old.row + i++, now.row + j++])
    else if (lengths[(i + 1) * width + j]! >= lengths[i * width + j + 1]!) i++
    else j++
  }
  return equal
}

/** The lines with their indentation below the first one; in a string of several lines, as they are. */
const lineKeys = ({ lines, tokens }: CodeSide, { endRow, first, last, row }: Unit): ReadonlyArray<string> => {
  const inside = new Set<number>()
  for (const token of tokens.slice(first, last)) {
    for (let at = token.row + 1; at <= token.endRow; at++) inside.add(at)
  }
  const indent = /^\s*/.exec(lines[row] ?? "")?.[0] ?? ""
  return lines.slice(row, endRow + 1).map((line, at) => {
    if (inside.has(row + at)) return `"${line}`
    if (line.trim() === "") return ""
    return line.startsWith(indent) ? line.slice(indent.length).trimEnd() : `^${line.trimEnd()}`
  })
}

/** The same comments directly above a definition moved with it. */
const withCommentsAbove = (moved: Moved, bases: ReadonlyArray<MoveSide>, heads: ReadonlyArray<MoveSide>): Moved => {
  const [base, head] = [
    bases.find(({ file }) => file === moved.base.file),
    heads.find(({ file }) => file === moved.head.file)
  ]
  if (base === undefined || head === undefined || moved.equal !== undefined) return moved
  let count = 0
  for (;;) {
    const [old, now] = [moved.base.row - count - 1, moved.head.row - count - 1]
    const isSame = base.code.lines[old]?.trim() === head.code.lines[now]?.trim()
    if (!isSame || !isCommentRow(base, old) || !isCommentRow(head, now)) break
    count++
  }
  return {
    base: { ...moved.base, row: moved.base.row - count },
    head: { ...moved.head, row: moved.head.row - count }
  }
}

const isCommentRow = ({ code, isFree: isOpen }: MoveSide, row: number): boolean =>
  row >= 0 &&
  isOpen(row) &&
  code.comments.some((each) => each.row <= row && row <= each.endRow) &&
  !code.tokens.some((each) => each.row <= row && row <= each.endRow)
