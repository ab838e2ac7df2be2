/**
 * The secret in an assignment to an upper-case name, in a shell, a `.env`, a Makefile, a Dockerfile or YAML:
 * `OPENAI_API_KEY=sk-…`, `TOKEN="two words"`, `MY_SECRET = abc`, `MY_AUTH: abc`, `${DB_PASSWORD:-abc}`.
 *
 * For the name of a secret (`isSecretKey`), every value is hidden except the forms of `isHarmless`. For a name that only
 * contains such a word (`PASSWORD_POLICY`), values that look like a secret are hidden.
 */
import { callWords } from "../system/shellWords.ts"
import { closingOf, lineStart } from "../text/closingQuote.ts"
import { isMarked, type Mask } from "../text/Mask.ts"
import { matchAt, matchEnd } from "../text/matchAt.ts"
import { isNameOfSecret, isSecretKey, isSwitch, repeatsName, wordsOf } from "./secretKey.ts"
import { isSecretVariable } from "./secretVariable.ts"

const longestName = 81

/** The secret assigned to the name from `start` to `end`, or null. */
export const variableSecret = (text: string, start: number, end: number): Mask | null => {
  const next = text[end] ?? ""
  // Most words of a text end here.
  if (
    next !== "=" &&
    !(isUpperCase(text.charCodeAt(start)) && text.charCodeAt(end - 1) < 96 && ": \t?+".includes(next))
  )
    return null
  if (end - start > longestName) return null
  const name = text.slice(start, end).replace(/^-+/, "")
  if (!/^[A-Z][A-Z0-9_]*$/.test(name)) return next === "=" ? propertySecret(text, name, start, end) : null
  if (!isSecretVariable(name)) return null
  const isSecret = isSecretKey(name) || name.endsWith("_PAT")
  const adjacent = next === "=" && text[end + 1] !== "=" && /[\s;"'`\\(+:,={[|\0-]/.test(text[start - 1] ?? "\n")
  if (adjacent && !(isSecret && /[^\S\n]/.test(text[end + 1] ?? ""))) {
    const isAllowed = !isSecret ? isNoSecret : isSwitch(name) ? isHarmless : isNoValue
    return masked(text, start, joinedWord(text, start, end + 1) ?? adjacentValue(text, end + 1), isAllowed)
  }
  if (!isSecret) return null
  return masked(text, start, defaultValue(text, start, end) ?? valueOnOwnLine(text, name, start, end), isHarmless)
}

const isUpperCase = (code: number): boolean => code >= 65 && code <= 90

/** `db.password=1234`, alone on its line. Words and names are judged by `assignedSecret`: they may be code. */
const propertySecret = (text: string, name: string, start: number, end: number): Mask | null => {
  if (!/pass|pwd|secret/i.test(name) || !isSecretKey(name)) return null
  const line = lineStart(text, start, longestName)
  if (line < 0 || !declared.test(text.slice(line, start))) return null
  const value = matched(lineValue, text, end + 1)
  const mask = masked(text, start, value, (value) => isLeftToOthers(value) || isHarmless(value))
  return mask && { ...mask, marker: "[REDACTED_CREDENTIAL]" }
}

/** Words, the last argument of a call (`True)`), and a query (`abc&page=1`). */
const isLeftToOthers = (value: string): boolean =>
  value.length <= longestJudged && /^(?!\d{3})[\w-]*$|^[^([{]*[)\]}]+$|&\w+=/.test(value)

const masked = (
  text: string,
  from: number,
  found: Value | null,
  isAllowed: (value: string) => boolean
): Mask | null => {
  if (found === null) return null
  const value = text.slice(found.start, found.end)
  return value === "" || isMarked(value) || isAllowed(value) ? null : { from, ...found, marker: "[REDACTED_ENV_VAR]" }
}

interface Value {
  readonly start: number
  readonly end: number
}

const opening = /\\?["'`]/y
/** A quote in a word is part of it, and so is a space after a backslash. */
const bare = /(?:[^\s\0;"'`<>\\]|(?<=\w)["'](?=\w)|(?<=\w)\\ (?=\w))+/y

const adjacentValue = (text: string, start: number): Value | null => {
  const quote = matchAt(opening, text, start)
  if (quote === null) return matched(bare, text, start)
  const inner = start + quote[0].length
  const { end, closed } = closingOf(text, inner, quote[0])
  // Without a closing quote on the line, the end of the value is not known.
  return closed ? { start: inner, end } : null
}

/** `'a'"b"c`: pieces that a shell joins to one word, if no quote is open before them. */
const joinedWord = (text: string, nameAt: number, start: number): Value | null => {
  if (!quotedPieces.test(text.slice(start, start + longestBefore))) return null
  const line = lineStart(text, nameAt, longestBefore)
  const isOpen = (quote: string) => text.slice(line, nameAt).split(quote).length % 2 === 0
  return line < 0 || ['"', "'", "`"].some(isOpen) ? null : (callWords(text, start, true)[0] ?? null)
}

const longestBefore = 400
const quotedPieces = /^(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*')["'\w.+/=@%-]/

const matched = (pattern: RegExp, text: string, start: number): Value | null => {
  const end = matchEnd(pattern, text, start)
  return end < 0 ? null : { start, end }
}

const defaultOperator = /:?[-=]/y
const untilBrace = /[^\s}]+/y

/** `${DB_PASSWORD:-abc}` */
const defaultValue = (text: string, start: number, end: number): Value | null => {
  if (text[start - 1] !== "{" || text[start - 2] !== "$") return null
  const operator = matched(defaultOperator, text, end)
  return operator === null ? null : matched(untilBrace, text, operator.end)
}

const spacedOperator = /[^\S\n]{0,8}(?:\?=|::?=|\+=|=(?![=>~])|:(?=[^\S\n]))[^\S\n]{0,40}/y
const lineValue = /[^\s\0"'`,;<>\\]+(?=[^\S\n]*(?:[^\S\n]#[^\n]{0,200})?(?:\r?\n|$))/y
const declared = /^[\s+>-]*(?:(?:export|set|const|readonly|ENV|ARG)[^\S\n]{1,4})?(?:\w+\.)*$/
const dockerEnv = /^[\s+>-]*(?:ENV|setenv|SetEnv|setx|set(?: --?[A-Za-z]{1,9}){1,4})[^\S\n]{1,4}$/
const space = /[^\S\n]{1,8}(?!=)/y

/** A value with nothing else before it on its line, and nothing after it unless it is quoted. */
const valueOnOwnLine = (text: string, name: string, start: number, end: number): Value | null => {
  const line = lineStart(text, start, longestName)
  if (line < 0) return null
  const before = text.slice(line, start)
  const assignment = declared.test(before) ? matched(spacedOperator, text, end) : null
  const operator = assignment ?? (dockerEnv.test(before) ? matched(space, text, end) : null)
  if (operator === null) return null
  const isQuoted = matchEnd(opening, text, operator.end) >= 0
  const found = isQuoted ? adjacentValue(text, operator.end) : matched(lineValue, text, operator.end)
  if (found === null) return null
  const value = text.slice(found.start, found.end)
  // Words in quotes are judged by `assignedSecret`: they may be a label.
  const isLeft = isQuoted
    ? /\s/.test(value) || isNameOfSecret(value) || repeatsName(name, value)
    : assignment !== null && isCode(name, value)
  return isLeft ? null : found
}

/** An expression or a type of a programming language. */
export const isCode = (name: string, value: string): boolean =>
  value.length <= longestJudged &&
  (/^-?\d{1,3}$/.test(value) ||
    /^[A-Z][a-z]\w*[!?]?$|^[a-z]+(?:[A-Z][a-z]+)+$|^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(value) ||
    (pathOfNames.test(value) && !/^\w+$/.test(value)) ||
    repeatsName(name, value) ||
    (/^[a-z_]+$/.test(value) && value.includes("_") && wordsOf(value).some((word) => isSecretKey(word))) ||
    /^[|>&*!%][\w+-]*$/.test(value) ||
    typeNames.test(value))

/** `foo.bar`, `Foo::new(x).y`, `foo[0]`, `Foo{x}` and what is open at the end of the line; not `hunter(2`, `p{assw0rd}`, `abc!`. */
const pathOfNames =
  /^[A-Za-z_]\w*(?:(?:\.|::?|->|\?\.)[A-Za-z_$][\w$]*)*(?:[!?](?<=\W\w{1,80}.))?(?:\((?:.*\)(?:[.[:?-].*)?)?|\[(?:.*\](?:[.[(:?-].*)?)?|\{\}?|(?<=^[A-Z]\w*|[.:]\w+)\{.*\}?)?$/

const typeNames =
  /^(?:str|string|text|int|integer|number|float|bool|boolean|bytes|any|unknown|required|optional|default|value)[?!]?$/i

/** Forms that hide nothing though the name is that of a secret: no value, a placeholder, a reference to a value elsewhere. */
export const isHarmless = (value: string): boolean => {
  if (value.length > longestJudged) return false
  const literal = value.replace(reference, "~")
  return (
    /^(?:[-_:/.,~\s]*|([^\p{L}\p{N}])\1*)$/u.test(literal) ||
    /^(?:true|false|yes|no|on|off|[01]|enabled|disabled|none|null|nil|undefined)$/i.test(value) ||
    /^(?:x{3,}|<.*>|\[.*\]|your[-_].*|todo|value)$/i.test(value) ||
    call.test(value) ||
    member.test(value) ||
    place.test(literal)
  )
}

/** A number is a value: of a secret, `1` is no switch. */
const isNoValue = (value: string): boolean => !/^[01]$/.test(value) && isHarmless(value)

/** A longer value is hidden whatever its form: the patterns here may take quadratic time. */
const longestJudged = 256

/** `$OTHER`, `$other`, `$1`, `${OTHER}`, `$(command)`, `${{ secrets.X }}`, `{{ x }}`, `%OTHER%`, `#{x}`, `!Ref`; not `$ecret99`, nor a JSON object. */
const reference =
  /[$#%]?\{\{.*|\$+(?:[A-Z_][A-Z0-9_]*(?!\w)|[A-Za-z_]+\d?(?!\w)(?:(?:::?|->|\.)\w+|\[.*)*|[\d@*#?!-](?!\w))|[$#%@]?\{(?!\s*\\*"[^"]*"\s*:)(?:[^{}]|\{[^{}]*\})*(?:\}|$)|\$\(.*|%\(?[A-Za-z_]+(?:%|\)s)|^%[sdvq]$|^![A-Za-z].*/g
const call = /^(?:await |new )?[A-Za-z_$][\w$.:>-]*[!?]?\((?:.*[),])?$|^[A-Za-z_$][\w$.]*\[$|^@[\w.]+\(.*$/
const member =
  /^(?:process|os|import|self|this|settings|config|conf|cfg|env|secrets|vars?|locals?|data|module|inputs|github|ctx|context|options|opts|args|params|app|Rails|System)(?:\??\.\w+)+[!?]?$|^[A-Za-z_]\w*(?:\.\w+)*\.\w*(?:pass|password|secret|token|key|SECRET|PASSWORD|TOKEN|KEY)$/
const place =
  /^(?:~|\.{1,2})\/[\w.@~/-]*$|^\/(?:etc|var|run|usr|opt|home|root|tmp|mnt|dev|proc|srv|secrets?|vault|app|data|Users)\/[\w.@~/-]+$|^[a-z][a-z\d+.-]*:\/\/[^@:]*(?::\d+)?(?:\/[^@]*)?$/

/** Of a name that only contains the word: references, calls, switches, numbers, files and addresses. */
const isNoSecret = (value: string): boolean =>
  value.length < 3 ||
  isHarmless(value) ||
  /^(?:\$|[([{<%!])|^\d{1,5}$|^[A-Za-z_]+(?:\.[A-Za-z_]+)+$|^(?:\.{0,2}|~)(?:\/[\w.@-]+)+$/.test(value) ||
  /[({]/.test(value.slice(0, 40))
