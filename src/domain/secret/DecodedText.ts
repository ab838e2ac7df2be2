/**
 * A text with its escapes decoded, so that rules about word boundaries apply to the decoded text: `\n`, `\u001b[33m`,
 * `%20`, `=3D`, `&quot;`, the colours of a terminal, UTF-16 that was read as single bytes.
 *
 * Every position maps back to the original text. An escape becomes at most one character, so both have the same order.
 * Linear in the text.
 */

import { lastAtMost } from "../text/lastAtMost.ts"
import { matchAt, matchEnd } from "../text/matchAt.ts"

export interface DecodedText {
  readonly text: string
  /** The original position of the text from `start` to `end`, without escapes next to it. */
  readonly original: (start: number, end: number) => { readonly start: number; readonly end: number }
}

/**
 * The lines of a text that have escapes, adjacent lines as one part. Lines with terminal codes are two parts: with a
 * space for each code, and without the codes, since one may be inside of a word. Empty for a text without escapes.
 */
export const decodedParts = (text: string): ReadonlyArray<DecodedText> => {
  const nuls = nulsOfUtf16(text)
  if (nuls.length === 0) return partsOf(text)
  const narrow = decoded(text, 0, text.length, nuls)
  const inner = partsOf(narrow.text).map(
    (part): DecodedText => ({
      text: part.text,
      original: (start, end) => {
        const place = part.original(start, end)
        return narrow.original(place.start, place.end)
      }
    })
  )
  return [narrow, ...inner]
}

interface Escape {
  readonly start: number
  readonly end: number
  /** At most one UTF-16 unit. */
  readonly meaning: string
  readonly isTerminalCode: boolean
}

const partsOf = (text: string): ReadonlyArray<DecodedText> => {
  const escapes = escapesOf(text)
  let at = 0
  return linesOf(
    text,
    escapes.filter((each) => changesReading(text, each))
  ).flatMap(({ start, end }) => {
    while (at < escapes.length && escapes[at]!.start < start) at++
    const first = at
    while (at < escapes.length && escapes[at]!.start < end) at++
    const inside = escapes.slice(first, at)
    const spaced = decoded(text, start, end, inside)
    if (!inside.some(({ isTerminalCode }) => isTerminalCode)) return [spaced]
    const joined = inside.map((each) => (each.isTerminalCode ? { ...each, meaning: "" } : each))
    return [spaced, decoded(text, start, end, joined)]
  })
}

const linesOf = (text: string, escapes: ReadonlyArray<Escape>) => {
  const ranges: Array<{ readonly start: number; end: number }> = []
  for (const { start: at } of escapes) {
    const last = ranges[ranges.length - 1]
    if (last !== undefined && at < last.end) continue
    const start = text.lastIndexOf("\n", at) + 1
    const newline = text.indexOf("\n", at)
    const end = newline < 0 ? text.length : newline + 1
    if (start === last?.end) last.end = end
    else ranges.push({ start, end })
  }
  return ranges
}

/** Does decoding it matter to the rules? White space only does before a character of a word or a path. */
const changesReading = (text: string, { end, meaning }: Escape): boolean =>
  !/^\s?$/.test(meaning) || /[\w/-]/.test(text[end] ?? "")

const decoded = (text: string, from: number, to: number, escapes: ReadonlyArray<Escape>): DecodedText => {
  let whole = ""
  let position = from
  const places: Array<number> = []
  for (const { start, end, meaning } of escapes) {
    whole += text.slice(position, start)
    places.push(whole.length)
    whole += meaning
    position = end
  }
  const original = (place: number) => {
    const index = lastAtMost(places, place)
    if (index < 0) return { start: from + place, end: from + place + 1 }
    const last = escapes[index]!
    const behind = place - places[index]! - last.meaning.length
    return behind < 0 ? last : { start: last.end + behind, end: last.end + behind + 1 }
  }
  return {
    text: whole + text.slice(position, to),
    original: (start, end) => ({
      start: original(start).start,
      end: end > start ? original(end - 1).end : original(start).start
    })
  }
}

/** The first two characters of every escape: one pass, fast for a text without escapes. */
const lead = /\\[/\\abefnrtvxuU0-7]|%[0-9A-Fa-f]|&[#qalgn]|\[\d|<U|\^\[|\x1b[[()]|\x9b[\s\S]|=3|`[nrt]/g
const leadLength = 2

const hex = "[0-9A-Fa-f]"
const escapedEsc = String.raw`\x1b|\^\[|<U\+001B>|%1[bB]|\\{1,8}(?:x1[bB]|u001[bB]|u\{1[bB]\}|033|e)`
/** Terminal codes, also if the ESC in front of them is escaped or was removed. */
const terminalCode = new RegExp(
  String.raw`(?:(?:\x9b|(?:${escapedEsc})(?:\[|%5[bB]))[0-9;:?]{0,32}[A-Za-z]|(?:${escapedEsc})[()][0-9A-Z]|\[\d{1,3}(?:;\d{1,3}){0,5}m)+`,
  "y"
)
const characterEscape = new RegExp(
  [
    String.raw`\\{1,8}(?:([abefnrtv/])|x(${hex}{2})|u(${hex}{4})|u\{(${hex}{1,6})\}|U(${hex}{8})|([0-3]?[0-7]{1,2}))`,
    `%(?:25){0,4}([0-7]${hex})`,
    // Quoted-printable, and a line break of PowerShell.
    "(=3D)|`([nrt])",
    // Bytes of one character beyond ASCII.
    `(?:%[89A-Fa-f]${hex}){2,4}`,
    String.raw`&(?:(quot|amp|lt|gt|apos|nbsp)|#(\d{1,7})|#x(${hex}{1,6}));`
  ].join("|"),
  "y"
)

const escapesOf = (text: string): ReadonlyArray<Escape> => {
  const escapes: Array<Escape> = []
  lead.lastIndex = 0
  while (lead.test(text)) {
    const at = lead.lastIndex - leadLength
    const found = terminalCodeAt(text, at) ?? characterAt(text, at)
    if (found !== null) escapes.push(found)
    lead.lastIndex = found?.end ?? at + 1
  }
  return escapes
}

const terminalCodeAt = (text: string, start: number): Escape | null => {
  const end = matchEnd(terminalCode, text, start)
  return end < 0 ? null : { start, end, meaning: " ", isTerminalCode: true }
}

const characterAt = (text: string, start: number): Escape | null => {
  const match = matchAt(characterEscape, text, start)
  if (match === null) return null
  const [, letter, x, u, brace, long, octal, percent, printable, shell, entity, decimal, hexadecimal] = match
  const sign = letter ?? shell
  const named =
    sign === undefined ? (printable === undefined ? entity && entities[entity] : "=") : (letters[sign] ?? " ")
  const hexCode = x ?? u ?? brace ?? long ?? percent ?? hexadecimal
  const code =
    hexCode === undefined
      ? Number.parseInt(octal ?? decimal ?? "", octal === undefined ? 10 : 8)
      : Number.parseInt(hexCode, 16)
  return { start, end: characterEscape.lastIndex, meaning: named ?? characterOf(code), isTerminalCode: false }
}

const letters: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", "/": "/" }
const entities: Readonly<Record<string, string>> = { quot: '"', amp: "&", lt: "<", gt: ">", apos: "'", nbsp: " " }

/** The rules look for no control character, and for none that takes two UTF-16 units. */
const characterOf = (code: number): string => {
  if (!(code <= 0xffff)) return "\ufffd"
  const character = String.fromCharCode(code)
  return /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/.test(character) ? " " : character
}

/**
 * The text with the commands in quotes as another shell reads them: `ssh host "curl -H \"a: b\""` is `ssh host  curl -H "a: b" `.
 * Null if no such command has a quoted sign.
 */
export const withoutQuoting = (text: string): DecodedText | null => {
  if (!/\\["'$`]|"'"'/.test(text)) return null
  const escapes = new Map<number, Escape>()
  const opened = new Map<string, { readonly start: number; readonly signs: Array<Escape> }>()
  for (const { 0: sign, index: start } of text.matchAll(quoting)) {
    const end = start + sign.length
    const read = (meaning: string): Escape => ({ start, end, meaning, isTerminalCode: false })
    const begun = opened.get(sign)
    if (sign === "\n") opened.clear()
    else if (sign.length > 1) {
      const single = read(sign.replace(/^\\+/, "")[0] ?? "")
      for (const [quote, { signs }] of opened) if (quote === '"' || sign.startsWith(quote)) signs.push(single)
    } else if (begun === undefined) {
      // A quote in a word belongs to a value.
      if (/[\s([,]/.test(text[start - 1] ?? "\n")) opened.set(sign, { start, signs: [read(" ")] })
    } else {
      opened.delete(sign)
      if (begun.signs.length > 1 && text.slice(begun.start, start).includes(" "))
        for (const each of [...begun.signs, read(" ")]) escapes.set(each.start, each)
    }
  }
  const inOrder = [...escapes.values()].toSorted((a, b) => a.start - b.start)
  return inOrder.length === 0 ? null : decoded(text, 0, text.length, inOrder)
}

const quoting = /\n|'"'"'|'\\{1,8}''|["']|\\{1,8}["'$`]/g

const nulsOfUtf16 = (text: string): ReadonlyArray<Escape> => {
  if (!text.includes("\0")) return []
  return Array.from(text.matchAll(nulOfUtf16), ({ index }) => ({
    start: index,
    end: index + 1,
    meaning: "",
    isTerminalCode: false
  }))
}

/** A NUL that is two characters away from another one. */
const nulOfUtf16 = /\0(?=[^\0]\0)|(?<=\0[^\0])\0/g
