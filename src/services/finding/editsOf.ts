/** The functions that a change edits, with the names that both versions use. */
import { Effect } from "effect"
import type { DiffFile } from "../../domain/change/Diff.ts"
import type { EditedFunction, FunctionVersion } from "../../domain/code/EditedFunction.ts"
import type { Definition, Occurrence } from "../../domain/code/Symbol.ts"
import type { Rows, SyntaxNode } from "../../domain/code/Syntax.ts"
import { languageOf } from "../../languages/languages.ts"
import { runsOf } from "../../languages/tree.ts"
import { forEachFile } from "../change/progress/FileCounts.ts"
import { SymbolIndex } from "../code/SymbolIndex.ts"
import { SyntaxTrees, type Text } from "../code/SyntaxTrees.ts"

/** Of these files of the diff, without functions that only moved, or whose name is defined twice. */
export const editsOf = (files: ReadonlyArray<DiffFile>) =>
  Effect.map(forEachFile("symbols", files, inFile), (functions) => functions.flat())

const inFile = Effect.fnUntraced(function* (file: DiffFile) {
  const index = yield* SymbolIndex
  const trees = yield* SyntaxTrees
  const language = languageOf(file.path)
  if (language?.contracts == null) return []
  const [before, after] = [yield* index.symbolsBefore(file), yield* index.symbols(file.path)]
  if (before === null || after === null) return []
  const base = functionsOf(before.definitions)
  const pairs = [...functionsOf(after.definitions)].flatMap(([key, head]) => {
    const old = base.get(key)
    return head === null || old == null || old.shape === head.shape ? [] : [{ base: old, head }]
  })
  if (pairs.length === 0) return []
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
          names: isAsync(pair.head)
            ? runs[side].flatMap((rows) => namesIn(root, pair[side], rows, language.occurrence))
            : []
        })
      )
  const bases = yield* trees.base(file, { ask: versions("base") })
  const heads = yield* trees.head(file.path, { ask: versions("head") })
  return pairs.flatMap((_, at): ReadonlyArray<EditedFunction> => {
    const [base, head] = [bases?.[at], heads?.[at]]
    return base === undefined || head === undefined ? [] : [{ path: file.path, base, head }]
  })
})

const isAsync = ({ signature }: Definition): boolean => signature?.async === true

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
