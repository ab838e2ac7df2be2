/** What `git grep` is asked, and what it lists. Pure. */
import type { WordPlace } from "../../domain/change/WordPlace.ts"

/** Words that are looked for one by one sooner than together. */
const fewWords = 16

/**
 * Extended regular expressions that find these words: git takes each line for itself, so many take many times as long as
 * one that has them all. A word with other characters than a word's stays alone: where a longer one fails at its end,
 * git does not try a shorter one that begins at the same place.
 */
export const expressionsOf = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const plain = words.filter((word) => /^\w+$/.test(word))
  const others = words.filter((word) => !/^\w+$/.test(word)).map((word) => word.replace(/[\\^$.|?*+(){}[\]]/g, "\\$&"))
  return [...(plain.length > fewWords ? [plain.join("|")] : plain), ...others]
}

/** Words come by standard input: a command line is too short for many of them. */
const output: ReadonlyArray<string> = [
  // Attributes could call every file binary, and nobody would look for the users of what changed.
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

/** For whole words, by `expressionsOf`. */
export const wordArguments: ReadonlyArray<string> = [
  "--extended-regexp",
  "--word-regexp",
  "--no-ignore-case",
  ...output
]

/** For character strings as they are. */
export const literalArguments = (ignoreCase: boolean): ReadonlyArray<string> => [
  "--files-with-matches",
  "--fixed-strings",
  ignoreCase ? "--ignore-case" : "--no-ignore-case",
  "--no-word-regexp",
  ...output
]

/** Each is a path, a line and what was found there, with a NUL behind the first two. */
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
