/** The code of a finding: its lines marked, with a few lines around them. */
import type { Finding } from "../../../domain/finding/Finding.ts"
import { cut } from "../../text/Page.ts"
import type { Presentable } from "./Presentable.ts"

export interface ExcerptLine {
  readonly number: number
  readonly marked: boolean
  readonly text: string
}

/** Lines shown on each side, and of the claimed ones themselves. */
const around = 2
const mostClaimed = 6

/** Empty if the code is unknown or the finding is about the whole file. */
export const excerptOf = (
  finding: Pick<Finding, "file" | "line" | "endLine">,
  code: Presentable["code"]
): ReadonlyArray<ExcerptLine> => {
  if (finding.line === 0) return []
  const lines = code(finding.file)
  if (lines === undefined || finding.line > lines.length) return []
  const last = Math.min(Math.max(finding.line, finding.endLine), finding.line + mostClaimed - 1, lines.length)
  const excerpt: Array<ExcerptLine> = []
  for (let number = Math.max(1, finding.line - around); number <= Math.min(lines.length, last + around); number++) {
    const marked = number >= finding.line && number <= last
    excerpt.push({ number, marked, text: (lines[number - 1] ?? "").trimEnd() })
  }
  return withoutEmptyEdges(excerpt)
}

/** `>  42 | code`: the gutter is as wide as the largest number. */
export const gutterLines = (
  excerpt: ReadonlyArray<ExcerptLine>,
  width: number
): ReadonlyArray<{ readonly marked: boolean; readonly gutter: string; readonly text: string }> => {
  const digits = Math.max(...excerpt.map((line) => String(line.number).length))
  return excerpt.map(({ marked, number, text }) => {
    const gutter = `${marked ? ">" : " "} ${String(number).padStart(digits)} |`
    return { marked, gutter, text: text === "" ? "" : ` ${cut(text, width - gutter.length - 1)}` }
  })
}

const withoutEmptyEdges = (excerpt: ReadonlyArray<ExcerptLine>): ReadonlyArray<ExcerptLine> => {
  const matters = (line: ExcerptLine) => line.marked || line.text !== ""
  const first = excerpt.findIndex(matters)
  const last = excerpt.findLastIndex(matters)
  return excerpt.slice(first, last + 1)
}
