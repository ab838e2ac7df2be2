/**
 * The comments of a source file, found without a parser.
 *
 * Good enough to tell a comment from a string in the languages dd reviews and most others: quotes, tripled
 * quotes, backquotes and block comments are followed, across lines where the language lets them. Limits: a
 * regular expression literal with a quote in it, a heredoc and a nested template may be misread, and then a
 * comment on that line is missed or, inside a heredoc, believed.
 */

export interface Comment {
  /** From 1. */
  readonly line: number
  /** Without the marks that open and close it; one line of it. */
  readonly text: string
}

/** What opens and closes comments and strings. */
export interface Lexicon {
  readonly line: ReadonlyArray<string>
  readonly block: ReadonlyArray<readonly [open: string, close: string]>
  /** Strings that end on their line. */
  readonly quotes: string
  /** Strings that may go on. */
  readonly long: ReadonlyArray<string>
}

const blocks = { c: ["/*", "*/"], markup: ["<!--", "-->"], haskell: ["{-", "-}"] } as const

export const lexicons = {
  hash: { line: ["#"], block: [], quotes: "\"'", long: ['"""', "'''"] },
  c: { line: ["//"], block: [blocks.c], quotes: "\"'", long: ['"""', "`"] },
  // A lone ' is a lifetime, not a string.
  rust: { line: ["//"], block: [blocks.c], quotes: '"', long: [] },
  php: { line: ["//", "#"], block: [blocks.c, blocks.markup], quotes: "\"'", long: [] },
  css: { line: [], block: [blocks.c], quotes: "\"'", long: [] },
  dash: { line: ["--"], block: [blocks.c, blocks.haskell], quotes: "\"'", long: [] },
  percent: { line: ["%"], block: [], quotes: '"', long: [] },
  semicolon: { line: [";"], block: [], quotes: '"', long: [] },
  configuration: { line: [";", "#"], block: [], quotes: '"', long: [] },
  // Prose is full of apostrophes: nothing in markup is a string.
  markup: { line: [], block: [blocks.markup], quotes: "", long: [] },
  component: { line: ["//"], block: [blocks.markup, blocks.c], quotes: "", long: [] },
  any: {
    line: ["//", "#", "--", "%", ";"],
    block: [blocks.c, blocks.markup],
    quotes: "\"'",
    long: ['"""', "'''", "`"]
  }
} satisfies Record<string, Lexicon>

/** Every comment of a file in order, a block comment line by line; linear in the file. */
export const commentsIn = (lines: ReadonlyArray<string>, lexicon: Lexicon): ReadonlyArray<Comment> => {
  const found: Array<Comment> = []
  /** What closes the block comment or the long string the line begins in. */
  let open: { readonly close: string; readonly comment: boolean } | null = null
  for (const [index, text] of lines.entries()) {
    let at = 0
    let quotes = lexicon.quotes
    while (at < text.length) {
      if (open !== null) {
        const end = text.indexOf(open.close, at)
        if (open.comment) found.push({ line: index + 1, text: text.slice(at, end < 0 ? text.length : end) })
        if (end < 0) break
        at = end + open.close.length
        open = null
        continue
      }
      if (lexicon.line.some((mark) => text.startsWith(mark, at) && opensHere(mark, text, at))) {
        found.push({ line: index + 1, text: text.slice(at + 1) })
        break
      }
      const block = lexicon.block.find(([mark]) => text.startsWith(mark, at))
      const long = lexicon.long.find((mark) => text.startsWith(mark, at))
      if (block !== undefined) {
        open = { close: block[1], comment: true }
        at += block[0].length
      } else if (long !== undefined) {
        open = { close: long, comment: false }
        at += long.length
      } else {
        const end = quotes.includes(text[at]!) ? endOfString(text, at) : at
        // One that never closes is an apostrophe, and so is every later one of its kind.
        if (end === null) quotes = quotes.replace(text[at]!, "")
        at = (end ?? at) + 1
      }
    }
  }
  return found
}

/** `$#`, `a#b` and `x--` are not comments; a mark of one character needs something that ends a word before it. */
const opensHere = (mark: string, text: string, at: number): boolean =>
  mark === "//" || at === 0 || /[\s;,)\]}:]/.test(text[at - 1]!)

/** The place of the closing quote; null if there is none on the line. */
const endOfString = (text: string, start: number): number | null => {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at++
    else if (text[at] === text[start]) return at
  }
  return null
}
