/** What history says of the changed lines. */
import { Effect } from "effect"
import type { Found } from "../../domain/brief/Brief.ts"
import type { PastChange } from "../../domain/brief/History.ts"
import {
  broughtBack,
  type FixedFile,
  isFix,
  keysOf,
  oftenFixed,
  type PastFix,
  removedFixes
} from "../../domain/brief/pastFixes.ts"
import type { Change } from "../../domain/change/Change.ts"
import type { DiffFile } from "../../domain/change/Diff.ts"
import { pathsBefore } from "../../domain/change/filesOfDiff.ts"
import { type PastCommit, touching } from "../../domain/change/PastCommit.ts"
import { isMachineWritten, isTestPath } from "../../domain/change/PathKind.ts"
import { compareText } from "../../domain/text/compareText.ts"
import { plural } from "../../domain/text/plural.ts"
import { languageOf } from "../../languages/languages.ts"
import { Sources } from "../change/Sources.ts"

const filesCompared = 200
const fixesOfFile = 30
const fixesRead = 200
/** A larger commit is not a fix of any of its files. */
const largestFix = 30
/** Of each kind. */
const shown = 5

export const historyOf = Effect.fn("brief.historyOf")(function* (change: Change) {
  const { files, now, omitted } = yield* fixedFiles(change, change.diff.files)
  if (files.length === 0) {
    const nothing: Found<ReadonlyArray<PastChange>> = { found: [], omitted }
    return nothing
  }
  const keys = (kind: "added" | "deleted") =>
    keysOf(
      change.diff.files.flatMap(({ hunks }) =>
        hunks.flatMap(({ lines }) => lines.flatMap((line) => (line.kind === kind ? [line.text] : [])))
      )
    )
  const [added, deleted] = [keys("added"), keys("deleted")]
  const all = [
    files.flatMap((file) => removedFixes(file, added)).sort(byShare),
    files.flatMap((file) => broughtBack(file, deleted)).sort(byShare),
    files.flatMap((file) => oftenFixed(file, now)).sort((a, b) => b.lines - a.lines || compareText(a.file, b.file))
  ]
  const found: Found<ReadonlyArray<PastChange>> = {
    found: all.flatMap((some) => some.slice(0, shown)),
    omitted
  }
  return found
})

const byShare = (a: PastChange, b: PastChange): number =>
  b.lines / b.of - a.lines / a.of || b.lines - a.lines || compareText(a.file, b.file) || a.line - b.line

/** These changed files with the fixes that touched them. */
export const fixedFiles = Effect.fnUntraced(function* (change: Change, changed: ReadonlyArray<DiffFile>) {
  const sources = yield* Sources
  const { commits, omitted } = yield* sources.history.commits
  const compared = changed.filter(isCompared)
  const files = compared.slice(0, filesCompared)
  const fixesOf = fixesByPath(commits, pathsBefore(change.diff))
  const wanted = [...new Set([...fixesOf.values()].flatMap((some) => some.map(({ commit }) => commit)))].sort(
    (a, b) => b.time - a.time || compareText(a.sha, b.sha)
  )
  const read = wanted.slice(0, fixesRead)
  const edits = yield* sources.history.edits(read.map(({ sha }) => sha))
  const editsOf = new Map(read.map(({ sha }, at) => [sha, edits[at] ?? null]))
  const unread = edits.filter((each) => each === null).length
  yield* sources.preload(
    files.map(({ path }) => path),
    files.flatMap(({ oldPath }) => oldPath ?? [])
  )
  const found: Array<FixedFile> = []
  for (const file of files) {
    const commitsOf = fixesOf.get(file.oldPath ?? file.path) ?? []
    if (commitsOf.length === 0) continue
    const base = yield* sources.base(file.oldPath ?? file.path)
    const head = yield* sources.head(file.path)
    found.push({
      file,
      fixes: commitsOf.flatMap(({ commit, path }): ReadonlyArray<PastFix> => {
        const edit = editsOf.get(commit.sha)?.find((each) => each.path === path)
        return [{ commit, edit: edit ?? { path, added: [], deleted: [] } }]
      }),
      base: base._tag === "Text" ? base.lines : [],
      head: head._tag === "Text" ? head.lines : []
    })
  }
  return {
    files: found,
    /** The time of the newest commit before the change. */
    now: commits[0]?.time ?? 0,
    omitted: [
      ...omitted,
      ...(compared.length > files.length
        ? [`earlier fixes of ${plural(compared.length - files.length, "changed file")}`]
        : []),
      ...(wanted.length > read.length
        ? [`the lines of ${plural(wanted.length - read.length, "older fix", "older fixes")}`]
        : []),
      ...(unread > 0 ? [`the lines of earlier fixes (${unread}), which this clone may lack`] : [])
    ]
  }
})

const isCompared = ({ binary, path }: DiffFile): boolean =>
  !binary && languageOf(path) !== null && !isMachineWritten(path) && !isTestPath(path)

/** The newest fixes of each file, with the name that it had then. */
const fixesByPath = (commits: ReadonlyArray<PastCommit>, paths: ReadonlyArray<string>) => {
  const wanted = new Set(paths)
  const found = new Map<string, Array<{ readonly commit: PastCommit; readonly path: string }>>()
  for (const { commit, names } of touching(commits, paths)) {
    if (commit.files.length > largestFix || !isFix(commit)) continue
    for (const [at, name] of names.entries()) {
      if (!wanted.has(name)) continue
      const known = found.get(name) ?? []
      if (known.length < fixesOfFile) known.push({ commit, path: commit.files[at]!.path })
      found.set(name, known)
    }
  }
  return found
}
