/** A diff in the order in which to read it, with the lines that are only form folded. */
import type { Diff, DiffFile, DiffLine, Hunk } from "../change/Diff.ts"
import type { Form, FormalHunk } from "./Form.ts"

export type ReadingLine =
  | { readonly kind: "file"; readonly text: string; readonly file: DiffFile }
  | { readonly kind: "hunk"; readonly text: string }
  | { readonly kind: "context" | "added" | "deleted"; readonly text: string }
  /** Neighbouring lines that are only form. */
  | {
      readonly kind: "folded"
      readonly hunks: ReadonlyArray<FormalHunk>
      readonly added: number
      readonly deleted: number
    }

export const readingDiff = ({ files }: Diff, form: Form): ReadonlyArray<ReadingLine> => {
  const ranks = new Map(
    form.order
      .map(({ file }) => file)
      .map((file, at) => [file, at])
      .toReversed() as Array<[string, number]>
  )
  const formal = Map.groupBy(form.hunks, ({ file }) => file)
  return files
    .map((file, at) => ({ file, rank: ranks.get(file.path) ?? form.order.length + at }))
    .sort((a, b) => a.rank - b.rank)
    .flatMap(({ file }) => fileLines(file, formal.get(file.path) ?? []))
}

const fileLines = (file: DiffFile, formal: ReadonlyArray<FormalHunk>): ReadonlyArray<ReadingLine> => {
  const { newPath, oldPath, path } = file
  const text = oldPath !== null && newPath !== null && oldPath !== newPath ? `${oldPath} → ${newPath}` : path
  const [deleted, added] = [hunksByLine(formal, "base"), hunksByLine(formal, "head")]
  const formOf = ({ kind, newLine, oldLine }: DiffLine): FormalHunk | null =>
    kind === "context" ? null : ((kind === "added" ? added.get(newLine ?? 0) : deleted.get(oldLine ?? 0)) ?? null)
  return [{ kind: "file", text, file }, ...file.hunks.flatMap((hunk) => hunkLines(hunk, formOf))]
}

const hunksByLine = (formal: ReadonlyArray<FormalHunk>, side: "base" | "head"): ReadonlyMap<number, FormalHunk> =>
  new Map(
    formal.flatMap((hunk) => {
      const [start, count] = side === "base" ? [hunk.base, hunk.deleted] : [hunk.line, hunk.added]
      return Array.from({ length: count }, (_, at) => [start + at, hunk] as const)
    })
  )

/** A hunk without a line to read has no context either. */
const hunkLines = (
  { lines, newCount, newStart, oldCount, oldStart, section }: Hunk,
  formOf: (line: DiffLine) => FormalHunk | null
): ReadonlyArray<ReadingLine> => {
  const isFormal = lines.every((line) => line.kind === "context" || formOf(line) !== null)
  const found: Array<ReadingLine> = isFormal
    ? []
    : [
        {
          kind: "hunk",
          text: `@@ -${oldStart},${oldCount} +${newStart},${newCount} @@${section === "" ? "" : ` ${section}`}`
        }
      ]
  let folded: { readonly hunks: Set<FormalHunk>; added: number; deleted: number } | null = null
  const close = (): void => {
    if (folded !== null) found.push({ kind: "folded", ...folded, hunks: [...folded.hunks] })
    folded = null
  }
  for (const line of lines) {
    const hunk = formOf(line)
    if (hunk === null) {
      if (isFormal) continue
      close()
      found.push({ kind: line.kind, text: line.text })
      continue
    }
    folded ??= { hunks: new Set(), added: 0, deleted: 0 }
    folded.hunks.add(hunk)
    if (line.kind === "added") folded.added++
    else folded.deleted++
  }
  close()
  return found
}
