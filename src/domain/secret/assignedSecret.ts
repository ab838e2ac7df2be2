/**
 * A value that is assigned to the name of a secret: `password = "two words"`, `token=abc`, `"client_secret": "…"`,
 * `- name: DB_PASSWORD` over `value: …`, `<password>…</password>`, `--token …`, in any language and in nested text.
 *
 * A quoted literal is hidden unless it is a reference, a placeholder, a sentence or the name of a type. An unquoted value
 * may be code, so it must look like a typed or generated secret.
 */
import { blanks } from "../system/shellWords.ts"
import { closingOf, lineStart } from "../text/closingQuote.ts"
import { isMarked, type Mask } from "../text/Mask.ts"
import { matchAt, matchEnd } from "../text/matchAt.ts"
import { isGenerated } from "./looksLive.ts"
import { mayAssign } from "./mayAssign.ts"
import { optionDefault } from "./optionDefault.ts"
import { isNameOfSecret, isSecretKey } from "./secretKey.ts"
import {
  isCount,
  isIdentifier,
  isLiveAnyway,
  isMember,
  isNoValue,
  isRandom,
  isReference,
  isSentence,
  isValue,
  methodOfAuth
} from "./secretValue.ts"
import { isCode, isHarmless } from "./variableSecret.ts"

const hidden = "[REDACTED_CREDENTIAL]"

/** Every name of a secret contains one of these. */
const secretWord = /pass|pwd|pswd|secret|token|credential|auth|key|(?:^|[^a-z])pw$|bearer$/i

const longestName = 64

/** The secret assigned to the name from `start` to `end`, or null. Called for names in order, it reads each value once. */
export const assignedSecret = (text: string, start: number, end: number): Mask | null => {
  if (!mayAssign(text, start, end)) return null
  const nameAt = Math.max(start, end - longestName)
  return secretWord.test(text.slice(nameAt, end)) ? valueBehind(text, nameAt, end) : null
}

// The end of the name (a quote, a bracket), the operator, and at most one line break before the value.
const operator =
  /(?:\\{0,3}["'`]\]?[^\S\n]{0,8}|\]?[^\S\n]{0,8}(?:[?!]?:[^\S\n]{0,4}&?(?:'[a-z_]{1,16}[^\S\n]{1,4})?[A-Za-z][\w.<>[\]?|]{0,24}[^\S\n]{0,4}(?==))?)(?:=>|:=|[?|]{2}=|[?+]=|[:=](?![=:>]))[^\S\n]{0,40}(?:\n[^\S\n]{0,80})?/y
/** `set("X-Api-Key", "…")`, `setenv("DB_PASSWORD", "…")`; `key="ApiKey" value="…"`; `- name: KEY` over `value: …`. */
const handedOver = /["'`]?[^\S\n]{0,2},[^\S\n]{0,8}(?=[a-z]{0,2}["'`])/y
/** `env.get("DB_PASSWORD") or "…"`, `process.env["TOKEN"] ?? "…"`, `getenv("TOKEN") ?: "…"`. */
const otherwise = /["'`]?[)\]]{1,2}[^\S\n]{1,4}(?:or|\|\||\?\?|\?:)[^\S\n]{1,4}(?=["'`])/y
/** What else may be between a name and a generated literal: `password == "…"`, `setPassword("…")`, `password.equals("…")`, `password, "…"`. */
const besides =
  /["'`]?(?:[^\S\n]{0,4}(?:[=!]==?|\|\||\?\?|\?:|<>|,|or\b)[^\S\n]{0,4}|\.eq\w{0,20}\(|\([^\S\n]{0,4})(?:[a-z]{0,2}["'`])/y
/** `#define PASSWORD "…"`, `WITH PASSWORD '…'`, `-password "…"`. */
const spaced = /[^\S\n]{1,8}(?=\\?["'])/y
/** `var xToken string = "…"` */
const typed =
  /[^\S\n]{1,4}(?:\*|\[\]|&)?(?:string|byte|varchar|text)(?:\([^()\n]{0,8}\))?[^\S\n]{1,8}=[^\S\n]{0,8}(?=["'`]|\[\]byte\()/iy
/** Converts the literal to another type. */
const conversion =
  /(?:String(?:::from)?|(?:[A-Za-z]\w{0,40}::)?Secret(?:Str|String|Box)(?:::(?:new|from))?|\[\]byte|\[\]rune)\((?=["'`])/y
const attribute = /["'][^\S\n]{1,4}value[^\S\n]{0,2}=[^\S\n]{0,2}(?=["'])/y
const namedEntry = /["']?[^\S\n]{0,8}\n[^\S\n]{0,40}["']?value["']?:[^\S\n]{1,8}/y
const opening = /[a-zA-Z@]{0,2}('"'"'|'\\{1,3}''|\\{0,3}(?:"""|'''|["'`]))/y

const someBlanks = new RegExp(`${blanks}{1,40}`, "y")

const valueBehind = (text: string, nameAt: number, nameEnds: number): Mask | null => {
  const name = text.slice(nameAt, nameEnds)
  const isOption = /^--?[A-Za-z]/.test(name) && /[\s"'`]/.test(text[nameAt - 1] ?? "\n")
  const afterOption = isOption ? matchEnd(someBlanks, text, nameEnds) : -1
  const element = text[nameEnds] === ">" && /[<:]/.test(text[nameAt - 1] ?? "")
  const declared = isSecretKey(name) ? optionDefault(text, nameAt, nameEnds) : -1
  const place =
    declared >= 0
      ? declared
      : element
        ? nameEnds + 1
        : afterOption >= 0
          ? afterOption
          : valuePlace(text, name, nameAt, nameEnds)
  if (place < 0) return null
  const at = Math.max(place, matchEnd(conversion, text, place))
  const mask = (start: number, end: number): Mask => ({ from: nameAt, start, end, marker: hidden })

  const quote = element ? null : matchAt(opening, text, at)
  if (quote !== null) {
    const start = at + quote[0].length
    const { end: quoteEnds, closed } = closingOf(text, start, quote[1]!)
    // A value without a closing quote ends before a marker on its line.
    const end = closed ? quoteEnds : markerBehind(text, start, quoteEnds)
    const value = text.slice(start, end)
    const secret = isSecretKey(name) || isSecretPhrase(text, nameAt, name)
    const hides = secret
      ? isValue(name, value, closed) || (closed && isVariable(name, value, text[nameEnds]))
      : isLiveAnyway(name, value)
    if (end <= start || !hides) return null
    // `"Signing secret": "…"`: a quoted name with a space is a label, and the value is its translation.
    if (text[nameAt - 1] === " " && /["'`]/.test(text[nameEnds] ?? "") && !/\d/.test(value)) return null
    return mask(start, end)
  }
  const isNamed = isSecretKey(name) || isSecretPhrase(text, nameAt, name)
  const end = matchEnd(token, text, at)
  if (!isNamed && !isLiveAnyway(name, text.slice(at, Math.max(at, end)))) return null
  if (element) {
    const end = endOfElement(text, at)
    return end > at && isValue(name, text.slice(at, end), true) ? mask(at, end) : null
  }
  const block = blockBehind(text, nameAt, at)
  if (block !== null) return mask(block.start, block.end)
  if (end < 0 || !isBareSecret(text, name, nameAt, nameEnds, at, end)) return null
  return mask(at, end - at < longestJudged ? end : matchEnd(tokenRest, text, end))
}

/** `"DB_PASSWORD": "p{assw0rd}"`: an environment in JSON, where a brace or `$` interpolates nothing. */
const isVariable = (name: string, value: string, quote: string | undefined): boolean =>
  /["'\\]/.test(quote ?? "") &&
  isShouted(name) &&
  /[{$]/.test(value) &&
  !/\s|%[sdv]/.test(value) &&
  !isMarked(value) &&
  !isHarmless(value)

/** Where a marker begins after `start`, or `end`. */
const markerBehind = (text: string, start: number, end: number): number => {
  const at = text.slice(start, end).indexOf("[REDACT")
  return at > 0 ? start + at : end
}

/** `SECRET KEY: …`, `Access key = …`: the word before `key` makes it a secret. */
const isSecretPhrase = (text: string, nameAt: number, name: string): boolean =>
  /^key$/i.test(name) &&
  /(?:^|[^A-Za-z])(?:api|access|secret|private|auth|authentication|encryption|signing|license|activation) $/i.test(
    text.slice(Math.max(0, nameAt - 16), nameAt)
  )

/** Where the value begins, or -1. */
const valuePlace = (text: string, name: string, nameAt: number, nameEnds: number): number => {
  const before = text.slice(Math.max(0, nameAt - 40), nameAt)
  // `@api_token "…"` is Elixir.
  const isIntroduced = !/^(?:secret|token)$/.test(name) && (before.endsWith("@") || introduced.test(before))
  const candidates: ReadonlyArray<readonly [RegExp, boolean]> = [
    [operator, true],
    [attribute, true],
    [typed, text[nameEnds] === " "],
    [spaced, isIntroduced],
    [otherwise, true],
    [handedOver, isHeader(name) || (isShouted(name) && name.length > 3)],
    [namedEntry, /name["']?:\s{1,4}["']?$/.test(before)]
  ]
  for (const [pattern, applies] of candidates) {
    const end = applies ? matchEnd(pattern, text, nameEnds) : -1
    if (end >= 0) return end
  }
  const literal = matchEnd(besides, text, nameEnds)
  return literal >= 0 && isGenerated(matchAt(token, text, literal)?.[0] ?? "") ? literal - 1 : -1
}

const introduced = /(?:define|global|set|with|user|role|alter|encrypted|login|(?:user|role) ["'\w]{1,32})[\s\\t]{1,4}$/i
const isHeader = (name: string): boolean => /^[A-Za-z]+(?:-[A-Za-z]+)+$/.test(name)
const isShouted = (name: string): boolean => /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/.test(name)

const endOfElement = (text: string, start: number): number => {
  for (let i = start; i < text.length; i++) {
    const char = text[i]
    if (char === "\n") return -1
    if (char === "<") return text[i + 1] === "/" ? i : -1
  }
  return -1
}

/** A literal scalar of YAML: the lines below, as far as they are indented deeper than the name. */
const blockBehind = (
  text: string,
  nameAt: number,
  at: number
): { readonly start: number; readonly end: number } | null => {
  const start = matchEnd(blockHead, text, at)
  if (start < 0) return null
  const line = lineStart(text, nameAt, longestName)
  if (line < 0) return null
  const indent = indentOf(text, line)
  const limit = Math.min(text.length, start + longestBlock)
  let end = start
  while (end < limit) {
    const newline = text.indexOf("\n", end)
    const lineEnd = newline < 0 || newline > limit ? limit : newline
    const blank = text.slice(end, lineEnd).trim() === ""
    if (!blank && indentOf(text, end) <= indent) break
    end = lineEnd + 1
  }
  const whole = text.slice(start, Math.min(end - 1, limit)).trimEnd()
  const first = whole.length - whole.trimStart().length
  return whole.trim() === "" || isMarked(whole) ? null : { start: start + first, end: start + whole.length }
}

const blockHead = /[|>][+-]?\d?[^\S\n]{0,8}(?:#[^\n]{0,200})?\n/y
const longestBlock = 16_384

const indentOf = (text: string, line: number): number => {
  let at = line
  while (text[at] === " " || text[at] === "\t") at++
  return at - line
}

/** The part of a value by which it is judged; the rest is hidden with it. */
const token = /[^\s"'`,;&<>(){}[\]|\\]{3,128}/y
const longestJudged = 128
const tokenRest = /[^\s"'`,;&<>(){}[\]|\\]*/y

/** Ends an unquoted value. */
const closing = /[\s"'`,;&#<|\\)\]}]|$/y

const isBareSecret = (
  text: string,
  name: string,
  nameAt: number,
  nameEnds: number,
  at: number,
  end: number
): boolean => {
  const value = text.slice(at, end)
  if (/auth$/i.test(name) && methodOfAuth.test(value)) return false
  // `--secret=db-password-1`, `existingSecret=db-1`: the name of a resource.
  if (/^--secret$|^existing/i.test(name) && /^[a-z]+(?:-[a-z0-9]+)+$/.test(value)) return false
  if (
    isMarked(value) ||
    isHarmless(value) ||
    isNoValue(value) ||
    isCount(name, value) ||
    isReference(value) ||
    isMember(value) ||
    isSentence(value)
  )
    return false
  if ((value.match(/[A-Za-z0-9]/g)?.length ?? 0) < 3) return false
  if (value.length < longestJudged && matchEnd(closing, text, end) < 0) return false
  if (isGenerated(value)) return true
  const isOption = text[nameAt] === "-" && matchEnd(someBlanks, text, nameEnds) === at
  const operatorText = isOption ? " " : text.slice(nameEnds, at)
  const before = text[nameAt - 1] ?? "\n"
  // The end of a longer value does not matter.
  const after = value.length < longestJudged ? (text[end] ?? "\n") : "\n"
  if (/^["'`\\]/.test(operatorText)) return /^\d{4,}$/.test(value) && !isCount(name, value) && !/token/i.test(name)
  if (operatorText === "=") {
    // In a shell, a form, a log or a settings file; in code there is a comma, a bracket or a dot next to it.
    const apart = /[\s?&;"'`:+-]/.test(before) && /[\s&;"'`#]/.test(after)
    if (apart && !(after === ";" && before !== ";" && !/\d/.test(value)) && !isIdentifier(value)) return true
    if (apart && isIdentifier(value) && !isNameOfSecret(value) && !/[a-z][A-Z]|_/.test(value)) return true
    return isRandom(value) && value.length >= 8
  }
  if (operatorText.includes("value")) return !isIdentifier(value) || isRandom(value)
  const isBelow = operatorText.includes("\n")
  if (!isBelow && isRequestHeader(text, name, nameAt, end)) return !isNameOfSecret(value)
  const line = lineStart(text, nameAt, longestName)
  const alone = line >= 0 && /^[\s+-]*(?:export\s+|set\s+)?[\w.]*$/.test(text.slice(line, nameAt))
  const last = after === "\n" || /^[^\S\n]*(?:#[^\n]{0,200})?(?:\n|$)/.test(text.slice(end, end + 240))
  if (isBelow) {
    const isDeeper = alone && at - text.lastIndexOf("\n", at) - 1 > indentOf(text, line)
    const isKey = value.endsWith(":")
    return isDeeper && last && !isKey && /^:\s/.test(operatorText) && (!isIdentifier(value) || isRandom(value))
  }
  if (alone && last) {
    if (!isIdentifier(value) || isRandom(value)) return true
    // `secret: redis-ca` is the name of a resource, `id-token: write` a permission.
    const isOther = /^(?:read|write)$/.test(value) || (!/pass|pwd/i.test(name) && value.includes("-"))
    return !isOther && !isCode(name, value) && operatorText.trim() === ":"
  }
  return isRandom(value) && value.length >= (isOption ? 6 : 8)
}

/** `-H "X-Api-Key: hunter2"`: the quote holds a header and nothing else. */
const isRequestHeader = (text: string, name: string, nameAt: number, end: number): boolean =>
  isHeader(name) &&
  /(?:-H|--header)["']?[\s=,]{0,4}\\?["']$/.test(text.slice(Math.max(0, nameAt - 20), nameAt)) &&
  /^\\?["']/.test(text.slice(end, end + 2))
