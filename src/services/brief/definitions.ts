/** What changed, as a program: definitions, values that others depend on, dependencies. Bounded, never fails. */
import { Effect } from "effect"
import type { Found } from "../../domain/brief/Brief.ts"
import type { DefinitionChange, DependencyChange, ValueChange } from "../../domain/brief/Definitions.ts"
import { type ComparedFile, definitionChanges, type FileVersion } from "../../domain/brief/definitionChanges.ts"
import type { Change } from "../../domain/change/Change.ts"
import { type DiffFile, isLink, isSubmodule } from "../../domain/change/Diff.ts"
import { isMachineWritten, isMarkedGenerated, isTestPath } from "../../domain/change/PathKind.ts"
import type { FileSymbols } from "../../domain/code/Symbol.ts"
import { compareText } from "../../domain/text/compareText.ts"
import { languageOf, languageWithoutRules } from "../../languages/languages.ts"
import { Sources } from "../change/Sources.ts"
import { SymbolIndex } from "../code/SymbolIndex.ts"

/** Changed files whose definitions are compared. */
const filesCompared = 300

export interface Definitions {
  readonly definitions: ReadonlyArray<DefinitionChange>
  readonly values: ReadonlyArray<ValueChange>
  readonly dependencies: ReadonlyArray<DependencyChange>
}

export const definitionsOf = Effect.fn("brief.definitionsOf")(function* (change: Change) {
  const code = change.diff.files.filter(isOwnCode)
  const read = code.filter(({ path }) => languageOf(path) !== null)
  const { compared, omitted } = yield* comparedFiles(read)
  const changes = definitionChanges(compared, change.diff)
  const found: Found<Definitions> = {
    found: { ...changes, dependencies: [] },
    omitted: [...omitted, ...unreadLanguages(code)]
  }
  return found
})

const isOwnCode = (file: DiffFile): boolean =>
  !file.binary && !isSubmodule(file) && !isLink(file) && !isTestPath(file.path) && !isMachineWritten(file.path)

const unreadLanguages = (files: ReadonlyArray<DiffFile>): ReadonlyArray<string> => {
  const names = new Set(
    files.flatMap(({ path }) => (languageOf(path) === null ? (languageWithoutRules(path) ?? []) : []))
  )
  return names.size === 0
    ? []
    : [`definitions in ${[...names].sort(compareText).join(", ")} files, which dd cannot parse`]
}

/** Both sides of the files; of those with a grammar that could be read. */
const comparedFiles = Effect.fnUntraced(function* (files: ReadonlyArray<DiffFile>) {
  const sources = yield* Sources
  const index = yield* SymbolIndex
  const some = files.slice(0, filesCompared)
  yield* sources.preload(
    some.flatMap(({ newPath }) => newPath ?? []),
    some.flatMap(({ oldPath }) => oldPath ?? [])
  )
  const compared: Array<ComparedFile> = []
  let unread = 0
  for (const file of some) {
    const syntax = languageOf(file.path)
    if (syntax === null) continue
    const { newPath, oldPath } = file
    const base = yield* versionOf(oldPath, sources.base, index.symbolsBefore(file))
    const head = yield* versionOf(
      newPath,
      sources.head,
      newPath === null ? Effect.succeed(null) : index.symbols(newPath)
    )
    if (base === "unread" || head === "unread") unread++
    else if (!isMarkedGenerated((head ?? base)?.lines ?? [])) compared.push({ file, syntax, base, head })
  }
  const omitted = [
    ...(unread === 0 ? [] : [`definitions in ${unread} of ${files.length} changed files, which could not be read`]),
    ...(some.length === files.length
      ? []
      : [`definitions in ${files.length - some.length} of ${files.length} changed files, the last ones`])
  ]
  return { compared, omitted }
})

const versionOf = Effect.fnUntraced(function* (
  path: string | null,
  read: Sources["Service"]["head"],
  symbolsOf: Effect.Effect<FileSymbols | null>
) {
  if (path === null) return null
  const source = yield* read(path)
  const symbols = source._tag === "Text" ? yield* symbolsOf : null
  if (source._tag !== "Text" || symbols === null) return "unread" as const
  const version: FileVersion = { path, symbols, lines: source.lines }
  return version
})
