/** A range of a text to hide, and its replacement. */

export interface Mask {
  /** The start of the context by which it was found, such as the name of a value; at most `start`. The context is not hidden. */
  readonly from: number
  /** UTF-16 offsets of the hidden text; `end` is exclusive. */
  readonly start: number
  readonly end: number
  readonly marker: string
}

/** Sorts the masks and joins overlapping ones; the marker is that of the first. */
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

/** Replaces united masks by markers, and returns the places of the markers. Keeps the number of lines. */
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
  // Search in the mask only: the next newline after it may be far away, and many masks may be before it.
  const masked = text.slice(start, end)
  let count = 0
  for (let at = masked.indexOf("\n"); at >= 0; at = masked.indexOf("\n", at + 1)) count++
  return count
}

/** Does the value contain a marker? Marked text is not checked again. */
export const isMarked = (value: string): boolean => value.includes("[REDACT")

/** Matches the marker of hidden text. */
export const anyMarker = /\[REDACT(?:ED|ION)_[A-Z_]+\]/
