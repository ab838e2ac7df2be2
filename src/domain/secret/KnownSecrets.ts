/**
 * Finds the secrets of the process's own environment in a text: complete or in part (12 characters and more), plain, in
 * base64 at any alignment, in URL or JSON escapes, in hexadecimal.
 *
 * A value of less than eight characters and a single plain word (`postgres`) are not hidden: this would hide ordinary text
 * and reveal the word.
 */
import type { Mask } from "../text/Mask.ts"
import { secretVariables } from "./secretVariable.ts"

export interface KnownSecrets {
  readonly find: (text: string) => ReadonlyArray<Mask>
}

export type Environment = Readonly<Record<string, string | undefined>>

/** The secrets in an environment, including passwords in URLs of other variables. */
export const secretValues = (environment: Environment): ReadonlyArray<string> => {
  const values = new Set<string>()
  for (const name of secretVariables(Object.keys(environment))) {
    const value = environment[name]
    if (value !== undefined && value !== "") values.add(value)
  }
  const all = Object.values(environment).join("\n")
  if (all.includes("://")) for (const match of all.matchAll(passwordInUrl())) values.add(match[1]!)
  return [...values]
}

// In a function: `dd hook event` needs it for few environments.
const passwordInUrl = (): RegExp => /:\/\/[^\s:@/]{0,100}:([^\s@/]{1,400})@/g

/** The shortest part of a secret that is hidden. */
const shortestPart = 12
const shortestSecret = 8
/** The number of characters per look-up; every part contains such a group at a multiple of `step`. */
const grams = 4

const isTelling = (value: string): boolean => {
  if (value.length < shortestSecret || new Set(value).size < 4) return false
  if (value.length < 16 && consistsOf(value, letters)) return false
  // Switches, numbers and paths are not secrets.
  if (value.startsWith("/") && /^(?:\/[\w.@+-]+)+\/?$/.test(value)) return false
  if (value.startsWith("http") && /^https?:\/\/[^@]*$/.test(value)) return false
  return value.toLowerCase() !== value.toUpperCase() || /[^\d.:-]/.test(value)
}

// Loops: the first use of a regular expression, of `encodeURIComponent` or of a method with a callback takes `dd hook event`
// 30 to 60 µs.

const consistsOf = (value: string, characters: string): boolean => {
  for (let at = 0; at < value.length; at++) if (!characters.includes(value[at]!)) return false
  return true
}

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
/** Neither a URL nor JSON escapes these. */
const unescaped = `${letters}0123456789-_.~`

interface Form {
  readonly text: string
  /** The minimum number of consecutive characters that are hidden. */
  readonly least: number
}

export const knownSecrets = (values: ReadonlyArray<string>): KnownSecrets => {
  const forms = allForms(values)
  if (forms.length === 0) return { find: () => nothing }
  return { find: searching(forms) }
}

const allForms = (values: ReadonlyArray<string>): ReadonlyArray<Form> => {
  const forms = new Map<string, Form>()
  for (const value of tellingLines(values)) {
    for (const text of formsOf(value)) {
      if (text.length >= shortestSecret) forms.set(text, { text, least: Math.min(text.length, shortestPart) })
    }
  }
  return [...forms.values()]
}

const tellingLines = (values: ReadonlyArray<string>): ReadonlyArray<string> => {
  const lines: Array<string> = []
  for (const value of values) {
    for (const line of value.replaceAll("\r", "\n").split("\n")) if (isTelling(line)) lines.push(line)
  }
  return lines
}

/**
 * False only for a text in which `knownSecrets` finds nothing. Needs less preparation, for a process that searches few
 * texts: every part that is hidden contains one of the pieces that lie side by side in a form.
 */
export const mayContainKnown = (values: ReadonlyArray<string>): ((text: string) => boolean) => {
  const pieces = new Set<string>()
  for (const line of tellingLines(values)) {
    for (const form of formsOf(line)) {
      if (form.length < shortestSecret) continue
      for (let at = 0; at + pieceLength <= form.length; at += pieceLength) pieces.add(form.slice(at, at + pieceLength))
    }
  }
  const list = [...pieces]
  return (text) => {
    for (const piece of list) if (text.includes(piece)) return true
    return false
  }
}

/** A part of `shortestPart` characters contains a whole piece wherever it begins. */
const pieceLength = Math.floor((shortestPart + 1) / 2)

const nothing: ReadonlyArray<Mask> = []

const formsOf = (value: string): ReadonlyArray<string> => {
  const bytes = new TextEncoder().encode(value)
  const hex = bytes.toHex()
  const encoded: Array<string> = []
  for (let shift = 0; shift < 3; shift++) {
    const inner = innerBase64(bytes, shift)
    encoded.push(inner)
    if (!inner.includes("+") && !inner.includes("/")) continue
    encoded.push(inner.replaceAll("+", "-").replaceAll("/", "_"), inner.replaceAll("+", "%2B").replaceAll("/", "%2F"))
  }
  return [value, ...escapedForms(value), ...encoded, hex, hex.toUpperCase()]
}

/** None for most tokens: letters, digits, `_`, `-` and `.` are not escaped. */
const escapedForms = (value: string): ReadonlyArray<string> => {
  if (consistsOf(value, unescaped)) return []
  const component = encodeURIComponent(value.toWellFormed())
  const escaped = urlEscaped(value)
  const json = JSON.stringify(value).slice(1, -1)
  const lower = escaped.replace(/%[0-9A-F]{2}/g, (sign) => sign.toLowerCase())
  return [component, json, escaped, escaped.replaceAll("%20", "+"), lower]
}

/** A lone surrogate cannot be escaped and becomes U+FFFD, as in any encoded text. */
const urlEscaped = (value: string): string => {
  let escaped = encodeURIComponent(value.toWellFormed())
  for (const char of "!'()*") {
    if (escaped.includes(char)) escaped = escaped.replaceAll(char, `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
  }
  return escaped
}

/** The characters of base64 that do not depend on the text around the value, `shift` bytes into a group of three. */
const innerBase64 = (bytes: Uint8Array, shift: number): string => {
  const padded = new Uint8Array(shift + bytes.length)
  padded.set(bytes, shift)
  // The first and the last character may contain bits of the text around it.
  return padded.toBase64().slice(Math.ceil((shift * 8) / 6), Math.floor((padded.length * 8) / 6))
}

/**
 * Looks up four characters at every fifth position or less, so that most of a long text is skipped, and extends a match to
 * both sides. Linear: a match that is too short costs at most `least` characters.
 */
const searching = (forms: ReadonlyArray<Form>): KnownSecrets["find"] => {
  const places = new Map<number, Array<{ readonly form: Form; readonly at: number }>>()
  const seen = new Uint8Array(1 << 16)
  let least = Number.POSITIVE_INFINITY
  for (const form of forms) {
    least = Math.min(least, form.least)
    for (let at = 0; at + grams <= form.text.length; at++) {
      const key = gramAt(form.text, at)
      const list = places.get(key) ?? []
      // The first positions are enough to find a value with repetitions.
      if (list.length < 16) list.push({ form, at })
      places.set(key, list)
      seen[key & 0xffff] = 1
    }
  }
  const step = least - grams + 1
  return (text) => {
    if (text.length < least) return nothing
    const masks: Array<Mask> = []
    let hiddenUntil = 0
    for (let i = 0; i + grams <= text.length; i += step) {
      const key = gramAt(text, i)
      if (seen[key & 0xffff] === 0) continue
      for (const { form, at } of places.get(key) ?? []) {
        if (!text.startsWith(form.text.slice(at, at + grams), i)) continue
        const { start, end } = extended(text, i, form.text, at, hiddenUntil)
        if (end - start < form.least) continue
        masks.push({ from: start, start, end, marker: "[REDACTED_ENV_VAR]" })
        hiddenUntil = end
        i = Math.max(i, end - step)
        break
      }
    }
    return masks
  }
}

const gramAt = (text: string, at: number): number =>
  (text.charCodeAt(at) * 31 ** 3 +
    text.charCodeAt(at + 1) * 31 ** 2 +
    text.charCodeAt(at + 2) * 31 +
    text.charCodeAt(at + 3)) |
  0

/** Extends a match to both sides. */
const extended = (text: string, i: number, form: string, at: number, floor: number) => {
  let before = 0
  while (before < at && i - before > floor && text.charCodeAt(i - before - 1) === form.charCodeAt(at - before - 1))
    before++
  let behind = grams
  while (at + behind < form.length && text.charCodeAt(i + behind) === form.charCodeAt(at + behind)) behind++
  return { start: i - before, end: i + behind }
}
