/** Definitions and blocks that a change deletes at one place and adds at another. */
import type { CodeSide, Unit } from "./CodeSide.ts"
import { isSameList } from "./sameCode.ts"

/** One side of a file whose units may have moved. */
export interface MoveSide {
  readonly file: string
  readonly code: CodeSide
  readonly isFree: (row: number) => boolean
  /** The name of the definition that the unit is, if its order has no meaning; null for other code. */
  readonly definitionOf: (unit: Unit) => string | null
  /** Does its container define the name more than once? */
  readonly isAmbiguous: (name: string) => boolean
  /** What the file binds the name to at its top; equal texts are the same thing. Null for a name that it does not bind. */
  readonly bindingOf: (name: string) => string | null
  /** Names the function around the unit; null outside of functions. */
  readonly functionOf: (unit: Pick<Unit, "row">) => string | null
}

/** Rows from 0; `end` is included. */
export interface Moved {
  readonly base: { readonly file: string; readonly row: number; readonly endRow: number }
  readonly head: { readonly file: string; readonly row: number; readonly endRow: number }
  /** Pairs of rows that are equal; absent: all are. */
  readonly equal?: ReadonlyArray<readonly [base: number, head: number]>
}

/** Lines with a letter or a digit. */
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
  const added = new Map<string, Array<Place>>()
  for (const place of heads.flatMap(placesIn)) {
    const key = keyOf(place.side.code, place.units[place.at]!)
    const known = added.get(key)
    if (known === undefined) added.set(key, [place])
    else known.push(place)
  }
  const taken = { base: new TakenRows(), head: new TakenRows() }
  const byFunction = new Map<string, Array<Moved>>()
  const isInOrder = ({ at, side, units }: Place, moved: Moved): boolean => {
    if (side.definitionOf(units[at]!) !== null) return true
    const to = heads.find(({ file }) => file === moved.head.file)
    const target = to?.functionOf({ row: moved.head.row }) ?? null
    const key = `${side.file} ${side.functionOf(units[at]!)} ${moved.head.file} ${target}`
    const known = byFunction.get(key) ?? []
    if (!keepsOrder(moved, known)) return false
    byFunction.set(key, [...known, moved])
    return true
  }
  const exact = (places: ReadonlyArray<Place>): ReadonlyArray<Moved> =>
    places.flatMap((place) => {
      if (!isFree(place, taken.base)) return []
      const candidates = added.get(keyOf(place.side.code, place.units[place.at]!)) ?? []
      const moved = longest(place, candidates.slice(0, mostCandidates), taken)
      if (moved === null || !isInOrder(place, moved)) return []
      taken.base.add(moved.base)
      taken.head.add(moved.head)
      return [moved]
    })
  const places = bases.flatMap(placesIn)
  const definitions = exact(places.filter(({ at, side, units }) => side.definitionOf(units[at]!) !== null))
  const edited = editedMoves(bases, heads, taken)
  for (const { base, head } of edited) {
    taken.base.add(base)
    taken.head.add(head)
  }
  return [...definitions, ...edited, ...exact(places)].map((moved) => withCommentsAbove(moved, bases, heads))
}

type Taken = { readonly base: TakenRows; readonly head: TakenRows }

/** The move of most lines from this place on; null if it has too few. */
const longest = (from: Place, candidates: ReadonlyArray<Place>, taken: Taken): Moved | null => {
  let best: { readonly to: Place; readonly count: number; readonly lines: number } | null = null
  for (const to of candidates) {
    const count = matching(from, to, taken)
    if (count === 0) continue
    const lines = significantLines(from.side.code, from.units[from.at]!, from.units[from.at + count - 1]!)
    if (best === null || lines > best.lines) best = { to, count, lines }
  }
  if (best === null || best.lines < fewestLines) return null
  return { base: rangeOf(from, best.count), head: rangeOf(best.to, best.count) }
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

const placesIn = (side: MoveSide): ReadonlyArray<Place> =>
  side.code.groups.flatMap((units) => units.map((_, at) => ({ side, units, at })))

const isFree = ({ at, side, units }: Place, taken: TakenRows): boolean => {
  const unit = units[at]
  if (unit === undefined) return false
  for (let row = unit.row; row <= unit.endRow; row++) if (taken.has(side.file, row) || !side.isFree(row)) return false
  return true
}

/** How many neighbours from here on are the same. */
const matching = (from: Place, to: Place, taken: Taken): number => {
  let count = 0
  for (;;) {
    const [old, now] = [
      { ...from, at: from.at + count },
      { ...to, at: to.at + count }
    ]
    if (!isFree(old, taken.base) || !isFree(now, taken.head) || !mayMove(old, now)) return count
    if (!isSameUnit(old.side.code, old.units[old.at]!, now.side.code, now.units[now.at]!)) return count
    count++
  }
}

/** Code under another condition has another meaning. Within a function or a file, only definitions have no order. */
const mayMove = (from: Place, to: Place): boolean => {
  const [old, now] = [from.units[from.at]!, to.units[to.at]!]
  if (old.conditions !== now.conditions) return false
  const [name, other] = [from.side.definitionOf(old), to.side.definitionOf(now)]
  // Statements that leave one function for another change both.
  if (name === null || other === null) return false
  if (from.side.file !== to.side.file) return hasSameBindings(from, to)
  return !from.side.isAmbiguous(name) && !to.side.isAmbiguous(other)
}

/** Statements of one function keep their order in the other. */
const keepsOrder = (moved: Moved, others: ReadonlyArray<Moved>): boolean =>
  others.every((other) => moved.base.row < other.base.row === moved.head.row < other.head.row)

/** In another file, each name that the code uses is bound to the same thing. */
const hasSameBindings = (from: Place, to: Place): boolean => {
  const [old, now] = [from.units[from.at]!, to.units[to.at]!]
  const names = (side: MoveSide, { first, last }: Unit) =>
    new Set(side.code.tokens.slice(first, last).flatMap(({ isName, text }) => (isName ? [text] : [])))
  const used = new Set([...names(from.side, old), ...names(to.side, now)])
  used.delete(from.side.definitionOf(old)?.split(".").at(-1) ?? "")
  return [...used].every((each) => from.side.bindingOf(each) === to.side.bindingOf(each))
}

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
  taken: Taken
): ReadonlyArray<Moved> => {
  const named = (sides: ReadonlyArray<MoveSide>, rows: TakenRows) =>
    Map.groupBy(
      sides.flatMap(placesIn).filter((place) => {
        const unit = place.units[place.at]!
        return isFree(place, rows) && unit.endRow - unit.row < mostCompared && place.side.definitionOf(unit) !== null
      }),
      ({ at, side, units }) => `${units[at]!.type} ${side.definitionOf(units[at]!)}`
    )
  const added = named(heads, taken.head)
  return [...named(bases, taken.base)].flatMap(([key, deleted]) => {
    const [[from, ...others], [to, ...more]] = [deleted, added.get(key) ?? []]
    if (from === undefined || to === undefined || others.length > 0 || more.length > 0 || !mayMove(from, to)) return []
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
