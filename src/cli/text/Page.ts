/** Layout of text reports: the width of text, line breaks, cutting. */

/** The columns of a text on a terminal: two for East Asian wide characters and emoji, none for marks. */
export const columns = (text: string): number => {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length
  let total = 0
  for (const character of text) total += columnsOf(character)
  return total
}

/** Breaks at spaces; a word wider than the page stays whole up to a limit, so that it can be copied. */
export const wrap = (text: string, width: number, space = /[ \t]+/): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const paragraph of text.split("\n")) {
    let line = ""
    let used = 0
    for (const given of paragraph.split(space)) {
      const word = cut(given, longestWord)
      const wide = columns(word)
      if (line !== "" && used + 1 + wide > width) {
        lines.push(line)
        line = word
        used = wide
      } else {
        line = line === "" ? word : `${line} ${word}`
        used = line === word ? wide : used + 1 + wide
      }
    }
    lines.push(line)
  }
  return lines
}

const longestWord = 400

/** For texts with code: several spaces stay as they are. */
export const singleSpace = /(?<!\s) (?!\s)/

/**
 * Breaks long lines between words. What follows begins at the last column of the line, as in a table, or with the same
 * indentation. Without enough room beside the other columns it begins below them, and their gaps close.
 */
export const folded = (text: string, width: number): string =>
  text
    .split("\n")
    .flatMap((line) => (columnsShown(line) <= width ? [line] : foldedLine(line, width)))
    .join("\n")

const leastRoom = 20

const foldedLine = (line: string, width: number): ReadonlyArray<string> => {
  const plain = withoutColours(line)
  const indent = /^ *(?:[-*] +|\d+\. +)?/.exec(plain)?.[0].length ?? 0
  const column = /^ *\S.* {2,}(?=\S)/.exec(plain)?.[0].length ?? indent
  const words = plain.slice(column).split(" ")
  if (column <= indent) return rowsOf(line, indent, width)
  const hasRoom = width - column >= leastRoom && words.every((word) => column + columns(word) <= width)
  return hasRoom ? rowsOf(line, column, width) : rowsOf(line.replaceAll(/(?<=\S) {3,}/g, "  "), indent + 2, width)
}

/** A sign such as `-->` stays beside the word that follows, which may be wider than the page. */
const rowsOf = (line: string, indent: number, width: number): ReadonlyArray<string> => {
  const rows: Array<string> = []
  for (const word of line.match(/ *[^ ]+/g) ?? []) {
    const row = rows.at(-1)
    if (row === undefined) rows.push(word)
    else if (columnsShown(row + word) <= width || !/[\p{L}\p{N}]/u.test(withoutColours(row)))
      rows[rows.length - 1] = row + word
    else rows.push(" ".repeat(indent) + word.trimStart())
  }
  return rows
}

const withoutColours = (text: string): string => text.replaceAll(/\u001b\[[0-9;]*m/g, "")

const columnsShown = (text: string): number => columns(withoutColours(text))

/** At most `width` columns, with an ellipsis if cut. */
export const cut = (text: string, width: number): string => {
  // A minified line is megabytes long; only the part that fits is measured.
  const candidate = text.slice(0, width * 4)
  if (candidate.length === text.length && columns(text) <= width) return text
  let kept = ""
  let used = 0
  for (const character of candidate) {
    const wide = columnsOf(character)
    if (used + wide > width - 1) break
    kept += character
    used += wide
  }
  return `${kept.toWellFormed()}…`
}

/** At most `most` lines; the last one ends with an ellipsis if there are more. */
export const wrapAtMost = (text: string, width: number, most: number): ReadonlyArray<string> => {
  const lines = wrap(text, width)
  return lines.length <= most ? lines : [...lines.slice(0, most - 1), cut(`${lines[most - 1]} …`, width)]
}

const columnsOf = (character: string): number => (marks.test(character) ? 0 : wide.test(character) ? 2 : 1)

const marks = /^[\p{Mn}\p{Me}\u200c\u200d]$/u
const wide =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation})$/u
