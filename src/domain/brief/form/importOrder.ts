/** Runs that only change the order of import statements. */

import type { CodeSide, ImportStatement } from "./CodeSide.ts"
import type { RowRange, Run } from "./changedRuns.ts"
import { indexesIn } from "./sameCode.ts"

/** A statement and the runs that touch it. */
interface Touched {
  readonly key: string
  readonly runs: ReadonlySet<Run>
}

export const reorderedImports = (
  runs: ReadonlyArray<Run>,
  base: CodeSide,
  head: CodeSide,
  ordered: RegExp | null
): ReadonlySet<Run> => {
  const found = new Set(
    runs.filter(
      (run) => isAllImports(base, run.base) && isAllImports(head, run.head) && touchesImports(run, base, head)
    )
  )
  const before = touched(keyed(base.imports, ordered), runs, (run) => run.base)
  const after = touched(keyed(head.imports, ordered), runs, (run) => run.head)
  // A run with a statement that has no counterpart in the others is none of them.
  for (let isStable = false; !isStable; ) {
    const [deleted, added] = [countsOf(before, found), countsOf(after, found)]
    const unmatched = [...before, ...after].filter(
      ({ key, runs: all }) => [...all].some((run) => found.has(run)) && deleted.get(key) !== added.get(key)
    )
    isStable = unmatched.length === 0
    for (const { runs: all } of unmatched) for (const run of all) found.delete(run)
  }
  const isOneBlock =
    isBlock(
      base,
      [...found].map((run) => run.base)
    ) &&
    isBlock(
      head,
      [...found].map((run) => run.head)
    )
  return isOneBlock ? found : new Set()
}

/** Between the first and the last of the rows there are only imports at the top of the file, blank lines and comments. */
const isBlock = ({ imports, lines }: CodeSide, ranges: ReadonlyArray<RowRange>): boolean => {
  const first = Math.min(...ranges.map(({ start }) => start))
  const last = Math.max(...ranges.map(({ end }) => end))
  const inside = imports.filter(({ row }) => first <= row && row < last)
  // Of two imports of one name, the last one counts.
  const names = inside.flatMap(({ text }) => /^from .* import ([^#]*)/s.exec(text)?.[1]?.match(/\w+/g) ?? [])
  if (new Set(names).size < names.length) return false
  const isImport = (row: number) =>
    imports.some((each) => each.row <= row && row <= each.endRow && !/^\s/.test(lines[each.row] ?? ""))
  return lines.slice(first, last).every((line, at) => /^\s*(?:$|\/\/|\/?\*|#(?!\[))/.test(line) || isImport(first + at))
}

const countsOf = (statements: ReadonlyArray<Touched>, runs: ReadonlySet<Run>): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const { key, runs: all } of statements) {
    if ([...all].every((run) => runs.has(run))) counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return counts
}

const touched = (
  statements: ReadonlyArray<ImportStatement & { readonly key: string }>,
  runs: ReadonlyArray<Run>,
  rowsOf: (run: Run) => RowRange
): ReadonlyArray<Touched> =>
  statements.flatMap(({ endRow, key, row }) => {
    const all = runs.filter((run) => row < rowsOf(run).end && rowsOf(run).start <= endRow)
    return all.length === 0 ? [] : [{ key, runs: new Set(all) }]
  })

/** An import stays between the same statements whose order has a meaning. */
const keyed = (statements: ReadonlyArray<ImportStatement>, ordered: RegExp | null) => {
  let part = 0
  return statements.map((statement) => {
    const normal = normalText(statement.text)
    if (ordered?.test(normal) === true) part++
    return { ...statement, key: `${part} ${normal}` }
  })
}

/** With one blank between words and sorted names in brackets. */
const normalText = (text: string): string => {
  const plain = text.replace(/\s+/g, " ").replace(/;$/, "").trim()
  if (/\/\/|\/\*|#/.test(plain)) return text
  const from = /^(from \S+ import) \(?([^()]*)\)?$/.exec(plain)
  return from === null ? sortedLists(plain) : `${from[1]} ${sorted((from[2] ?? "").split(","))}`
}

const sorted = (names: ReadonlyArray<string>): string =>
  names
    .map((name) => name.trim())
    .filter((name) => name !== "")
    .sort()
    .join(", ")

/** Brackets may contain brackets. */
const sortedLists = (text: string): string => {
  const parts: Array<Array<string>> = [[""]]
  for (const char of text) {
    const top = parts.at(-1)!
    if (char === "{") parts.push([""])
    else if (char === "}" && parts.length > 1) {
      const inner = `{${sorted(parts.pop()!)}}`
      const outer = parts.at(-1)!
      outer[outer.length - 1] += inner
    } else if (char === "," && parts.length > 1) top.push("")
    else top[top.length - 1] += char
  }
  return parts.map((names) => names.join(",")).join("{")
}

const isAllImports = ({ imports, tokens }: CodeSide, rows: RowRange): boolean => {
  const { end, start } = indexesIn(tokens, rows)
  return tokens
    .slice(start, end)
    .every((token) => imports.some((each) => each.row <= token.row && token.endRow <= each.endRow))
}

const touchesImports = (run: Run, base: CodeSide, head: CodeSide): boolean =>
  [base.imports.map((each) => [each, run.base] as const), head.imports.map((each) => [each, run.head] as const)]
    .flat()
    .some(([{ endRow, row }, { end, start }]) => row < end && start <= endRow)
