/**
 * The default of an option, a variable or a parameter that is declared by its name:
 * `add_argument("--token", default="…")`, `flag.String("token", "…", "usage")`, `.option("--token <t>", "text", "…")`,
 * `Arg::new("token").default_value("…")`, `variable "token" { default = "…" }`, `token: { default: "…" }`.
 */
import { matchEnd } from "../text/matchAt.ts"
import { isSecretKey } from "./secretKey.ts"

/** The place of the literal for the name from `nameAt` to `nameEnds`, or -1. */
export const optionDefault = (text: string, nameAt: number, nameEnds: number): number => {
  const found = defaultIn(text, nameAt, nameEnds)
  return found === "open" ? -1 : found
}

/** The start of the context of a declaration that may continue after the text, or -1. */
export const openDeclaration = (text: string): number => {
  const from = Math.max(0, text.length - longestDeclaration - longestBefore)
  for (const { 0: name, index } of text.slice(from).matchAll(/[\w-]+/g)) {
    const nameAt = from + index
    if (isSecretKey(name) && defaultIn(text, nameAt, nameAt + name.length) === "open") {
      return Math.max(0, nameAt - longestBefore)
    }
  }
  return -1
}

/** In characters, after the name. */
const longestDeclaration = 400
const longestBefore = 90

/** "open" if the text ends in the declaration. */
const defaultIn = (text: string, nameAt: number, nameEnds: number): number | "open" => {
  const object = matchEnd(objectBehind, text, nameEnds)
  if (object >= 0) return named(text, object)
  const isDashed = text[nameAt] === "-"
  const quote = matchEnd(isDashed ? restOfOption : closingQuote, text, nameEnds)
  if (quote < 0) return -1
  const before = text.slice(Math.max(0, nameAt - longestBefore), nameAt)
  if (!(isDashed ? startOfOption : declaring).test(before)) return -1
  const place = (isDashed ? describing : valued).test(before) ? positional(text, quote, isDashed) : -1
  return place < 0 ? named(text, quote, isDashed) : place
}

/** `token: {`, `"token": {` */
const objectBehind = /["'`]?:[^\S\n]{1,4}(?=\{)/y
/** Not of a key. */
const closingQuote = /(?<=["'`][\w-]{1,64})["'`](?!\]?\s?[:=])/y
/** `--token` alone or after its shorthand: `"-t, --token`. */
const startOfOption = /["'](?:-\w,?[ |/]\s?)?$/
/** ` <token>"`, `=TOKEN"` */
const restOfOption = /(?:[ =]?[<[][^"'`\n]{0,40}[>\]]|[= ][A-Za-z_]{1,30})?["'`]/y
const declaring =
  /(?:(?:flag|option|opt|arg|argument|string|param|parameter|default)\w{0,20}\(|::new\(|\b(?:long|name)s?\s{0,8}[=:]\s{0,8}|\bvariable )(?:[&\w.*]{1,60},\s{0,8})?["'`]$/i
/** The default follows the name, or a shorthand of one letter. */
const valued = /(?:string|default)\w{0,20}\((?:[&\w.*]{1,60},\s{0,8})?["'`]$/i
/** The default follows a description. */
const describing = /\boption\(\s{0,8}["'`](?:-\w,?[ |/]\s?)?$/i

const positional = (text: string, quote: number, isDescribed: boolean): number => {
  const first = matchEnd(comma, text, quote)
  if (first < 0) return -1
  const end = matchEnd(literal, text, first)
  return isDescribed || end === first + 3 ? matchEnd(comma, text, end) : first
}

const comma = /\s{0,80},\s{0,80}(?=["'`])/y
const literal = /(["'`])(?:\\.|(?!\1)[^\\\n]){0,200}\1/y

/** The literal after `default` in the rest of the call or the object, and in calls that are chained to it. */
const named = (text: string, start: number, isDashed = false): number | "open" => {
  const rest = text.slice(start, start + longestDeclaration)
  let depth = 0
  let deepest = 1
  for (const { 0: part, index } of rest.matchAll(parts)) {
    const end = index + part.length
    if (/^[;\n>]/.test(part)) return -1
    if ("([{".includes(part)) depth++
    else if (")]}".includes(part)) {
      if (depth > 0) {
        depth--
        // The end of the object that describes the name.
        if (depth === 0 && part === "}") return -1
      } else if (part === ")") {
        if (matchEnd(chained, rest, end) < 0) return -1
        deepest = 0
      } else if (!isDashed || matchEnd(nextArgument, rest, end) < 0) return -1
    } else if (depth <= deepest && /[=:(]\s{0,8}$/.test(part)) return start + end
  }
  return rest.length < longestDeclaration ? "open" : -1
}

/** `default` with its operator, a literal, a bracket, or the end: an empty line, an item of a list, an XML element. */
const parts =
  /["']?\b(?:[Dd]efault\w{0,20}|Value)["']?\s{0,4}(?:=|:|\()\s{0,8}(?=[A-Za-z]{0,2}["'`])|(["'`])(?:\\.|(?!\1)[^\\\n])*\1|[([{}\]);]|\n\s{0,80}(?:\n|- )|>\s{0,80}</g
const chained = /\s{0,80}\./y
const nextArgument = /,\s{0,80}[A-Za-z]/y
