/** How much there is to read. */
import { Effect } from "effect"
import type { Found } from "../../domain/brief/Brief.ts"
import type { Form } from "../../domain/brief/Form.ts"
import type { Size } from "../../domain/brief/Size.ts"
import {
  type ClusterFile,
  canBeInCluster,
  clustersOf,
  distinctiveWords,
  minutesFor
} from "../../domain/brief/sizeOf.ts"
import { type Change, lineCounts } from "../../domain/change/Change.ts"
import type { DiffFile } from "../../domain/change/Diff.ts"
import { isBinaryPath, isTestPath } from "../../domain/change/PathKind.ts"
import { whyUnread } from "../../domain/change/remote/whyUnread.ts"
import type { Definition } from "../../domain/code/Symbol.ts"
import { someNames } from "../../domain/text/plural.ts"
import { grammarOf } from "../../languages/languages.ts"
import { forEachFile } from "../change/progress/FileCounts.ts"
import { Sources } from "../change/Sources.ts"
import { SymbolIndex } from "../code/SymbolIndex.ts"

/** Files of a change that are compared to find its parts. */
export const mostFiles = 200
const shortestName = 4

export const sizeOf = Effect.fn("brief.sizeOf")(function* (change: Change, form: Form) {
  const { files } = change.diff
  const { added, deleted } = lineCounts(change.diff)
  const unread = files.filter((file) => whyUnread(file) !== null && !isBinaryPath(file.path))
  const reasons = Map.groupBy(unread, whyUnread)
  const reading = form.lines - form.formal
  const compared = files.filter(
    ({ hunks, path }) => hunks.length > 0 && grammarOf(path) !== null && canBeInCluster(path)
  )
  const isBounded = compared.length <= mostFiles
  const clusters = isBounded ? clustersOf(yield* forEachFile("symbols", compared, clusterFile)) : []
  const size: Size = {
    files: files.length,
    added,
    deleted,
    reading,
    minutes: unread.length > 0 ? null : minutesFor(reading),
    clusters
  }
  const omitted = [
    ...[...reasons].map(([why, some]) => `lines of ${someNames(some.map(({ path }) => path))}: ${why}`),
    ...(isBounded ? [] : [`whether a change of ${compared.length} files with code has independent parts`])
  ]
  const found: Found<Size> = { found: size, omitted }
  return found
})

/** What ties a changed file to others. */
export const clusterFile = Effect.fnUntraced(function* (file: DiffFile) {
  const sources = yield* Sources
  const index = yield* SymbolIndex
  const { hunks, newPath, oldPath, path } = file
  const source = newPath === null ? yield* sources.base(oldPath ?? path) : yield* sources.head(newPath)
  const before = yield* index.symbolsBefore(file)
  const symbols = newPath === null ? before : yield* index.symbols(newPath)
  const changed = hunks.flatMap(({ lines }) => lines.filter(({ kind }) => kind !== "context").map(({ text }) => text))
  const lines = source._tag === "Text" ? source.lines : []
  const edited = editedIn(symbols?.definitions ?? [], changedLines(file, newPath === null ? "base" : "head"))
  // A test may reach what is changed by any of its helpers.
  const read = isTestPath(path) ? lines : edited.flatMap(({ endLine, line }) => lines.slice(line - 1, endLine))
  const cluster: ClusterFile = {
    path,
    changedLines: changed.length,
    words: new Set([...read, ...changed].flatMap((line) => line.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? [])),
    changedWords: new Set(distinctiveWords(changed.join("\n"))),
    names: [
      ...edited.flatMap(({ container, name }) => [name, container ?? ""]),
      ...removedNames(before?.definitions ?? [], symbols?.definitions ?? []),
      ...moduleNames(path)
    ].filter((name) => name.length >= shortestName)
  }
  return cluster
})

const removedNames = (before: ReadonlyArray<Definition>, after: ReadonlyArray<Definition>): ReadonlyArray<string> => {
  const left = new Set(after.map(({ name }) => name))
  return before.flatMap(({ name }) => (left.has(name) ? [] : [name]))
}

/** Of one side: the changed lines, and those beside lines that only the other side has. */
const changedLines = ({ hunks }: DiffFile, side: "base" | "head"): ReadonlyArray<number> =>
  hunks.flatMap(({ lines, newStart, oldStart }) => {
    let next = side === "base" ? oldStart : newStart
    return lines.flatMap(({ kind, newLine, oldLine }) => {
      const at = (side === "base" ? oldLine : newLine) ?? next
      next = Math.max(next, at + (kind === (side === "base" ? "added" : "deleted") ? 0 : 1))
      return kind === "context" ? [] : [at]
    })
  })

/** The innermost definitions around these lines. */
const editedIn = (definitions: ReadonlyArray<Definition>, lines: ReadonlyArray<number>): ReadonlyArray<Definition> => {
  const found = new Set<Definition>()
  for (const at of lines) {
    const around = definitions.filter(({ endLine, line }) => line <= at && at <= endLine)
    const inner = around.sort((a, b) => b.line - a.line || a.endLine - b.endLine)[0]
    if (inner !== undefined) found.add(inner)
  }
  return [...found]
}

/** Imports name a file by its stem or its folder. */
const moduleNames = (path: string): ReadonlyArray<string> => {
  const [file = "", folder] = path.split("/").toReversed()
  const stem = file.replace(/\..*$/, "")
  const isFolder = /^(?:index|mod|lib|main|__init__)$/.test(stem) || file.endsWith(".go")
  return isFolder && folder !== undefined ? [folder] : [stem.replace(/^test_|_test$|Test$/g, "")]
}
