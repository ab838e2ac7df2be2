/**
 * Strings of which every match of a regular expression (RE2's syntax) contains at least one: a search for them finds every
 * file that may match.
 *
 * Conservative: null for unsupported syntax, and if there is no such string.
 */

/** Almost every file contains shorter strings. */
const shortest = 2
/** A search for more strings is not faster than the pattern itself. */
const most = 20

export const requiredLiterals = (pattern: string, ignoreCase: boolean): ReadonlyArray<string> | null => {
  // Flags and quoting are rare, and are not supported.
  if (/\(\?(?!:)|\\Q/.test(pattern)) return null
  const reader = new Reader(pattern)
  const found = reader.alternatives()
  if (!reader.isAtEnd || found === null) return null
  const words = found.flatMap((each) => {
    const parts = ignoreCase ? each.split(foldsBeyondAscii) : [each]
    return parts.toSorted((a, b) => b.length - a.length)[0] ?? ""
  })
  return words.length > most || words.some((word) => word.length < shortest) ? null : [...new Set(words)]
}

/** Letters with a case variant beyond ASCII, such as `K` and the Kelvin sign, which a search by bytes would not find. */
const foldsBeyondAscii = /[^\x00-\x7f]|[kKsS]/

class Reader {
  readonly #pattern: string
  #at = 0

  constructor(pattern: string) {
    this.#pattern = pattern
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#pattern.length
  }

  /** The longest required string of each alternative up to the end of the group; null if one has none. */
  alternatives(): ReadonlyArray<string> | null {
    let all: Array<string> | null = []
    for (;;) {
      const found = this.#sequence()
      if (found === null) all = null
      else all?.push(...found)
      if (this.#pattern[this.#at] !== "|") return all
      this.#at++
    }
  }

  /** The best required literals of a sequence: one of these strings must be present. */
  #sequence(): ReadonlyArray<string> | null {
    let best: ReadonlyArray<string> | null = null
    let run = ""
    const end = () => {
      if (run !== "") best = better(best, [run])
      run = ""
    }
    while (!this.isAtEnd && this.#pattern[this.#at] !== "|" && this.#pattern[this.#at] !== ")") {
      const piece = this.#piece()
      const count = this.#quantifier()
      if (count === "once" && piece._tag === "Character") {
        run += piece.text
      } else if (piece._tag === "Empty" && count === "once") {
        // An anchor matches no text, so both sides are adjacent.
      } else {
        if (count === "many" && piece._tag === "Character") run += piece.text
        end()
        if (count !== "maybe" && piece._tag === "Group") best = better(best, piece.literals)
      }
    }
    end()
    return best
  }

  #piece(): Piece {
    const char = String.fromCodePoint(this.#pattern.codePointAt(this.#at) ?? 0)
    this.#at += char.length
    if (char === "(") {
      if (this.#pattern.startsWith("?:", this.#at)) this.#at += 2
      const literals = this.alternatives()
      this.#at++
      return { _tag: "Group", literals }
    }
    if (char === "[") {
      this.#skipClass()
      return unknown
    }
    if (char === "^" || char === "$") return { _tag: "Empty" }
    if (char === ".") return unknown
    if (char !== "\\") return { _tag: "Character", text: char }
    const escaped = this.#pattern[this.#at] ?? ""
    this.#at++
    if (/[^\w\s]/.test(escaped) && escaped.charCodeAt(0) < 128) return { _tag: "Character", text: escaped }
    if (/[bBAz]/.test(escaped)) return { _tag: "Empty" }
    // `\x41`, `\x{1F600}`, `\pL`, `\p{Greek}`, `\101`: the following characters are part of the escape.
    if (/[xpP]/.test(escaped)) {
      const rest = this.#pattern.slice(this.#at)
      this.#at += (/^\{[^}]*\}/.exec(rest) ?? (escaped === "x" ? /^[0-9a-f]{0,2}/i : /^./).exec(rest))?.[0].length ?? 0
    }
    while (/\d/.test(escaped) && /[0-7]/.test(this.#pattern[this.#at] ?? "")) this.#at++
    return unknown
  }

  #skipClass(): void {
    if (this.#pattern[this.#at] === "^") this.#at++
    if (this.#pattern[this.#at] === "]") this.#at++
    while (!this.isAtEnd && this.#pattern[this.#at] !== "]") {
      if (this.#pattern.startsWith("[:", this.#at)) {
        const close = this.#pattern.indexOf(":]", this.#at + 2)
        this.#at = close < 0 ? this.#at + 1 : close + 2
      } else this.#at += this.#pattern[this.#at] === "\\" ? 2 : 1
    }
    this.#at++
  }

  /** Does the previous piece occur once, at least once, or optionally? */
  #quantifier(): "once" | "many" | "maybe" {
    const found = /^(?:[*+?]|\{(\d+)(?:,\d*)?\})\??/.exec(this.#pattern.slice(this.#at, this.#at + 20))
    if (found === null) return "once"
    this.#at += found[0].length
    if (/^[*?+{]/.test(this.#pattern.slice(this.#at))) return "maybe"
    if (found[0].startsWith("+")) return "many"
    return found[1] !== undefined && Number(found[1]) > 0 ? "many" : "maybe"
  }
}

type Piece =
  | { readonly _tag: "Character"; readonly text: string }
  | { readonly _tag: "Empty" }
  | { readonly _tag: "Group"; readonly literals: ReadonlyArray<string> | null }
  /** Any character, or unsupported syntax. */
  | { readonly _tag: "Unknown" }

const unknown: Piece = { _tag: "Unknown" }

/** The list whose shortest string is longer. */
const better = (a: ReadonlyArray<string> | null, b: ReadonlyArray<string> | null): ReadonlyArray<string> | null => {
  if (a === null || b === null) return a ?? b
  const least = (words: ReadonlyArray<string>) => Math.min(...words.map((word) => word.length))
  return least(b) > least(a) ? b : a
}
