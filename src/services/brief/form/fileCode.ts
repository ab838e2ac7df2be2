/** Reads the changed code of a file for comparing its form. */
import { Effect } from "effect"
import type { CodeSide } from "../../../domain/brief/form/CodeSide.ts"
import { readCode } from "../../../domain/brief/form/CodeSide.ts"
import { type Run, runsOf } from "../../../domain/brief/form/changedRuns.ts"
import type { DiffFile } from "../../../domain/change/Diff.ts"
import type { Grammar } from "../../../domain/change/Grammar.ts"
import type { Rows, SyntaxNode } from "../../../domain/code/Syntax.ts"
import { type Layout, layoutOf } from "../../../languages/layout.ts"
import { SyntaxTrees, type Text } from "../../code/SyntaxTrees.ts"

/** With more changed parts, a file may have been reformatted as a whole. */
const fewestOfWhole = 20
/** The changed code of a file on both sides. */
export interface FileCode {
  readonly file: DiffFile
  readonly runs: ReadonlyArray<Run>
  /** Were all lines of the file read, not only those of the hunks? */
  readonly isWhole: boolean
  readonly base: CodeSide
  readonly head: CodeSide
  readonly layout: Layout
}

const noCode: CodeSide = { tokens: [], comments: [], groups: [], imports: [], lines: [] }

/** The code of a file; a text says why it could not be read. `candidates`: the hunks that may be form. */
export const readFile = Effect.fnUntraced(function* (file: DiffFile, candidates: ReadonlySet<number>) {
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
  const question = (side: "base" | "head", rows: ReadonlyArray<Rows>) => ({
    ask: (root: SyntaxNode, { lines, text }: Text, grammar: Grammar) => {
      if (root.hasError) return "it has a syntax error"
      return { grammar, code: readCode(root, text, lines, rows, isIn(side), layoutOf(grammar)) }
    }
  })
  const head = newPath === null ? null : yield* trees.head(newPath, question("head", ranges("newStart", "newCount")))
  if (typeof head === "string") return head
  const base = oldPath === null ? null : yield* trees.base(file, question("base", ranges("oldStart", "oldCount")))
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
