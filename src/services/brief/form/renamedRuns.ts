/** Finds runs that only rename: what each name is, and where else it is used. */
import { Effect } from "effect"
import { isOpaque } from "../../../domain/brief/form/CodeSide.ts"
import type { Run } from "../../../domain/brief/form/changedRuns.ts"
import type { FormalRows } from "../../../domain/brief/form/formalRows.ts"
import { type NameChange, renames } from "../../../domain/brief/form/renames.ts"
import type { NamePair } from "../../../domain/brief/form/sameCode.ts"
import type { Grammar } from "../../../domain/change/Grammar.ts"
import { eachAlone } from "../../../domain/change/WordPlace.ts"
import { wordPlaces } from "../../../domain/code/Symbol.ts"
import type { SyntaxNode } from "../../../domain/code/Syntax.ts"
import { endingsBeside } from "../../../languages/imports.ts"
import { languages } from "../../../languages/languages.ts"
import type { Layout } from "../../../languages/layout.ts"
import { namesIn } from "../../../languages/scopes.ts"
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
  const bySegment: Array<{
    readonly segment: Segment
    readonly code: FileCode
    readonly all: ReadonlyArray<NameChange>
  }> = []
  const names = new Map<string, SideNames>()
  for (const { code, segments } of pairs) {
    const read = yield* readNames(code, segments)
    if (read === null) continue
    names.set(code.file.path, read)
    for (const [index, segment] of segments.entries()) bySegment.push({ segment, code, all: read.changes[index] ?? [] })
  }
  const texts: Array<string> = []
  for (const { file } of codes) {
    const source = file.oldPath === null ? null : yield* sources.base(file.oldPath)
    if (source?._tag === "Text") texts.push(source.text)
  }
  const found = renames(
    bySegment.flatMap(({ all }) => all),
    {
      isLeft: (file, name) => names.get(file)?.left.has(name) === true,
      isLookedUp: (file, name) => names.get(file)?.isLookedUp(name) === true,
      isKnownWord: (name) => texts.some((text) => wordPlaces(text, name).length > 0)
    }
  )
  // Whoever still uses an old name of a definition is no longer served.
  const renamed = [...found].flatMap(({ isDefinition, pair }) => (isDefinition ? [pair.before.text] : []))
  const left = yield* stillMentioned(renamed, codes)
  for (const { all, code, segment } of bySegment) {
    if (all.length === 0 || !all.every((each) => found.has(each) && !left.has(each.pair.before.text))) continue
    for (const run of segment.runs) rows.addRun(code.file, run, "renamed")
  }
})

/** The names that a file of the head side still has. */
const stillMentioned = Effect.fnUntraced(function* (names: ReadonlyArray<string>, codes: ReadonlyArray<FileCode>) {
  const sources = yield* Sources
  const endings = [...new Set(codes.flatMap(({ file }) => endingsBeside(file.path)))]
  const found = names.length === 0 ? [] : yield* sources.places(eachAlone(names), endings)
  return new Set(found.map(({ word }) => word))
})

interface SideNames {
  readonly changes: ReadonlyArray<ReadonlyArray<NameChange>>
  /** Old names that the file still has after the change. */
  readonly left: ReadonlySet<string>
  readonly isLookedUp: (name: string) => boolean
}

/** What the names of these segments are on both sides. */
const readNames = Effect.fnUntraced(function* ({ file, layout }: FileCode, segments: ReadonlyArray<Segment>) {
  const trees = yield* SyntaxTrees
  const index = yield* SymbolIndex
  if (file.newPath === null || file.oldPath === null) return null
  const symbols = yield* index.symbols(file.newPath)
  const pairs = segments.flatMap((segment) => segment.pairs)
  const question = (which: "before" | "after", other: "before" | "after") => ({
    ask: (root: SyntaxNode, { text }: { readonly text: string }, grammar: Grammar) => {
      const { imports, occurrence, scopes } = languages[grammar]
      const names = namesIn(scopes, root, text, occurrence, imports(root))
      const at = pairs.map((pair) => {
        const node = root.descendantForIndex(pair[which].at, pair[which].at + pair[which].text.length)
        const variable = node === null ? null : names.variableAt(node)
        const kind = node === null ? null : (occurrence(node)?.kind ?? null)
        return { kind, isTaken: variable?.hasWord(pair[other].text) === true, ...variable }
      })
      const isUsed = (word: string) =>
        names.all(word).some(({ occurrence: { kind } }) => kind !== "member" && kind !== "binding")
      return {
        at,
        used: new Set(pairs.map(({ before }) => before.text).filter(isUsed)),
        lookedUp: namesLookedUp(root, text, layout)
      }
    }
  })
  const base = yield* trees.base(file, question("before", "after"))
  const head = yield* trees.head(file.newPath, question("after", "before"))
  if (base === null || head === null) return null
  const changeAt = (pair: NamePair, at: number): NameChange => {
    const [old, now] = [base.at[at], head.at[at]]
    const { row, text } = pair.after
    const isDeclared = now?.kind === "binding" || now?.kind === "definition"
    // Who calls the function may name the parameter.
    const isFree =
      old?.isTaken !== true && now?.isTaken !== true && !(layout.namedParameters && now?.isParameter === true)
    return {
      file: file.path,
      pair,
      kind: now?.kind ?? null,
      isDefinition:
        isDeclared &&
        symbols?.definitions.some(({ line, name }) => name === text && line <= row + 1 && row + 1 <= line + 5) === true,
      local:
        old?.places === undefined || now?.places === undefined
          ? null
          : isFree
            ? { base: old.places, head: now.places }
            : { base: [], head: [] }
    }
  }
  let at = 0
  const names: SideNames = {
    changes: segments.map((segment) => segment.pairs.map((pair) => changeAt(pair, at++))),
    left: head.used,
    isLookedUp: (name) => [base.lookedUp, head.lookedUp].some((each) => each === "all" || each.has(name))
  }
  return names
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
