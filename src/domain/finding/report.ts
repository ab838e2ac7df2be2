/**
 * `review-output.md` and the reviewers' own reports.
 *
 * `# Review`, then the sections that are not empty; a line is `N. [FILE:LINE] text`. Text for people and models: no path is
 * read back from it.
 */
import type { Lens, ReviewRecord } from "./Finding.ts"

interface Entry {
  readonly id: number
  readonly lens: Lens
  readonly record: Pick<ReviewRecord, "file" | "line" | "description">
}

const sections: ReadonlyArray<readonly [string, (lens: Lens) => boolean]> = [
  ["## Structural Review", (lens) => lens === "structural"],
  ["## Issues", (lens) => lens === "per-stack" || lens === "wonder"],
  ["## Cross-Stack Issues", (lens) => lens === "cross-stack"]
]

export const renderReport = (entries: ReadonlyArray<Entry>): string => {
  const written = sections.flatMap(([heading, holds]) => {
    const own = entries.filter((entry) => holds(entry.lens))
    if (own.length === 0) return []
    return [
      heading,
      own
        .map(({ id, lens, record }) => {
          const mark = lens === "cross-stack" ? "[cross-stack] " : ""
          return `${id}. ${mark}[${record.file}:${record.line}] ${onOneLine(record.description)}`
        })
        .join("\n")
    ]
  })
  return `${["# Review", ...written].join("\n\n")}\n`
}

const onOneLine = (text: string): string => text.replace(/\s+/g, " ").trim()

/** One reviewer's report in prose, one line for each record, with the severity as a word. */
export const renderStackReport = (stack: string, records: ReadonlyArray<ReviewRecord>): string => {
  const lines = records.map(
    (record) =>
      `${record.id}. [${record.file}:${record.line}] (${record.severity}, ${record.confidence}) ${onOneLine(record.description)}`
  )
  return `# ${stack}\n\n${lines.length === 0 ? "Nothing to report." : lines.join("\n")}\n`
}
