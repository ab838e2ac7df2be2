/**
 * The end of a literal: the same quote on the same line, or else the end of the line.
 *
 * An escaped quote ends only a literal that starts with an escaped quote, such as code in a string. Reads no further than
 * the next such quote, so that a text with many literals is read once.
 */
export const closingOf = (
  text: string,
  start: number,
  quote: string
): { readonly end: number; readonly closed: boolean } => {
  const first = quote.charCodeAt(0)
  for (let i = start; i < text.length; i++) {
    const char = text.charCodeAt(i)
    if (char === newline) return { end: i, closed: false }
    if (char === first && (quote.length === 1 || text.startsWith(quote, i))) return { end: i, closed: true }
    if (char === backslash && quote.length === 1 && text.charCodeAt(i + 1) !== newline) i++
  }
  return { end: text.length, closed: false }
}

/** The start of the line that contains `at`, or -1 if it is more than `reach` characters before. */
export const lineStart = (text: string, at: number, reach: number): number => {
  for (let i = at; i >= Math.max(0, at - reach); i--) {
    if (i === 0 || text.charCodeAt(i - 1) === newline) return i
  }
  return -1
}

const newline = 10
const backslash = 92
