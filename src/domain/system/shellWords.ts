/**
 * The one reader of commands as a POSIX shell splits them: words, operators, redirections and here-documents.
 *
 * Words are between blanks of any kind, also a line break after `\` (or `^` and a backtick, as Windows continues lines). Quotes and
 * substitutions are parts of words; nothing is expanded. The words of a call have a value without quotes, of which each character has its place. The body of a here-document is no command. Total; linear in the text.
 */

export interface ShellWord {
  readonly start: number
  readonly end: number
  /** As it is written. */
  readonly text: string
}

export interface CallWord extends ShellWord {
  /** Without quotes. */
  readonly value: string
  /** Where each character of the value is written; null if it is the text as written. */
  readonly places: ReadonlyArray<number> | null
}

export type ShellToken = ShellWord & {
  readonly kind: "word" | "operator" | "redirection" | "body"
}

/** Between words. */
export const blanks = String.raw`(?:[^\S\n]|[\\^${"`"}]\r?\n)`

const substitution = String.raw`\$\((?:[^()\n]|\([^()\n]*\))*\)`
const inLine = String.raw`${substitution}|[^\s"'${"`"};|&()<>\\]|\\[^\r\n]|"(?:[^"\\\n]|\\[^\n])*"|'[^'\n]*'`
const inLines = String.raw`${substitution}|${"`[^`]*`"}|[^\s"'${"`"};|&()<>\\]|\\[^\r\n]|"(?:[^"\\]|\\[\s\S])*"|'[^']*'`
const someBlanks = new RegExp(`${blanks}+`, "y")
const lineWord = new RegExp(`(?:${inLine})+`, "y")
const anyWord = new RegExp(`(?:${inLines})+`, "y")
const operator = /\|\||&&|[|;&()\n]/y
const redirection = /(?:\d{1,2}|&)?(?:<<-?(?!<)|>>|<<<|<>|[<>]&|>\||[<>](?!\())/y
const comment = /#[^\n]*/y

const endOf = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : at
}

/**
 * The words of one call from `at`, up to the end of its line or an operator. `isAtWord`: the first may begin there, without a blank.
 * Text that is no command may have a quote without an end, so no quote goes beyond its line.
 */
export const callWords = (text: string, at: number, isAtWord = false): ReadonlyArray<CallWord> => {
  const call = text.slice(at, at + longestCall)
  const words: Array<CallWord> = []
  for (let end = 0; ; ) {
    const start = endOf(someBlanks, call, end)
    if (start === end && !(isAtWord && end === 0)) return words
    end = endOf(lineWord, call, start)
    if (end === start) return words
    const written = call.slice(start, end)
    const places = /["'\\]/.test(written) ? placesIn(written) : null
    const value = places === null ? written : places.map((place) => written[place]).join("")
    words.push({
      start: at + start,
      end: at + end,
      text: written,
      value,
      places: places?.map((place) => at + start + place) ?? null
    })
  }
}

const longestCall = 1_000

/** A part of the value of a word, without the quotes around it. */
export const partOf = ({ places, start, value }: CallWord, from: number, to = value.length): CallWord => {
  const begin = places?.[from] ?? start + from
  const end = places === null ? start + to : (places[to - 1] ?? begin - 1) + 1
  return {
    start: begin,
    end,
    text: value.slice(from, to),
    value: value.slice(from, to),
    places: places?.slice(from, to) ?? null
  }
}

/** A whole command, without its comments. A sign that belongs to nothing, such as a quote without an end, is left out. */
export const shellTokens = (text: string): ReadonlyArray<ShellToken> => {
  const tokens: Array<ShellToken> = []
  const add = (kind: ShellToken["kind"], start: number, end: number) =>
    tokens.push({ kind, start, end, text: text.slice(start, end) })
  let delimiters: Array<string> = []
  let at = 0
  while (at < text.length) {
    const start = endOf(someBlanks, text, at)
    const isFirst = start > at || at === 0 || tokens.at(-1)?.kind === "operator"
    at = start
    const bodyOf = isFirst ? endOf(comment, text, at) : at
    if (bodyOf > at) {
      at = bodyOf
      continue
    }
    const directed = endOf(redirection, text, at)
    if (directed > at) {
      const sign = text.slice(at, directed)
      const target = endOf(someBlanks, text, directed)
      at = endOf(anyWord, text, target)
      if (/<<-?$/.test(sign)) delimiters.push(unquoted(text.slice(target, at)))
      add("redirection", start, at)
      continue
    }
    at = endOf(anyWord, text, start)
    if (at > start) add("word", start, at)
    else {
      at = endOf(operator, text, start)
      if (at > start) add("operator", start, at)
      else at++
    }
    if (text[at - 1] !== "\n" || tokens.at(-1)?.end !== at) continue
    for (const delimiter of delimiters) {
      const begin = at
      at = endOfBody(text, at, delimiter)
      if (at > begin) add("body", begin, at)
    }
    delimiters = []
  }
  return tokens
}

/** Behind the line that is the delimiter, or the end of the text. */
const endOfBody = (text: string, from: number, delimiter: string): number => {
  for (let at = from; at < text.length; ) {
    const newline = text.indexOf("\n", at)
    const end = newline < 0 ? text.length : newline
    if (text.slice(at, end).trim() === delimiter) return end
    at = end + 1
  }
  return text.length
}

/** A command of a list or pipeline: its words without quotes, and the operator behind it; "" for the last one. */
export interface ShellCommand {
  readonly words: ReadonlyArray<string>
  readonly operator: string
  /** The lines of its here-document; null without one. */
  readonly input: string | null
}

/** Parentheses and braces around commands are left out. */
export const shellCommands = (text: string): ReadonlyArray<ShellCommand> => {
  const commands: Array<ShellCommand> = []
  let words: Array<string> = []
  for (const { kind, text: written } of shellTokens(text)) {
    const last = commands.at(-1)
    if (kind === "word" && !(words.length === 0 && /^[{}]$/.test(written))) words.push(unquoted(written))
    else if (kind === "body" && last !== undefined)
      commands[commands.length - 1] = { ...last, input: written.slice(0, written.trimEnd().lastIndexOf("\n")) }
    else if (kind === "operator" && !/[()]/.test(written)) {
      commands.push({ words, operator: written, input: null })
      words = []
    }
  }
  return [...commands, { words, operator: "", input: null }]
}

/** What a shell makes of a word, without expansions. */
export const unquoted = (word: string): string =>
  placesIn(word)
    .map((place) => word[place])
    .join("")

/** The characters of a word that are neither quotes nor signs that quote. */
const placesIn = (word: string): ReadonlyArray<number> => {
  const places: Array<number> = []
  let quote = ""
  for (let at = 0; at < word.length; at++) {
    const next = word[at + 1]
    if (quote !== "" && word[at] === quote.at(-1)) quote = ""
    else if (quote === "" && word[at] === "$" && (next === "'" || next === '"')) quote = `$${word[++at]}`
    else if (quote === "" && (word[at] === "'" || word[at] === '"')) quote = word[at]!
    else if (word[at] === "\\" && next !== undefined && isEscaped(quote, next)) {
      at++
      if (next !== "\n") places.push(at)
    } else places.push(at)
  }
  return places
}

const isEscaped = (quote: string, sign: string): boolean =>
  quote === "" || quote === "$'" || (quote.endsWith('"') && '"\\$`\n'.includes(sign))
