/** A brief as lines of text: a label, the fact, and its place. */
import type { Brief } from "../../domain/brief/Brief.ts"
import { type BriefExtent, type BriefLine, briefSections } from "../../domain/brief/briefLines.ts"
import { placeOf } from "../review/render/Explanation.ts"
import type { RenderContext } from "../review/render/RenderContext.ts"
import { inkFor } from "../text/Ink.ts"
import { columns, wrap } from "../text/Page.ts"

/** Lines of the short form, wrapped. */
const mostLines = 20
const labelWidth = 11

type Page = Pick<RenderContext, "colour" | "here" | "width">

/** Empty if there is nothing to say. */
export const briefText = (brief: Brief, extent: BriefExtent, page: Page): ReadonlyArray<string> => {
  const ink = inkFor(page.colour)
  const width = Math.max(40, page.width) - labelWidth
  const sections = briefSections(brief, extent).map(({ label, lines }) => ({
    label,
    blocks: lines.map((line) => wrap(lineText(line, page), width))
  }))
  const shown = extent === "full" ? sections : withinLines(sections, mostLines, width)
  return shown.flatMap(({ blocks, label }) =>
    blocks.flat().map((line, at) => (at === 0 ? ink.bold(label.padEnd(labelWidth)) : " ".repeat(labelWidth)) + line)
  )
}

const lineText = ({ place, text }: BriefLine, { here }: Page): string => {
  const words = here?.prose(text) ?? text
  return place === null ? words : `${words}  ${placeOf(place, { here: here ?? null })}`
}

interface WrappedSection {
  readonly label: string
  /** The lines of each fact. */
  readonly blocks: ReadonlyArray<ReadonlyArray<string>>
}

/** Takes the first fact of each section, then the second of each, while there is room; the rest is counted. */
const withinLines = (
  sections: ReadonlyArray<WrappedSection>,
  most: number,
  width: number
): ReadonlyArray<WrappedSection> => {
  const taken = sections.map(() => 0)
  let left = most
  const deepest = Math.max(0, ...sections.map(({ blocks }) => blocks.length))
  for (let depth = 0; depth < deepest; depth++) {
    for (const [at, { blocks }] of sections.entries()) {
      const size = blocks[depth]?.length
      if (size === undefined || size > left || taken[at] !== depth) continue
      taken[at] = depth + 1
      left -= size
    }
  }
  return sections.flatMap(({ blocks, label }, at) => {
    const shown = blocks.slice(0, taken[at])
    const rest = blocks.length - shown.length
    return shown.length === 0 ? [] : [{ label, blocks: rest === 0 ? shown : withRest(shown, rest, width) }]
  })
}

/** The count stands at the end of the last fact, if there is room, so that it needs no line of its own. */
const withRest = (
  blocks: ReadonlyArray<ReadonlyArray<string>>,
  rest: number,
  width: number
): ReadonlyArray<ReadonlyArray<string>> => {
  const words = `(+${rest} more)`
  const last = blocks.at(-1)?.at(-1) ?? ""
  if (columns(last) + columns(words) + 1 > width) return [...blocks.slice(0, -1), [...(blocks.at(-1) ?? []), words]]
  return [...blocks.slice(0, -1), [...(blocks.at(-1) ?? []).slice(0, -1), `${last} ${words}`]]
}
