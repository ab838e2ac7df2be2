/** The functions that a change edits, with the names that both versions use. */
import { Effect } from "effect"
import type { Diff, DiffFile } from "../../domain/change/Diff.ts"
import { contractChanges } from "../../domain/code/contractChanges.ts"
import type { EditedFunction, FunctionVersion } from "../../domain/code/EditedFunction.ts"
import { comparedValues } from "../../domain/code/lostGuards.ts"
import type { Definition, Occurrence } from "../../domain/code/Symbol.ts"
import type { Rows, SyntaxNode } from "../../domain/code/Syntax.ts"
import { languageOf } from "../../languages/languages.ts"
import { runsOf } from "../../languages/tree.ts"
import { SymbolIndex } from "../code/SymbolIndex.ts"
import { SyntaxTrees, type Text } from "../code/SyntaxTrees.ts"

export interface Edits {
  /** Without functions that only moved, or whose name is defined twice. */
  readonly functions: ReadonlyArray<EditedFunction>
  /** Names that the change defines or removes, and those of functions, and their classes, whose parameters it changes. */
  readonly changedContracts: ReadonlySet<string>
  /** Words that the change deletes in several lines and adds in none: what they stood for is removed. */
  readonly goneWords: ReadonlySet<string>
  /** Variables and members that added lines compare with null. */
  readonly comparedNames: ReadonlySet<string>
}

/** Of these files of the diff. */
export const editsOf = Effect.fn("editsOf")(function* (diff: Diff, files: ReadonlyArray<DiffFile>) {
  const edits = yield* Effect.forEach(files, inFile)
  const known: Edits = {
    functions: edits.flatMap(({ functions }) => functions),
    changedContracts: new Set(edits.flatMap(({ changedContracts }) => changedContracts)),
    goneWords: goneWordsOf(diff),
    comparedNames: comparedNamesOf(diff)
  }
  return known
})

/** Fewer lines may be one call that lost an argument. */
const linesOfRemoval = 3

const goneWordsOf = ({ files }: Diff): ReadonlySet<string> => {
  const deleted = new Map<string, number>()
  const added = new Set<string>()
  for (const { kind, text } of files.flatMap(({ hunks }) => hunks.flatMap(({ lines }) => lines))) {
    if (kind === "context") continue
    for (const word of new Set(text.match(/\w+/g))) {
      if (kind === "added") added.add(word)
      else deleted.set(word, (deleted.get(word) ?? 0) + 1)
    }
  }
  return new Set([...deleted].flatMap(([word, lines]) => (lines >= linesOfRemoval && !added.has(word) ? [word] : [])))
}

const comparedNamesOf = ({ files }: Diff): ReadonlySet<string> => {
  const lines = files.flatMap(({ hunks }) => hunks.flatMap(({ lines }) => lines))
  const compared = lines.flatMap(({ kind, text }) => (kind === "added" ? comparedValues(text) : []))
  return new Set(compared.map(({ text }) => lastPart(text)))
}

export const lastPart = (path: string): string => path.slice(path.lastIndexOf(".") + 1)

const none = { functions: [], changedContracts: [] }

const inFile = Effect.fnUntraced(function* (file: DiffFile) {
  const index = yield* SymbolIndex
  const trees = yield* SyntaxTrees
  const language = languageOf(file.path)
  if (language?.contracts == null) return none
  const [before, after] = [yield* index.symbolsBefore(file), yield* index.symbols(file.path)]
  if (before === null || after === null) return none
  const base = functionsOf(before.definitions)
  const known = new Set(before.definitions.map(({ name }) => name))
  const changedContracts = [
    ...contractChanges(before, after, false).flatMap(({ container, name }) => [name, container ?? name]),
    ...after.definitions.flatMap(({ name }) => (known.has(name) ? [] : [name]))
  ]
  const pairs = [...functionsOf(after.definitions)].flatMap(([key, head]) => {
    const old = base.get(key)
    return head === null || old == null || old.shape === head.shape ? [] : [{ base: old, head }]
  })
  if (pairs.length === 0) return { functions: [], changedContracts }
  const runs = {
    base: runsOf(file.hunks.flatMap(({ oldCount, oldStart }) => rowsFrom(oldStart, oldCount))),
    head: runsOf(file.hunks.flatMap(({ newCount, newStart }) => rowsFrom(newStart, newCount)))
  }
  const versions =
    (side: "base" | "head") =>
    (root: SyntaxNode, { lines }: Text) =>
      pairs.map(
        (pair): FunctionVersion => ({
          definition: pair[side],
          text: lines.slice(pair[side].line - 1, pair[side].endLine).join("\n"),
          names: runs[side].flatMap((rows) => namesIn(root, pair[side], rows, language.occurrence))
        })
      )
  const bases = yield* trees.base(file, { ask: versions("base") })
  const heads = yield* trees.head(file.path, { ask: versions("head") })
  const functions = pairs.flatMap((_, at): ReadonlyArray<EditedFunction> => {
    const [base, head] = [bases?.[at], heads?.[at]]
    return base === undefined || head === undefined ? [] : [{ path: file.path, base, head }]
  })
  return { functions, changedContracts }
})

/** By container and name; null for a name with several definitions. */
const functionsOf = (definitions: ReadonlyArray<Definition>) => {
  const found = new Map<string, Definition | null>()
  for (const each of definitions) {
    if (each.kind !== "function" && each.kind !== "method") continue
    const key = `${each.container ?? ""}.${each.name}`
    found.set(key, found.has(key) ? null : each)
  }
  return found
}

const rowsFrom = (start: number, count: number) => Array.from({ length: count }, (_, at) => start - 1 + at)

const namesIn = (
  root: SyntaxNode,
  { endLine, line }: Definition,
  rows: Rows,
  occurrence: (node: SyntaxNode) => Occurrence | null
) => {
  const [first, last] = [Math.max(rows.first, line - 1), Math.min(rows.last, endLine - 1)]
  if (first > last) return []
  return root
    .descendantsOfType(wordTypes, { row: first, column: 0 }, { row: last + 1, column: 0 })
    .filter(({ startPosition }) => startPosition.row >= first && startPosition.row <= last)
    .flatMap((node) => {
      const found = occurrence(node)
      return found === null ? [] : [{ ...found, name: node.text }]
    })
}

const wordTypes = ["identifier", "field_identifier", "property_identifier", "shorthand_property_identifier"]
