/**
 * The two sides of a file without what the parser did not understand: a part with a syntax error yields no fact, and
 * neither does a name that only the other side has if the unread lines contain it.
 */
import { changedLines } from "../../change/HunkIndex.ts"
import { qualifiedName } from "../../code/CodeQuery.ts"
import { type Definition, type Span, wordPlaces } from "../../code/Symbol.ts"
import type { ComparedFile, FileVersion } from "./definitionItems.ts"

export interface Readable {
  readonly compared: ComparedFile
  /** The first lines of unread parts that matter for the change, of the head side if it has one. */
  readonly unread: ReadonlyArray<number>
}

export const readableParts = (compared: ComparedFile): Readable => {
  const [base, head] = [partsOf(compared.base), partsOf(compared.head)]
  if (base.unread.length === 0 && head.unread.length === 0) return { compared, unread: [] }
  const sides = { base: readable(compared.base, base, head), head: readable(compared.head, head, base) }
  const isLost = lost(compared.base, sides.base) + lost(compared.head, sides.head) > 0
  const { added, deleted } = changedLines(compared.file)
  const changed = [...linesIn(head, added), ...(head.unread.length > 0 ? [] : linesIn(base, deleted))]
  const first = head.unread[0] ?? base.unread[0]
  return {
    compared: { ...compared, ...sides },
    unread: changed.length > 0 || !isLost || first === undefined ? changed : [first.line]
  }
}

interface Parts {
  readonly unread: ReadonlyArray<Span>
  readonly text: string
  /** Definitions with an unread line. */
  readonly dropped: ReadonlySet<Definition>
  readonly kept: ReadonlySet<string>
  readonly names: ReadonlySet<string>
  readonly types: ReadonlySet<string>
}

/** The lines that the parser did not understand. */
export const unreadText = ({ lines, symbols: { unread = [] } }: FileVersion): string =>
  unread.map(({ endLine, line }) => lines.slice(line - 1, endLine).join("\n")).join("\n")

export const isUnread = ({ symbols: { unread = [] } }: FileVersion, line: number): boolean =>
  unread.some((span) => isIn(span, { line, endLine: line }))

const partsOf = (side: FileVersion | null): Parts => {
  const unread = side?.symbols.unread ?? []
  const definitions = side?.symbols.definitions ?? []
  const dropped = new Set(definitions.filter((each) => unread.some((span) => isIn(span, each))))
  const kept = new Set(definitions.filter((each) => !dropped.has(each)).map(keyOf))
  const text = side === null ? "" : unreadText(side)
  const names = new Set(definitions.map(({ name }) => name))
  // A type whose first line was read still has the members that were.
  const isNamed = ({ line }: Span) => side !== null && !isUnread(side, line)
  const types = new Set(definitions.flatMap((each) => (isNamed(each) ? [qualifiedName(each)] : [])))
  return { unread, text, dropped, kept, names, types }
}

const keyOf = ({ container, name }: Definition): string => `${container}\n${name}`

const isIn = ({ endLine, line }: Span, other: Span): boolean => line <= other.endLine && other.line <= endLine

const isType = ({ kind }: Definition): boolean => /^(?:class|type|module)$/.test(kind)

const readable = (side: FileVersion | null, own: Parts, other: Parts): FileVersion | null => {
  if (side === null) return null
  // What the other side lacks is a fact only if its unread parts cannot be the reason.
  const isSure = ({ container, name }: Definition) =>
    !other.names.has(name) &&
    wordPlaces(other.text, name).length === 0 &&
    (other.unread.length === 0 || container === null || other.types.has(container))
  const definitions = side.symbols.definitions.filter(
    (each) => !own.dropped.has(each) && (other.kept.has(keyOf(each)) || isSure(each))
  )
  const types = side.symbols.types.map((type) => ({
    ...type,
    fields: new Map(
      [...type.fields].filter(
        ([name, at]) => !isUnread(side, at) && wordPlaces(`${own.text}\n${other.text}`, name).length === 0
      )
    )
  }))
  return { ...side, symbols: { ...side.symbols, definitions, types } }
}

const lost = (before: FileVersion | null, after: FileVersion | null): number =>
  (before?.symbols.definitions.length ?? 0) - (after?.symbols.definitions.length ?? 0)

/** The first lines of the unread parts that are changed, or in a definition that is. */
const linesIn = ({ dropped, unread }: Parts, changed: ReadonlySet<number>): ReadonlyArray<number> => {
  const isChanged = ({ endLine, line }: Span) => [...changed].some((at) => line <= at && at <= endLine)
  return unread.flatMap((span) =>
    isChanged(span) || [...dropped].some((each) => !isType(each) && isIn(span, each) && isChanged(each))
      ? [span.line]
      : []
  )
}
