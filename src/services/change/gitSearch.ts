/** The arguments, patterns and output of `git grep`. Pure. */
import { vendoredAtTop, vendoredFolders } from "../../domain/change/PathKind.ts"
import type { WordPlace } from "../../domain/change/WordPlace.ts"

/** Matches exactly this path from the root. A byte that an argument cannot contain matches any byte. */
export const pathspec = (path: string): string => pathspecWith("top,glob", path)

/** Leaves this path out. */
export const excluding = (path: string): string => pathspecWith("exclude,top,glob", path)

/** Leaves out vendored code. */
export const notVendored: ReadonlyArray<string> = [
  ...[...vendoredFolders].map((folder) => `**/${folder}/**`),
  `${vendoredAtTop}/**`
].map((glob) => `:(exclude,top,glob)${glob}`)

const pathspecWith = (magic: string, path: string): string => {
  const parts = path.split(/\\x[89a-f][0-9a-f]/).map((part) => part.replaceAll("\\x5c", "\\"))
  return `:(${magic})${parts.map((part) => part.replace(/[\\*?[]/g, "\\$&")).join("?")}`
}

/** Up to this many words, one expression for each is faster. */
const fewWords = 16

/**
 * Extended regular expressions that find these words. Many words are joined to one expression, because git tries each
 * expression on every line. A word with characters other than word characters is a separate expression: if a longer
 * alternative fails at its end, git does not try a shorter one at the same place.
 */
export const expressionsOf = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const plain = words.filter((word) => /^\w+$/.test(word))
  const others = words.filter((word) => !/^\w+$/.test(word)).map((word) => word.replace(/[\\^$.|?*+(){}[\]]/g, "\\$&"))
  return [...(plain.length > fewWords ? [plain.join("|")] : plain), ...others]
}

/** Patterns are passed on standard input: a command line is too short for many of them. */
const output: ReadonlyArray<string> = [
  // Attributes could declare every file binary.
  "--text",
  "--no-invert-match",
  "--null",
  "--full-name",
  "--no-color",
  "--no-textconv",
  "--no-recurse-submodules",
  "-f",
  "-"
]

/** For whole words, with `expressionsOf`. */
export const wordArguments: ReadonlyArray<string> = [
  "--extended-regexp",
  "--word-regexp",
  "--no-ignore-case",
  ...output
]

/** For literal strings. */
export const literalArguments = (ignoreCase: boolean): ReadonlyArray<string> => [
  "--files-with-matches",
  "--fixed-strings",
  ignoreCase ? "--ignore-case" : "--no-ignore-case",
  "--no-word-regexp",
  ...output
]

/** Each entry is a path, a line and the word, with a NUL after the first two. `prefix`: characters before each path. */
export const wordPlacesIn = (listed: string, prefix: number): ReadonlyArray<WordPlace> => {
  const places: Array<WordPlace> = []
  for (let at = 0; at < listed.length; ) {
    const path = listed.indexOf("\0", at)
    const line = listed.indexOf("\0", path + 1)
    const end = listed.indexOf("\n", line + 1)
    if (path < 0 || line < 0 || end < 0) break
    places.push({
      path: listed.slice(at + prefix, path),
      line: Number(listed.slice(path + 1, line)),
      word: listed.slice(line + 1, end)
    })
    at = end + 1
  }
  return places
}
