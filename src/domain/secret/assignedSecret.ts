/**
 * What is given to something that is named like a secret: `password = "two words"`, `token=abc`, `"client_secret": "…"`,
 * `- name: DB_PASSWORD` over `value: …`, `<password>…</password>`, `--token …`, in any language and in text inside of text.
 *
 * A literal in quotes is hidden unless it says that it is none: a reference, a placeholder, a sentence, the name of a
 * type. What stands without quotes may be code, so there it has to look like a value that somebody typed or made.
 */
import { closingOf, lineStart } from "../text/closingQuote.ts"
import { isMarked, type Mask } from "../text/Mask.ts"
import { matchAt, matchEnd } from "../text/matchAt.ts"
import { credentialWord, looksLive } from "./Secret.ts"
import { isNameAgain, isNameOfSecret, isSecretKey } from "./secretKey.ts"
import { isHarmless } from "./variableSecret.ts"

const hidden = "[REDACTED_CREDENTIAL]"

/** Every name of a secret holds one of these. */
const secretWord = /pass|pwd|pswd|secret|token|credential|auth|key|(?:^|[^a-z])pw$|bearer$/i

const longestName = 64

/**
 * What is given to the name that stands from `start` to `end`, or null. The cost is that of the value, which is read
 * once where names are asked in order: a value ends where the next one's quote begins.
 */
export const assignedSecret = (text: string, start: number, end: number): Mask | null => {
  if (!mayAssign(text, start, end)) return null
  const nameAt = Math.max(start, end - longestName)
  return secretWord.test(text.slice(nameAt, end)) ? valueBehind(text, nameAt, end) : null
}

/** Most words of a text end here: nothing that is given to them can follow. */
const mayAssign = (text: string, start: number, end: number): boolean => {
  let at = end
  while (text.charCodeAt(at) === 32 && at < end + 8) at++
  if (at === end) return "\t\n\"'`\\],:=>?|".includes(text[at] ?? "-")
  return "\n:=?|\"',*[".includes(text[at] ?? "-") || text.startsWith("-", start) || isTypeName(text, at)
}

const isTypeName = (text: string, at: number): boolean =>
  "sbvtVT".includes(text[at] ?? "-") && /^(?:string|byte|varchar|text)/i.test(text.slice(at, at + 7))

// The name's own end (a quote, a bracket), the operator, and at most one line break before the value.
const operator =
  /(?:\\{0,3}["'`]\]?[^\S\n]{0,8}|\]?[^\S\n]{0,8}(?:[?!]?:[^\S\n]{0,4}&?(?:'[a-z_]{1,16}[^\S\n]{1,4})?[A-Za-z][\w.<>[\]?|]{0,24}[^\S\n]{0,4}(?==))?)(?:=>|:=|[?|]{2}=|[?+]=|[:=](?![=:>]))[^\S\n]{0,40}(?:\n[^\S\n]{0,80})?/y
/** `set("X-Api-Key", "…")`, `setenv("DB_PASSWORD", "…")`; `key="ApiKey" value="…"`; `- name: KEY` over `value: …`. */
const handedOver = /["'`]?[^\S\n]{0,2},[^\S\n]{0,8}(?=[a-z]{0,2}["'`])/y
/** `env.get("DB_PASSWORD") or "…"`, `process.env["TOKEN"] ?? "…"`. */
const otherwise = /["'`]?[)\]]{1,2}[^\S\n]{1,4}(?:or|\|\||\?\?)[^\S\n]{1,4}(?=["'`])/y
/** `#define PASSWORD "…"`, `WITH PASSWORD '…'`, `-password "…"`. */
const spaced = /[^\S\n]{1,8}(?=\\?["'])/y
/** `var xToken string = "…"` */
const typed =
  /[^\S\n]{1,4}(?:\*|\[\]|&)?(?:string|byte|varchar|text)(?:\([^()\n]{0,8}\))?[^\S\n]{1,8}=[^\S\n]{0,8}(?=["'`]|\[\]byte\()/iy
/** Converts the literal to another type: it is still the secret. */
const conversion =
  /(?:String(?:::from)?|(?:[A-Za-z]\w{0,40}::)?Secret(?:Str|String|Box)(?:::(?:new|from))?|\[\]byte|\[\]rune)\((?=["'`])/y
const attribute = /["'][^\S\n]{1,4}value[^\S\n]{0,2}=[^\S\n]{0,2}(?=["'])/y
const namedEntry = /["']?[^\S\n]{0,8}\n[^\S\n]{0,40}["']?value["']?:[^\S\n]{1,8}/y
const opening = /[a-zA-Z@]{0,2}(\\{0,3}(?:"""|'''|["'`]))/y

const valueBehind = (text: string, nameAt: number, nameEnds: number): Mask | null => {
  const name = text.slice(nameAt, nameEnds)
  const option = /^--?[A-Za-z]/.test(name) && text[nameEnds] === " " && /[\s"'`]/.test(text[nameAt - 1] ?? "\n")
  const element = text[nameEnds] === ">" && /[<:]/.test(text[nameAt - 1] ?? "")
  const place = element || option ? nameEnds + 1 : valuePlace(text, name, nameAt, nameEnds)
  if (place < 0) return null
  const at = Math.max(place, matchEnd(conversion, text, place))
  const mask = (start: number, end: number): Mask => ({ from: nameAt, start, end, marker: hidden })

  const quote = element ? null : matchAt(opening, text, at)
  if (quote !== null) {
    const start = at + quote[0].length
    const { end: quoteEnds, closed } = closingOf(text, start, quote[1]!)
    // What runs on to the end of the line may have run into something that is hidden already.
    const end = closed ? quoteEnds : markerBehind(text, start, quoteEnds)
    const value = text.slice(start, end)
    const secret = isSecretKey(name) || isSecretPhrase(text, nameAt, name)
    const hides = secret
      ? isValue(name, value, closed) || (closed && isVariable(name, value, text[nameEnds]))
      : isLiveAnyway(name, value)
    if (end <= start || !hides) return null
    // `"Signing secret": "…"`: a name with a space in quotes is a label, and so is what stands for it in another language.
    if (text[nameAt - 1] === " " && /["'`]/.test(text[nameEnds] ?? "") && !/\d/.test(value)) return null
    return mask(start, end)
  }
  if (!isSecretKey(name) && !isSecretPhrase(text, nameAt, name)) return null
  if (element) {
    const end = endOfElement(text, at)
    return end > at && isValue(name, text.slice(at, end), true) ? mask(at, end) : null
  }
  const block = blockBehind(text, nameAt, at)
  if (block !== null) return mask(block.start, block.end)
  return bareValue(text, name, nameAt, nameEnds, at, mask)
}

/** `"DB_PASSWORD": "p{assw0rd}"`: an environment in JSON, where a brace or `$` interpolates nothing. */
const isVariable = (name: string, value: string, quote: string | undefined): boolean =>
  /["'\\]/.test(quote ?? "") &&
  isShouted(name) &&
  /[{$]/.test(value) &&
  !/\s|%[sdv]/.test(value) &&
  !isMarked(value) &&
  !isHarmless(value)

/** Where a marker stands behind the begin, or `end`. */
const markerBehind = (text: string, start: number, end: number): number => {
  const at = text.slice(start, end).indexOf("[REDACT")
  return at > 0 ? start + at : end
}

/** `SECRET KEY: …`, `Access key = …`: a key is told by the word before it. */
const isSecretPhrase = (text: string, nameAt: number, name: string): boolean =>
  /^key$/i.test(name) &&
  /(?:^|[^A-Za-z])(?:api|access|secret|private|auth|authentication|encryption|signing|license|activation) $/i.test(
    text.slice(Math.max(0, nameAt - 16), nameAt)
  )

/** Where the value begins, or -1. */
const valuePlace = (text: string, name: string, nameAt: number, nameEnds: number): number => {
  const before = text.slice(Math.max(0, nameAt - 16), nameAt)
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
  return -1
}

const introduced = /(?:define|global|set|with|user|role|alter|encrypted|login)[\s\\t]{1,4}$/i
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

/** As much of a value as it takes to judge it; the rest of one that is hidden is hidden too. */
const token = /[^\s"'`,;&<>(){}[\]|\\]{3,128}/y
const longestJudged = 128
const tokenRest = /[^\s"'`,;&<>(){}[\]|\\]*/y

/** What ends a value without quotes where it is one of several on a line. */
const closing = /[\s"'`,;&#<|\\)\]}]|$/y

const bareValue = (
  text: string,
  name: string,
  nameAt: number,
  nameEnds: number,
  at: number,
  hides: (start: number, end: number) => Mask
): Mask | null => {
  // Judged by then: the rest of a long value is read once.
  const mask = (start: number, until: number) =>
    hides(start, until - start < longestJudged ? until : matchEnd(tokenRest, text, until))
  const end = matchEnd(token, text, at)
  if (end < 0) return null
  const value = text.slice(at, end)
  if (/auth$/i.test(name) && methodOfAuth.test(value)) return null
  if (
    isMarked(value) ||
    isHarmless(value) ||
    isNoValue(value) ||
    isCount(name, value) ||
    isReference(value) ||
    isMember(value) ||
    isSentence(value)
  )
    return null
  if ((value.match(/[A-Za-z0-9]/g)?.length ?? 0) < 3) return null
  if (value.length < longestJudged && matchEnd(closing, text, end) < 0) return null
  const operatorText = text.slice(nameEnds, at)
  const before = text[nameAt - 1] ?? "\n"
  // A value of which only the begin is judged ends somewhere; where does not matter.
  const after = value.length < longestJudged ? (text[end] ?? "\n") : "\n"
  if (/^["'`\\]/.test(operatorText))
    return /^\d{4,}$/.test(value) && !isCount(name, value) && !/token/i.test(name) ? mask(at, end) : null
  if (operatorText === "=") {
    // As a shell, a form, a log or a file of settings writes it; in code there is a comma, a bracket or a dot near it.
    const apart = /[\s?&;"'`:+-]/.test(before) && /[\s&;"'`#]/.test(after)
    if (apart && !(after === ";" && before !== ";" && !/\d/.test(value)) && !isIdentifier(value)) return mask(at, end)
    if (apart && isIdentifier(value) && !isNameOfSecret(value) && !/[a-z][A-Z]|_/.test(value)) return mask(at, end)
    return isRandom(value) && value.length >= 8 ? mask(at, end) : null
  }
  if (operatorText.includes("value")) return !isIdentifier(value) || isRandom(value) ? mask(at, end) : null
  if (operatorText.includes("\n")) return null
  if (isRequestHeader(text, name, nameAt, end)) return isNameOfSecret(value) ? null : mask(at, end)
  const line = lineStart(text, nameAt, longestName)
  const alone = line >= 0 && /^[\s+-]*(?:export\s+|set\s+)?[\w.]*$/.test(text.slice(line, nameAt))
  const last = after === "\n" || /^[^\S\n]*(?:#[^\n]{0,200})?(?:\n|$)/.test(text.slice(end, end + 240))
  if (alone && last) {
    if (!isIdentifier(value) || isRandom(value)) return mask(at, end)
    return /pass|pwd|secret/i.test(name) && /^[a-z]{6,}$/.test(value) && operatorText.trim() === ":"
      ? mask(at, end)
      : null
  }
  return isRandom(value) && value.length >= 8 ? mask(at, end) : null
}

/** `-H "X-Api-Key: hunter2"`: the quote holds a header and nothing else. */
const isRequestHeader = (text: string, name: string, nameAt: number, end: number): boolean =>
  isHeader(name) &&
  /(?:-H|--header)["']?[\s=,]{0,4}\\?["']$/.test(text.slice(Math.max(0, nameAt - 20), nameAt)) &&
  /^\\?["']/.test(text.slice(end, end + 2))

const isIdentifier = (value: string): boolean => /^[A-Za-z_$][\w$-]*[?!]?$/.test(value)

/** Digits among letters, and not one of the names that have them too. */
const isRandom = (value: string): boolean =>
  /\d/.test(value) &&
  /[A-Za-z]/.test(value) &&
  !/^(?:sha|md|aes|utf|base|oauth|argon|rs|hs|es|ps|ed|ecdsa|rsa|scrypt|bcrypt|pbkdf|v|x|int|uint|float|string|bytes?|u|i|f)[-_]?\d/i.test(
    value
  ) &&
  !isNumberedName(value) &&
  !/^[\d.]+(?:ms|s|m|h|d|px|em|rem|kb|mb|gb|k|b)$/i.test(value)

/** `token2`, `encrypted_secret1`: the second of two variables. */
const isNumberedName = (value: string): boolean =>
  /^(?:[A-Za-z]+_)+[A-Za-z]+_?\d{1,2}$/.test(value) || isNameOfSecret(value.replace(/_?\d{1,2}$/, ""))

/** Words that stand for a kind of value, or for none. */
const isNoValue = (value: string): boolean =>
  /^(?:str|string|text|int|integer|number|float|bool|boolean|bytes|buffer|object|array|list|dict|map|any|unknown|never|void|null|none|nil|undefined|true|false|yes|no|on|off|required|optional|hidden|disabled|enabled|bearer|basic|digest|jwt|oauth2?|same-origin|include|omit|self|this|default|auto|empty|missing|unset|varchar|secret|public|private|env|file|vault|keychain|prompt|ask|stdin|filtered|redacted|masked|\[filtered\]|x+|\*+|\.+|•+|-+|_+)[?!;]?$/i.test(
    value
  )

/** A short number is a limit or a version more often than a secret, unless it is given to a password. */
const isCount = (name: string, value: string): boolean =>
  /^-?[\d.,_]{1,5}$/.test(value) && !(/pass|pwd|secret/i.test(name) && /^\d{4,}$/.test(value))

/** What stands for a value that comes from elsewhere. */
const isReference = (value: string): boolean =>
  /^[$%@&*:]\{{0,2}[A-Za-z_][\w.:-]*\}{0,2}%?$/.test(value) ||
  /^[<[{(].*[>\]})]$/.test(value) ||
  /^%%?[A-Z_]+%%?$/.test(value) ||
  // What a shell runs, cut at a quote inside of it.
  value.startsWith("$(") ||
  // `"PASS: " + name + "…"`: what stands between two literals.
  /^[+&] /.test(value) ||
  /^[A-Z][A-Z_]+:[$/]/.test(value) ||
  /^[A-Za-z_$]+(?:(?:\.|::|->|\?\.|!\.|\/)[A-Za-z_$@-]+)+[;?!]?$/.test(value) ||
  /^(?:\.{0,2}|~)\/[\w./-]*$/.test(value) ||
  value.includes("://")

/** Without quotes, a path of names is code, digits or not. */
const isMember = (value: string): boolean =>
  /^[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.|!\.)[A-Za-z_$@][\w$]*)+[;?!]?$/.test(value)

const interpolated =
  /\$?\{\{?[^{}]{0,200}\}?\}|#\{[^{}]{0,200}\}|\$\([^()]{0,200}\)|\\\([^()]{0,200}\)|<%?=?[^<>]{0,200}>|%[-\d.]*[sdvqxif]|%\([a-z_]{1,40}\)s/gi

/** `registry_auth: "basic"` */
const methodOfAuth = /^[A-Za-z][a-z_-]{0,15}$/

/** Would somebody who reads this literal learn the secret? Anything but what says of itself that it is none. */
const isValue = (name: string, value: string, closed: boolean): boolean => {
  if (value.trim().length < 3 || isMarked(value) || isNoValue(value.trim()) || isReference(value.trim())) return false
  if (isCount(name, value.trim())) return false
  if (isNameOfSecret(value) || isNameAgain(name, value) || isVersion(value)) return false
  const fixed = value.replace(interpolated, "")
  if (fixed !== value && (fixed.trim().length < 8 || !isRandom(fixed.trim()))) return false
  if (isSentence(value)) return false
  if (!closed && /[\s,;()]/.test(value) && !/\d/.test(value)) return false
  if (!/[\p{L}\p{N}]/u.test(value)) return false
  const kind = name.toLowerCase()
  // Keys of stores, clients and applications are names as often as secrets.
  if (
    /(?:client|storage|session|shared|account|application|app|service|consumer|license|master|access|subscription|deploy|webhook|admin|user)[_-]?key$/.test(
      kind
    )
  ) {
    return isRandom(value) && value.length >= 6
  }
  // `auth: "jwt"` names a method; what opens something is longer.
  if (kind === "auth") return value.length >= 12 && !/\s/.test(value) && /[\d=]/.test(value)
  if (/auth$/.test(kind)) return !/[\s\x80-\uffff]/.test(value) && !methodOfAuth.test(value)
  // Parsers have tokens too, and theirs are words and signs.
  if (/token$/.test(kind) && /^(?:[A-Za-z]{0,5}|[^A-Za-z0-9]+.?)$/.test(value)) return false
  return true
}

const isVersion = (value: string): boolean =>
  value.length <= 64 && /^(?:npm:|workspace:)?[\^~>=<v]{0,2}\d+(?:\.(?:\d+|x|\*))+[\w.-]*$/.test(value)

/** What `findSecrets` would claim is hidden, whatever the whole of its name says. */
const isLiveAnyway = (name: string, value: string): boolean => {
  const word = claimedWord.exec(name)
  return word !== null && !isMarked(value) && looksLive(word[0], value)
}

const claimedWord = new RegExp(`(?:${credentialWord.source})$`, "i")

const commonWords =
  /(?:^|[^a-z])(?:the|an|is|are|was|be|to|of|for|your|you|my|our|please|must|should|can|cannot|could|not|no|with|without|enter|invalid|required|forgot|reset|change|changed|create|confirm|new|current|old|and|or|in|on|at|by|if|has|have|been|from|this|that|will|password|passphrase|token|secret|key|api|de|le|la|el|das|der|die|du|het|van|en|et|una?|il)(?:[^a-z]|$)/i

/** Mostly letters beyond ASCII: words, also where they have no spaces between. */
const isForeign = (text: string): boolean =>
  /[^\x00-\x7f]/.test(text) &&
  (/^[\p{L}\p{M}\p{P}]+$/u.test(text) || (text.match(/[^\x00-\x7f]/g)?.length ?? 0) * 2 > text.length)

/** Words for a reader: a label, a message, in whatever language. */
const isSentence = (value: string): boolean => {
  const text = value.trim()
  if (!/\s/.test(text)) return isForeign(text)
  if (/[^\x00-\x7f]/.test(text)) return true
  return commonWords.test(text) || (/[.?!:…,]$/.test(text) && !/\d/.test(text))
}
