/**
 * Makes text from a repository, a model or a forge safe to show: it cannot move the cursor, change colours, reverse the
 * reading order or be invisible.
 *
 * The result has no control characters except `\n` and `\t`, and no C1, bidirectional or invisible characters: these are
 * shown as `<U+202E>`, so that the reader sees them. Total, linear; idempotent except for paths.
 */

/** For prose: removes escape sequences, converts line breaks to `\n`, shows hidden characters. */
export const printable = (text: string): string =>
  text
    .toWellFormed()
    .replace(escapeSequences, "")
    .replace(lineBreaks, "\n")
    .replace(controls, "")
    .replace(invisible, marked)

/** For a title or a cell: printable, and on one line. */
export const oneLine = (text: string): string =>
  printable(text)
    .replace(/[\t\n]+/g, " ")
    .trim()

/**
 * For a path: control characters are shown as their bytes, `\xHH`, invisible ones as `<U+202E>`. What looks like such a form
 * in the path itself begins with `\x5c` or `\x3c`, so that different paths stay different; not to be applied twice.
 */
export const visiblePath = (path: string): string =>
  path
    .toWellFormed()
    .replace(formsInPath, (sign) => hex(sign.charCodeAt(0)))
    .replace(controlInPath, (character) => [...encoder.encode(character)].map(hex).join(""))
    .replace(invisible, (run) => [...run].map(codePoint).join(""))

/** `\xff` and `\x5c` are such forms already (`pathText`). */
const formsInPath = /\\(?=x[0-7][0-9a-f])(?!x5c)|<(?=U\+[0-9A-F]{4,6}>)/g
const controlInPath = /[\x00-\x1f\x7f-\x9f\u2028\u2029]/g
const encoder = new TextEncoder()
const hex = (byte: number): string => `\\x${byte.toString(16).padStart(2, "0")}`

/** For a line of code: removes nothing, shows hidden characters, expands tabs to multiples of four columns. */
export const visibleCode = (line: string): string => expandTabs(revealedLine(line))

/** For a line of code in a prompt: removes nothing, shows hidden characters, keeps tabs. */
export const revealedLine = (line: string): string =>
  line
    .toWellFormed()
    .replace(/[\x00-\x08\x0a-\x1f\x7f-\x9f\u2028\u2029]/g, codePoint)
    .replace(invisible, marked)

// OSC, DCS, SOS, PM and APC strings up to their terminator; CSI; any other escape. Of a string without an end on its line
// only the introducer is removed, so that the text after it remains.
const escapeSequences =
  /(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x80-\x9f\n\r]*(?:\x07|\x1b\\|\x9c)|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b[ -/]*[0-~]/g
const lineBreaks = /\r\n?|[\u2028\u2029\x85]/g
const controls = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g

/** Nobody sees these. */
const hidden =
  "\\xad\\u061c\\u115f\\u1160\\u180e\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb\\u{e0000}-\\u{e00ff}\\u{e01f0}-\\u{e0fff}"
const joiners = "\\u200c\\u200d"
const selectors = "\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}"

// Many scripts and emoji need joiners and variation selectors, so one of them is kept after a character that may need it.
// After ASCII, or several in a row, they have no use.
const invisible = new RegExp(
  `(?:[${hidden}]` +
    `|(?<![^\\x00-\\x7f${hidden}${joiners}])[${joiners}]` +
    `|[${joiners}](?![^\\x00-\\x7f${hidden}${joiners}${selectors}])` +
    `|(?<![^\\x00-\\x7f${hidden}${joiners}${selectors}])[${selectors}])+`,
  "gu"
)

/** Everything that steers a terminal, reorders a text or is invisible. */
export const unseen = new RegExp(`[\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029${hidden}${joiners}]`, "gu")

const codePoint = (character: string): string =>
  `<U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}>`

/** Shows the first character of a run and the number of the others, because hidden text may be very long. */
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
