/** Finds runs that only rename: what each name is, and where else it is used. */
import { Effect } from "effect"
import { isOpaque } from "../../../domain/brief/form/CodeSide.ts"
import type { Run } from "../../../domain/brief/form/changedRuns.ts"
import type { FormalRows } from "../../../domain/brief/form/formalRows.ts"
import { type NameChange, type NameScope, renames } from "../../../domain/brief/form/renames.ts"
import type { NamePair } from "../../../domain/brief/form/sameCode.ts"
import type { DiffFile } from "../../../domain/change/Diff.ts"
import { eachAlone } from "../../../domain/change/WordPlace.ts"
import { type Definition, type FileSymbols, type Occurrence, wordPlaces } from "../../../domain/code/Symbol.ts"
import type { SyntaxNode } from "../../../domain/code/Syntax.ts"
import { endingsBeside } from "../../../languages/imports.ts"
import { languageOf, occurrencesOf } from "../../../languages/languages.ts"
import type { Layout } from "../../../languages/layout.ts"
import { Sources } from "../../change/Sources.ts"
import { SymbolIndex } from "../../code/SymbolIndex.ts"
import { SyntaxTrees } from "../../code/SyntaxTrees.ts"

import type { FileCode } from "./fileCode.ts"

/** Runs that differ only in names. */
export interface Segment {
  readonly runs: ReadonlyArray<Run>
  readonly pairs: ReadonlyArray<NamePair>
}

export interface PairsOfFile {
  readonly code: FileCode
  readonly segments: ReadonlyArray<Segment>
}

/** Marks the runs in which every name is renamed consistently. */
export const markRenames = Effect.fnUntraced(function* (
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
