/**
 * Which hunks change only the form of the code: moves, renames, layout, comments, the order of imports, generated and
 * vendored files. Decided on the syntax trees of both sides.
 */
import { Effect } from "effect"
import type { Found } from "../../domain/brief/Brief.ts"
import type { Form } from "../../domain/brief/Form.ts"
import type { CodeSide } from "../../domain/brief/form/CodeSide.ts"
import { readCode } from "../../domain/brief/form/CodeSide.ts"
import { mostJoined, type Run, runsOf } from "../../domain/brief/form/changedRuns.ts"
import { FormalRows, formalHunks } from "../../domain/brief/form/formalRows.ts"
import { formCandidates } from "../../domain/brief/form/formCandidates.ts"
import { reorderedImports } from "../../domain/brief/form/importOrder.ts"
import { type MoveSide, movesBetween } from "../../domain/brief/form/moves.ts"
import { hasHiddenCharacters, isBlankChange, sameData } from "../../domain/brief/form/plainText.ts"
import { type DefinitionsOfFile, readingOrder } from "../../domain/brief/form/readingOrder.ts"
import { type NameChange, type NameScope, renames } from "../../domain/brief/form/renames.ts"
import { compare, type NamePair } from "../../domain/brief/form/sameCode.ts"
import { type Change, lineCounts } from "../../domain/change/Change.ts"
import type { DiffFile } from "../../domain/change/Diff.ts"
import { isGeneratedPath, isLockfile, isMarkedGenerated, isVendoredPath } from "../../domain/change/PathKind.ts"
import { eachAlone } from "../../domain/change/WordPlace.ts"
import { enclosingFunction, qualifiedName } from "../../domain/code/CodeQuery.ts"
import { folderOf } from "../../domain/code/Repository.ts"
import { type Definition, type FileSymbols, type Occurrence, wordPlaces } from "../../domain/code/Symbol.ts"
import type { Rows, SyntaxNode } from "../../domain/code/Syntax.ts"
import { endingsBeside } from "../../languages/imports.ts"
import { grammarFor, grammarOf, languageOf, occurrencesOf } from "../../languages/languages.ts"
import { type Layout, layoutOf } from "../../languages/layout.ts"
import { Sources } from "../change/Sources.ts"
import { SymbolIndex } from "../code/SymbolIndex.ts"
import { SyntaxTrees, type Text } from "../code/SyntaxTrees.ts"

/** With more changed parts, a file may have been reformatted as a whole. */
const fewestOfWhole = 20
/** Files whose trees are read. */
const mostFiles = 300

export const formOf = Effect.fn("brief.formOf")(function* (change: Change) {
  const sources = yield* Sources
  const { files } = change.diff
  const rows = new FormalRows()
  const omitted: Array<string> = []

  const written: Array<DiffFile> = []
  for (const file of files) {
    if (file.hunks.length === 0) continue
    const form = yield* machineForm(file)
    if (form === null) written.push(file)
    else rows.addFile(file, form)
  }
  const parsed = written.filter(
    (file) => grammarOf(file.path) !== null && languageOf(file.oldPath ?? file.path) !== null
  )
  const candidates = formCandidates(parsed, change.diff, (path) => languageOf(path)?.comments.line ?? [])
  const read = [...candidates].slice(0, mostFiles)
  if (read.length < candidates.size) {
    omitted.push(`${candidates.size - read.length} of ${candidates.size} files that may have been reformatted`)
  }
  yield* sources.preload(
    read.flatMap(([{ newPath }]) => newPath ?? []),
    read.flatMap(([{ oldPath }]) => oldPath ?? [])
  )
  for (const file of written) if (!parsed.includes(file)) markPlain(file, rows)

  const codes: Array<FileCode> = []
  for (const [file, hunks] of read) {
    const code = yield* readFile(file, hunks)
    if (typeof code === "string") omitted.push(`${file.path}: ${code}`)
    else codes.push(code)
  }
  const pairs: Array<PairsOfFile> = []
  for (const code of codes) {
    const found = markRuns(code, rows)
    if (found.length > 0) pairs.push({ code, segments: found })
  }
  yield* markRenames(pairs, codes, rows)
  yield* markMoves(codes, rows)
  rows.addBlankNeighbours(codes.map(({ file }) => file))

  const index = yield* SymbolIndex
  const definitions = new Map<string, DefinitionsOfFile>()
  for (const file of parsed.slice(0, mostFiles)) {
    const before = yield* index.symbolsBefore(file)
    const after = file.newPath === null ? null : yield* index.symbols(file.newPath)
    definitions.set(file.path, { base: before?.definitions ?? [], head: after?.definitions ?? [] })
  }
  const hunks = formalHunks(files, rows)
  const { added, deleted } = lineCounts(change.diff)
  const form: Form = {
    lines: added + deleted,
    formal: hunks.reduce((sum, each) => sum + each.added + each.deleted, 0),
    hunks,
    order: readingOrder(files, rows, (path) => definitions.get(path) ?? null)
  }
  const found: Found<Form> = { found: form, omitted: summary(omitted) }
  return found
})

const shownOmissions = 5

const summary = (omitted: ReadonlyArray<string>): ReadonlyArray<string> =>
  omitted.length <= shownOmissions
    ? omitted
    : [...omitted.slice(0, shownOmissions), `${omitted.length - shownOmissions} more files`]

const machineForm = Effect.fnUntraced(function* (file: DiffFile) {
  const { newPath, oldPath, path } = file
  if (isVendoredPath(path)) return "vendored" as const
  if (isGeneratedPath(path) || isLockfile(path)) return "generated" as const
  if (grammarOf(path) === null) return null
  const sources = yield* Sources
  // A mark that the change itself adds to a file does not count.
  const source = oldPath === null ? yield* sources.head(newPath ?? path) : yield* sources.base(oldPath)
  return source._tag === "Text" && isMarkedGenerated(source.lines) ? ("generated" as const) : null
})

/** Without a syntax tree, only blank lines and, in some formats, white space. */
const markPlain = (file: DiffFile, rows: FormalRows): void => {
  for (const run of runsOf(file)) {
    if (isBlankChange(file.path, run) || sameData(file.path, run)) rows.addRun(file, run, "reformatted")
  }
}

interface FileCode {
  readonly file: DiffFile
  readonly runs: ReadonlyArray<Run>
  /** Were all lines of the file read, not only those of the hunks? */
  readonly isWhole: boolean
  readonly base: CodeSide
  readonly head: CodeSide
  readonly layout: Layout
}

const noCode: CodeSide = { tokens: [], comments: [], groups: [], imports: [], lines: [] }

const readFile = Effect.fnUntraced(function* (file: DiffFile, candidates: ReadonlySet<number>) {
  const trees = yield* SyntaxTrees
  const { newPath, oldPath } = file
  const all = runsOf(file)
  const isWhole = all.length > fewestOfWhole
  const runs = all.filter(({ hunk }) => isWhole || candidates.has(hunk))
  const hunks = file.hunks.filter((_, at) => candidates.has(at))
  const ranges = (start: "oldStart" | "newStart", count: "oldCount" | "newCount"): ReadonlyArray<Rows> =>
    isWhole
      ? [{ first: 0, last: Number.POSITIVE_INFINITY }]
      : hunks.map((hunk) => ({ first: hunk[start] - 1, last: hunk[start] + hunk[count] - 1 }))
  const isIn = (side: "base" | "head") => {
    const rows = new Set<number>()
    for (const run of runs) for (let row = run[side].start; row < run[side].end; row++) rows.add(row)
    return (row: number) => rows.has(row)
  }
  const question = (at: string, side: "base" | "head", rows: ReadonlyArray<Rows>) => ({
    ask: (root: SyntaxNode, { lines, text }: Text) => {
      const grammar = grammarFor(at, text)
      if (root.hasError || grammar === null) return "it has a syntax error"
      return { grammar, code: readCode(root, text, lines, rows, isIn(side), layoutOf(grammar)) }
    }
  })
  const head =
    newPath === null ? null : yield* trees.head(newPath, question(newPath, "head", ranges("newStart", "newCount")))
  if (typeof head === "string") return head
  const base =
    oldPath === null ? null : yield* trees.base(file, question(oldPath, "base", ranges("oldStart", "oldCount")))
  if (typeof base === "string") return base
  const isMissing = (newPath !== null && head === null) || (oldPath !== null && base === null)
  const grammar = head?.grammar ?? base?.grammar
  if (isMissing || grammar === undefined) return "it could not be parsed"
  const code: FileCode = {
    file,
    runs,
    isWhole,
    base: base?.code ?? noCode,
    head: head?.code ?? noCode,
    layout: layoutOf(grammar)
  }
  return code
})

/** Runs that differ only in names. */
interface Segment {
  readonly runs: ReadonlyArray<Run>
  readonly pairs: ReadonlyArray<NamePair>
}

interface PairsOfFile {
  readonly code: FileCode
  readonly segments: ReadonlyArray<Segment>
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
      else if (!layout.linesMatter || comparison.hasOtherComments)
        for (const run of joined.runs) rows.addRun(file, run, comparison.hasOtherComments ? "comments" : "reformatted")
    }
  }
  const others = usable.filter((run) => !rows.hasRun(file, run))
  for (const run of reorderedImports(others, base, head, layout.orderedImport)) rows.addRun(file, run, "imports")
  return segments.filter((segment) => !segment.runs.some((run) => rows.hasRun(file, run)))
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

const markRenames = Effect.fnUntraced(function* (
  pairs: ReadonlyArray<PairsOfFile>,
  codes: ReadonlyArray<FileCode>,
  rows: FormalRows
) {
  if (pairs.length === 0) return
  const sources = yield* Sources
  const changes: Array<NameChange> = []
  const bySegment: Array<{ readonly file: DiffFile; readonly segment: Segment; readonly all: Array<NameChange> }> = []
  const places = {
    base: new Map<string, ReadonlyArray<Occurrence>>(),
    head: new Map<string, ReadonlyArray<Occurrence>>()
  }
  for (const { code, segments } of pairs) {
    const read = yield* readNames(code, segments)
    if (read === null) continue
    for (const [word, found] of read.base) places.base.set(`${code.file.path} ${word}`, found)
    for (const [word, found] of read.head) places.head.set(`${code.file.path} ${word}`, found)
    for (const [index, segment] of segments.entries()) {
      const all = read.changes[index] ?? []
      changes.push(...all)
      bySegment.push({ file: code.file, segment, all: [...all] })
    }
  }
  const texts: Array<string> = []
  for (const { file } of codes) {
    const source = file.oldPath === null ? null : yield* sources.base(file.oldPath)
    if (source?._tag === "Text") texts.push(source.text)
  }
  const found = renames(changes, {
    base: (file, name) => places.base.get(`${file} ${name}`) ?? [],
    head: (file, name) => places.head.get(`${file} ${name}`) ?? [],
    isKnownWord: (name) => texts.some((text) => wordPlaces(text, name).length > 0)
  })
  // Whoever still uses an old name of a definition is no longer served.
  const renamed = [...found].filter(({ role }) => role === "definition").map(({ before }) => before)
  const left = yield* stillMentioned(renamed, codes)
  for (const { all, file, segment } of bySegment) {
    if (all.length === 0 || !all.every((each) => found.has(each) && !left.has(each.before))) continue
    for (const run of segment.runs) rows.addRun(file, run, "renamed")
  }
})

/** The names that a file of the head side still has. */
const stillMentioned = Effect.fnUntraced(function* (names: ReadonlyArray<string>, codes: ReadonlyArray<FileCode>) {
  const sources = yield* Sources
  const endings = [...new Set(codes.flatMap(({ file }) => endingsBeside(file.path)))]
  const found = names.length === 0 ? [] : yield* sources.places(eachAlone(names), endings)
  return new Set(found.map(({ word }) => word))
})

/** What the names of these segments are, and the other places of these names in the file. */
const readNames = Effect.fnUntraced(function* ({ file, layout }: FileCode, segments: ReadonlyArray<Segment>) {
  const trees = yield* SyntaxTrees
  const index = yield* SymbolIndex
  const { newPath, oldPath } = file
  const language = languageOf(file.path)
  if (language === null || newPath === null || oldPath === null) return null
  const symbols = yield* index.symbols(newPath)
  const pairs = segments.flatMap((segment) => segment.pairs)
  const old = yield* trees.base(file, {
    ask: (root, { text }) => ({
      scopes: pairs.map(({ before }) => scopeOf(root, before.at, before.text.length)),
      places: new Map(
        [...new Set(pairs.flatMap(({ after, before }) => [after.text, before.text]))].map((word) => [
          word,
          occurrencesOf(language, root, text, word)
        ])
      )
    })
  })
  const now = yield* trees.head(newPath, {
    ask: (root, { text }) => ({
      scopes: pairs.map(({ after }) => scopeOf(root, after.at, after.text.length)),
      kinds: pairs.map(({ after }) => {
        const node = root.descendantForIndex(after.at, after.at + after.text.length)
        return node === null ? null : (language.occurrence(node)?.kind ?? null)
      }),
      places: new Map(
        [...new Set(pairs.map(({ before }) => before.text))].map((word) => [
          word,
          occurrencesOf(language, root, text, word)
        ])
      )
    })
  })
  if (old === null || now === null) return null
  let at = 0
  const changes = segments.map((segment) =>
    segment.pairs.map(({ after, before }): NameChange => {
      const [base, head] = [old.scopes[at], now.scopes[at]]
      const kind = now.kinds[at] ?? null
      at++
      const scope: NameScope | null =
        base?.lines == null || head?.lines == null ? null : { base: base.lines, head: head.lines }
      return {
        file: file.path,
        runs: segment.runs,
        before: before.text,
        after: after.text,
        kind,
        scope,
        role: roleOf(kind, head ?? null, definitionAt(symbols, after.text, after.row + 1), layout)
      }
    })
  )
  return { changes, base: old.places, head: now.places }
})

interface Scope {
  readonly lines: { readonly first: number; readonly last: number } | null
  readonly isParameter: boolean
  /** Is it directly in a class? */
  readonly isMember: boolean
  readonly isNamed: boolean
}

const functionTypes =
  /^(?:(?:generator_)?function(?:_definition|_declaration|_item|_expression)?|method(?:_definition|_declaration)?|singleton_method|arrow_function|func_literal|lambda(?:_expression|_literal)?|closure_expression|anonymous_(?:function|method_expression)|(?:compact_)?constructor_declaration|local_function_statement|(?:de)?init_declaration|secondary_constructor|accessor_declaration|getter|setter)$/
const anonymousTypes = /^(?:arrow_function|func_literal|lambda|closure|anonymous|function_expression)/
const classTypes = /class|struct|interface|enum|impl|trait|object|protocol|record|union|module_body|declaration_list/

const scopeOf = (root: SyntaxNode, at: number, length: number): Scope | null => {
  const node = root.descendantForIndex(at, at + length)
  if (node === null) return null
  let isParameter = false
  let below = node
  for (let up = node.parent; up !== null; below = up, up = up.parent) {
    if (/parameter/.test(up.type)) isParameter = true
    const isOwnName = below.id === node.id && up.childForFieldName("name")?.id === node.id
    if (functionTypes.test(up.type) && !isOwnName) {
      const lines = { first: up.startPosition.row + 1, last: up.endPosition.row + 1 }
      return { lines, isParameter, isMember: false, isNamed: !anonymousTypes.test(up.type) }
    }
    if (classTypes.test(up.type) && !isOwnName) return { lines: null, isParameter, isMember: true, isNamed: true }
  }
  return { lines: null, isParameter, isMember: false, isNamed: true }
}

const definitionAt = (symbols: FileSymbols | null, name: string, line: number): Definition | null =>
  symbols?.definitions.find((each) => each.name === name && each.line <= line && line <= each.line + 5) ?? null

const roleOf = (
  kind: Occurrence["kind"] | null,
  scope: Scope | null,
  definition: Definition | null,
  layout: Layout
): NameChange["role"] => {
  if (scope === null || kind === null) return "none"
  if (kind !== "binding" && kind !== "definition") return "use"
  if (definition !== null && scope.lines === null && !scope.isParameter) return "definition"
  if (scope.isMember) return "none"
  if (scope.isParameter) return layout.namedParameters && scope.isNamed ? "none" : "parameter"
  return "local"
}

const markMoves = Effect.fnUntraced(function* (codes: ReadonlyArray<FileCode>, rows: FormalRows) {
  const index = yield* SymbolIndex
  const [bases, heads]: [Array<MoveSide>, Array<MoveSide>] = [[], []]
  for (const { base, file, head } of codes) {
    if (base.groups.length > 0 && file.oldPath !== null) {
      const symbols = yield* index.symbolsBefore(file)
      bases.push(moveSide(file.path, base, symbols, (row) => !rows.hasDeleted(file.path, row)))
    }
    if (head.groups.length > 0 && file.newPath !== null) {
      const symbols = yield* index.symbols(file.newPath)
      heads.push(moveSide(file.path, head, symbols, (row) => !rows.hasAdded(file.path, row)))
    }
  }
  if (bases.length === 0 || heads.length === 0) return
  const oldPaths = new Map(codes.map(({ file }) => [file.path, file.oldPath ?? file.path]))
  for (const moved of movesBetween(bases, heads)) rows.addMove(moved, oldPaths.get(moved.base.file) ?? moved.base.file)
})

const moveSide = (
  file: string,
  code: CodeSide,
  symbols: FileSymbols | null,
  isFree: (row: number) => boolean
): MoveSide => {
  const definitions = symbols?.definitions ?? []
  const byEnd = Map.groupBy(definitions, ({ endLine }) => endLine)
  const names = Map.groupBy(definitions, qualifiedName)
  const imports = new Map(
    // An import of Go mostly binds the last part of its path.
    symbols?.imports.map(({ local, module, name }) => [local || module.split("/").at(-1), `${module} ${name}`])
  )
  const home = file.endsWith(".go") ? folderOf(file) : file
  const own = new Set(definitions.flatMap(({ container, name }) => (container === null ? [name] : [])))
  return {
    file,
    code,
    isFree,
    // A definition of the file itself is another one in another file, unless it is imported from there.
    bindingOf: (name) => imports.get(name) ?? (own.has(name) || symbols?.bound.has(name) === true ? home : null),
    definitionOf: ({ endRow, row }) => {
      const found = (byEnd.get(endRow + 1) ?? []).filter(({ kind, line }) => kind !== "constant" && line > row)
      const outer = found.toSorted((a, b) => a.line - b.line)[0]
      return outer === undefined ? null : qualifiedName(outer)
    },
    isAmbiguous: (name) => (names.get(name)?.length ?? 0) > 1,
    functionOf: ({ row }) => {
      const around = enclosingFunction(definitions, row + 1)
      return around === null ? null : qualifiedName(around)
    }
  }
}
