/**
 * What a word on a line is: a call, another use, an import, a definition, a parent. Read from the line alone, in any
 * language, so that a thousand files take milliseconds. Words in comments and strings are left out as far as the line
 * shows them.
 */
import { wordPlaces } from "../../code/Symbol.ts"

export interface LineUse {
  readonly kind: "call" | "use" | "import" | "definition" | "parent"
  /** The path of names before the dot: `web` in `web.Cart`; "" for an object without a plain name; null without a dot. */
  readonly receiver: string | null
}

/** A longer line is part of a bundle, or data. */
const longestLine = 1_000

export const usesOnLine = (text: string, word: string): ReadonlyArray<LineUse> => {
  if (text.length > longestLine || /^\s*(?:\/\/|#(?!\[)|\*|\/\*|--)/.test(text)) return []
  return wordPlaces(text, word).flatMap((at): ReadonlyArray<LineUse> => {
    const [before, after] = [text.slice(0, at), text.slice(at + word.length)]
    if (isInside(before)) return []
    const kind = kindOf(before, after, text)
    const dot = /(?:\?\.|\.|::|->|&\.)\s*$/.exec(before)
    if (dot === null) return [{ kind, receiver: null }]
    const path =
      /(?:[\p{L}\p{N}_$]+(?:\.|::))*[\p{L}\p{N}_$]+$/u.exec(before.slice(0, dot.index).slice(-120))?.[0] ?? ""
    return [{ kind, receiver: path.replaceAll("::", ".") }]
  })
}

/** In a comment or a string that begins on the line before the word? */
const isInside = (before: string): boolean => {
  let quote = ""
  for (let at = 0; at < before.length; at++) {
    const unit = before[at]!
    if (quote !== "") {
      if (unit === "\\") at++
      else if (unit === quote) quote = ""
      // A template: what is in its braces is code.
      else if (unit === "{" && (before[at - 1] === "$" || quote === '"')) {
        const end = before.indexOf("}", at)
        if (end < 0) return false
        at = end
      }
    } else if (unit === '"' || unit === "`") quote = unit
    // An apostrophe is also a lifetime of Rust.
    else if (unit === "'" && before.includes("'", at + 1)) at = before.indexOf("'", at + 1)
    else if (unit === "/" && before[at + 1] === "/" && before[at - 1] !== ":") return true
    else if (unit === "#" && /\s/.test(before[at - 1] ?? " ") && before[at + 1] === " ") return true
  }
  return quote !== ""
}

const definitionBefore =
  /(?:^|\s)(?:def|defp|defmacro|fn|fun|func|function|class|interface|struct|enum|trait|type|record|object|module|sub)\s+(?:\([^)]*\)\s*|self\.)?$/
/** A method without a keyword: modifiers and types before it, parameters and a brace after it. */
const methodBefore = /^\s*(?:[@\w<>[\],.?]+\s+)*$/
const methodAfter = /^\s*(?:<[^<>]*>)?\([^;]*\)\s*(?::[^;={]+|throws[^;{]+)?\{\s*$/
const importLine =
  /^\s*(?:import\b|from\s+\S+\s+import\b|use\s|export\b.*\bfrom\b|(?:const|var|let)\b.*\brequire\(|using\s|alias\s)/
/** A name in the list of an import of several lines. */
const listedName = /^\s*(?:type\s+)?[\p{L}\p{N}_$]+(?:\s+as\s+[\p{L}\p{N}_$]+)?,?\s*$/u
const parentBefore =
  /(?:^|\s)(?:class|interface|struct|enum|record|object|trait|extension|impl|protocol)\b.*(?:[(:<,]|\bextends\b|\bimplements\b|\bwith\b|\bimpl\b)[^{;]*$/

const implBefore = /(?:^|\s)impl(?:<.*>)?\s+(?:\w+::)*$/

const kindOf = (before: string, after: string, text: string): LineUse["kind"] => {
  if (definitionBefore.test(before)) return "definition"
  if (importLine.test(text) || (listedName.test(text) && text.trim() !== "")) return "import"
  if (implBefore.test(before) && /\bfor\b/.test(after)) return "parent"
  if (parentBefore.test(before) && !/^\s*\(/.test(after.replace(/^\(\)/, "")) && !before.includes("=")) return "parent"
  if (
    methodBefore.test(before) &&
    methodAfter.test(after) &&
    !/^\s*(?:return|new|await|else|throw|if|for|while|switch)\b/.test(before)
  ) {
    return "definition"
  }
  // An element of JSX.
  if (/(?:^|[^\p{L}\p{N}_$])<$/u.test(before)) return "call"
  return /^\s*(?:<[^<>()]*>|::<[^<>()]*>)?!?\(/.test(after) ? "call" : "use"
}
