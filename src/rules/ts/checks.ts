/** The checks of the rules for TypeScript and JavaScript. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { rangeOf } from "../../domain/finding/Rule.ts"
import { childRange, hasComment, isField, parts, squeezed, textOf, within } from "../../languages/tree.ts"
import type { NodeChecks } from "../page/Checks.ts"
import { ignoring, mayFail } from "../shared/attempts.ts"
import { bracketed, fromText, indexPastEnd } from "../shared/bounds.ts"
import { resultIgnored } from "../shared/ignoredResults.ts"
import { repeatedEntry } from "../shared/repeatedEntry.ts"
import { sameCode } from "../shared/sameCode.ts"
import { unreachableCode } from "../shared/unreachable.ts"
import { asyncChecks } from "./async.ts"
import { iterationChecks } from "./iteration.ts"
import { patternChecks } from "./patterns.ts"
import {
  callbackOf,
  callOf,
  expressionOf,
  isConstant,
  operationOf,
  plainString,
  scopes,
  typeofResults
} from "./scriptTree.ts"
import { securityChecks } from "./security.ts"

const equality = /^[!=]==?$/

/** Does the statement run in order? Hoisted declarations and types do not. */
const runs = ({ type, text }: SyntaxNode): boolean =>
  /^(lexical|variable)_declaration$/.test(type)
    ? text.includes("=")
    : !/declaration|signature|empty_statement/.test(type)

/** Does the function return a value or throw on some path? */
const returnsOrThrows = (body: SyntaxNode): boolean =>
  within(body, ["return_statement", "throw_statement"], scopes).some(
    (statement) => statement.type === "throw_statement" || parts(statement).length > 0
  )

export const nodeChecks: NodeChecks = {
  ...asyncChecks,
  ...iterationChecks,
  ...patternChecks,
  ...securityChecks,
  "nan-comparison": (claim) => {
    const { left, operator, right } = operationOf(claim)
    return equality.test(operator) && [left, right].some((side) => /^(Number\.)?NaN$/.test(side?.text ?? ""))
  },
  "assignment-in-condition": (claim) => {
    const { parent } = claim
    if (parent?.type !== "parenthesized_expression" || parent.parent === null) return false
    if (!isField(parent.parent, "condition", parent)) return false
    const { right } = operationOf(claim)
    // `if (match = read())` is a common shorthand, but not with a constant on the right.
    return right !== null && isConstant(right)
  },
  "empty-catch": (claim, file) => {
    const body = claim.childForFieldName("body")
    if (body === null || body.namedChildren.length > 0) return false
    // A comment after the brace, or an exception for a linter.
    const { line, endLine } = rangeOf(claim)
    const around = [file.head?.[line - 2] ?? "", file.head?.[endLine - 1] ?? ""]
    if (/eslint-disable/.test(around[0] ?? "") || /\}\s*\/[/*]/.test(around[1] ?? "")) return false
    // Storage may be turned off in a browser, and then nothing can be done.
    const attempt = claim.parent?.childForFieldName("body") ?? null
    if (/^\{\s*[^;\n]*\b(local|session)Storage\b[^;\n]*;?\s*\}$/.test(attempt?.text ?? "")) return false
    if (attempt !== null && mayFail(attempt)) return false
    // Such a name marks the error as ignored on purpose.
    return !/^(_|ignore|expected)/i.test(textOf(claim, "parameter")) && ignoring(claim, attempt)
  },
  "throw-literal": (claim) => /^(string|template_string|number)$/.test(expressionOf(claim)?.type ?? ""),
  "error-not-thrown": (claim) => {
    const made = expressionOf(claim)
    if (made === null || !/^(new|call)_expression$/.test(made.type)) return false
    const { called } = callOf(made)
    // Without `new`, only built-in errors are certainly not ordinary functions.
    return made.type === "new_expression"
      ? /^(Error|[A-Z]\w*(Error|Exception))$/.test(called)
      : /^(Type|Range|Syntax|Reference|Eval|URI|Aggregate)?Error$/.test(called)
  },
  "duplicate-case": repeatedEntry((option) => {
    const value = option.type === "switch_case" ? option.childForFieldName("value") : null
    if (value === null || value.text.includes("(")) return null
    const name = plainString(value) === null ? squeezed(value) : `"${plainString(value)}"`
    return { name, claim: { ...childRange(option, "value"), description: `The value is ${value.text}.` } }
  }),
  "case-or": (claim) => {
    const { left, operator, right } = operationOf(claim)
    if (operator !== "||" || left === null || right === null) return false
    if (claim.parent?.type === "switch_case") return /^(string|number)$/.test(left.type)
    if (!/^(string|number)$/.test(right.type) || left.type !== "binary_expression") return false
    const compared = operationOf(left)
    if (!/^===?$/.test(compared.operator) || !/^(string|number)$/.test(compared.right?.type ?? "")) return false
    // `x === 1 || "none"` may be a default value, but not a condition.
    let at: SyntaxNode = claim
    while (/^(parenthesized|binary|unary)_expression$/.test(at.parent?.type ?? "") && at.parent !== null) at = at.parent
    const holder = at.parent
    if (at.type === "parenthesized_expression" && /^(if|while|do)_statement$/.test(holder?.type ?? "")) return true
    return holder?.type === "ternary_expression" && isField(holder, "condition", at)
  },
  "duplicate-key": repeatedEntry((pair) => {
    // The keys of a spread are not known, and a key after it may override one.
    if (pair.type === "spread_element") return "unknown"
    const key = pair.type === "pair" ? pair.childForFieldName("key") : null
    const value = pair.childForFieldName("value")
    if (key === null || value === null || !/^(property_identifier|string|number)$/.test(key.type)) return null
    const name = plainString(key) ?? key.text
    return { name, value: value.text, claim: { ...rangeOf(pair), description: `The property is ${name}.` } }
  }),
  "self-assignment": (claim) => {
    const { left, right } = operationOf(claim)
    if (left === null || right === null || claim.parent?.type !== "expression_statement" || left.text !== right.text)
      return false
    // The property of another object may have a setter with an effect: `location.href = location.href`.
    return left.type === "identifier" || left.childForFieldName("object")?.type === "this"
  },
  "self-comparison": (claim) => {
    const { left, operator, right } = operationOf(claim)
    if (left === null || right === null || !/^(===?|[<>]=?)$/.test(operator)) return false
    if (left.type !== right.type || !/^(identifier|member_expression|subscript_expression)$/.test(left.type))
      return false
    // An experiment prints whether a property keeps its value.
    if (/^console\./.test(textOf(claim.parent?.parent, "function"))) return false
    // A call may return another value the second time.
    return sameCode(left, right) && !/[(+-]/.test(left.text)
  },
  "invalid-typeof": (claim) => {
    const { left, operator, right } = operationOf(claim)
    if (!equality.test(operator) || left === null || right === null) return false
    const [asked, kind] = right.type === "string" ? [left, right] : [right, left]
    const text = plainString(kind)
    return (
      text !== null &&
      asked.type === "unary_expression" &&
      /^typeof\b/.test(asked.text) &&
      ![...typeofResults, "unknown"].includes(text)
    )
  },
  "unreachable-code": unreachableCode({ leaves: /^(return|throw|continue|break)_statement$/, runs }),
  "negated-left": (claim) => {
    const { left, operator } = operationOf(claim)
    return /^(in|instanceof)$/.test(operator) && left?.type === "unary_expression" && left.text.startsWith("!")
  },
  "useless-comparison": (claim) => {
    const expression = expressionOf(claim)
    return expression?.type === "binary_expression" && /^===?$/.test(operationOf(expression).operator)
  },
  "callback-without-return": (claim) => {
    if (!/^(filter|some|every|find|findIndex|reduce)$/.test(callOf(claim).method ?? "")) return false
    const callback = callbackOf(claim)
    const body = callback?.type === "arrow_function" ? callback.childForFieldName("body") : null
    if (callback === null || body?.type !== "statement_block") return false
    // An empty body, as in a mock, is intended.
    if (parts(body).length === 0 || hasComment(body) || returnsOrThrows(body)) return false
    // Used only for its side effects, it works.
    return claim.parent?.type !== "expression_statement" && rangeOf(callback)
  },
  "index-past-end": indexPastEnd({
    loop: "for_statement",
    counted: fromText(/^(?<index>\w+)<=(?<list>[\w.$]+)\.length$/, "condition", null),
    elements: ["subscript_expression"],
    element: bracketed,
    lengths: (list) => [`${list}.length`]
  }),
  "result-ignored": resultIgnored(
    "call_expression",
    /^[\w.$[\]]+\.(?:trim|trimStart|trimEnd|toUpperCase|toLowerCase|padStart|padEnd|startsWith|endsWith|toSorted|toReversed|toSpliced|toFixed)\([^()]*\)$|^(?:Object\.(?:keys|values|entries|fromEntries)|Array\.(?:from|of|isArray)|JSON\.stringify|String|Number|parseInt|parseFloat|encodeURIComponent|Math\.\w+)\([\w.,'"$[\]]*\)$/
  )
}
