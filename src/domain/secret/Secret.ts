/**
 * Finds credentials in source text, and has the patterns of `domain/secret/Redaction`.
 *
 * `findSecrets` is for claims: it finds only what is very likely a valid credential, without placeholders, documented
 * examples and interpolations. Linear in the text; never returns the text of a secret.
 */

import { matchAt } from "../text/matchAt.ts"
import { decodedParts } from "./DecodedText.ts"
import { claimedFormats, detectedFormats } from "./tokenFormats.ts"

export type SecretKind = "private-key" | "provider-token" | "google-api-key" | "credential" | "url-password"

export interface Secret {
  readonly kind: SecretKind
  /** The kind, for messages: "GitHub token", "private key", "password". */
  readonly name: string
  /** UTF-16 offsets into the text; `end` is exclusive. */
  readonly start: number
  readonly end: number
}

/** May the text contain a token? Then the detector library searches it. */
export const mayContainToken = (text: string): boolean =>
  detectedFormats.some(({ prefix, pattern }) => text.includes(prefix) && text.search(pattern) >= 0)

/** Is the value clearly not a secret, such as a placeholder or a marker? */
export const isStandIn = (value: string): boolean =>
  isMarker(value) || isPlaceholder(value) || interpolation.test(value) || entropy(value) < 3

const keyHeader = /-----BEGIN (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g
const keyFooter = /-----END (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g
/** The maximum size of a private key; a header without an end is not searched further. */
const longestKey = 16_384

export const credentialWord =
  /passw(?:or)?d|passphrase|pwd|secret|token|(?:api|access|auth|private|secret|signing|encryption|account|client)[_-]?key/gi
/** After the word: the end of the key, the operator, and an opening quote. */
const quotedValue =
  /["'`]?\]?[^\S\n]{0,8}(?::[^\S\n]{0,4}&?[A-Za-z]{1,20}[^\S\n]{0,4}=|=>|:=|[:=])[^\S\n]{0,8}[a-z]{0,2}(["'`])/y
export const urlPassword = /:\/\/([^\s:@/"'`<>]{0,100}):([^\s@/"'`<>]{1,200})@([^\s/:"'`<>]{0,100})/g
/** The first part of a signed token (three parts) or an encrypted one (five). Matched at the start of a run only, so that each is read a few times. */
const signedRun = /(?<![\w-])([\w-]{7,})(?=((?:\.[\w-]{4,}){2,4}))/g

/** Words and shapes of placeholders. */
const placeholder = /example|sample|placeholder|change[-_]?me|your[-_]|dummy|fake|redacted|x{4,}|\*{3,}|\.{3}|…/i
const sequence = /01234567|12345678|abcdefgh|87654321/i
const repetition = /(.)\1{5,}/
/** Words that mark a typed value as not valid. */
const homely =
  /pass|secret|token|test|mock|admin|default|hello|foo|bar|demo|dev|local|todo|none|null|undefined|value|string|qwerty|deadbeef|insert|replace|user|auth|key/i
export const interpolation = /\$\{|\{\{|\$\(|<[^<>]*>|#\{|%[sdv(]|^[$%@&*]|\{[a-z_.]*\}|:\/\//i

/** The credentials of a text, in order and without overlaps. */
export const findSecrets = (text: string): ReadonlyArray<Secret> =>
  withoutOverlaps([
    ...secretsOf(text),
    ...decodedParts(text).flatMap(({ original, text }) =>
      secretsOf(text).map((secret) => ({ ...secret, ...original(secret.start, secret.end) }))
    )
  ])

const secretsOf = (text: string): ReadonlyArray<Secret> => {
  const found: Array<Secret> = []
  for (const key of privateKeys(text)) {
    if (key.material >= 64) found.push({ kind: "private-key", name: "private key", start: key.start, end: key.end })
  }
  for (const { name, prefix, pattern, claimed } of claimedFormats) {
    if (!text.includes(prefix)) continue
    for (const match of text.matchAll(pattern)) {
      if (claimed?.test(match[0]) === false || isPlaceholder(match[0])) continue
      const kind = name === "Google API key" ? "google-api-key" : "provider-token"
      found.push({ kind, name, start: match.index, end: match.index + match[0].length })
    }
  }
  for (const { word, start, end } of quotedCredentials(text)) {
    if (looksLive(word, text.slice(start, end))) found.push({ kind: "credential", name: nameOf(word), start, end })
  }
  for (const match of text.matchAll(urlPassword)) {
    const [whole, user = "", password = "", host = ""] = match
    if (!isLiveUrl(user, password, host)) continue
    found.push({
      kind: "url-password",
      name: "password in a URL",
      start: match.index + 3,
      end: match.index + whole.length - host.length - 1
    })
  }
  return found
}

export interface PrivateKey {
  readonly start: number
  readonly end: number
  /** The number of characters of key material between the header and the end: 0 for a mention. */
  readonly material: number
  /** Is there an end, and only key material in between? */
  readonly isWhole: boolean
}

export function* privateKeys(text: string): Generator<PrivateKey> {
  if (!text.includes("PRIVATE KEY")) return
  let done = 0
  for (const header of text.matchAll(keyHeader)) {
    if (header.index < done) continue
    const bodyStart = header.index + header[0].length
    const window = text.slice(bodyStart, bodyStart + longestKey)
    const nextHeader = window.indexOf("-----BEGIN")
    const footer = footerIn(nextHeader < 0 ? window : window.slice(0, nextHeader))
    const body = footer === null ? leadingMaterial(window) : window.slice(0, footer.start)
    done = bodyStart + (footer === null ? body.length : footer.end)
    yield { start: header.index, end: done, material: materialIn(body), isWhole: footer !== null && isKeyBody(body) }
  }
}

const footerIn = (text: string): { readonly start: number; readonly end: number } | null => {
  keyFooter.lastIndex = 0
  const match = keyFooter.exec(text)
  return match === null ? null : { start: match.index, end: match.index + match[0].length }
}

/** The key material at the start of a key that was cut off. */
const leadingMaterial = (text: string): string =>
  /^(?:\\n|[\s"'`+,])*(?:[A-Za-z0-9+/=]{16,100}(?:\\n|[\s"'`+,\\])*)*/.exec(text)?.[0] ?? ""

/** Base64, headers (`Proc-Type: 4,ENCRYPTED`) and empty lines; not an expression, a pattern or dots alone. */
const isKeyBody = (body: string): boolean => {
  const lines = body.split(/\\[nr]|\n/).map((line) => line.trim())
  return (
    lines.some((line) => /\w/.test(line)) && lines.every((line) => /^(?:[\w+/=.-]*|[A-Za-z-]{1,20}: .*)$/.test(line))
  )
}

/** Counts only the longest runs, so that prose between two mentions does not count. */
const materialIn = (body: string): number =>
  (body.match(/[A-Za-z0-9+/=]{32,}/g) ?? []).reduce((sum, run) => sum + run.length, 0)

export function* jsonWebTokens(text: string): Generator<{ readonly start: number; readonly end: number }> {
  if (!text.includes("eyJ")) return
  for (const match of text.matchAll(signedRun)) {
    const [, run = "", rest = ""] = match
    const header = run.search(/\beyJ[\w-]{4}/)
    if (header >= 0) yield { start: match.index + header, end: match.index + run.length + rest.length }
  }
}

interface QuotedCredential {
  readonly word: string
  readonly start: number
  readonly end: number
}

/** String literals that are assigned to a name like a credential. */
function* quotedCredentials(text: string): Generator<QuotedCredential> {
  for (const match of text.matchAll(credentialWord)) {
    const opening = matchAt(quotedValue, text, match.index + match[0].length)
    if (opening === null) continue
    const start = opening.index + opening[0].length
    const end = closingQuote(text, start, opening[1]!)
    if (end > start) yield { word: match[0], start, end }
  }
}

/** The place of the closing quote on the same line and within 500 characters, or -1. */
const closingQuote = (text: string, start: number, quote: string): number => {
  const limit = Math.min(text.length, start + 500)
  for (let i = start; i < limit; i++) {
    const char = text[i]
    if (char === quote) return i
    if (char === "\n") return -1
    if (char === "\\") i++
  }
  return -1
}

const nameOf = (word: string): string => {
  const plain = word.toLowerCase()
  if (/pass|pwd/.test(plain)) return "password"
  return plain.includes("key") ? "API key" : plain
}

/** Does this literal look like a valid credential? */
export const looksLive = (word: string, value: string): boolean => {
  if (/\s/.test(value) || isMarker(value) || interpolation.test(value) || isPlaceholder(value)) return false
  // Words joined by separators are a name, not a secret.
  if (/^[A-Za-z]+(?:[-_.:/ ][A-Za-z]+)*\d{0,2}$/.test(value)) return false
  if (!/\d/.test(value) || !/[A-Za-z]/.test(value)) return false
  const isPassword = nameOf(word) === "password"
  if (value.length < 60 && homely.test(value)) return false
  if (isPassword) {
    return value.length >= 8 && value.length <= 100 && /[^A-Za-z0-9]/.test(value) && entropy(value) >= 2.75
  }
  const isUuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(value)
  const isHex = /^[0-9a-f]+$/i.test(value)
  const hasShape = /^[A-Za-z0-9+/_=.~-]+$/.test(value)
  return !isUuid && hasShape && value.length >= 20 && value.length <= 200 && entropy(value) >= (isHex ? 3 : 3.7)
}

const isLiveUrl = (user: string, password: string, host: string): boolean =>
  password.length >= 6 &&
  password !== user &&
  !isMarker(password) &&
  !interpolation.test(`${user} ${password}`) &&
  !isPlaceholder(password) &&
  !homely.test(password) &&
  /\d/.test(password) &&
  /[A-Za-z]/.test(password) &&
  /\./.test(host) &&
  !/example|localhost|^127\.|^0\.0\.|\.(?:test|local|internal|invalid)$/i.test(host)

export const isMarker = (value: string): boolean => value.startsWith("[REDACT")

const isPlaceholder = (value: string): boolean =>
  placeholder.test(value) || sequence.test(value) || repetition.test(value)

/** Shannon entropy in bits a character. */
export const entropy = (value: string): number => {
  const counts = new Map<string, number>()
  for (const char of value) counts.set(char, (counts.get(char) ?? 0) + 1)
  const length = [...value].length
  return [...counts.values()].reduce((sum, count) => sum - (count / length) * Math.log2(count / length), 0)
}

/** Sorted; of two overlapping secrets, the first one is kept, then the longer one. */
const withoutOverlaps = <A extends { readonly start: number; readonly end: number }>(
  spans: ReadonlyArray<A>
): ReadonlyArray<A> => {
  const kept: Array<A> = []
  for (const span of [...spans].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = kept[kept.length - 1]
    if (last === undefined || span.start >= last.end) kept.push(span)
  }
  return kept
}
