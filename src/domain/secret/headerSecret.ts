/**
 * Credentials of requests: `Authorization: Bearer …`, `Cookie: …`, `Proxy-Authorization`, a bare `Bearer …`, the password in
 * a `.netrc`, after `curl -u` and in SQL that creates a user. The scheme is not hidden.
 */
import { closingOf } from "../text/closingQuote.ts"
import { isMarked, type Mask } from "../text/Mask.ts"
import { matchAt, matchEnd } from "../text/matchAt.ts"

/** The secret after the name from `start` to `end`, or null. */
export const headerSecret = (text: string, start: number, end: number): Mask | null => {
  const length = end - start
  const user = text[start] === "-" ? curlUser(text, start, end) : null
  if (user !== null) return user
  if (length < 6 || length > 40) return length === 2 ? identified(text, start, end) : null
  const last = text.charCodeAt(end - 1) | 32
  // n of authorization, e of cookie, r of bearer, d of password: the fastest check first.
  if (last !== 110 && last !== 101 && last !== 114 && last !== 100) return null
  const name = text.slice(start, end).toLowerCase()
  if (name.endsWith("authorization")) return authorization(text, start, end)
  if (name.endsWith("cookie")) return cookie(text, start, end)
  if (name.endsWith("bearer")) return bearer(text, start, end)
  return name === "password" ? netrc(text, start, end) : null
}

const marker = "[REDACTED_CREDENTIAL]"

/** The characters of a value by which it is judged; the rest is hidden with them. */
const enough = 128
const credential =
  /\\{0,3}["'`]?\]?[^\S\n]{0,4}(?:(?::|=>?)[^\S\n]{0,4}\\{0,3}["'`]?|,[^\S\n]{0,4}[a-z]{0,2}\\{0,3}["'`])(?:([A-Za-z][A-Za-z0-9-]{2,20})[^\S\n]{1,4})?([A-Za-z0-9._~+/=:-]{3,128})/y
const rest = /[A-Za-z0-9._~+/=:-]*/y

const authorization = (text: string, from: number, nameEnds: number): Mask | null => {
  const match = matchAt(credential, text, nameEnds)
  if (match === null) return null
  const [whole, scheme, value = ""] = match
  const seen = nameEnds + whole.length
  const start = seen - value.length
  if (/^[([]/.test(text.slice(seen, seen + 1)) || isMarked(text.slice(seen, seen + 8))) return null
  if (
    scheme === undefined
      ? !isSecretAlone(value) && !isWholeHeader(text, from, nameEnds, seen)
      : isNames(value) || !schemes.test(scheme)
  )
    return null
  // These have several parts, and each may reveal something.
  const compound = scheme !== undefined && /^(?:digest|aws4|hmac|signature|oauth)/i.test(scheme)
  // The value is judged by its start: the rest is read once.
  const end = value.length < enough ? seen : matchEnd(rest, text, seen)
  return { from, start, end: compound ? lineEnd(text, end, enclosing(text, from)) : end, marker }
}

const schemes =
  /^(?:basic|bearer|token|api-?key|negotiate|ntlm|digest|hmac|signature|oauth|dpop|aws4-hmac-sha256|key|secret|jwt|ssws|sharedkey|aws|bot|splunk|[a-z0-9-]*[a-z0-9-](?:token|key|secret|auth))$/i

/** Is it a secret without a scheme? It may be a variable. */
const isSecretAlone = (value: string): boolean =>
  value.length >= 8 && /\d/.test(value) && /[A-Za-z]/.test(value) && !/^[A-Za-z_]\w*(?:\.\w+)+$/.test(value)

/** `Authorization: hunter2` on a line or in quotes of its own, which is not code. */
const isWholeHeader = (text: string, from: number, nameEnds: number, seen: number): boolean =>
  /^-?Authorization$/.test(text.slice(from, nameEnds)) &&
  /^: {1,4}(?=\S*\d)(?=\S*[A-Za-z])[\w~+/=-]{6,8}$/.test(text.slice(nameEnds, seen)) &&
  /[\s"'`]/.test(text[from - 1] ?? "\n") &&
  /[\r\n"'`]/.test(text[seen] ?? "\n")

/** Words in the place of a value. */
const isNames = (value: string): boolean =>
  /^(?:your|my|some|the|access|auth|api|user|id|jwt|bearer|oauth|test|token|key|secret|credentials?|authentication|authorization|header|scheme|is|or|and|with|for|in|[_.:-])+$/i.test(
    value
  ) || value.startsWith("...")

const bearerValue = /[^\S\n]{1,4}([A-Za-z0-9._~+/=-]{16,128})/y

const bearer = (text: string, from: number, nameEnds: number): Mask | null => {
  const value = matchAt(bearerValue, text, nameEnds)?.[1]
  if (value === undefined || !/\d/.test(value)) return null
  const at = bearerValue.lastIndex
  return { from, start: at - value.length, end: value.length < enough ? at : matchEnd(rest, text, at), marker }
}

const cookies = /\\{0,3}["'`]?[^\S\n]{0,4}[:,][^\S\n]{0,4}(\\{0,3}["'`])?(?=[\w.$-]{1,80}=[^\s;=,)}]{3})/y

const cookie = (text: string, from: number, nameEnds: number): Mask | null => {
  const match = matchAt(cookies, text, nameEnds)
  if (match === null) return null
  const start = nameEnds + match[0].length
  return { from, start, end: lineEnd(text, start, match[1] ?? enclosing(text, from)), marker }
}

/** The quote directly before the name of a header, if the whole header is quoted: `-H 'Cookie: a=b'`. */
const enclosing = (text: string, from: number): string | null => {
  const before = text[from - 1] ?? ""
  if (before !== '"' && before !== "'" && before !== "`") return null
  return text[from - 2] === "\\" ? `\\${before}` : before
}

const lineEnd = (text: string, at: number, quote: string | null): number => {
  if (quote !== null) return closingOf(text, at, quote).end
  const newline = text.indexOf("\n", at)
  return newline < 0 ? text.length : newline
}

const netrcValue = /[^\S\n]{1,4}([^\s"'`,;)]{3,512})/y

const netrc = (text: string, from: number, nameEnds: number): Mask | null => {
  if (!/\blogin\s{1,4}\S{1,100}\s{1,40}$/.test(text.slice(Math.max(0, from - 160), from))) return null
  const value = matchAt(netrcValue, text, nameEnds)?.[1]
  if (value === undefined || isMarked(value)) return null
  return { from, start: netrcValue.lastIndex - value.length, end: netrcValue.lastIndex, marker }
}

const userValue = /(?:["']?,?[^\S\n]{1,4}|=)\\?["']?([^\s:"'$@/]{1,100}):([^\s"'$\\]{1,512})/y
/** `-uname:password` */
const gluedValue = /([^\s:"'$@/]{0,100}):(?!\/)([^\s"'$\\]{1,512})/y

/** `curl -u name:password`, also as a list of arguments, or on a line of its own. */
const curlUser = (text: string, from: number, nameEnds: number): Mask | null => {
  const option = text.slice(from, Math.min(nameEnds, from + 64))
  const pattern = /^(?:-[A-Za-z]{0,4}[uU]|--(?:proxy-)?user)$/.test(option)
    ? userValue
    : /^-[fgikLsSvX]{0,4}[uU]\w/.test(option)
      ? gluedValue
      : null
  // `-uu` is both.
  const value = pattern && (matched(pattern, text, nameEnds) ?? matched(gluedValue, text, nameEnds))
  if (value === null || isMarked(value.password)) return null
  const before = text.slice(Math.max(0, from - 400), from)
  if (!/\b(?:curl|wget|http)\b[^\n]*$/.test(before) && !isLineOfCommand(text, before, value)) return null
  return { from, start: value.end - value.password.length, end: value.end, marker }
}

interface User {
  readonly user: string
  readonly password: string
  readonly end: number
}

const matched = (pattern: RegExp, text: string, at: number): User | null => {
  const [, user = "", password = ""] = matchAt(pattern, text, at) ?? []
  return password === "" ? null : { user, password, end: pattern.lastIndex }
}

/** Is it a line of a longer command? There `docker` has a user and a group, which are only letters or only digits. */
const isLineOfCommand = (text: string, before: string, { end, password, user }: User): boolean =>
  /(?:^|\n)[+-]?[^\S\n]*$/.test(before) &&
  /^[^\S\n]*(?:\\?\r?\n|\\?$)/.test(text.slice(end, end + 16)) &&
  user !== password &&
  /[A-Za-z]/.test(password) &&
  /[^A-Za-z_-]/.test(password)

const identifiedValue = /[^\S\n]{1,4}(\\?["'])?([^\s"'`,;)\\]{3,512})/y

/** `IDENTIFIED BY '…'`, in SQL. */
const identified = (text: string, from: number, nameEnds: number): Mask | null => {
  if (!/^by$/i.test(text.slice(from, nameEnds))) return null
  const before = text.slice(Math.max(0, from - 160), from)
  if (!/\bidentified (?:with \S{1,64} )?$/i.test(before)) return null
  const [, quote, value] = matchAt(identifiedValue, text, nameEnds) ?? []
  // Prose may contain "identified by".
  if (value === undefined || (quote === undefined && !/\b(?:create|alter) (?:user|role)\b/i.test(before))) return null
  if (isMarked(value) || /^[:$%@<{?]/.test(value)) return null
  return { from, start: identifiedValue.lastIndex - value.length, end: identifiedValue.lastIndex, marker }
}
