/** What changed, as a program: definitions, values that others depend on, dependencies. Bounded, never fails. */
import { Effect } from "effect"
import type { Found } from "../../domain/brief/Brief.ts"
import { placeText } from "../../domain/brief/briefLines.ts"
import type { DefinitionChange, DependencyChange, ValueChange } from "../../domain/brief/Definitions.ts"
import { type CalledName, calledNames } from "../../domain/brief/definitions/calledNames.ts"
import { changesOf, comparedPair, pairsOf } from "../../domain/brief/definitions/definitionChanges.ts"
import type { ComparedFile, FileVersion } from "../../domain/brief/definitions/definitionItems.ts"
import { pairsIn } from "../../domain/brief/definitions/definitionPairs.ts"
import {
  entryChanges,
  hasEntries,
  indirectChanges,
  manifestChanges
} from "../../domain/brief/definitions/dependencyChanges.ts"
import { exportChanges } from "../../domain/brief/definitions/exportChanges.ts"
import { memberChanges } from "../../domain/brief/definitions/memberChanges.ts"
import {
  type CalledSides,
  type NameReader,
  nameChanges,
  type SharedKind
} from "../../domain/brief/definitions/nameChanges.ts"
import { readableParts } from "../../domain/brief/definitions/readableParts.ts"
import type { Change } from "../../domain/change/Change.ts"
import { type Diff, type DiffFile, isLink, isSubmodule } from "../../domain/change/Diff.ts"
import { changedLines } from "../../domain/change/HunkIndex.ts"
import { isMachineWritten, isMarkedGenerated, isTestPath, isVendoredPath } from "../../domain/change/PathKind.ts"
import { isTestFile } from "../../domain/change/TestFile.ts"
import { eachAlone } from "../../domain/change/WordPlace.ts"
import { ecosystemOf, type Manifest } from "../../domain/code/Manifest.ts"
import type { Mention } from "../../domain/code/SharedName.ts"
import type { FileSymbols } from "../../domain/code/Symbol.ts"
import { compareText } from "../../domain/text/compareText.ts"
import { plural, someNames } from "../../domain/text/plural.ts"
import { isDecidedByText, kindOf, mayHaveCode } from "../../languages/fileKinds.ts"
import { allEndings, casesOf, languageOf, languages } from "../../languages/languages.ts"
import { onlyFirstSide, readingOf } from "../../languages/reading.ts"
import { nameKinds } from "../../rules/structure/sharedNames.ts"
import { forEachFile } from "../change/progress/FileCounts.ts"
import { Sources } from "../change/Sources.ts"
import { SymbolIndex } from "../code/SymbolIndex.ts"
import { SyntaxTrees } from "../code/SyntaxTrees.ts"

/** Changed files whose definitions are compared. */
const filesCompared = 300

export interface Definitions {
  readonly definitions: ReadonlyArray<DefinitionChange>
  readonly values: ReadonlyArray<ValueChange>
  readonly dependencies: ReadonlyArray<DependencyChange>
}

export const definitionsOf = Effect.fn("brief.definitionsOf")(function* (change: Change) {
  const own = change.diff.files.filter(isOwnCode)
  // A file that was only renamed has the same definitions.
  const read = own.filter(
    ({ hunks, path, tooLarge, unread }) =>
      mayHaveCode(path) && (hunks.length > 0 || tooLarge !== undefined || unread !== undefined)
  )
  const { compared, omitted } = yield* comparedFiles(read)
  const { definitions, values } = yield* definitionsIn(compared, change.diff)
  const members = yield* membersIn(compared, definitions)
  const names = yield* namesIn(own)
  const dependencies = yield* dependenciesIn(change.diff.files)
  const listed = new Set(
    members.flatMap(({ file, line, name }) => [
      `${file} ${name}`,
      `${file} ${name.slice(0, name.indexOf("."))}`,
      `${file}:${line} ${lastOf(name)}`
    ])
  )
  const found: Found<Definitions> = {
    found: {
      // A member is reported as a value.
      definitions: [
        ...definitions.filter(
          ({ change, file, kind, line, name }) =>
            !listed.has(`${file}:${line} ${lastOf(name)}`) &&
            (!listed.has(`${file} ${name}`) || (kind !== "field" && !/^(?:signature|body)$/.test(change)))
        ),
        ...compared.flatMap(exportChanges)
      ],
      values: [...values, ...members, ...names.found].toSorted(
        (a, b) => compareText(a.file, b.file) || a.line - b.line || compareText(a.name, b.name)
      ),
      dependencies: dependencies.found
    },
    omitted: [
      ...omitted,
      ...(yield* unreadLanguages(own)),
      ...unreadExamples(change.diff.files),
      ...names.omitted,
      ...dependencies.omitted
    ]
  }
  return found
})

/** By file, because thousands of definitions take seconds. */
const definitionsIn = Effect.fnUntraced(function* (compared: ReadonlyArray<ComparedFile>, diff: Diff) {
  const files = compared.map((each) => ({ path: each.file.path, each }))
  const paired = yield* forEachFile("form", files, ({ each }) => Effect.sync(() => pairsIn(each, diff)))
  const { alone, pairs } = pairsOf(paired)
  const byFile = [...pairs].map(([path, each]) => ({ path, each }))
  const changes = yield* forEachFile("form", byFile, ({ each }) =>
    Effect.forEach(each, (pair) => Effect.sync(() => comparedPair(pair)))
  )
  return changesOf(changes.flat(), alone)
})

const lastOf = (name: string): string => name.slice(name.lastIndexOf(".") + 1)

/** Of types with a closed list of values. */
const membersIn = Effect.fnUntraced(function* (
  compared: ReadonlyArray<ComparedFile>,
  definitions: ReadonlyArray<DefinitionChange>
) {
  const trees = yield* SyntaxTrees
  const edited = new Set(definitions.flatMap(({ file, kind }) => (/^(?:function|method)$/.test(kind) ? [] : [file])))
  const found: Array<ValueChange> = []
  for (const { base, file, head } of compared) {
    const cases = casesOf(file.path)
    if (cases === null || base === null || head === null || !edited.has(head.path)) continue
    if ([base, head].some(({ symbols }) => (symbols.unread ?? []).length > 0)) continue
    const question = { marks: cases.marks, ask: cases.variants }
    const after = yield* trees.head(head.path, question)
    const before = after === null || after.length === 0 ? null : yield* trees.base(file, question)
    if (before !== null && after !== null) found.push(...memberChanges(head.path, before, after))
  }
  return found
})

/** Files whose names of environment variables and the like are compared. */
const isNamed = (path: string): boolean => !/(?:^|\/)\.(?:github|gitlab|circleci)(?:\/|-ci)/.test(path)

const readerOf = (
  rule: string,
  kind: SharedKind,
  isMeant: (mention: Mention, path: string, text: string) => boolean
): ReadonlyArray<NameReader> =>
  nameKinds.flatMap((each) =>
    each.rule !== rule
      ? []
      : [
          {
            kind,
            hint: kind === "setting" ? settingsHint : each.hint,
            names: (path, text) =>
              each.mentions(path, text).flatMap((mention) => (isMeant(mention, path, text) ? [mention.name] : []))
          }
        ]
  )

/** The objects and the annotations that code reads settings from. */
const settingsHint =
  /[cC]onf|[sS]etting|[oO]ption|[pP]ref|[pP]ropert|cfg|viper|[fF]eature|lipper|FunWith|nleash|yaml:|toml:|mapstructure:|koanf:|hcl:|ini:|@Value/

const isCode = (path: string): boolean => languageOf(path) !== null

const readers: ReadonlyArray<NameReader> = [
  // A quoted constant in code may be anything; shell scripts have variables of their own.
  ...readerOf("drift/environment-variable", "environment", ({ role }, path, text) =>
    isCode(path) ? role === "uses" && /env/i.test(text) : role === "defines" && !/\.\w*sh$|akefile|ustfile/.test(path)
  ),
  ...readerOf("drift/settings-key", "setting", ({ role }, path) => role === "uses" && isCode(path))
]

/** Names that are searched for; a change with more adds a scheme. */
const namesSearched = 40

/** An environment variable or a setting that unchanged lines have as well is neither new nor gone. */
const namesIn = Effect.fnUntraced(function* (files: ReadonlyArray<DiffFile>) {
  const sources = yield* Sources
  const code = files.filter(({ hunks, path }) => isCode(path) && hunks.length > 0)
  const read = code.slice(0, filesCompared)
  const called = yield* forEachFile("symbols", read, calledSides)
  const all = nameChanges(
    files.filter(({ path }) => isNamed(path)),
    readers,
    called
  )
  const shared = all.filter(({ kind, name }) => kind === "setting" || (kind === "environment" && name.includes("_")))
  const words = shared.slice(0, namesSearched).map(({ name }) => name)
  const left = new Set(shared.slice(namesSearched))
  const found = all.filter((each) => !left.has(each))
  const omitted = [
    ...(left.size === 0 ? [] : [`names such as settings: the last ${left.size} of ${shared.length}`]),
    ...(read.length === code.length
      ? []
      : [`routes and flags in ${code.length - read.length} of ${plural(code.length, "changed file")}`])
  ]
  if (words.length === 0) return { found, omitted }
  const byPath = new Map(files.map((file) => [file.newPath, file]))
  const isAdded = (file: DiffFile | undefined, line: number) => file !== undefined && changedLines(file).added.has(line)
  const elsewhere = new Set(
    (yield* sources.places(eachAlone(words), allEndings)).flatMap(({ line, path, word }) =>
      isAdded(byPath.get(path), line) ? [] : [word]
    )
  )
  return {
    found: found.filter(({ kind, name }) => !elsewhere.has(name) || !/^(?:environment|setting)$/.test(kind)),
    omitted
  }
})

const calledSides = Effect.fnUntraced(function* (file: DiffFile) {
  const sources = yield* Sources
  const index = yield* SymbolIndex
  const syntax = languageOf(file.path)
  const read = Effect.fnUntraced(function* (
    which: "base" | "head",
    path: string | null,
    symbolsOf: Effect.Effect<FileSymbols | null>
  ) {
    const side = yield* textOf(path, sources[which])
    const lines = side === "unread" ? linesInHunks(file, which) : (side?.lines ?? [])
    const unread = side === null || side === "unread" ? [] : ((yield* symbolsOf)?.unread ?? [])
    const names = syntax === null ? [] : calledNames(file.path, lines, syntax)
    return {
      names,
      unread,
      text: unread.map(({ endLine, line }) => lines.slice(line - 1, endLine).join("\n")).join("\n")
    }
  })
  const { newPath, oldPath } = file
  const base = yield* read("base", oldPath, index.symbolsBefore(file))
  const head = yield* read("head", newPath, newPath === null ? Effect.succeed(null) : index.symbols(newPath))
  const isRead = ({ unread }: typeof base, other: typeof base, { line, name }: Pick<CalledName, "line" | "name">) =>
    !unread.some((part) => part.line <= line && line <= part.endLine) && !other.text.includes(name)
  const sides: CalledSides = {
    file,
    base: base.names.filter((each) => isRead(base, head, each)),
    head: head.names.filter((each) => isRead(head, base, each)),
    isRead: (which, each) => (which === "base" ? isRead(base, head, each) : isRead(head, base, each))
  }
  return sides
})

/** The lines that a patch alone has; the others are empty. */
const linesInHunks = ({ hunks }: DiffFile, which: "base" | "head"): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const { newLine, oldLine, text } of hunks.flatMap(({ lines }) => lines)) {
    const number = which === "base" ? oldLine : newLine
    if (number === null || number > mostLinesOfPatch) continue
    while (lines.length < number) lines.push("")
    lines[number - 1] = text
  }
  return lines
}

/** Lines of a file of a patch in which names are looked for. */
const mostLinesOfPatch = 50_000

/** Entries of lock files that are reported. */
const mostLocked = 400

const dependenciesIn = Effect.fnUntraced(function* (files: ReadonlyArray<DiffFile>) {
  const sources = yield* Sources
  const all = files.filter(({ path }) => !isVendoredPath(path))
  const own = all.filter(({ path }) => !isTestPath(path))
  const ofTests = all.filter(({ path }) => isTestPath(path) && hasDependencies(path)).length
  const entries = own.flatMap(entryChanges)
  const found: Array<DependencyChange> = []
  let [unread, indirect] = [0, 0]
  for (const file of own) {
    const ecosystem = ecosystemOf(file.path)
    if (ecosystem === null) continue
    const [base, head] = [yield* textOf(file.oldPath, sources.base), yield* textOf(file.newPath, sources.head)]
    const [before, after] = [manifestIn(ecosystem, base), manifestIn(ecosystem, head)]
    if (before === null || after === null) unread++
    else {
      const [baseLines, headLines] = [linesOf(base), linesOf(head)]
      found.push(...manifestChanges({ path: file.path, base: before, head: after, baseLines, headLines }))
      indirect += indirectChanges(before, after)
    }
  }
  const required = entries.filter(({ locked }) => !locked)
  const locked = entries.filter((each) => each.locked)
  return {
    found: [...found, ...required, ...locked.slice(0, mostLocked)],
    omitted: [
      ...(unread === 0 ? [] : [`dependencies in ${unread} changed manifests, which could not be read`]),
      ...(ofTests === 0 ? [] : [`dependencies in ${ofTests} changed manifests of tests and examples`]),
      ...(indirect === 0 ? [] : [`${indirect} indirect dependencies that a manifest adds or removes`]),
      ...(locked.length > mostLocked
        ? [`${locked.length - mostLocked} of ${plural(locked.length, "entry", "entries")} of lock files`]
        : [])
    ]
  }
})

const hasDependencies = (path: string): boolean => ecosystemOf(path) !== null || hasEntries(path)

const noManifest: Manifest = { name: null, dependencies: new Map(), indirect: new Set() }

type TextSide = { readonly text: string; readonly lines: ReadonlyArray<string> } | null

const manifestIn = (
  { read }: NonNullable<ReturnType<typeof ecosystemOf>>,
  side: TextSide | "unread"
): Manifest | null => (side === "unread" ? null : side === null ? noManifest : read(side.text))

const linesOf = (side: TextSide | "unread"): ReadonlyArray<string> =>
  side === null || side === "unread" ? [] : side.lines

/** Null for a side without the file. */
const textOf = Effect.fnUntraced(function* (path: string | null, read: Sources["Service"]["head"]) {
  if (path === null) return null
  const source = yield* read(path)
  return source._tag === "Text" ? source : ("unread" as const)
})

const isOwnCode = (file: DiffFile): boolean =>
  !file.binary && !isSubmodule(file) && !isLink(file) && !isTestPath(file.path) && !isMachineWritten(file.path)

/** Code that is neither of the project nor a test. */
const unreadExamples = (files: ReadonlyArray<DiffFile>): ReadonlyArray<string> => {
  const unread = files.filter(
    ({ hunks, path }) =>
      hunks.length > 0 && languageOf(path) !== null && isTestPath(path) && !isTestFile(path) && !isMachineWritten(path)
  ).length
  return unread === 0 ? [] : [`definitions in ${plural(unread, "changed file")} of examples, fixtures and benchmarks`]
}

const unreadLanguages = Effect.fnUntraced(function* (files: ReadonlyArray<DiffFile>) {
  const sources = yield* Sources
  const names = new Set<string>()
  for (const { path } of files.slice(0, filesCompared)) {
    const source = isDecidedByText(path) ? yield* sources.head(path) : null
    const kind = kindOf(path, source?._tag === "Text" ? source.lines : null)
    if (kind !== null && kind.grammar === null && kind.embedding === null) names.add(kind.title)
  }
  return names.size === 0
    ? []
    : [`definitions in ${[...names].sort(compareText).join(", ")} files, which dd cannot parse`]
})

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
  const places: Array<string> = []
  let unread = 0
  const inConflict: Array<string> = []
  const compareSides = Effect.fnUntraced(function* (file: DiffFile) {
    const { newPath, oldPath } = file
    const source = yield* newPath === null ? sources.base(oldPath ?? file.path) : sources.head(newPath)
    const code = source._tag === "Text" ? readingOf(file.path, source.lines) : null
    if (typeof code === "string") unread++
    const syntax = code === null || typeof code === "string" ? languageOf(file.path) : languages[code.grammar]
    if (syntax === null || typeof code === "string") return
    if (code?.note.endsWith(onlyFirstSide)) inConflict.push(file.path)
    // Of a pointer, nothing is known but that it was no code.
    const isNew = oldPath !== null && (yield* sources.base(oldPath))._tag === "Pointer"
    const base = isNew ? null : yield* versionOf(oldPath, sources.base, index.symbolsBefore(file))
    const head = yield* versionOf(
      newPath,
      sources.head,
      newPath === null ? Effect.succeed(null) : index.symbols(newPath)
    )
    if (base === "unread" || head === "unread") unread++
    else if (!isMarkedGenerated((head ?? base)?.lines ?? [])) {
      const { compared: readable, unread: lines } = readableParts({ file, syntax, base, head })
      compared.push(readable)
      places.push(...lines.map((line) => placeText({ file: file.path, line })))
    }
  })
  yield* forEachFile("symbols", some, compareSides)
  const omitted = [
    ...inConflict.map((path) => `definitions in ${path} on the other sides of its conflicts`),
    ...(places.length === 0
      ? []
      : [`definitions at ${someNames([...new Set(places)])}, which the parser did not understand`]),
    ...(unread === 0
      ? []
      : [`definitions in ${unread} of ${plural(files.length, "changed file")}, which could not be read`]),
    ...(some.length === files.length
      ? []
      : [`definitions in ${files.length - some.length} of ${plural(files.length, "changed file")}, the last ones`])
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
  const definitions = [...symbols.definitions, ...(symbols.inner ?? [])]
  const code = readingOf(path, source.lines)
  const lines = (typeof code === "string" ? null : code?.lines) ?? source.lines
  const version: FileVersion = { path, symbols: { ...symbols, definitions }, lines }
  return version
})
