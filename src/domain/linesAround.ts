/** The line of each of these ascending places with the line before and after it; ranges that touch are one. */
export const linesAround = (text: string, places: ReadonlyArray<number>) => {
  const ranges: Array<{ readonly start: number; end: number }> = []
  let lineEnd = -1
  for (const place of places) {
    // On a line that is covered already.
    if (place <= lineEnd) continue
    const before = text.lastIndexOf("\n", place - 1)
    const start = before <= 0 ? 0 : text.lastIndexOf("\n", before - 1) + 1
    lineEnd = endOfLine(text, place)
    const end = Math.min(text.length, endOfLine(text, lineEnd + 1) + 1)
    const last = ranges[ranges.length - 1]
    if (last !== undefined && start <= last.end) last.end = end
    else ranges.push({ start, end })
  }
  return ranges
}

const endOfLine = (text: string, at: number): number => {
  const newline = text.indexOf("\n", at)
  return newline < 0 ? text.length : newline
}
