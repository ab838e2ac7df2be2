/**
 * The order in which to read the hunks that are not only form: definitions before their uses, riskier files first, a
 * test after what it tests, text and data last.
 */
import type { DiffFile, DiffLine, Hunk } from "../../change/Diff.ts"
import { isTestPath } from "../../change/PathKind.ts"
import type { Definition } from "../../code/Symbol.ts"
import { compareText } from "../../text/compareText.ts"
import { plural } from "../../text/plural.ts"
import type { Form } from "../Form.ts"
import type { FormalRows } from "./formalRows.ts"

const mostEntries = 40
/** Files that are ordered by their uses of each other. */
const mostOrdered = 100

export interface DefinitionsOfFile {
  readonly base: ReadonlyArray<Definition>
  readonly head: ReadonlyArray<Definition>
}

interface HunkToRead {
  readonly file: string
  readonly line: number
  readonly lines: ReadonlyArray<DiffLine>
  readonly reason: string
  readonly risk: number
}

interface FileToRead {
  readonly path: string
  readonly group: "code" | "test" | "other"
  readonly hunks: ReadonlyArray<HunkToRead>
  readonly risk: number
  readonly size: number
  /** Names that its changed lines define. */
  readonly defines: ReadonlyArray<string>
  readonly words: ReadonlySet<string>
}

export const readingOrder = (
  files: ReadonlyArray<DiffFile>,
  rows: FormalRows,
  definitionsOf: (path: string) => DefinitionsOfFile | null
): Form["order"] => {
  const found = files.flatMap((file) => {
    const read = fileToRead(file, rows, definitionsOf(file.path))
    return read === null ? [] : [read]
  })
  const code = ordered(found.filter(({ group }) => group === "code"))
  const tests = found.filter(({ group }) => group === "test").sort(byRisk)
  const others = found.filter(({ group }) => group === "other").sort(byRisk)
  const byStem = Map.groupBy(tests, ({ path }) => stemOf(path))
  const withTests = code.flatMap((file) => {
    const own = byStem.get(stemOf(file.path)) ?? []
    byStem.delete(stemOf(file.path))
    return [file, ...own]
  })
  const left = tests.filter(({ path }) => byStem.has(stemOf(path)))
  return [...withTests, ...left, ...others]
    .flatMap(({ hunks }) => hunks)
    .slice(0, mostEntries)
    .map(({ file, line, reason }) => ({ file, line, reason }))
}

const byRisk = (a: FileToRead, b: FileToRead): number =>
  b.risk - a.risk || b.size - a.size || compareText(a.path, b.path)

/** A file comes after those whose changed definitions it uses; without such a file, the riskiest is next. */
const ordered = (files: ReadonlyArray<FileToRead>): ReadonlyArray<FileToRead> => {
  const left = files.toSorted(byRisk)
  if (left.length > mostOrdered) return left
  const needs = new Map(
    left.map((file) => [
      file,
      new Set(left.filter((other) => other !== file && other.defines.some((name) => file.words.has(name))))
    ])
  )
  const order: Array<FileToRead> = []
  while (left.length > 0) {
    const open = (file: FileToRead): number => left.filter((other) => needs.get(file)?.has(other) === true).length
    const fewest = Math.min(...left.map(open))
    const next = left.findIndex((file) => open(file) === fewest)
    order.push(...left.splice(next, 1))
  }
  return order
}

/** The same for a file and a test that is named after it. */
export const stemOf = (path: string): string =>
  path
    .slice(path.lastIndexOf("/") + 1)
    .replace(/\..*$/, "")
    .replace(/^test_|[_-]?(?:tests?|spec|Tests?|Spec|IT)$/g, "")
    .toLowerCase()

const fileToRead = (file: DiffFile, rows: FormalRows, definitions: DefinitionsOfFile | null): FileToRead | null => {
  const hunks = file.hunks.flatMap((hunk) => {
    const lines = linesToRead(file, hunk, rows)
    return lines.length === 0 ? [] : [hunkToRead(file, hunk, lines, definitions)]
  })
  if (hunks.length === 0) return null
  const lines = hunks.flatMap((hunk) => hunk.lines)
  const changed = new Set(lines.flatMap(({ newLine }) => newLine ?? []))
  return {
    path: file.path,
    group: definitions === null ? "other" : isTestPath(file.path) ? "test" : "code",
    hunks,
    risk: Math.max(...hunks.map(({ risk }) => risk)),
    size: lines.length,
    defines: (definitions?.head ?? []).flatMap(({ line, name }) =>
      changed.has(line) && name.length > 2 ? [name] : []
    ),
    words: new Set(lines.flatMap(({ text }) => text.match(/[\p{L}\p{N}_$]+/gu) ?? []))
  }
}

const linesToRead = ({ path }: DiffFile, hunk: Hunk, rows: FormalRows): ReadonlyArray<DiffLine> =>
  hunk.lines.filter(({ kind, newLine, oldLine }) => {
    if (kind === "context") return false
    if (kind === "added") return !rows.hasAdded(path, (newLine ?? 0) - 1)
    return !rows.hasDeleted(path, (oldLine ?? 0) - 1)
  })

const condition =
  /^\s*(?:\}?\s*(?:else\s+)?if\b|elif\b|elsif\b|unless\b|guard\b|assert\b|throw\b|raise\b|catch\b|except\b|rescue\b)/

const hunkToRead = (
  { path }: DiffFile,
  hunk: Hunk,
  lines: ReadonlyArray<DiffLine>,
  definitions: DefinitionsOfFile | null
): HunkToRead => {
  const firstAdded = lines.find(({ newLine }) => newLine !== null)?.newLine
  const line = firstAdded ?? Math.max(1, hunk.newStart)
  const count = (kind: DiffLine["kind"]) =>
    lines.filter((each) => each.kind === kind && condition.test(each.text)).length
  const at = (kind: DiffLine["kind"]) =>
    new Set(
      lines.flatMap((each) => (each.kind === kind ? [(kind === "added" ? each.newLine : each.oldLine) ?? 0] : []))
    )
  const [deleted, added] = [at("deleted"), at("added")]
  const [old, now] = [
    (definitions?.base ?? []).filter((each) => deleted.has(each.line)),
    (definitions?.head ?? []).filter((each) => added.has(each.line))
  ]
  const isKept = ({ name }: Definition) => now.some((each) => each.name === name)
  const isNew = ({ name }: Definition) => definitions?.base.some((each) => each.name === name) !== true
  const removed = old.find((each) => !isKept(each) && definitions?.head.some(({ name }) => name === each.name) !== true)
  const resigned = old.find(isKept)
  const fresh = now.find(isNew)
  const body = innermost(definitions?.head ?? [], line)
  const reasons: ReadonlyArray<readonly [reason: string | null, risk: number]> = [
    [count("deleted") > count("added") ? "deletes a condition" : null, 5],
    [resigned === undefined ? null : `changes the declaration of ${resigned.name}`, 4],
    [removed === undefined ? null : `removes ${removed.name}`, 3],
    [fresh === undefined ? null : `adds ${fresh.name}`, 2],
    [body === null ? null : `changes ${body.name}`, 1]
  ]
  const [reason, risk] = reasons.find((each) => each[0] !== null) ?? [null, 0]
  return { file: path, line, lines, reason: reason ?? plural(lines.length, "changed line"), risk }
}

const innermost = (definitions: ReadonlyArray<Definition>, line: number): Definition | null =>
  definitions
    .filter((each) => each.line <= line && line <= each.endLine)
    .reduce<Definition | null>((best, each) => (best === null || each.line >= best.line ? each : best), null)
