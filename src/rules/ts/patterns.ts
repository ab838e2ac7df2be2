/** TypeScript and JavaScript: regular expressions that match less, or more, than their use needs. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { enclosing, firstLineOf, nameOf, parts, relatedPlace, rootOf, textOf } from "../../languages/tree.ts"
import type { NodeChecks } from "../page/Checks.ts"
import { bare, callOf, functions } from "./scriptTree.ts"

const flagsOf = (pattern: SyntaxNode): string => textOf(pattern, "flags")

/** One character that has to be replaced wherever it is: a quote, a backslash, markup, the end of a line. */
const special = /^(?:\\\\|["'<>&`]|\\["'nr])$/

/** The result is used as a count: not compared, and not a question whether there is one. */
const isCounted = (length: SyntaxNode): boolean => {
  let at = length
  for (let holder = at.parent; holder !== null; at = holder, holder = at.parent) {
    if (holder.type === "parenthesized_expression") continue
    if (holder.type !== "binary_expression")
      return !/^(if_statement|unary_expression|ternary_expression)$/.test(holder.type)
    const operator = textOf(holder, "operator")
    if (!/^(\?\?|\|\||[-+*/])$/.test(operator)) return false
  }
  return true
}

const anchored = /^\^[\s\S]*\$$/

export const patternChecks: NodeChecks = {
  "replaces-first-only": (claim) => {
    const { args, method } = callOf(claim)
    const [searched, given] = args
    if (method !== "replace" || searched === undefined || given === undefined) return false
    const pattern =
      searched.type === "regex"
        ? textOf(searched, "pattern")
        : searched.type === "string"
          ? searched.text.slice(1, -1)
          : ""
    if (!special.test(pattern) || flagsOf(searched).includes("g") || flagsOf(searched).includes("y")) return false
    return {
      ...firstLineOf(searched),
      description: `\`${searched.text}\` matches once: any further one stays in the text.`
    }
  },
  "match-length-without-global": (claim) => {
    if (textOf(claim, "property") !== "length") return false
    const object = claim.childForFieldName("object")
    const inner = object === null ? null : bare(object)
    // `(text.match(a) || [])`
    const call = inner?.type === "binary_expression" ? inner.childForFieldName("left") : inner
    const { args, method } = call?.type === "call_expression" ? callOf(call) : { args: [], method: null }
    const [pattern] = args
    if (method !== "match" || pattern?.type !== "regex" || flagsOf(pattern).includes("g") || !isCounted(claim))
      return false
    return {
      line: claim.startPosition.row + 1,
      description: `\`${pattern.text}\` has no flag g, so the length is that of one match with its groups.`
    }
  },
  "pattern-keeps-position": (claim) => {
    const tested = claim.childForFieldName("function")
    const object = tested?.childForFieldName("object")
    if (textOf(tested, "property") !== "test" || object?.type !== "identifier") return false
    // Code outside of functions runs once.
    if (enclosing(claim, functions) === null) return false
    const file = rootOf(claim)
    const pattern = file.namedChildren
      .flatMap((each) => declaredRegex(each) ?? [])
      .find(({ name }) => name === object.text)
    const flag = pattern === undefined ? undefined : /[gy]/.exec(flagsOf(pattern.value))?.[0]
    if (pattern === undefined || flag === undefined) return false
    // The code sets the position itself.
    if (file.text.includes(`${pattern.name}.lastIndex`)) return false
    return {
      line: claim.startPosition.row + 1,
      description: `\`${pattern.name}\`, declared on line ${pattern.line}, has the flag ${flag}: after a match, the next \`test\` starts behind it, also in another text.`,
      related: [relatedPlace(pattern.value, `has the flag ${flag}`)]
    }
  },
  "pattern-not-anchored": (claim) => {
    const siblings = (claim.parent?.namedChildren ?? []).flatMap((each) => regexOf(each) ?? [])
    const own = regexOf(claim)
    if (own === null || /[$^]/.test(own.pattern) || own.flags.includes("g") || own.flags.includes("y")) return false
    const alike = siblings.filter(({ suffix, name }) => suffix === own.suffix && name !== own.name)
    const [first] = alike
    if (alike.length < 3 || first === undefined || !alike.every(({ pattern }) => anchored.test(pattern))) return false
    return {
      line: claim.startPosition.row + 1,
      description: `\`${own.name}\` also matches in the middle of a text; the ${alike.length} patterns beside it, such as \`${first.name}\` on line ${first.line}, begin with ^ and end with $.`,
      related: [relatedPlace(first.value, "anchored")]
    }
  }
}

interface NamedPattern {
  readonly name: string
  readonly suffix: string
  readonly pattern: string
  readonly flags: string
  readonly line: number
  readonly value: SyntaxNode
}

const regexOf = (statement: SyntaxNode): NamedPattern | null => {
  const declared = declaredRegex(statement)
  const suffix = /(Regex|RegExp|Re|Pattern|_RE|_REGEX|_PATTERN)$/.exec(declared?.name ?? "")?.[0]
  if (declared === null || suffix === undefined) return null
  const { line, name, value } = declared
  return { name, suffix, pattern: textOf(value, "pattern"), flags: flagsOf(value), line, value }
}

/** The only regular expression of a `const` at the top of the file, which may be exported. */
const declaredRegex = (statement: SyntaxNode) => {
  const declaration = statement.type === "export_statement" ? statement.childForFieldName("declaration") : statement
  const [declarator, ...others] = declaration?.type === "lexical_declaration" ? parts(declaration) : []
  const value = declarator?.childForFieldName("value")
  if (declarator === undefined || others.length > 0 || value?.type !== "regex") return null
  return { name: nameOf(declarator), value, line: statement.startPosition.row + 1 }
}
