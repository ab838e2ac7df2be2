/** The edits that fix what the rules for Java report, where every reader would make them. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { argumentsOf, enclosing, isField, nameOf, operatorOf, rootOf, textOf } from "../../languages/tree.ts"
import type { NodeSuggestions } from "../page/Checks.ts"
import { declaredType, lockOf, methods } from "./javaTree.ts"

/** The type that a value is assigned to, or returned as; "" if unknown. */
const expectedType = (value: SyntaxNode): string => {
  const { parent } = value
  if (parent?.type === "variable_declarator") return textOf(parent.parent, "type")
  return parent?.type === "return_statement" ? textOf(enclosing(value, methods), "type") : ""
}

/** With its package, unless it is imported. */
const utility = (node: SyntaxNode, name: string): string =>
  new RegExp(`^import java\\.util\\.(?:${name}|\\*);`, "m").test(rootOf(node).text) ? name : `java.util.${name}`

export const nodeSuggestions: NodeSuggestions = {
  "int-product-overflows": (node) => {
    const text = node.text.replace(/^\d[\d_]*/, "$&L")
    return /^[lL]ong$/.test(expectedType(node)) && text !== node.text ? [{ node, text }] : null
  },
  "null-returned-for-optional": (node) => {
    const type = textOf(enclosing(node, methods), "type").replace(/<[\s\S]*$/, "")
    return [{ node, text: `return ${type}.empty();` }]
  },
  "boxed-number-compared-by-reference": (node) => {
    const equal = `${utility(node, "Objects")}.equals(${textOf(node, "left")}, ${textOf(node, "right")})`
    return [{ node, text: operatorOf(node) === "!=" ? `!${equal}` : equal }]
  },
  // A variable that is final, or read in a function of its own, cannot be assigned.
  "result-of-immutable-ignored": (node) => {
    const name = /^\w+/.exec(node.text)?.[0] ?? ""
    const method = enclosing(node, methods)
    const isFixed =
      method === null || new RegExp(`->|\\bclass\\b|\\bnew [^;]*\\{|\\bfinal\\b[^;,)]*\\b${name}\\b`).test(method.text)
    return isFixed ? null : [{ node, text: `${name} = ${node.text}` }]
  },
  "double-checked-without-volatile": (node) => {
    const name = /^if\s*\(\s*(?:\w+\.)?(\w+)\s*==\s*null/.exec(node.text)?.[1]
    const fields = enclosing(node, ["class_body"])?.descendantsOfType("field_declaration") ?? []
    const field = fields.find((one) => one.namedChildren.some((child) => nameOf(child) === name))
    const type = field?.childForFieldName("type")
    return type == null || /\bfinal\b/.test(field?.text ?? "") ? null : [{ node: type, text: `volatile ${type.text}` }]
  },
  "array-compared-with-equals": (node) => {
    const [object, other] = [node.childForFieldName("object"), argumentsOf(node)[0]]
    if (object === null || other === undefined || declaredType(object)?.includes("[][]") !== false) return null
    return [{ node, text: `${utility(node, "Arrays")}.equals(${object.text}, ${other.text})` }]
  },
  "abs-of-any-int": (node) => {
    const [[value], { parent }] = [argumentsOf(node), node]
    if (value === undefined || nameOf(value) !== "hashCode" || parent?.type !== "binary_expression") return null
    if (operatorOf(parent) !== "%" || !isField(parent, "left", node)) return null
    return [{ node: parent, text: `Math.floorMod(${value.text}, ${textOf(parent, "right")})` }]
  },
  "inner-object-locked": (node) => {
    const body = enclosing(node, ["class_body"])
    const [lock, own] = [lockOf(node), nameOf(body?.parent ?? node)]
    const others = (body?.descendantsOfType("synchronized_statement") ?? [])
      .map((each) => lockOf(each)?.text ?? "")
      .filter((text) => /^\w+\.this$/.test(text) && text !== `${own}.this`)
    const [outer, ...more] = new Set(others)
    return lock === null || outer === undefined || more.length > 0 ? null : [{ node: lock, text: outer }]
  }
}
