/** What a renderer needs beside the result: who speaks, what the rules say of themselves, and how wide the page is. */

/** What a rule says of itself; `domain/finding/Rule.ts` has the whole of it. */
export interface RuleWords {
  readonly title: string
  readonly why: string
  readonly fix: string
  /** A CWE number or an address in the language's documentation. */
  readonly reference: string
}

export interface Here {
  readonly path: (path: string) => string
  /** The description of a change; the path that it is limited to is rewritten. */
  readonly description: (text: string) => string
  /** Rewrites the places (`path:line`) in a text. */
  readonly prose: (text: string) => string
}

export interface RenderContext {
  /** dd's own version. */
  readonly version: string
  readonly rule: (id: string) => RuleWords | undefined
  /** Columns of the page; at least 40 are used. */
  readonly width: number
  /** False: not one control byte but the newline. */
  readonly colour: boolean
  /** Show every finding and every file, not only the first ones. */
  readonly all: boolean
  /** How many findings the text report shows when it does not show all; high ones are shown beyond it. */
  readonly shown: number
  /** How paths are shown from the current directory; absent: from the root of the repository. */
  readonly here?: Here | null
  /** What dd will end with. */
  readonly exitCode: number
}

/** The width of a page that has none, such as a pipe. */
export const pipeWidth = 100

/** The documentation's address, when the reference is one that may be linked. */
export const documentation = (words: RuleWords | undefined): string | undefined =>
  words !== undefined && /^https:\/\/[^\s"'<>\\]+$/.test(words.reference) ? words.reference : undefined
