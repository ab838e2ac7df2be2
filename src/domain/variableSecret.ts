/** What an upper-case name is given, as a shell or a `.env` writes it: `OPENAI_API_KEY=sk-…`, `TOKEN="two words"`. */
import { closingOf } from "./closingQuote.ts"
import { isMarked, type Mask } from "./Mask.ts"
import { isSecretVariable } from "./secretKey.ts"

/** The secret behind the name that stands from `start` to `end`, or null. */
export const variableSecret = (text: string, start: number, end: number): Mask | null => {
  if (text[end] !== "=" || text[end + 1] === "=" || end - start > 81) return null
  const name = text.slice(start, end).replace(/^-+/, "")
  if (!/^[A-Z][A-Z0-9_]*$/.test(name) || !isSecretVariable(name)) return null
  if (!/[\s;"'`\\(+:-]/.test(text[start - 1] ?? "\n")) return null
  opening.lastIndex = end + 1
  const quote = opening.exec(text)
  const from = quote === null ? end + 1 : opening.lastIndex
  const to = quote === null ? bareEnd(text, from) : quotedEnd(text, from, quote[0])
  const value = text.slice(from, to)
  if (value.length < 3 || isMarked(value) || isNoSecret(value)) return null
  return { from: start, start: from, end: to, marker: "[REDACTED_ENV_VAR]" }
}

const opening = /\\?["'`]/y
const bare = /[^\s;"'`<>\\]{3,}/y

const bareEnd = (text: string, start: number): number => {
  bare.lastIndex = start
  return bare.test(text) ? bare.lastIndex : start
}

/** On the same line; where the quote does not end there, nothing is taken for the value. */
const quotedEnd = (text: string, start: number, quote: string): number => {
  const { end, closed } = closingOf(text, start, quote)
  return closed ? end : start
}

/** References, calls, switches, small numbers, files and addresses. */
const isNoSecret = (value: string): boolean =>
  /^(?:true|false|yes|no|on|off|enabled|disabled|none|null|nil|undefined|value|\.{3})$/i.test(value) ||
  /^(?:\$|[([{<%!])|^\d{1,5}$|^[A-Za-z_]+(?:\.[A-Za-z_]+)+$|^(?:\.{0,2}|~)(?:\/[\w.@-]+)+$|^https?:\/\/[^@:]*(?::\d+)?(?:\/[^@]*)?$/.test(
    value
  ) ||
  /[({]/.test(value.slice(0, 40))
