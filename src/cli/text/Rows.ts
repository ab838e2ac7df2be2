/** Rows of data in the formats of `dd archive`, without control characters. */
import { oneLine } from "../../domain/text/Printable.ts"
import { columns as columnsOf, cut } from "./Page.ts"
import { plainJson } from "./plainJson.ts"

export const rowFormats = ["table", "json", "jsonl", "csv"] as const
export type RowFormat = (typeof rowFormats)[number]

export type Row = Readonly<Record<string, unknown>>

/** RFC 4180, with a first line of names. Text that a spreadsheet would take for a formula is escaped. */
export const csv = (names: ReadonlyArray<string>, rows: ReadonlyArray<Row>): string =>
  [names, ...rows.map((row) => names.map((name) => row[name]))]
    .map((cells) => `${cells.map(csvCell).join(",")}\r\n`)
    .join("")

const csvCell = (value: unknown): string => {
  const text = typeof value === "string" ? oneLine(value) : cellText(value)
  const safe = typeof value === "string" && /^[=+@\t\r-]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export const jsonLines = (rows: ReadonlyArray<Row>): string => rows.map((row) => `${plainJson(row)}\n`).join("")

/** Columns as wide as their content; the last ones are cut at the width of the page. */
export const table = (
  names: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  width: number,
  right: ReadonlySet<string> = new Set()
): ReadonlyArray<string> => {
  const cells = [names, ...rows].map((row) => row.map((cell) => cut(oneLine(cell), widestCell)))
  const widths = names.map((_, at) => Math.max(...cells.map((row) => columnsOf(row[at] ?? ""))))
  return cells.map((row) =>
    cut(
      row
        .map((cell, at) => {
          const space = " ".repeat((widths[at] ?? 0) - columnsOf(cell))
          return right.has(names[at] ?? "") ? space + cell : cell + space
        })
        .join("  ")
        .trimEnd(),
      width
    )
  )
}

const widestCell = 60

/** The text of a value in a table: empty for NULL. */
export const cellText = (value: unknown): string =>
  value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value)
