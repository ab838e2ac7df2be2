/**
 * Source text as words, strings and punctuation, without comments and trailing commas. Needs no grammar: only the marks of
 * the language.
 */
import type { Lexicon } from "../../code/Comment.ts"

/** The part of a language that decides how its tokens and headers are read. */
export interface Syntax {
  readonly comments: Lexicon
  readonly family: string
}

export interface Token {
  readonly text: string
  readonly kind: "word" | "string" | "mark"
  /** Of the text in which the token begins, from 0. */
  readonly line: number
  /** White space or a comment precedes it. */
  readonly spaced: boolean
}

/** At most this many tokens are read. */
const mostTokens = 200_000

const marks = ["...", "=>", "->", "::", "\\\\", "==", "<=", ">=", "!=", ":=", "**", "?:"]
const firstOfMarks = new Set(marks.map((mark) => mark[0]))

/** Linear in the text. */
export const tokensOf = (lines: ReadonlyArray<string>, { comments, family }: Syntax): ReadonlyArray<Token> => {
  const { block, line, long, quotes } = comments
  const hasPatterns = family === "script" || family === "ruby"
  const text = lines.join("\n")
  const found: Array<Token> = []
  // Most characters begin neither a comment nor a string.
  const special = new Set([...line, ...block.map(([open]) => open), ...long, ...quotes].map((mark) => mark[0]))
  let row = 0
  let spaced = false
  let at = 0
  const skip = (end: number) => {
    for (; at < end; at++) if (text.charCodeAt(at) === newline) row++
  }
  const add = (kind: Token["kind"], end: number) => {
    found.push({ text: text.slice(at, end), kind, line: row, spaced })
    spaced = false
    if (kind === "string") skip(end)
    else at = end
  }
  while (at < text.length && found.length < mostTokens) {
    const unit = text[at]!
    const patternEnd = hasPatterns && unit === "/" ? endOfPattern(text, at, found.at(-1)) : at
    word.lastIndex = at
    if (word.test(text)) add("word", word.lastIndex)
    else if (unit <= " ") {
      spaced = true
      skip(at + 1)
    } else if (patternEnd > at) add("word", patternEnd)
    else if (!special.has(unit)) add("mark", at + markLength(text, at, unit))
    else {
      const comment = block.find(([mark]) => text.startsWith(mark, at))
      const string = long.find((mark) => text.startsWith(mark, at))
      const isComment = (mark: string) => text.startsWith(mark, at) && (mark.length > 1 || spaced || at === 0)
      // `#[` of PHP begins an attribute.
      if (line.some(isComment) && !(family === "php" && text.startsWith("#[", at))) {
        spaced = true
        skip(endOr(text.indexOf("\n", at), text))
      } else if (comment !== undefined) {
        spaced = true
        skip(endAfter(text, comment[1], at + comment[0].length))
      } else if (string !== undefined) add("string", endAfter(text, string, at + string.length))
      else if (quotes.includes(unit)) add("string", endOfQuote(text, at))
      else add("mark", at + markLength(text, at, unit))
    }
  }
  return withoutTrailingCommas(found, family === "python" || family === "rust")
}

/** As formatters add them; `(1,)` is a tuple in some languages. */
const withoutTrailingCommas = (tokens: ReadonlyArray<Token>, hasTuples: boolean): ReadonlyArray<Token> => {
  const open: Array<{ readonly at: number; commas: number }> = []
  return tokens.filter(({ kind, text }, at) => {
    if (kind !== "mark") return true
    if (opens(text)) open.push({ at, commas: 0 })
    else if (closes(text)) open.pop()
    if (text !== ",") return true
    const group = open.at(-1)
    if (group !== undefined) group.commas++
    const next = tokens[at + 1]?.text ?? ""
    const isTuple = hasTuples && next === ")" && group?.commas === 1 && !isCalled(tokens, group.at)
    return isTuple || !(closes(next) || next === ">")
  })
}

/** Does the bracket follow a name or another group? */
const isCalled = (tokens: ReadonlyArray<Token>, open: number): boolean => {
  const before = tokens[open - 1]
  return before !== undefined && !tokens[open]!.spaced && (before.kind === "word" || /^[)\]}>!]$/.test(before.text))
}

const newline = 10

/** Letters, digits, `_`, `$`, and all characters beyond ASCII. */
const word = /[\w$\u0080-\uffff]+/y

const markLength = (text: string, at: number, unit: string): number =>
  firstOfMarks.has(unit) ? (marks.find((mark) => text.startsWith(mark, at))?.length ?? 1) : 1

const endOr = (end: number, text: string): number => (end < 0 ? text.length : end)

const endAfter = (text: string, close: string, from: number): number => {
  const end = text.indexOf(close, from)
  return end < 0 ? text.length : end + close.length
}

/** After the closing quote; a quote that is not closed on its line stands alone. */
const endOfQuote = (text: string, start: number): number => {
  for (let at = start + 1; at < text.length && text[at] !== "\n"; at++) {
    if (text[at] === "\\") at++
    else if (text[at] === text[start]) return at + 1
  }
  return start + 1
}

/** The end of a regular expression, or `start`. A slash after a value divides. */
const endOfPattern = (text: string, start: number, before: Token | undefined): number => {
  const isValue =
    before?.kind === "mark" ? /^[)\]}<>]$/ : /^(?!(?:return|case|typeof|in|of|when|if|unless|and|or|not)$)/
  if (before !== undefined && isValue.test(before.text)) return start
  pattern.lastIndex = start
  return pattern.test(text) ? pattern.lastIndex : start
}

/** With bounds, because it is tried at each slash. */
const pattern = /\/(?![/*])(?:[^\\/[\n]|\\.|\[(?:[^\\\]\n]|\\.){0,200}\]){1,400}\/[a-z]*/y

/**
 * Equal for texts that differ only in white space outside of strings, in comments, in trailing commas, and in quotes
 * without a meaning of their own.
 */
export const codeKey = (lines: ReadonlyArray<string>, syntax: Syntax): string => keyOf(tokensOf(lines, syntax), syntax)

export const keyOf = (tokens: ReadonlyArray<Token>, { family }: Syntax): string =>
  tokens
    .map(({ kind, text }) =>
      kind === "string" && singleQuoted[family]?.test(text) === true ? text.replace(/^'+|'+$/g, doubled) : text
    )
    .join("\0")

/** Strings that mean the same in double quotes. */
const singleQuoted: Partial<Record<string, RegExp>> = {
  script: /^'[^"\\]*'$/,
  python: /^'[^"\\]*'$/,
  ruby: /^'[^"\\#]*'$/,
  php: /^'[^"\\$]*'$/
}
const doubled = (quotes: string): string => quotes.replaceAll("'", '"')

/** The tokens in one line of text, with one space where the source has white space, and none inside brackets. */
export const textOf = (tokens: ReadonlyArray<Token>): string => {
  let text = ""
  for (const [at, token] of tokens.entries()) {
    const before = tokens[at - 1]
    const joins =
      before === undefined ||
      /^[([]$/.test(before.text) ||
      (before.text === "<" && !before.spaced) ||
      (token.text === ">" && (before.text === "," || before.line < token.line)) ||
      (closes(token.text) && token.text !== "}") ||
      /^[,;]$/.test(token.text)
    text += (token.spaced && !joins ? " " : "") + token.text
  }
  return text
}

export const opens = (text: string): boolean => text === "(" || text === "[" || text === "{"
export const closes = (text: string): boolean => text === ")" || text === "]" || text === "}"
