/**
 * Which hunks change only the form of the code: moves, renames, layout, comments, the order of imports, generated and
 * vendored files. Decided on the syntax trees of both sides.
 */
import { Effect } from "effect"
import type { Found } from "../../domain/brief/Brief.ts"
import type { Form } from "../../domain/brief/Form.ts"
import { mostJoined, type Run, runsOf } from "../../domain/brief/form/changedRuns.ts"
import { FormalRows, formalHunks } from "../../domain/brief/form/formalRows.ts"
import { formCandidates } from "../../domain/brief/form/formCandidates.ts"
import { reorderedImports } from "../../domain/brief/form/importOrder.ts"
import { hasHiddenCharacters, hasSameLines, isBlankChange, sameData } from "../../domain/brief/form/plainText.ts"
import { type DefinitionsOfFile, readingOrder } from "../../domain/brief/form/readingOrder.ts"
import { compare } from "../../domain/brief/form/sameCode.ts"
import { type Change, lineCounts } from "../../domain/change/Change.ts"
import type { DiffFile } from "../../domain/change/Diff.ts"
import {
  isGeneratedPath,
  isLockfile,
  isMarkedGenerated,
  isVendoredPath,
  markedInAttributes
} from "../../domain/change/PathKind.ts"
import { commentsIn } from "../../domain/code/Comment.ts"
import { plural } from "../../domain/text/plural.ts"
import { grammarOf, languageOf } from "../../languages/languages.ts"
import { forEachFile } from "../change/progress/FileCounts.ts"
import { Sources } from "../change/Sources.ts"
import { SymbolIndex } from "../code/SymbolIndex.ts"

import { type FileCode, readFile } from "./form/fileCode.ts"
import { markMoves } from "./form/movedRows.ts"
import { markRenames, type PairsOfFile, type Segment } from "./form/renamedRuns.ts"

/** Lines in which the comment at the top of a file is searched. */
const mostHeaderLines = 60
/** Files whose trees are read. */
const mostFiles = 300

export const formOf = Effect.fn("brief.formOf")(function* (change: Change) {
  const sources = yield* Sources
  const { files } = change.diff
  const rows = new FormalRows()
  const omitted: Array<string> = []

  const attributes = yield* sources.base(".gitattributes")
  const isMarked = attributes._tag === "Text" ? markedInAttributes(attributes.text) : () => false
  const written: Array<DiffFile> = []
  for (const file of files) {
    if (file.hunks.length === 0) continue
    const form = yield* machineForm(file, isMarked)
    if (form === null) written.push(file)
    else rows.addFile(file, form)
  }
  const parsed = written.filter(
    (file) => grammarOf(file.path) !== null && languageOf(file.oldPath ?? file.path) !== null
  )
  const candidates = formCandidates(parsed, change.diff, (path) => languageOf(path)?.comments.line ?? [])
  const read = [...candidates].slice(0, mostFiles)
  if (read.length < candidates.size) {
    omitted.push(
      `${candidates.size - read.length} of ${plural(candidates.size, "file")} that may have been reformatted`
    )
  }
  yield* sources.preload(
    read.flatMap(([{ newPath }]) => newPath ?? []),
    read.flatMap(([{ oldPath }]) => oldPath ?? [])
  )
  for (const file of written) if (!parsed.includes(file)) markPlain(file, rows)

  const codes: Array<FileCode> = []
  yield* forEachFile(
    "form",
    read.map(([file]) => file),
    Effect.fnUntraced(function* (file) {
      const code = yield* readFile(file, candidates.get(file) ?? new Set())
      if (typeof code === "string") omitted.push(`${file.path}: ${code}`)
      else codes.push(code)
    })
  )
  const pairs: Array<PairsOfFile> = []
  yield* Effect.forEach(codes, (code) =>
    Effect.sync(() => {
      const found = markRuns(code, rows)
      if (found.length > 0) pairs.push({ code, segments: found })
    })
  )
  yield* markRenames(pairs, codes, rows)
  yield* markMoves(codes, rows)
  rows.addBlankNeighbours(codes.map(({ file }) => file))

  const index = yield* SymbolIndex
  const definitions = new Map<string, DefinitionsOfFile>()
  yield* forEachFile(
    "symbols",
    parsed.slice(0, mostFiles),
    Effect.fnUntraced(function* (file) {
      const before = yield* index.symbolsBefore(file)
      const after = file.newPath === null ? null : yield* index.symbols(file.newPath)
      definitions.set(file.path, { base: before?.definitions ?? [], head: after?.definitions ?? [] })
    })
  )
  const hunks = formalHunks(files, rows)
  const { added, deleted } = lineCounts(change.diff)
  const form: Form = {
    lines: added + deleted,
    formal: hunks.reduce((sum, each) => sum + each.added + each.deleted, 0),
    hunks,
    movedFiles: files.filter(isOnlyMoved).map(({ newPath, oldPath, path }) => ({
      from: oldPath ?? path,
      to: newPath ?? path
    })),
    order: readingOrder(files, rows, (path) => definitions.get(path) ?? null)
  }
  const found: Found<Form> = { found: form, omitted: summary(omitted) }
  return found
})

const shownOmissions = 5

const summary = (omitted: ReadonlyArray<string>): ReadonlyArray<string> =>
  omitted.length <= shownOmissions
    ? omitted
    : [...omitted.slice(0, shownOmissions), plural(omitted.length - shownOmissions, "more file")]

const isOnlyMoved = ({
  binary,
  hunks,
  newMode,
  newOid,
  oldMode,
  oldOid,
  status,
  tooLarge,
  unread
}: DiffFile): boolean =>
  status === "renamed" &&
  hunks.length === 0 &&
  unread === undefined &&
  oldMode === newMode &&
  (oldOid !== null ? oldOid === newOid : !binary && tooLarge === undefined)

const machineForm = Effect.fnUntraced(function* ({ oldPath, path }: DiffFile, isMarked: (path: string) => boolean) {
  if (isVendoredPath(path)) return "vendored" as const
  if (isGeneratedPath(path) || isLockfile(path) || isMarked(path)) return "generated" as const
  const comments = languageOf(path)?.comments
  // A mark that the change itself adds to a file does not count.
  if (oldPath === null || comments === undefined) return null
  const sources = yield* Sources
  const source = yield* sources.base(oldPath)
  if (source._tag !== "Text" || !isMarkedGenerated(source.lines)) return null
  const inComment = new Set(commentsIn(source.lines.slice(0, mostHeaderLines), comments).map(({ line }) => line))
  const header = source.lines.findIndex((line, row) => line.trim() !== "" && !inComment.has(row + 1))
  return isMarkedGenerated(source.lines.slice(0, Math.max(0, header))) ? ("generated" as const) : null
})

/** Without a syntax tree, only blank lines and, in some formats, white space. */
const markPlain = (file: DiffFile, rows: FormalRows): void => {
  for (const run of runsOf(file)) {
    if (isBlankChange(file.path, run) || sameData(file.path, run)) rows.addRun(file, run, "reformatted")
  }
}

/** Marks the runs that change layout, comments or the order of imports; returns those that only change names. */
const markRuns = (code: FileCode, rows: FormalRows): ReadonlyArray<Segment> => {
  const { base, file, head, layout, runs } = code
  if (file.oldPath === null || file.newPath === null) return []
  const usable = runs.filter((run) => !hasHiddenCharacters(run))
  const segments: Array<Segment> = []
  for (let at = 0; at < runs.length; ) {
    const joined = sameFrom(code, at)
    const isUsable = joined?.runs.every((run) => usable.includes(run)) === true
    if (joined === null || !isUsable) at++
    else {
      at += joined.runs.length
      const { comparison } = joined
      if (comparison._tag === "Renamed") segments.push({ runs: joined.runs, pairs: comparison.pairs })
      else if (!layout.linesMatter || comparison.hasOtherComments || isIndentation(code, joined.runs))
        for (const run of joined.runs) rows.addRun(file, run, comparison.hasOtherComments ? "comments" : "reformatted")
    }
  }
  const others = usable.filter((run) => !rows.hasRun(file, run))
  for (const run of reorderedImports(others, base, head, layout.orderedImport)) rows.addRun(file, run, "imports")
  return segments.filter((segment) => !segment.runs.some((run) => rows.hasRun(file, run)))
}

const isIndentation = ({ base, head }: FileCode, runs: ReadonlyArray<Run>): boolean => {
  const [first, last] = [runs[0], runs.at(-1)]
  if (first === undefined || last === undefined) return false
  const lines = (side: "base" | "head", all: ReadonlyArray<string>) => all.slice(first[side].start, last[side].end)
  return hasSameLines(lines("base", base.lines), lines("head", head.lines))
}

/** The fewest runs from this one on that have the same code on both sides, names aside. */
const sameFrom = ({ base, head, isWhole, runs }: FileCode, at: number) => {
  const first = runs[at]!
  const same = (joined: ReadonlyArray<Run>) => {
    const last = joined.at(-1) ?? first
    const before = { start: first.base.start, end: last.base.end }
    const comparison = compare(base, before, head, { start: first.head.start, end: last.head.end })
    return comparison._tag === "Different" ? null : { comparison, runs: joined }
  }
  for (let count = 1; count <= mostJoined; count++) {
    const last = runs[at + count - 1]
    if (last === undefined || (!isWhole && last.hunk !== first.hunk)) return null
    const found = same(runs.slice(at, at + count))
    if (found !== null) return found
  }
  return isWhole ? same(runs.slice(at)) : null
}
