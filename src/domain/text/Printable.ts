/**
 * Makes text from a repository, a model or a forge safe to show: nothing in it can move a cursor,
 * recolour a terminal, reverse the reading order or hide.
 *
 * What comes out has no control character but `\n` and `\t`, no C1, no bidirectional control and no
 * invisible character: those show as `<U+202E>`, because a reader has to see that they are there.
 * Total, linear in the length of the text; doing it twice changes nothing.
 */

/** For prose: escape sequences go, line breaks become `\n`, hidden characters show. */
export const printable = (text: string): string =>
  text
    .toWellFormed()
    .replace(escapeSequences, "")
    .replace(lineBreaks, "\n")
    .replace(controls, "")
    .replace(invisible, marked)

/** For a title, a cell: printable, and on one line. */
export const oneLine = (text: string): string =>
  printable(text)
    .replace(/[\t\n]+/g, " ")
    .trim()

/**
 * For a path: every control character shows as its bytes do, `\xHH`, so that two names never become one and none
 * becomes another file's. Escape sequences are names here, and lose only what makes them work.
 */
export const visiblePath = (path: string): string =>
  printable(path.toWellFormed().replace(controlInPath, (character) => [...encoder.encode(character)].map(hex).join("")))

const controlInPath = /[\x00-\x1f\x7f-\x9f\u2028\u2029]/g
const encoder = new TextEncoder()
const hex = (byte: number): string => `\\x${byte.toString(16).padStart(2, "0")}`

/** For a line of code: nothing goes, everything hidden shows, tabs reach the next multiple of four. */
export const visibleCode = (line: string): string => expandTabs(revealedLine(line))

/** For a line of code that a model reads and quotes: nothing goes, everything hidden shows, tabs stay. */
export const revealedLine = (line: string): string =>
  line
    .toWellFormed()
    .replace(/[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]/g, codePoint)
    .replace(invisible, marked)

// OSC, DCS, SOS, PM and APC strings up to their terminator; CSI; any other escape. A string that never
// ends on its line loses its introducer only, so that it cannot swallow the words after it.
const escapeSequences =
  /(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x80-\x9f\n\r]*(?:\x07|\x1b\\|\x9c)|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[ -/]*[0-~]/g
const lineBreaks = /\r\n?|[\u2028\u2029\x85]/g
const controls = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g

const hidden =
  "\\xad\\u061c\\u115f\\u1160\\u180e\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb\\u{e0000}-\\u{e00ff}\\u{e01f0}-\\u{e0fff}"
const joiners = "\\u200c\\u200d"
const selectors = "\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}"

// Joiners and variation selectors are part of how many scripts and emoji are spelled, so one of them
// stays behind a character that can need it; behind ASCII, or in a row, they only hide.
const invisible = new RegExp(
  `(?:[${hidden}]` +
    `|(?<![^\\x00-\\x7f${hidden}${joiners}])[${joiners}]` +
    `|[${joiners}](?![^\\x00-\\x7f${hidden}${joiners}${selectors}])` +
    `|(?<![^\\x00-\\x7f${hidden}${joiners}${selectors}])[${selectors}])+`,
  "gu"
)

const codePoint = (character: string): string =>
  `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`

/** A run shows its first character and how many follow: hidden text may be thousands of characters long. */
const marked = (run: string): string => {
  const characters = [...run]
  const first = codePoint(characters[0] ?? "")
  return characters.length === 1 ? first : `${first}(and ${characters.length - 1} more)`
}

const tabStop = 4

const expandTabs = (line: string): string => {
  const [head = "", ...rest] = line.split("\t")
  let expanded = head
  for (const part of rest) expanded += " ".repeat(tabStop - (expanded.length % tabStop)) + part
  return expanded
}
