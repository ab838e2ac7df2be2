/**
 * What a word on a line is: a call, another use, an import, a definition, a parent. Read from the line alone, in any
 * language, so that a thousand files take milliseconds. The line is without comments and strings (`codeOnly`).
 */
import { wordPlaces } from "../../code/Symbol.ts"

export interface LineUse {
  readonly kind: "call" | "use" | "import" | "definition" | "parent"
  /**
   * The path of names before the dot: `web` in `web.Cart`, `shop.cart()` in `shop.cart(1).total`; "" for an object without
   * a name; null without a dot.
   */
  readonly receiver: string | null
}

/** A longer line is part of a bundle, or data. */
const longestLine = 1_000

export const usesOnLine = (text: string, word: string): ReadonlyArray<LineUse> => {
  if (text.length > longestLine) return []
  return wordPlaces(text, word).flatMap((at): ReadonlyArray<LineUse> => {
    const [before, after] = [text.slice(0, at), text.slice(at + word.length)]
    const dot = /(?:\?\.|!?\.|::|->|&\.)\s*$/.exec(before)
    if (dot !== null) return [{ kind: kindOf(before, after, text), receiver: objectBefore(before.slice(0, dot.index)) }]
    const isNamed = isLabel(before, after) && !importLine.test(text)
    return isNamed ? [] : [{ kind: kindOf(before, after, text), receiver: null }]
  })
}

/** The path of names at the end of a text, without arguments; `()` follows the last one if it is called. */
const objectBefore = (text: string): string => {
  const names: Array<string> = []
  let rest = text
  const isCall = /\)\s*$/.test(text)
  while (names.length < longestPath) {
    rest = withoutArguments(rest)
    const name = /[\p{L}\p{N}_$]{1,100}$/u.exec(rest)?.[0]
    if (name === undefined) break
    names.unshift(name)
    rest = rest.slice(0, -name.length)
    const dot = /(?:\?\.|!?\.|::|->)$/.exec(rest)
    if (dot === null) break
    rest = rest.slice(0, dot.index)
  }
  return names.length > 0 && isCall ? `${names.join(".")}()` : names.join(".")
}

const longestPath = 8

/** Without the groups in parentheses or brackets at the end. */
const withoutArguments = (text: string): string => {
  let [end, depth] = [text.length, 0]
  for (let at = text.length - 1; at >= 0; at--) {
    if (")]".includes(text[at]!)) depth++
    else if ("([".includes(text[at]!)) {
      depth--
      if (depth === 0) end = at
    } else if (depth === 0) break
    if (depth < 0) break
  }
  return text.slice(0, end)
}

/** The name of an argument, an assignment or a key: `total=1`, `{ total: 1 }`. */
const isLabel = (before: string, after: string): boolean =>
  /^\s*=(?![=>])/.test(after) || (/(?:^|[{,(])\s*$/.test(before) && /^\s*\??:(?!:)/.test(after))

/**
 * The names of objects of a type that a line declares, or of the functions that return one: `cart` in `cart: Cart`,
 * `Cart cart`, `cart := &Cart{`, `cart = new Cart(`, `cart() Cart` and `def cart() -> Cart`.
 */
export const declaredBeside = (text: string, type: string): ReadonlyArray<string> =>
  text.length > longestLine
    ? []
    : wordPlaces(text, type).flatMap((at) => {
        const before = text.slice(Math.max(0, at - 120), at)
        const [, first] = nameBefore.exec(before) ?? []
        const [, second] =
          /^(?:<[^<>]*>)?[&*?!]?\s+([\p{L}_$][\p{L}\p{N}_$]*)/u.exec(text.slice(at + type.length)) ?? []
        return [first ?? [], second ?? []].flat().filter((name) => !keywords.has(name))
      })

const nameBefore =
  /([\p{L}_$][\p{L}\p{N}_$]*)[?!]?(?:\([^()]*\))?\s*(?:->|:=|[:=]|\s)\s*(?:new\s+|await\s+|mut\s+|'\w+\s+|[&*]|\w+[<[.]|\w+::)*$/u
const keywords = new Set(
  "return new await type class struct interface enum trait impl for in of from import export extends implements as is instanceof const let var func fn def public private protected static final override and or not if else case throw throws raise yield".split(
    " "
  )
)

const definitionBefore =
  /(?:^|\s)(?:def|defp|defmacro|fn|fun|func|function|class|interface|struct|enum|trait|protocol|actor|type|record|object|module|sub)\s+(?:\([^)]*\)\s*|self\.)?$/
/** A method without a keyword: modifiers and types before it; parameters, and a brace or a result type after it. */
const methodBefore = /^\s*(?:[@\w<>[\],.?]+\s+)*$/
const methodAfter =
  /^\s*(?:<[^<>]*>)?\([^;]*\)\s*(?:(?::[^;={]+|throws[^;{]+)?\{\s*$|:\s*[\w<>[\],.|& ]+;?$|\s(?!(?:as|if|unless|and|or|is|in|not|else|for|while|instanceof|satisfies|then|do)\b)[\w*[(][\w*[\].,() ]*$)/
/** The same with its body on the line: after a type or a modifier, or before a type. */
const emptyOrShort = /^\s*(?:<[^<>]*>)?\([^;]*?\)\s*(?::[^;={]+)?\{.*\}\s*$/
const typedAndShort = /^\s*(?:<[^<>]*>)?\([^;]*?\)\s*:[^;={]+\{.*\}\s*$/
const importLine =
  /^\s*(?:import\b|from\s+\S+\s+import\b|use\s|export\b.*\bfrom\b|(?:const|var|let)\b.*\b(?:require|import)\(|using\s|alias\s)/
/** A name in the list of an import of several lines. */
const listedName = /^\s*(?:type\s+)?[\p{L}\p{N}_$]+(?:\s+as\s+[\p{L}\p{N}_$]+)?,?\s*$/u
const parentBefore =
  /(?:^|\s)(?:class|interface|struct|enum|record|object|trait|extension|protocol)(?=[\s<]).*(?:[(:<,]|\bextends\b|\bimplements\b|\bwith\b)[^{;]*$/
/** An argument of a type, or the type of a parameter: `Comparable<Cart>`, `Generic[Cart]`, `class Shop(val cart: Cart)`. */
const insideParent = /(?:\w<|\[)[^>\]]*$|[(,][^(),:]*:[^(),]*$/

const implBefore = /(?:^|\s)impl(?:<.*>)?\s+(?:\w+::)*$/

const isParent = (before: string, after: string): boolean =>
  parentBefore.test(before) &&
  !insideParent.test(before) &&
  !before.includes("=") &&
  // The parent is a type inside of this one, or the word is the type of a parameter.
  !/^\s*(?:\.|::)\w/.test(after) &&
  !(/\([^)]*$/.test(before) && /^\s+\w/.test(after)) &&
  !/^\s*\(/.test(after.replace(/^\(\)/, ""))

const kindOf = (before: string, after: string, text: string): LineUse["kind"] => {
  if (definitionBefore.test(before)) return "definition"
  if (importLine.test(text) || (listedName.test(text) && text.trim() !== "")) return "import"
  if (implBefore.test(before) && /\bfor\b/.test(after)) return "parent"
  if (isParent(before, after)) return "parent"
  if (
    methodBefore.test(before) &&
    (methodAfter.test(after) || (/\S/.test(before) ? emptyOrShort : typedAndShort).test(after)) &&
    !/^\s*(?:return|new|await|else|throw|if|elif|for|while|switch|with|case|yield|assert|del|raise|and|or|not)\b|\s\?\s*$/.test(
      before
    )
  ) {
    return "definition"
  }
  // Ruby's `Cart.new`.
  if (/^\.new\b/.test(after)) return "call"
  // An element of JSX.
  if (/(?:^|[^\p{L}\p{N}_$])<$/u.test(before)) return "call"
  return /^\s*(?:<[^<>()]*>|::<[^<>()]*>)?!?\(/.test(after) ? "call" : "use"
}
