/** The checks of the rules about invisible characters, and characters that change the order of text. */
import { type Claim, matchOf, type RuleFile } from "../../domain/finding/Rule.ts"
import type { LineChecks, LineSuggestions } from "../page/Checks.ts"

const code =
  /\.(?:py|pyi|[cm]?[jt]sx?|go|rs|exs?|swift|java|kts?|rb|rake|c|h|cc|cpp|hpp|cs|php|scala|lua|sh|bash|zsh|ps1|sql|vue|svelte|ya?ml|toml|json|gradle|tf|mk|dockerfile)$|(?:^|\/)(?:Dockerfile|Makefile|Gemfile|Rakefile)$/i

/** Message catalogues, whose scripts may need these characters. */
const translations =
  /(?:^|\/|\.)(?:locales?|localization|i18n|l10n|lang|languages|translations?|messages|lproj)(?:\/|\.)/i

/** Data files, in which sentences are text for people. */
const data = /\.(?:json|ya?ml|toml)$/i

const bidiControl = /[\u202a-\u202e\u2066-\u2069]/

const invisible =
  /[\u00ad\u115f\u1160\u180e\u200b-\u200d\u2060-\u2064\u3164\ufeff\uffa0]|[\u{e0000}-\u{e007f}]|[\u{e0100}-\u{e01ef}]/gu

const codePoint = (char: string): string => `U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}`

/** Files in which every invisible character is reported. */
export const isReadAsCode = (file: RuleFile): boolean => code.test(file.path) && !translations.test(file.path)

const joiner = new Set(["\u200c", "\u200d"])

/** Scripts that use joiners, and emoji, which are combined by joiners. */
const joins =
  /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Mongolian}\p{Extended_Pictographic}\p{Regional_Indicator}]\ufe0f?$|[\u{1f3fb}-\u{1f3ff}\u{e0020}-\u{e007f}]$/u

const keycap = "\u20e3"

const invisibleIn = (text: string, line: number, isData: boolean): Claim | null => {
  for (const { 0: char, index } of text.matchAll(invisible)) {
    if (char === "\ufeff" && line === 1 && index === 0) continue
    // A character outside of the basic plane with a variation selector has three units.
    const before = text.slice(Math.max(0, index - 3), index)
    if (joiner.has(char) && (joins.test(before) || text[index + 1] === keycap)) continue
    if (isData && char < "\u{e0000}" && isInProse(text, index)) continue
    if (char >= "\u{e0020}" && char <= "\u{e007f}" && isFlagTag(text, index)) continue
    return {
      line,
      column: index + 1,
      endColumn: index + 1 + char.length,
      description: `The line contains ${codePoint(char)}, which most editors do not show, at column ${index + 1}.`
    }
  }
  return null
}

/** Is it in prose, such as a sentence copied from a page? There it is harmless. */
const isInProse = (text: string, index: number): boolean => {
  const from = text.lastIndexOf('"', index - 1) + 1
  const to = text.indexOf('"', index)
  return /\S\s\S+\s\S/.test(text.slice(from, to === -1 ? text.length : to))
}

/** Is it a tag character for the region of a flag: one of at most six after the black flag? */
const isFlagTag = (text: string, index: number): boolean => text.slice(Math.max(0, index - 14), index).includes("🏴")

export const lineChecks: LineChecks = {
  "bidi-control": (text, line, file) => {
    const found = isReadAsCode(file) ? bidiControl.exec(text) : null
    if (found === null) return false
    return {
      ...matchOf(line, found),
      description: `The line contains ${codePoint(found[0])}, a bidirectional control character.`
    }
  },
  "invisible-character": (text, line, file) => {
    // The fast check first: nearly every line of code is ASCII.
    if (!/[^\x00-\x7f]/.test(text) || !isReadAsCode(file)) return false
    return invisibleIn(text, line, data.test(file.path)) ?? false
  }
}

/** Without the characters of a pattern; null if one may be part of a text that the program needs. */
const withoutCharacters = (text: string, pattern: RegExp, path: string): string | null => {
  if (data.test(path)) return null
  const isInText = [...text.matchAll(pattern)].some(({ index }) =>
    ["'", '"', "`"].some((quote) => text.slice(0, index).split(quote).length % 2 === 0)
  )
  return isInText ? null : text.replace(pattern, "")
}

/** Characters that no name contains, and that are never seen. */
const zeroWidth = /[\u00ad\u180e\u200b\u2060-\u2064\ufeff]/g

export const lineSuggestions: LineSuggestions = {
  "bidi-control": (text, _line, { path }) => withoutCharacters(text, new RegExp(bidiControl, "g"), path),
  "invisible-character": (text, line, file) => {
    const fixed = withoutCharacters(text, zeroWidth, file.path)
    return fixed === null || invisibleIn(fixed, line, false) !== null ? null : fixed
  }
}
