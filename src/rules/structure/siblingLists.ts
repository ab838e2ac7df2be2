/**
 * Lists of names, one on a line: the members of an enumeration, the fields of a type, exports, entries of a table.
 *
 * Text only, so that any language and any settings file can be compared with any other. The entries of a list have the
 * same text before the name and the same character after it, and no line between them is indented less.
 */
import { wordPlaces } from "../../domain/code/Symbol.ts"

/** A name that the change adds to a list. */
export interface NewEntry {
  readonly name: string
  /** From 1. */
  readonly line: number
  /** All other names of the list; they were in it before the change. */
  readonly siblings: ReadonlyArray<string>
  readonly isRecord: boolean
}

/** A list with certain names. */
export interface NameList {
  /** Its first and last entry, from 1. */
  readonly line: number
  readonly endLine: number
  readonly names: ReadonlySet<string>
  /** Its entries are the properties or arguments of one value: any other value may have fewer. */
  readonly isRecord: boolean
}

/** Fewer names may be in two lists by chance. */
const fewestSiblings = 5
const mostSiblings = 200
const longestLine = 300
/** Words of a line that may be the name of an entry. */
const wordsRead = 6
/** The share of the names of a list that must be the siblings: a list of other things may contain them. */
const leastShare = 0.8
/** Lines around a list that belong to it, such as those with an entry of another form. */
const nearbyLines = 10

interface Entry {
  readonly name: string
  readonly row: number
}

/**
 * The names that the added lines (from 1) add to lists. The names on `deleted` lines of the file were
 * in its lists too; a name that `wasDeleted` in any file is moved.
 */
export const newEntries = (
  lines: ReadonlyArray<string>,
  isAdded: (line: number) => boolean,
  deleted: ReadonlyArray<string>,
  wasDeleted: (name: string) => boolean
): ReadonlyArray<NewEntry> => {
  const forms = new Set<string>()
  for (const [row, text] of lines.entries()) {
    if (isAdded(row + 1)) for (const { form } of wordsOf(text)) forms.add(form)
  }
  const entries = entriesOf(lines, (_, form) => forms.has(form))
  const before = entriesOf(deleted, (_, form) => forms.has(form))
  const isNew = (entry: Entry) => isAdded(entry.row + 1) && !wasDeleted(entry.name)
  return blocksOf(lines, entries).flatMap(({ form, inBlock }) => {
    const fresh = inBlock.filter(isNew)
    const old = [...inBlock.filter((entry) => !isNew(entry)), ...(before.get(form) ?? [])]
    // A word that is repeated is no name of an entry.
    const rows = Map.groupBy(inBlock, ({ name }) => name)
    const siblings = [...distinct(old)].filter((name) => (rows.get(name)?.length ?? 1) === 1)
    if (siblings.length < fewestSiblings || siblings.length > mostSiblings) return []
    const single = fresh.filter(({ name }) => rows.get(name)?.length === 1)
    return single.map(({ name, row }) => ({ name, line: row + 1, siblings, isRecord: isRecord(form) }))
  })
}

/** The lists in a text that have all of these names. */
export const listsWith = (lines: ReadonlyArray<string>, siblings: ReadonlyArray<string>): ReadonlyArray<NameList> => {
  const wanted = new Set(siblings)
  const forms = [...entriesOf(lines, (name) => wanted.has(name))].flatMap(([form, found]) =>
    distinct(found).size === wanted.size ? [form] : []
  )
  const candidates = entriesOf(lines, (_, form) => forms.includes(form))
  return blocksOf(lines, candidates).flatMap(({ form, inBlock }) => {
    const names = distinct(inBlock)
    const shared = inBlock.filter(({ name }) => wanted.has(name))
    if (distinct(shared).size < wanted.size || wanted.size < names.size * leastShare) return []
    const [first, last] = [shared[0]?.row ?? 0, shared.at(-1)?.row ?? 0]
    return [{ line: first + 1, endLine: last + 1, names, isRecord: isRecord(form) }]
  })
}

/** Whether the list, or a line close to it, has the name. `own`: the line of the new entry, if it is in the same file. */
export const hasName = (
  lines: ReadonlyArray<string>,
  { endLine, line, names }: NameList,
  name: string,
  own: number | null
): boolean =>
  names.has(name) ||
  lines.some((text, row) => {
    const isNear = row + 1 >= line - nearbyLines && row + 1 <= endLine + nearbyLines
    return (own === null || (isNear && row + 1 !== own)) && wordPlaces(text, name).length > 0
  })

const isRecord = (form: string): boolean => /^\s*\0[:=?]$/.test(form)

const distinct = (entries: ReadonlyArray<Entry>): ReadonlySet<string> => new Set(entries.map(({ name }) => name))

/** The words of selected names and forms, by form. */
const entriesOf = (
  lines: ReadonlyArray<string>,
  isSelected: (name: string, form: string) => boolean
): ReadonlyMap<string, ReadonlyArray<Entry>> => {
  const entries = new Map<string, Array<Entry>>()
  for (const [row, text] of lines.entries()) {
    for (const { form, name } of wordsOf(text)) {
      if (!isSelected(name, form)) continue
      const known = entries.get(form)
      if (known === undefined) entries.set(form, [{ name, row }])
      else known.push({ name, row })
    }
  }
  return entries
}

/** Each of the first words of a line as the name of an entry; none for comments, imports and local variables. */
const wordsOf = (text: string): ReadonlyArray<{ readonly name: string; readonly form: string }> => {
  if (text.length > longestLine || unlisted.test(text)) return []
  const found: Array<{ readonly name: string; readonly form: string }> = []
  for (const { 0: name, index } of text.matchAll(word)) {
    if (found.length === wordsRead) break
    if (keyword.test(name)) continue
    // The last entry of a list may have no separator.
    const after = text.charAt(index + name.length).replace(separator, "")
    found.push({ name, form: `${text.slice(0, index)}\0${after}` })
  }
  return found
}

/** Words before a name in common languages. */
const keyword =
  /^(?:abstract|async|await|case|class|const|def|default|else|enum|export|final|fn|for|func|function|if|impl|interface|let|mod|new|override|private|protected|pub|public|readonly|return|static|struct|throw|try|type|val|var|void|while|with)$/
const separator = /[,;]/
const word = /[A-Za-z_$][\w$]+(?:-[\w$]+)*/g

/** Comments, imports, and local variables. */
const unlisted = /^\s*(?:\/\/|\/?\*|#(?!\[)|(?:import|from|use|using|require|package)\b)|^\s+(?:const|let|var|val)\b/

interface Block {
  readonly from: number
  readonly to: number
}

/** The entries of one form that are in one block, where there are enough for a list. */
const blocksOf = (lines: ReadonlyArray<string>, entries: ReadonlyMap<string, ReadonlyArray<Entry>>) =>
  [...entries].flatMap(([form, sameForm]) => {
    const found: Array<{ readonly form: string; readonly inBlock: ReadonlyArray<Entry> }> = []
    for (let at = 0; at < sameForm.length; ) {
      const rest = sameForm.slice(at)
      if (rest.length < fewestSiblings) break
      const { from, to } = blockAround(lines, rest[0]!.row)
      const inBlock = rest.filter(({ row }) => row <= to)
      if (isListing(lines, from)) found.push({ form, inBlock })
      at += inBlock.length
    }
    return found
  })

/** The rows around a row without one that is indented less. */
const blockAround = (lines: ReadonlyArray<string>, row: number): Block => {
  const depth = indentation(lines[row] ?? "")
  const belongs = (at: number) => {
    const text = lines[at]
    return text !== undefined && (text.trim() === "" || indentation(text) >= depth)
  }
  let from = row
  let to = row
  while (belongs(from - 1)) from--
  while (belongs(to + 1)) to++
  return { from, to }
}

const indentation = (text: string): number => text.length - text.trimStart().length

/** Names that are imported or destructured are only those that the file needs. */
const isListing = (lines: ReadonlyArray<string>, from: number): boolean =>
  !/^\s*(?:(?:pub\s+)?(?:import|from|use)\b|(?:const|let|var)\s*[{[])/.test(lines[from - 1] ?? "")
