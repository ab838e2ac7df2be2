/**
 * The comments of a source file, found without a parser.
 *
 * Distinguishes comments from strings in the languages that dd reviews and most others: quotes, triple quotes, backquotes
 * and block comments, on several lines where the language allows it. Limits: a regular expression literal with a quote,
 * a heredoc and a nested template may be misread. Then a comment on that line is not found, or a line of a heredoc is
 * taken for one.
 */

export interface Comment {
  /** From 1. */
  readonly line: number
  /** One line of the comment, without its delimiters. */
  readonly text: string
}

/** The delimiters of comments and strings. */
export interface Lexicon {
  readonly line: ReadonlyArray<string>
  readonly block: ReadonlyArray<readonly [open: string, close: string]>
  /** Quotes of strings that end on their line. */
  readonly quotes: string
  /** Quotes of strings that may have several lines. */
  readonly long: ReadonlyArray<string>
}

const blocks = { c: ["/*", "*/"], markup: ["<!--", "-->"], haskell: ["{-", "-}"] } as const

export const lexicons = {
  hash: { line: ["#"], block: [], quotes: "\"'", long: ['"""', "'''"] },
  c: { line: ["//"], block: [blocks.c], quotes: "\"'", long: ['"""', "`"] },
  // A single ' is a lifetime, not a string.
  rust: { line: ["//"], block: [blocks.c], quotes: '"', long: [] },
  php: { line: ["//", "#"], block: [blocks.c, blocks.markup], quotes: "\"'", long: [] },
  css: { line: [], block: [blocks.c], quotes: "\"'", long: [] },
  dash: { line: ["--"], block: [blocks.c, blocks.haskell], quotes: "\"'", long: [] },
  percent: { line: ["%"], block: [], quotes: '"', long: [] },
  semicolon: { line: [";"], block: [], quotes: '"', long: [] },
  configuration: { line: [";", "#"], block: [], quotes: '"', long: [] },
  // Markup has no strings: prose has many apostrophes.
  markup: { line: [], block: [blocks.markup], quotes: "", long: [] },
  component: { line: ["//"], block: [blocks.markup, blocks.c], quotes: "", long: [] },
  any: {
    line: ["//", "#", "--", "%", ";"],
    block: [blocks.c, blocks.markup],
    quotes: "\"'",
    long: ['"""', "'''", "`"]
  }
} satisfies Record<string, Lexicon>

/** Every comment of a file in order, one entry for each line of a block comment. Linear in the file. */
export const commentsIn = (lines: ReadonlyArray<string>, lexicon: Lexicon): ReadonlyArray<Comment> =>
  lexemesIn(lines, lexicon).flatMap(({ from, isComment, line, to }) =>
    isComment ? [{ line, text: lines[line - 1]!.slice(from, to) }] : []
  )

/**
 * The lines with blanks in the place of comments and strings; code inside of a string, such as `${x}`, remains. Lines that
 * are not wanted are perhaps left as they are.
 */
export const codeOnly = (
  lines: ReadonlyArray<string>,
  lexicon: Lexicon,
  isWanted: (line: number) => boolean = () => true
): ReadonlyArray<string> => {
  const code = [...lines]
  for (const { from, line, to } of lexemesIn(lines, lexicon, isWanted)) {
    const text = code[line - 1]!
    const isFormat = /\b[rR]?[fF][rR]?["']+$/.test(text.slice(Math.max(0, from - 5), from))
    const inside = text.slice(from, to).split(isFormat ? braces : substitutions)
    const blanked = inside.map((part, at) => (at % 2 === 1 ? part : " ".repeat(part.length)))
    code[line - 1] = text.slice(0, from) + blanked.join("") + text.slice(to)
  }
  return code
}

const substitutions = /([$#]\{[^{}]*\})/
const braces = /(\{[^{}]*\})/

/** What is between the delimiters of a comment or a string, on one line. */
interface Lexeme {
  readonly line: number
  readonly from: number
  readonly to: number
  readonly isComment: boolean
}

const lexemesIn = (
  lines: ReadonlyArray<string>,
  lexicon: Lexicon,
  isWanted: (line: number) => boolean = () => true
): ReadonlyArray<Lexeme> => {
  const openers = [...lexicon.block.map(([mark]) => mark), ...lexicon.long]
  const found: Array<Lexeme> = []
  const firsts = [...lexicon.line, ...lexicon.block.map(([mark]) => mark), ...lexicon.long, ...lexicon.quotes]
  const delimiter = new RegExp(`[${firsts.map((mark) => RegExp.escape(mark[0]!)).join("")}]`, "g")
  /** The end of the block comment or the string in which the line begins. */
  let open: { readonly close: string; readonly isComment: boolean } | null = null
  for (const [index, text] of lines.entries()) {
    let at = 0
    let quotes = lexicon.quotes
    const line = index + 1
    const mayOpen = open !== null || openers.some((mark) => text.includes(mark))
    if (!mayOpen && !isWanted(line)) continue
    while (at < text.length) {
      if (open !== null) {
        const end = text.indexOf(open.close, at)
        found.push({ line, from: at, to: end < 0 ? text.length : end, isComment: open.isComment })
        if (end < 0) break
        at = end + open.close.length
        open = null
        continue
      }
      delimiter.lastIndex = at
      const next = delimiter.exec(text)
      if (next === null) break
      at = next.index
      if (lexicon.line.some((mark) => text.startsWith(mark, at) && opensHere(mark, text, at))) {
        found.push({ line, from: at + 1, to: text.length, isComment: true })
        break
      }
      const block = lexicon.block.find(([mark]) => text.startsWith(mark, at))
      const long = lexicon.long.find((mark) => text.startsWith(mark, at))
      if (block !== undefined) {
        open = { close: block[1], isComment: true }
        at += block[0].length
      } else if (long !== undefined) {
        open = { close: long, isComment: false }
        at += long.length
      } else {
        const end = quotes.includes(text[at]!) ? endOfString(text, at) : at
        // A quote without an end is an apostrophe, and so are all later ones of its kind.
        if (end === null) quotes = quotes.replace(text[at]!, "")
        else if (end > at) found.push({ line, from: at + 1, to: end, isComment: false })
        at = (end ?? at) + 1
      }
    }
  }
  return found
}

/** `$#`, `a#b` and `x--` do not start comments: a delimiter of one character must follow the end of a word. */
const opensHere = (mark: string, text: string, at: number): boolean =>
  mark === "//" || at === 0 || /[\s;,)\]}:]/.test(text[at - 1]!)

/** The index of the closing quote; null if there is none on the line. */
const endOfString = (text: string, start: number): number | null => {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++
    else if (text[at] === text[start]) return at
  }
  return null
}
