/**
 * Replaces credentials, known secrets and names of users in any text by markers such as `[REDACTED_API_KEY]`.
 *
 * Linear in the text; keeps the number of lines; idempotent. Hides everything that `findSecrets` would report.
 */

import { applied, isMarked, type Mask, united } from "../text/Mask.ts"
import { assignedSecret } from "./assignedSecret.ts"
import { commandSecrets } from "./commandSecret.ts"
import { type DecodedText, decodedParts } from "./DecodedText.ts"
import { headerSecret } from "./headerSecret.ts"
import { type KnownSecrets, knownSecrets } from "./KnownSecrets.ts"
import { jsonWebTokens, privateKeys, urlPassword } from "./keyText.ts"
import { isGenerated, otherProseSecrets, proseSecret } from "./proseSecret.ts"
import { otherPrefixes, otherTokens, shortestToken, tokenAt, tokenInWord } from "./tokenAt.ts"
import { userPaths } from "./userPaths.ts"
import { variableSecret } from "./variableSecret.ts"

export interface Redaction {
  readonly text: (text: string) => string
  /** The masks of a text, joined and in order, for callers that do not have the whole text yet. */
  readonly masks: (text: string) => ReadonlyArray<Mask>
  /** Hides these masks, and secrets that are found only next to their markers. */
  readonly hide: (text: string, masks: ReadonlyArray<Mask>) => string
}

export interface Known {
  readonly secrets: ReadonlyArray<string>
  /** Names of users that are always hidden in paths: the owner of the home directory. */
  readonly users: ReadonlyArray<string>
}

export const redactionOf = (known: Known): Redaction => {
  const secrets = knownSecrets(known.secrets)
  const users = new Set(known.users)
  const masks = (text: string) => united([...found(text, secrets, users), ...decodedParts(text).flatMap(masksIn)])
  const masksIn = ({ original, text }: DecodedText) =>
    found(text, secrets, users).map(
      (mask): Mask => ({
        ...mask,
        ...original(mask.start, mask.end),
        // Includes the escape at the boundary.
        from: original(Math.max(0, mask.from - 1), mask.from).start
      })
    )
  const hide = (text: string, found: ReadonlyArray<Mask>) => settled(text, found, masks)
  return { masks, hide, text: (text) => hide(text, masks(text)) }
}

/** The redaction without an environment. */
export const plainRedaction = redactionOf({ secrets: [], users: [] })

/**
 * A marker ends the text before it, so that the text after it may become an assignment. So the lines around markers are
 * searched again, but not the whole text.
 */
const settled = (text: string, first: ReadonlyArray<Mask>, masks: Redaction["masks"]): string => {
  if (first.length === 0) return text
  const { text: redacted, edges } = applied(text, first)
  let out = ""
  let position = 0
  for (const { start, end } of linesAround(redacted, edges)) {
    out += redacted.slice(position, start) + repeated(redacted.slice(start, end), masks)
    position = end
  }
  return out + redacted.slice(position)
}

const repeated = (text: string, masks: Redaction["masks"]): string => {
  let redacted = text
  for (let round = 0; round < 3; round++) {
    const found = masks(redacted)
    if (found.length === 0) break
    redacted = applied(redacted, found).text
  }
  return redacted
}

/** The line of each place with the previous and the next one; adjacent ranges are joined. */
const linesAround = (text: string, places: ReadonlyArray<number>) => {
  const ranges: Array<{ readonly start: number; end: number }> = []
  let lineEnd = -1
  for (const place of places) {
    // On a line that was searched already.
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

/** The fast checks first: most strings of a record are short and cannot contain a secret. */
const found = (text: string, secrets: KnownSecrets, users: ReadonlySet<string>): ReadonlyArray<Mask> => {
  const holdsMore = mayHoldMore.test(text)
  const masks = [
    ...secrets.find(text),
    ...(holdsMore && text.includes("://") ? urlCredentials(text) : []),
    ...(holdsMore ? patterns(text) : []),
    ...(holdsMore ? userPaths(text, users) : []),
    ...commandSecrets(text),
    ...otherProseSecrets(text)
  ]
  let hiddenUntil = 0
  const begins = (at: number) => {
    const end = at < hiddenUntil ? -1 : tokenAt(text, at)
    if (end < 0) return
    masks.push({ from: at, start: at, end, marker: apiKey })
    hiddenUntil = end
  }
  const assigns = (start: number, end: number) => {
    // The name in a marker has no value.
    if (isMarked(text.slice(start - 1, start + 6))) return end
    const mask =
      variableSecret(text, start, end) ??
      headerSecret(text, start, end) ??
      assignedSecret(text, start, end) ??
      proseSecret(text, start, end)
    if (mask === null) return end
    masks.push(mask)
    return Math.max(end, mask.end)
  }
  const mayAssign = mayGive.test(text)
  const ends = (start: number, end: number) => {
    const token = end - start < shortestToken || hiddenUntil > start ? null : tokenInWord(text, start, end)
    if (token !== null) masks.push({ ...token, from: token.start, marker: apiKey })
    return mayAssign ? assigns(start, end) : end
  }
  eachName(text, { begins, ends })
  return masks
}

/** A text without a match has no assignment of a secret: each rule with a name requires one of these. */
const mayGive = /=|pass|pswd|secret|token|credential|auth|key|pw|bearer|cookie|identified|(?:\b|_)pat\b|-[a-z]{0,4}u/i

const escaped = (literal: string): string => literal.replace(/[^\w]/g, "\\$&")

/** The same for rules without a name: addresses, paths, key blocks, signatures, formats without a fixed start. */
const mayHoldMore = new RegExp(
  `[=:/\\\\]|PRIVATE KEY|${["eyJ", ...otherPrefixes.filter((prefix) => !/[=:/\\]/.test(prefix))].map(escaped).join("|")}`
)

/** The masks of a text that is not decoded, which may overlap, for those who judge each. */
export const secretMasks = (text: string): ReadonlyArray<Mask> => found(text, noSecrets, noUsers)

const noSecrets = knownSecrets([])
const noUsers: ReadonlySet<string> = new Set()

const apiKey = "[REDACTED_API_KEY]"

function* patterns(text: string): Generator<Mask> {
  for (const { start, end, isWhole, material } of privateKeys(text)) {
    if (isWhole || material > 0) yield { from: start, start, end, marker: "[REDACTED_PEM_KEY]" }
  }
  for (const { start, end } of otherTokens(text)) yield { from: start, start, end, marker: apiKey }
  for (const { start, end } of jsonWebTokens(text)) yield { from: start, start, end, marker: "[REDACTED_JWT]" }
  for (const match of text.matchAll(signature)) {
    const [whole, value, key = ""] = match
    const end = match.index + whole.length
    if (value === undefined && !isGenerated(key)) continue
    yield { from: match.index, start: end - (value ?? key).length, end, marker: "[REDACTED_CREDENTIAL]" }
  }
}

/** Or a key: `?key=…` */
const signature =
  /[?&](?:(?:sig|signature|x-amz-signature|x-goog-signature|x-amz-security-token)=([\w%+/=-]{20,2048})|(?:key|auth|appid)=([\w%+/=-]{20,200}))/gi

function* urlCredentials(text: string): Generator<Mask> {
  for (const match of text.matchAll(urlPassword)) {
    const [whole, user = "", password = "", host = ""] = match
    // A reference, a placeholder in brackets, a syntax: `protocol://[user[:password]@]host`.
    if (isMarked(password) || user.endsWith("[") || /^[$%#@]?[{(<[]|^\$\w+$|^%[sv]$/.test(password)) continue
    const end = match.index + whole.length - host.length - 1
    yield { from: match.index, start: match.index + 3, end, marker: "[REDACTED_USER]:[REDACTED_API_KEY]" }
  }
  for (const { 0: token, index } of text.matchAll(urlToken)) {
    if (/\d/.test(token) && /[A-Za-z]/.test(token))
      yield { from: index - 3, start: index, end: index + token.length, marker: apiKey }
  }
}

/** `https://TOKEN@github.com`: user names rarely have so many letters and digits. */
const urlToken = /(?<=https?:\/\/)[\w~+-]{8,200}(?=@[\w-]{1,63}\.)/g

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

interface Visit {
  /** A word starts here: at the start of a name, or after a dash in it. */
  readonly begins: (at: number) => void
  /** A name from `start` to `end`. Returns the position to continue from, at `end` or after it. */
  readonly ends: (start: number, end: number) => number
}

const eachName = (text: string, { begins, ends }: Visit): void => {
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
