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
import { grammarOf } from "../../languages/languages.ts"
import { Sources } from "../change/Sources.ts"
import { SymbolIndex } from "../code/SymbolIndex.ts"

/** Files of a change that are compared to find its parts. */
const mostFiles = 200
const shortestName = 4

export const sizeOf = Effect.fn("brief.sizeOf")(function* (change: Change, form: Form) {
  const { files } = change.diff
  const { added, deleted } = lineCounts(change.diff)
  const unread = files.filter((file) => file.unread !== undefined || file.tooLarge !== undefined)
  const reading = form.lines - form.formal
  const compared = files.filter(
    ({ hunks, path }) => hunks.length > 0 && grammarOf(path) !== null && canBeInCluster(path)
  )
  const isBounded = compared.length <= mostFiles
  const clusters = isBounded ? clustersOf(yield* Effect.forEach(compared, clusterFile)) : []
  const size: Size = {
    files: files.length,
    added,
    deleted,
    reading,
    minutes: unread.length > 0 ? null : minutesFor(reading),
    clusters
  }
  const omitted = [
    ...(unread.length === 0 ? [] : [`lines of ${unread.length} files that are too large or could not be read`]),
    ...(isBounded ? [] : [`whether a change of ${compared.length} files with code has independent parts`])
  ]
  const found: Found<Size> = { found: size, omitted }
  return found
})

const clusterFile = Effect.fnUntraced(function* (file: DiffFile) {
  const sources = yield* Sources
  const index = yield* SymbolIndex
  const { hunks, newPath, oldPath, path } = file
  const source = newPath === null ? yield* sources.base(oldPath ?? path) : yield* sources.head(newPath)
  const symbols = newPath === null ? yield* index.symbolsBefore(file) : yield* index.symbols(newPath)
  const changed = hunks.flatMap(({ lines }) => lines.filter(({ kind }) => kind !== "context").map(({ text }) => text))
  const text = source._tag === "Text" ? source.text : ""
  const defined = (symbols?.definitions ?? []).flatMap(({ container, name }) => (container === null ? [name] : []))
  const cluster: ClusterFile = {
    path,
    changedLines: changed.length,
    words: new Set(text.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu)),
    changedWords: new Set(distinctiveWords(changed.join("\n"))),
    names: [...defined, ...moduleNames(path)].filter((name) => name.length >= shortestName)
  }
  return cluster
})

/** Imports name a file by its stem or its folder. */
const moduleNames = (path: string): ReadonlyArray<string> => {
  const [file = "", folder] = path.split("/").toReversed()
  const stem = file.replace(/\..*$/, "")
  const isFolder = /^(?:index|mod|lib|main|__init__)$/.test(stem) || file.endsWith(".go")
  return isFolder && folder !== undefined ? [folder] : [stem.replace(/^test_|_test$|Test$/g, "")]
}
