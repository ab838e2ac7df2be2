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

/**
 * A column that gives way on a narrow page: it is cut down to `least` columns, or left out if that is 0. The last column may be
 * prose, which is not cut: the caller breaks its lines between words.
 */
export interface Flexible {
  readonly name: string
  readonly least: number
  readonly isProse?: boolean
}

/**
 * Columns as wide as their content. On a narrow page the flexible ones give way in their order; if the rest does not fit either,
 * each row becomes a block with a line for each cell that is not empty. `named` marks the names of the columns.
 */
export const table = (
  names: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  width: number,
  right: ReadonlySet<string> = new Set(),
  flexible: ReadonlyArray<Flexible> = [],
  named: (text: string) => string = (text) => text
): ReadonlyArray<string> => {
  const prose = names.findIndex((name) => flexible.some((each) => each.name === name && each.isProse === true))
  const cells = [names, ...rows].map((row) =>
    row.map((cell, at) => cut(oneLine(cell), at === prose ? widestValue : widestCell))
  )
  const widths = names.map((_, at) => Math.max(...cells.map((row) => columnsOf(row[at] ?? ""))))
  for (const { least, name } of flexible) {
    const at = names.indexOf(name)
    const shown = widths.filter((each) => each > 0)
    const excess = shown.reduce((sum, each) => sum + each + 2, -2) - width
    if (at === -1 || excess <= 0) continue
    widths[at] = least === 0 ? 0 : Math.min(widths[at] ?? 0, Math.max(least, (widths[at] ?? 0) - excess))
  }
  if (widths.reduce((sum, each) => sum + (each === 0 ? 0 : each + 2), -2) > width)
    return blocks(names, rows, named, width)
  const lines = cells.map((row) =>
    row
      .flatMap((cell, at) => {
        const wide = widths[at] ?? 0
        if (wide === 0) return []
        if (at === prose) return [cell]
        const text = cut(cell, wide)
        const space = " ".repeat(wide - columnsOf(text))
        return [right.has(names[at] ?? "") ? space + text : text + space]
      })
      .join("  ")
      .trimEnd()
  )
  return lines.map((line, at) => (at === 0 ? named(line) : line))
}

const blocks = (
  names: ReadonlyArray<string>,
  rows: ReadonlyArray<ReadonlyArray<string>>,
  named: (text: string) => string,
  width: number
): ReadonlyArray<string> => {
  const column = Math.max(0, ...names.map(columnsOf)) + 2
  return rows.flatMap((row, at) => [
    ...(at === 0 ? [] : [""]),
    ...row.flatMap((cell, cellAt) => {
      const name = names[cellAt] ?? ""
      return cell === ""
        ? []
        : [`${named(name)}${" ".repeat(column - columnsOf(name))}${breakable(oneLine(cell), width - column)}`]
    })
  ])
}

/** Lines break between words: a value with a long word that no line can hold is cut. */
const breakable = (text: string, room: number): string => {
  const most = Math.max(widestCell, room)
  return cut(text, text.split(" ").some((word) => columnsOf(word) > most) ? most : widestValue)
}

const widestValue = 400

const widestCell = 60

/** The text of a value in a table: empty for NULL. */
export const cellText = (value: unknown): string =>
  value === null || value === undefined ? "" : typeof value === "object" ? JSON.stringify(value) : String(value)
