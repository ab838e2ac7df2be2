/**
 * Renders a diff for a reviewer, each line with its number after the change, within a number of tokens.
 *
 * Source is first, each file with the tests named after it, then other tests, configuration and documents. Room is given
 * to source before tests; of a file that does not fit, as many hunks as possible are shown. Missing parts are marked in
 * their place and listed.
 */

import { stemOf } from "../domain/brief/form/readingOrder.ts"
import type { DiffFile, DiffLine, Hunk } from "../domain/change/Diff.ts"
import { isMachineWritten, isTestPath } from "../domain/change/PathKind.ts"
import { rangesOf, type SeenLines } from "../domain/change/SeenLines.ts"
import { isDocument } from "../domain/change/TestFile.ts"
import { type DiffWidths, widestOf } from "../domain/pack/DiffWidths.ts"
import { tokenEstimate } from "../domain/text/tokenEstimate.ts"

export interface DiffExcerpt {
  readonly text: string
  /** Files that are not shown completely, in the order of the diff. */
  readonly left: ReadonlyArray<{ readonly path: string; readonly why: string }>
  /** The lines that are shown completely. */
  readonly shown: ReadonlyArray<SeenLines>
}

/** A line that is cut counts as not shown. */
const longestLine = 2_000
/** A file gets at most this share of the tokens, if there are others. */
const largestShare = 0.4
/** With fewer tokens left, a file is not started. */
const leastRoom = 200

/** If all of the diff fits into `tokens`, with up to `around` tokens more of unchanged lines around its changes. */
export const widestDiffText = (files: ReadonlyArray<DiffWidths>, tokens: number, around: number): DiffExcerpt => {
  const narrow = files.map((each) => each.narrow)
  const needed = narrow.reduce((sum, file) => sum + tokensOf(file), 0)
  return needed <= tokens
    ? diffText(widestOf(files, around, rankOf, tokensOf), tokens + around)
    : diffText(narrow, tokens + around)
}

export const diffText = (files: ReadonlyArray<DiffFile>, tokens: number): DiffExcerpt => {
  const left = new Map<DiffFile, string>()
  const shown = new Map<DiffFile, string>()
  const lines = new Map<DiffFile, ReadonlyArray<DiffLine>>()
  const rendered = files.map((file) => ({ file, rank: rankOf(file), hunks: file.hunks.map(hunkText) }))
  const needed = files.reduce((sum, file) => sum + tokensOf(file), 0)
  let room = tokens
  for (const { file, hunks, rank } of rendered.toSorted((a, b) => a.rank - b.rank)) {
    const hidden = hiddenBecause(file, rank)
    if (hidden !== null) {
      left.set(file, hidden)
      continue
    }
    const whole = hunks.reduce((sum, hunk) => sum + tokenEstimate(hunk), tokenEstimate(headOf(file)))
    const own =
      files.length === 1 || needed <= tokens ? room : Math.min(room, Math.max(tokens * largestShare, leastRoom))
    if (whole <= own) {
      shown.set(file, [headOf(file), ...hunks].join("\n"))
      lines.set(
        file,
        file.hunks.flatMap((hunk) => hunk.lines)
      )
      room -= whole
    } else if (own >= leastRoom) {
      const part = partOf(hunks, own - tokenEstimate(headOf(file)))
      shown.set(file, [headOf(file), part.text, `[${part.missing} of ${file.path} not shown]`].join("\n"))
      left.set(file, `${part.missing} not shown`)
      lines.set(
        file,
        file.hunks.flatMap((hunk, at) => hunk.lines.slice(0, part.lines[at] ?? 0))
      )
      room -= tokenEstimate(part.text)
    } else left.set(file, `not shown: ${sizeOf(file)}`)
  }
  return {
    text: inReadingOrder(files)
      .flatMap((file) => shown.get(file) ?? [])
      .join("\n\n"),
    left: files.flatMap((file) => {
      const why = left.get(file)
      return why === undefined ? [] : [{ path: file.path, why }]
    }),
    shown: files.flatMap((file) =>
      rangesOf(
        file,
        (lines.get(file) ?? []).filter(({ text }) => text.length <= longestLine)
      )
    )
  }
}

/** The tokens of each hunk of a file, with the line that names the file; empty if only its name is shown. */
export const hunkTokens = (file: DiffFile): ReadonlyArray<number> =>
  hiddenBecause(file, rankOf(file)) === null
    ? file.hunks.map((hunk, at) => tokenEstimate(hunkText(hunk)) + (at === 0 ? tokenEstimate(headOf(file)) : 0))
    : []

const tokensOf = (file: DiffFile): number => hunkTokens(file).reduce((sum, each) => sum + each, 0)

/** `added, +10 -2`. */
export const sizeOf = (file: DiffFile): string => {
  const count = (kind: DiffLine["kind"]) =>
    file.hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.kind === kind).length, 0)
  return file.binary ? `${file.status}, binary` : `${file.status}, +${count("added")} -${count("deleted")}`
}

const rankOf = ({ path }: DiffFile): number => {
  if (isMachineWritten(path)) return 4
  if (isTestPath(path)) return 1
  if (isDocument(path)) return 3
  return /\.(?:json|ya?ml|toml|ini|cfg|lock|xml|svg|csv)$/i.test(path) ? 2 : 0
}

const inReadingOrder = (files: ReadonlyArray<DiffFile>): ReadonlyArray<DiffFile> => {
  const subjects = new Map<string, DiffFile>()
  for (const file of files) {
    const stem = stemOf(file.path)
    if (rankOf(file) === 0 && !subjects.has(stem)) subjects.set(stem, file)
  }
  const subjectOf = (file: DiffFile) => (rankOf(file) === 1 ? subjects.get(stemOf(file.path)) : undefined)
  const testsOf = Map.groupBy(files, subjectOf)
  return files
    .toSorted((a, b) => rankOf(a) - rankOf(b))
    .flatMap((file) => (subjectOf(file) === undefined ? [file, ...(testsOf.get(file) ?? [])] : []))
}

const hiddenBecause = (file: DiffFile, rank: number): string | null => {
  if (file.binary) return "binary"
  if (file.hunks.length === 0)
    return file.unread ?? (file.status === "renamed" ? "renamed, not changed" : "no lines changed")
  return rank === 4 ? `written by a machine or by others: ${sizeOf(file)}` : null
}

const headOf = (file: DiffFile): string => {
  const from = file.oldPath !== null && file.oldPath !== file.path ? `, before ${file.oldPath}` : ""
  return `=== ${file.path} (${sizeOf(file)}${from})`
}

const hunkText = ({ lines, newCount, newStart, section }: Hunk): string => {
  const width = String(newStart + newCount).length
  const body = lines.map(({ kind, newLine, text }) => {
    const number = newLine === null ? "" : String(newLine)
    const sign = kind === "added" ? "+" : kind === "deleted" ? "-" : " "
    return `${number.padStart(width)} ${sign} ${cutLongLine(text)}`.trimEnd()
  })
  return [`@@ line ${newStart}${section === "" ? "" : ` ${cutLongLine(section)}`} @@`, ...body].join("\n")
}

export const cutLongLine = (text: string): string => {
  const line = text.endsWith("\r") ? text.slice(0, -1) : text
  return line.length <= longestLine
    ? line
    : `${line.slice(0, longestLine)} [${line.length - longestLine} more characters]`
}

interface Part {
  readonly text: string
  readonly missing: string
  /** The number of lines of each hunk in the text. */
  readonly lines: ReadonlyArray<number>
}

/** The first hunks that fit, and as many lines of the next one as fit. */
const partOf = (hunks: ReadonlyArray<string>, tokens: number): Part => {
  const kept: Array<string> = []
  const counts: Array<number> = []
  let room = tokens
  for (const [at, hunk] of hunks.entries()) {
    const size = tokenEstimate(hunk)
    if (size <= room) {
      kept.push(hunk)
      counts.push(Number.POSITIVE_INFINITY)
      room -= size
      continue
    }
    const lines = hunk.split("\n")
    const some: Array<string> = []
    for (const line of lines) {
      room -= tokenEstimate(line) + 1
      if (room < 0) break
      some.push(line)
    }
    if (some.length > 1) kept.push(some.join("\n"))
    // The first line is the header of the hunk, which may not fit either.
    counts.push(Math.max(0, some.length - 1))
    const cut = lines.length - some.length
    const rest = hunks.length - at - 1
    const missing = [
      ...(some.length > 1 ? [`${cut} ${cut === 1 ? "line" : "lines"} of a hunk`] : ["a hunk"]),
      ...(rest > 0 ? [`${rest} more ${rest === 1 ? "hunk" : "hunks"}`] : [])
    ]
    return { text: kept.join("\n"), missing: missing.join(" and "), lines: counts }
  }
  return { text: kept.join("\n"), missing: "nothing", lines: counts }
}
