/**
 * Which hunks change only the form of the code: moves, renames, layout, comments, the order of imports, generated and
 * vendored files. Decided on the syntax trees of both sides.
 */
import { Effect } from "effect"
import type { Found } from "../../domain/brief/Brief.ts"
import type { Form } from "../../domain/brief/Form.ts"
import type { CodeSide } from "../../domain/brief/form/CodeSide.ts"
import { isOpaque, readCode } from "../../domain/brief/form/CodeSide.ts"
import { mostJoined, type Run, runsOf } from "../../domain/brief/form/changedRuns.ts"
import { FormalRows, formalHunks } from "../../domain/brief/form/formalRows.ts"
import { formCandidates } from "../../domain/brief/form/formCandidates.ts"
import { reorderedImports } from "../../domain/brief/form/importOrder.ts"
import { type MoveSide, movesBetween } from "../../domain/brief/form/moves.ts"
import { hasHiddenCharacters, hasSameLines, isBlankChange, sameData } from "../../domain/brief/form/plainText.ts"
import { type DefinitionsOfFile, readingOrder } from "../../domain/brief/form/readingOrder.ts"
import { type NameChange, type NameScope, renames } from "../../domain/brief/form/renames.ts"
import { compare, type NamePair } from "../../domain/brief/form/sameCode.ts"
import { type Change, lineCounts } from "../../domain/change/Change.ts"
import type { DiffFile } from "../../domain/change/Diff.ts"
import {
  isGeneratedPath,
  isLockfile,
  isMarkedGenerated,
  isVendoredPath,
  markedInAttributes
} from "../../domain/change/PathKind.ts"
import { eachAlone } from "../../domain/change/WordPlace.ts"
import { qualifiedName } from "../../domain/code/CodeQuery.ts"
import { commentsIn } from "../../domain/code/Comment.ts"
import { folderOf, type Repository, remembered, repositoryOf } from "../../domain/code/Repository.ts"
import {
  type Definition,
  type FileSymbols,
  type ImportedName,
  type Occurrence,
  wordPlaces
} from "../../domain/code/Symbol.ts"
import type { Rows, SyntaxNode } from "../../domain/code/Syntax.ts"
import { endingsBeside } from "../../languages/imports.ts"
import { grammarFor, grammarOf, languageOf, occurrencesOf } from "../../languages/languages.ts"
import { type Layout, layoutOf } from "../../languages/layout.ts"
import { Sources } from "../change/Sources.ts"
import { linkOf } from "../code/NameResolver.ts"
import { SymbolIndex } from "../code/SymbolIndex.ts"
import { SyntaxTrees, type Text } from "../code/SyntaxTrees.ts"

/** With more changed parts, a file may have been reformatted as a whole. */
const fewestOfWhole = 20
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
    : [...omitted.slice(0, shownOmissions), `${omitted.length - shownOmissions} more files`]

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
  const lookedUp = new Map<string, LookedUp>()
  for (const { code, segments } of pairs) {
    const read = yield* readNames(code, segments)
    if (read === null) continue
    for (const [word, found] of read.base) places.base.set(`${code.file.path} ${word}`, found)
    for (const [word, found] of read.head) places.head.set(`${code.file.path} ${word}`, found)
    lookedUp.set(code.file.path, read.lookedUp)
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
    isLookedUp: (file, name) => {
      const names = lookedUp.get(file)
      return names === "all" || names?.has(name) === true
    },
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
      lookedUp: namesLookedUp(root, text, layout),
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
      lookedUp: namesLookedUp(root, text, layout),
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
  const lookedUp: LookedUp =
    old.lookedUp === "all" || now.lookedUp === "all" ? "all" : new Set([...old.lookedUp, ...now.lookedUp])
  return { changes, base: old.places, head: now.places, lookedUp }
})

/** "all": variables are looked up by name. */
type LookedUp = ReadonlySet<string> | "all"

/** Calls that find variables by their names. */
const lookups =
  /(?<![.\w])(?:eval|exec|locals|globals|vars|instance_eval|compact|extract|get_defined_vars|parse_str)\s*\(|\bbinding[.)]/

/** Names that strings of the file contain as code. */
const namesLookedUp = (root: SyntaxNode, text: string, layout: Layout): LookedUp => {
  if (lookups.test(text)) return "all"
  const names = new Set<string>()
  const visit = (node: SyntaxNode): void => {
    if (!isOpaque(node, text, layout)) {
      for (const child of node.children) visit(child)
      return
    }
    const written = text.slice(node.startIndex, node.endIndex)
    if (!layout.namesInStrings.test(written)) return
    for (const word of written.match(/[\p{L}_][\p{L}\p{N}_]*/gu) ?? []) names.add(word)
  }
  visit(root)
  return names
}

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
const classTypes =
  /^(?:class|module|singleton_class|class_body|interface_body|enum_body|declaration_list|object_type|companion_object)$|(?:class|struct|interface|enum|impl|trait|object|protocol|record)_(?:declaration|definition|specifier|item|type|body)$/

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
  const sources = yield* Sources
  const isFrom = ({ base, file }: FileCode) => base.groups.length > 0 && file.oldPath !== null
  const isTo = ({ file, head }: FileCode) => head.groups.length > 0 && file.newPath !== null
  if (!codes.some(isFrom) || !codes.some(isTo)) return
  const paths = yield* sources.headPaths
  const old = codes.flatMap(({ file }) => file.oldPath ?? []).filter((path) => !paths.includes(path))
  const repository = repositoryOf([...paths, ...old], new Map())
  const [bases, heads]: [Array<MoveSide>, Array<MoveSide>] = [[], []]
  for (const code of codes) {
    const { base, file, head, layout } = code
    if (isFrom(code)) {
      const symbols = yield* index.symbolsBefore(file)
      const at = { key: file.path, path: file.oldPath ?? file.path, repository }
      bases.push(moveSide(at, base, layout, symbols, (row) => !rows.hasDeleted(file.path, row)))
    }
    if (isTo(code)) {
      const symbols = yield* index.symbols(file.newPath ?? file.path)
      const at = { key: file.path, path: file.newPath ?? file.path, repository }
      heads.push(moveSide(at, head, layout, symbols, (row) => !rows.hasAdded(file.path, row)))
    }
  }
  const oldPaths = new Map(codes.map(({ file }) => [file.path, file.oldPath ?? file.path]))
  for (const moved of movesBetween(bases, heads)) rows.addMove(moved, oldPaths.get(moved.base.file) ?? moved.base.file)
})

interface MovePlace {
  /** The path in the diff. */
  readonly key: string
  readonly path: string
  readonly repository: Repository
}

/** Statements that are no definition, although a definition may end with them. */
const otherTypes = /^(?:expression_statement|if|try|with|for|while|match|switch|unless|begin|case|rescue)/

const moveSide = (
  { key, path, repository }: MovePlace,
  code: CodeSide,
  layout: Layout,
  symbols: FileSymbols | null,
  isFree: (row: number) => boolean
): MoveSide => {
  const definitions = symbols?.definitions ?? []
  const byEnd = Map.groupBy(definitions, ({ endLine }) => endLine)
  const names = Map.groupBy(definitions, qualifiedName)
  const mentions = mentionsIn(code.lines, definitions)
  const defined = new Set([...definitions.map(({ name }) => name), ...(symbols?.bound ?? [])])
  return {
    file: key,
    folder: folderOf(path),
    code,
    anyOrder: layout.anyOrder,
    reopened: layout.reopened,
    namesInStrings: layout.namesInStrings,
    defines: (name) => defined.has(name),
    isFree,
    bindingOf: remembered(bindingIn(path, symbols, repository)),
    mentionsAbove: (name, row) => mentions(name).filter((each) => each < row).length,
    bindingsAbove: (name, row) =>
      mentions(name).filter((each) => each < row && binds(code.lines[each] ?? "", name)).length,
    definitionOf: ({ endRow, row, type }) => {
      if (otherTypes.test(type)) return null
      const found = (byEnd.get(endRow + 1) ?? []).filter(({ kind, line }) => kind !== "constant" && line > row)
      const outer = found.toSorted((a, b) => a.line - b.line)[0]
      return outer === undefined ? null : qualifiedName(outer)
    },
    isAmbiguous: (name) => symbols?.overloads !== true && (names.get(name)?.length ?? 0) > 1
  }
}

/** What a name means at the top of a file, as a text that is equal in all files in which it means the same. */
const bindingIn = (path: string, symbols: FileSymbols | null, repository: Repository) => {
  if (symbols === null) return () => path
  const named = symbols.imports.map((each) => [each.local || lastPart(each.module), each] as const)
  const likely = symbols.imports.flatMap((each) =>
    each.local === "" ? packageNames(each.module).map((local) => [local, each] as const) : []
  )
  const imports = new Map([...likely, ...named])
  const own = new Set(symbols.definitions.flatMap(({ container, name }) => (container === null ? [name] : [])))
  const language = languageOf(path)
  const around = [
    ...symbols.stars,
    ...symbols.imports.flatMap(({ local, module }) => (local === "" && language?.family !== "go" ? [module] : []))
  ].sort()
  const shared = language?.sharesNames ?? "none"
  const home = shared === "folder" ? folderOf(path) : path
  return (name: string): string | null => {
    const imported = imports.get(name)
    if (imported !== undefined) return meaningOf(path, imported, repository)
    if (own.has(name) || symbols.bound.has(name)) return `${home}:${symbols.package}#${name}`
    if (language?.contracts?.builtins.has(name) === true) return null
    if (shared === "folder")
      return `${home}:${symbols.package}#${name}${around.length === 0 ? "" : ` ${around.join()}`}`
    return around.length === 0 ? null : around.join()
  }
}

const lastPart = (module: string): string => module.slice(module.lastIndexOf("/") + 1)

/** The names that an import of Go may have that are not its last part: `yaml` of `gopkg.in/yaml.v3`, `caddy` of `caddy/v2`. */
const packageNames = (module: string): ReadonlyArray<string> => {
  const last = lastPart(module)
  return (/^v\d+$/.test(last) ? lastPart(module.slice(0, -last.length - 1)) : last).split(/[.-]/)
}

const meaningOf = (path: string, imported: ImportedName, repository: Repository): string => {
  const { module, name } = imported
  const link = linkOf(path, imported, repository)
  if (languageOf(path)?.family !== "go" && link._tag !== "Nowhere") {
    return link._tag === "Module" ? `${link.path}:` : `${link.path}:#${link.name}`
  }
  return module.startsWith(".") ? `${folderOf(path)} ${module} ${name}` : `${module} ${name}`
}

/** Lines with a name that are not in the body of a function. */
const mentionsIn = (lines: ReadonlyArray<string>, definitions: ReadonlyArray<Definition>) => {
  let rows: Map<string, Array<number>> | null = null
  const read = (): Map<string, Array<number>> => {
    const bodies = new Set<number>()
    for (const { endLine, kind, line } of definitions) {
      if (kind !== "function" && kind !== "method") continue
      let first = line
      while (first < endLine && !/[:{]\s*(?:#.*|\/\/.*)?$/.test(lines[first - 1] ?? "")) first++
      for (let row = first; row < endLine; row++) bodies.add(row)
    }
    const found = new Map<string, Array<number>>()
    for (const [row, line] of lines.entries()) {
      if (bodies.has(row)) continue
      for (const word of new Set(line.replace(/(?:#|\/\/|^\s*\*).*/, "").match(/[\p{L}\p{N}_]+/gu))) {
        const known = found.get(word)
        if (known === undefined) found.set(word, [row])
        else known.push(row)
      }
    }
    return found
  }
  return (name: string): ReadonlyArray<number> => {
    rows ??= read()
    return rows.get(name) ?? []
  }
}

/** Does the line give the name a meaning? */
const binds = (line: string, name: string): boolean =>
  new RegExp(
    `\\b(?:class|def|import|function|const|let|var|enum|type|interface|namespace)\\b[^=(]*\\b${RegExp.escape(name)}\\b|^\\s*${RegExp.escape(name)}\\s*(?::[^=]*)?\\W?=`
  ).test(line)
