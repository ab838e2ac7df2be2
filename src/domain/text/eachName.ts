/**
 * Visits the names in a text: a name is a run of ASCII letters, digits, `_` and `-`.
 *
 * For callers that search for many patterns: the text is read once, and not once for each pattern.
 */

const letter = 1
const dash = 2

const kinds = new Uint8Array(128)
for (const char of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_") kinds[char.charCodeAt(0)] = letter
kinds["-".charCodeAt(0)] = dash

export interface Visit {
  /** A word starts here: at the start of a name, or after a dash in it. */
  readonly begins: (at: number) => void
  /** A name from `start` to `end`. Returns the position to continue from, at `end` or after it. */
  readonly ends: (start: number, end: number) => number
}

export const eachName = (text: string, { begins, ends }: Visit): void => {
  const length = text.length
  let i = 0
  while (i < length) {
    const code = text.charCodeAt(i)
    if (code > 127 || kinds[code] === 0) {
      i++
      continue
    }
    const start = i
    let boundary = true
    while (i < length) {
      const inner = text.charCodeAt(i)
      const kind = inner > 127 ? 0 : kinds[inner]!
      if (kind === 0) break
      if (kind === letter && boundary) begins(i)
      boundary = kind === dash
      i++
    }
    i = ends(start, i)
  }
}
