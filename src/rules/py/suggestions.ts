/** The edits that fix what the rules for Python report, where every reader would make them. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import { after, operatorOf, parts, partsOf, rootOf, textOf, within } from "../../languages/tree.ts"
import type { NodeSuggestions } from "../page/Checks.ts"
import { callOf, isAsync, isLiteral } from "./pythonTree.ts"

/** The operands of a chain of `or`; null if there is another operator. */
const alternativesOf = (node: SyntaxNode): ReadonlyArray<SyntaxNode> | null => {
  if (node.type !== "boolean_operator") return [node]
  const [left, right] = parts(node)
  if (operatorOf(node) !== "or" || left === undefined || right === undefined) return null
  const before = alternativesOf(left)
  return before === null ? null : [...before, right]
}

export const nodeSuggestions: NodeSuggestions = {
  "mutable-default": (node, { head }) => {
    const [name, value] = [node.childForFieldName("name"), node.childForFieldName("value")]
    const definition = node.parent?.parent ?? null
    const body = definition?.childForFieldName("body") ?? null
    if (node.type !== "default_parameter" || name === null || value === null || body === null) return null
    const [statement] = parts(body)
    const isDocumented = /^\w{0,2}["']/.test(statement?.text ?? "")
    const before = isDocumented ? statement : definition?.children.findLast(({ type }) => type === ":")
    const lineOf = (place: SyntaxNode["startPosition"]) => head?.[place.row] ?? ""
    const isAlone = before !== undefined && before.endPosition.column === lineOf(before.endPosition).length
    if (!isAlone || within(value, ["identifier"]).length > 1) return null
    const [outer, inner] = [definition, body].map((each) => each && /^\s*/.exec(lineOf(each.startPosition))?.[0])
    const unit = (inner ?? "").slice((outer ?? "").length)
    return [
      { node: value, text: "None" },
      {
        node: before,
        text: `${before.text}\n${inner}if ${name.text} is None:\n${inner}${unit}${name.text} = ${value.text}`
      }
    ]
  },
  "changed-while-iterated": (node) => {
    const iterated = node.childForFieldName("right")
    return iterated === null ? null : [{ node: iterated, text: `list(${iterated.text})` }]
  },
  "is-literal": ({ children }) =>
    children.flatMap((node, at) => {
      if (!/^is(\s+not)?$/.test(node.type)) return []
      const isOfLiteral = [children[at - 1], children[at + 1]].some(isComparedByValue)
      return isOfLiteral ? [{ node, text: node.type === "is" ? "==" : "!=" }] : []
    }),
  "assert-tuple": (node) => {
    const [tuple] = parts(node)
    const [condition, message, ...others] = tuple === undefined ? [] : parts(tuple)
    if (condition === undefined || message === undefined || others.length > 0) return null
    const isMessage = /string$/.test(message.type) && !/string$/.test(condition.type)
    // Without the parentheses, the statement ends at the end of the line.
    if (!isMessage || condition.type === "named_expression" || node.text.includes("\n")) return null
    return [{ node, text: `assert ${condition.text}, ${message.text}` }]
  },
  "except-or": (node) => {
    const classes = alternativesOf(node)
    if (classes === null || !classes.every(({ type }) => /^(identifier|attribute)$/.test(type))) return null
    return [{ node, text: `(${classes.map(({ text }) => text).join(", ")})` }]
  },
  // Code after it would not run.
  "exception-not-raised": (node) => (after(node) === null ? [{ node, text: `raise ${node.text}` }] : null),
  "constant-operand": (node) => {
    const [compared, literal] = parts(node)
    const [operand] = compared?.type === "comparison_operator" ? parts(compared) : []
    if (compared === undefined || literal === undefined || operand === undefined || isInChain(node)) return null
    const operator = compared.children.length === 3 ? compared.children[1]?.type : undefined
    const isMeant = operatorOf(node) === "or" ? operator === "==" : operator === "!="
    return isMeant ? [{ node: literal, text: `${operand.text} ${operator} ${literal.text}` }] : null
  },
  "always-true": (node) => {
    const definition = parts(rootOf(node)).find(
      (each) => each.type === "function_definition" && textOf(each, "name") === node.text
    )
    if (definition === undefined || isAsync(definition) || partsOf(definition, "parameters").length > 0) return null
    return [{ node, text: `${node.text}()` }]
  },
  "blocking-in-async": (node) => {
    if (callOf(node).called !== "time.sleep" || node.parent?.type !== "expression_statement") return null
    if (!/^import asyncio$/m.test(rootOf(node).text)) return null
    return [{ node, text: node.text.replace(/^time\.sleep/, "await asyncio.sleep") }]
  }
}

const isComparedByValue = (side: SyntaxNode | undefined): boolean =>
  /^(string|integer|float|tuple|list|dictionary|concatenated_string)$/.test(side?.type ?? "")

/** Is there one more constant: `x == 1 or 2 or 3`? */
const isInChain = ({ parent }: SyntaxNode): boolean =>
  parent?.type === "boolean_operator" && isLiteral(parent.childForFieldName("right"))
