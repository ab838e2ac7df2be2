/** Java: values that are compared, converted or computed wrongly. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { rangeOf } from "../../domain/finding/Rule.ts"
import { argumentsOf, childOf, enclosing, fieldOf, nameOf, operatorOf, parts, textOf } from "../../languages/tree.ts"
import type { NodeChecks } from "../page/Checks.ts"
import { declaredType, methods } from "./javaTree.ts"

const isEquality = (expression: SyntaxNode): boolean => /^[=!]=$/.test(operatorOf(expression))

/** `(Object other)` */
function takesObject(list: SyntaxNode): boolean {
  const [parameter, ...others] = parts(list)
  return (
    parameter?.type === "formal_parameter" &&
    others.length === 0 &&
    parameter.childForFieldName("type")?.text === "Object"
  )
}

const stringMethods =
  /^(trim|strip|stripLeading|stripTrailing|toLowerCase|toUpperCase|substring|concat|replace|replaceAll|replaceFirst|repeat|intern)$/

const numberMethods = /^(add|subtract|multiply|divide|negate|setScale|pow|abs|remainder)$/

const dateMethods = /^(plus|minus)(Nanos|Millis|Seconds|Minutes|Hours|Days|Weeks|Months|Years)$/

/** The factors of a product of int literals; null for any other expression. */
function factorsOf(node: SyntaxNode): ReadonlyArray<number> | null {
  if (node.type === "parenthesized_expression") {
    const inner = parts(node)[0]
    return inner === undefined ? null : factorsOf(inner)
  }
  if (node.type === "decimal_integer_literal")
    return /^[\d_]+$/.test(node.text) ? [Number(node.text.replaceAll("_", ""))] : null
  if (node.type !== "binary_expression" || operatorOf(node) !== "*") return null
  const left = node.childForFieldName("left")
  const right = node.childForFieldName("right")
  const a = left === null ? null : factorsOf(left)
  const b = right === null ? null : factorsOf(right)
  return a === null || b === null ? null : [...a, ...b]
}

export const valueChecks: NodeChecks = {
  "string-compared-by-reference": (claim) => {
    const left = claim.childForFieldName("left")
    const right = claim.childForFieldName("right")
    if (left === null || right === null || left.type === right.type || !isEquality(claim)) return false
    const other = left.type === "string_literal" ? right : right.type === "string_literal" ? left : null
    return other !== null && other.type !== "null_literal"
  },
  "boxed-number-compared-by-reference": (claim) => {
    const left = fieldOf(claim, "left", "identifier")
    const right = fieldOf(claim, "right", "identifier")
    if (left === null || right === null || left.text === right.text || !isEquality(claim)) return false
    const boxed = /^(java\.lang\.)?(Integer|Long|Short|Double|Float)$/
    return boxed.test(declaredType(left) ?? "") && boxed.test(declaredType(right) ?? "")
  },
  "equals-without-hash-code": (claim) => {
    const name = claim.childForFieldName("name")
    const list = claim.childForFieldName("parameters")
    if (name?.text !== "equals" || list === null || !takesObject(list)) return false
    const body = claim.parent
    const owner = body?.type === "class_body" ? body.parent : null
    if (body === null || owner?.type !== "class_declaration") return false
    // A superclass may define a fitting hashCode.
    if (owner.childForFieldName("superclass") !== null || /\babstract\b/.test(claim.text.split("(")[0] ?? ""))
      return false
    if (/@(EqualsAndHashCode|Data|Value|AutoValue)\b/.test(owner.text)) return false
    if (/Comparator\b|Annotation\b/.test(textOf(owner, "interfaces"))) return false
    if (/^\s*\{\s*throw\b/.test(textOf(claim, "body"))) return false
    return !parts(body).some((one) => nameOf(one) === "hashCode") && rangeOf(name)
  },
  "result-of-immutable-ignored": (claim) => {
    const call = childOf(claim, "method_invocation")
    const object = call === null ? null : fieldOf(call, "object", "identifier")
    if (call === null || object === null) return false
    const name = nameOf(call)
    const methods = [stringMethods, numberMethods, dateMethods]
    const type = methods.some((one) => one.test(name)) ? declaredType(object) : null
    if (type === null) return false
    if (type === "String") return stringMethods.test(name)
    if (type === "BigDecimal" || type === "BigInteger") return numberMethods.test(name)
    return (
      /^(Local(Date|Time|DateTime)|ZonedDateTime|OffsetDateTime|Instant|Duration)$/.test(type) && dateMethods.test(name)
    )
  },
  "big-decimal-from-double": (claim) => {
    const [given] = claim.childForFieldName("type")?.text === "BigDecimal" ? argumentsOf(claim) : []
    if (given?.type !== "decimal_floating_point_literal") return false
    const value = Number(given.text.replace(/[dDfF_]/g, ""))
    // Halves, quarters and whole numbers are exact.
    return Number.isFinite(value) && !Number.isInteger(value * 1024)
  },
  "array-compared-with-equals": (claim) => {
    const object = nameOf(claim) === "equals" ? fieldOf(claim, "object", "identifier") : null
    return object !== null && argumentsOf(claim).length === 1 && /\[\]$/.test(declaredType(object) ?? "")
  },
  "abs-of-any-int": (claim) => {
    const isAbs = nameOf(claim) === "abs" && claim.childForFieldName("object")?.text === "Math"
    const [value, ...others] = isAbs ? argumentsOf(claim) : []
    if (value?.type !== "method_invocation" || others.length > 0) return false
    return argumentsOf(value).length === 0 && /^(nextInt|nextLong|hashCode)$/.test(nameOf(value))
  },
  "null-returned-for-optional": (claim) => {
    const owner = childOf(claim, "null_literal") === null ? null : enclosing(claim, methods)
    return (
      owner?.type === "method_declaration" &&
      /^(java\.util\.)?Optional(<[\s\S]*>|Int|Long|Double)$/.test(textOf(owner, "type"))
    )
  },
  "int-product-overflows": (claim) => {
    if (operatorOf(claim) !== "*" || claim.parent?.type === "binary_expression") return false
    const factors = factorsOf(claim)
    const product = factors?.reduce((a, b) => a * b, 1) ?? 0
    return product > 2_147_483_647
  }
}
