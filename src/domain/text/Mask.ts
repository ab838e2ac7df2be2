/** A range of a text to hide, and its replacement. */

export interface Mask {
  /** Where what gives it away begins: the name in front of a value. Not hidden itself; at most `start`. */
  readonly from: number
  /** UTF-16 offsets of what is hidden; `end` is exclusive. */
  readonly start: number
  readonly end: number
  readonly marker: string
}

/** In order of place; those that overlap become one, under the first one's marker. */
export const united = (masks: ReadonlyArray<Mask>): ReadonlyArray<Mask> => {
  if (masks.length < 2) return masks
  const kept: Array<Mask> = []
  for (const mask of [...masks].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = kept[kept.length - 1]
    if (last === undefined || mask.start >= last.end) kept.push(mask)
    else kept[kept.length - 1] = { ...last, from: Math.min(last.from, mask.from), end: Math.max(last.end, mask.end) }
  }
  return kept
}

/** The text with markers in place of the masks, which must be united, and where those begin and end. Keeps the number of lines. */
export const applied = (
  text: string,
  masks: ReadonlyArray<Mask>
): { readonly text: string; readonly edges: ReadonlyArray<number> } => {
  let masked = ""
  let position = 0
  const edges: Array<number> = []
  for (const { start, end, marker } of masks) {
    masked += text.slice(position, start)
    edges.push(masked.length)
    const shown = marker + "\n".repeat(countNewlines(text, start, end))
    // In UTF-16 that was read as single bytes, every other character is NUL.
    const isWide = text[start + 1] === "\0" && (end > start + 1 || text[start - 1] === "\0")
    masked += isWide ? shown.split("").join("\0") : shown
    edges.push(masked.length)
    position = end
  }
  return { text: masked + text.slice(position), edges }
}

const countNewlines = (text: string, start: number, end: number): number => {
  // In the mask alone: the next newline after it may be far away, and there may be many masks before it.
  const masked = text.slice(start, end)
  let count = 0
  for (let at = masked.indexOf("\n"); at >= 0; at = masked.indexOf("\n", at + 1)) count++
  return count
}

/** Every marker begins so: what is marked is not looked at again. */
export const isMarked = (value: string): boolean => value.includes("[REDACT")

/** The marker that replaces hidden text. */
export const anyMarker = /\[REDACT(?:ED|ION)_[A-Z_]+\]/
