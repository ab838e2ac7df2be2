/** A brief as lines of text: a label, the fact, and its place. */
import type { Brief } from "../../domain/brief/Brief.ts"
import { type BriefExtent, type BriefLine, briefSections } from "../../domain/brief/briefLines.ts"
import { placeOf } from "../review/render/Explanation.ts"
import type { RenderContext } from "../review/render/RenderContext.ts"
import { type Ink, inkFor } from "../text/Ink.ts"
import { columns, singleSpace, wrap } from "../text/Page.ts"

/** Of facts in the short form, wrapped; a line that counts the others of a section comes on top. */
const mostLines = 20
const labelWidth = 12

type Page = Pick<RenderContext, "colour" | "here" | "width">

/** Empty if there is nothing to say. */
export const briefText = (brief: Brief, extent: BriefExtent, page: Page): ReadonlyArray<string> => {
  const ink = inkFor(page.colour)
  const width = Math.max(40, page.width) - labelWidth
  const sections = briefSections(brief, extent).map(({ label, lines }) => ({
    label,
    facts: lines.map((line) => factLines(line, page, ink, width))
  }))
  const taken = extent === "full" ? sections.map(({ facts }) => facts.length) : shares(sections, mostLines)
  return sections.flatMap(({ facts, label }, at) => {
    const lines = facts.slice(0, taken[at]).flat()
    const rest = facts.length - (taken[at] ?? 0)
    const more = rest === 0 ? [] : [ink.dim(lines.length === 0 ? `${rest} not shown` : `and ${rest} more`)]
    return [...lines, ...more].map((line, at) => ink.bold((at === 0 ? label : "").padEnd(labelWidth)) + line)
  })
}

/** The place follows the text on its last line, or has a line of its own. */
const factLines = (
  { command, place, text }: BriefLine,
  { here }: Page,
  ink: Ink,
  width: number
): ReadonlyArray<string> => {
  // A line break in a command would be pasted with it.
  const lines = command === true ? [text] : wrap(here?.prose(text) ?? text, width, singleSpace)
  if (place === null) return lines
  const shown = placeOf(place, { here: here ?? null })
  const last = lines.at(-1) ?? ""
  return columns(last) + 2 + columns(shown) <= width
    ? [...lines.slice(0, -1), `${last}  ${ink.dim(shown)}`]
    : [...lines, ink.dim(shown)]
}

/** The facts of each section that are shown: the first of each, then the second of each, while there is room. */
const shares = (
  sections: ReadonlyArray<{ readonly facts: ReadonlyArray<ReadonlyArray<string>> }>,
  most: number
): ReadonlyArray<number> => {
  const taken = sections.map(() => 0)
  const deepest = Math.max(0, ...sections.map(({ facts }) => facts.length))
  let left = most
  for (let depth = 0; depth < deepest; depth++) {
    for (const [at, { facts }] of sections.entries()) {
      const size = facts[depth]?.length
      if (size === undefined || size > left || taken[at] !== depth) continue
      taken[at] = depth + 1
      left -= size
    }
  }
  return taken
}
