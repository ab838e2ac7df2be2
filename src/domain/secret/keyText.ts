/** Private keys, JSON Web Tokens and passwords in URLs: what a text shows of them by its form. Linear in the text. */

import { Result } from "effect"
import { Base64Url } from "effect/encoding"

const keyHeader = /-----BEGIN (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g
const keyFooter = /-----END (?:[A-Z0-9]{2,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----/g
/** The maximum size of a private key; a header without an end is not searched further. */
const longestKey = 16_384

export const urlPassword = /:\/\/([^\s:@/"'`<>]{0,100}):([^\s@/"'`<>]{1,200})@([^\s/:"'`<>]{0,100})/g
/** The first part of a signed token (three parts) or an encrypted one (five). Matched at the start of a run only, so that each is read a few times. */
const signedRun = /(?<![\w-])([\w-]{7,})(?=((?:\.[\w-]{4,}){2,4}))/g

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
export const materialIn = (body: string): number =>
  (body.match(/[A-Za-z0-9+/=]{32,}/g) ?? []).reduce((sum, run) => sum + run.length, 0)

export function* jsonWebTokens(text: string): Generator<{ readonly start: number; readonly end: number }> {
  if (!text.includes("eyJ")) return
  for (const match of text.matchAll(signedRun)) {
    const [, run = "", rest = ""] = match
    const header = run.search(/\beyJ[\w-]{4}/)
    if (header >= 0) yield { start: match.index + header, end: match.index + run.length + rest.length }
  }
}

/** The longest parts of a token that are read. */
const longestPart = 2_000

/** Does it give access, and is it neither that of an example nor one for everybody (`anon`)? */
export const isLiveWebToken = (token: string): boolean => {
  const [header = "", payload = "", ...others] = token.split(".")
  const about = Result.getOrElse(Base64Url.decodeString(payload.slice(0, longestPart)), () => "")
  return (
    /"alg"\s*:\s*"(?!none")/i.test(Result.getOrElse(Base64Url.decodeString(header.slice(0, longestPart)), () => "")) &&
    (others.length > 1 || (about.startsWith("{") && !/"(?:1234567890|anon|John Doe|joe)"|example/i.test(about)))
  )
}
