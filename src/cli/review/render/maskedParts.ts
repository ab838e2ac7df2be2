/**
 * Which parts of a line were replaced by markers, in units of the line and of the masked one, in order.
 *
 * Parts whose limits are not certain are one part, from the first difference to the last.
 */
export interface MaskedPart {
  readonly from: number
  readonly to: number
  /** In the masked line. */
  readonly shownFrom: number
  readonly shownTo: number
}

const marker = /\[REDACTED\w*\]/g

export const maskedParts = (raw: string, shown: string): ReadonlyArray<MaskedPart> => {
  if (raw === shown) return []
  const found = byMarker(raw, shown)
  return found.length > 0 ? found : [difference(raw, shown)]
}

/** The texts between the markers are those of the line, so each marker replaces what is between them there. */
const byMarker = (raw: string, shown: string): ReadonlyArray<MaskedPart> => {
  const parts: Array<MaskedPart> = []
  let [from, shownFrom] = [0, 0]
  const markers = [...shown.matchAll(marker)]
  for (const [at, { 0: text, index }] of markers.entries()) {
    const start = from + index - shownFrom
    if (raw.slice(from, start) !== shown.slice(shownFrom, index)) return []
    const shownTo = index + text.length
    const next = shown.slice(shownTo, markers[at + 1]?.index)
    const isLast = at === markers.length - 1
    const to = isLast ? raw.length - next.length : next === "" ? -1 : raw.indexOf(next, start)
    if (to < start || !raw.startsWith(next, to)) return []
    if (raw.slice(start, to) !== text) parts.push({ from: start, to, shownFrom: index, shownTo })
    from = to
    shownFrom = shownTo
  }
  return parts
}

const difference = (raw: string, shown: string): MaskedPart => {
  const shorter = Math.min(raw.length, shown.length)
  let before = 0
  while (before < shorter && raw[before] === shown[before]) before++
  let after = 0
  while (after < shorter - before && raw.at(-1 - after) === shown.at(-1 - after)) after++
  return { from: before, to: raw.length - after, shownFrom: before, shownTo: shown.length - after }
}
