/** The edits that fix what the rules for TypeScript and JavaScript report, where every reader would make them. */
import { editDistance } from "../../domain/text/Suggestion.ts"
import { after, enclosing, rootOf } from "../../languages/tree.ts"
import type { NodeSuggestions } from "../page/Checks.ts"
import { functions, identifiers, operationOf, plainString, typeofResults } from "./scriptTree.ts"

/** The only result of `typeof` that is spelled nearly like this; null if there is none. */
const resultLike = (word: string): string | null => {
  const letters = (text: string) => [...text.toLowerCase()].sort().join("")
  const alike = typeofResults.filter(
    (result) => editDistance(word.toLowerCase(), result) <= 1 || letters(word) === letters(result)
  )
  return alike.length === 1 ? (alike[0] ?? null) : null
}

export const nodeSuggestions: NodeSuggestions = {
  // A variable that is read after the loop belongs to the whole function.
  "loop-closure": (node) => {
    const name = /\bvar\s+(\w+)/.exec(node.text)?.[1]
    const inLoop = identifiers(node).filter(({ text }) => text === name).length
    const isOwn =
      identifiers(enclosing(node, functions) ?? rootOf(node)).filter(({ text }) => text === name).length === inLoop
    return isOwn ? [{ node, text: node.text.replace(/\bvar\b/, "let") }] : null
  },
  // Code after it would not run.
  "error-not-thrown": (node) => (after(node) === null ? [{ node, text: `throw ${node.text}` }] : null),
  "case-or": (node, { head }) => {
    const { left, right } = operationOf(node)
    if (left === null || right === null) return null
    if (node.parent?.type === "switch_case") {
      const indent = /^\s*/.exec(head?.[node.startPosition.row] ?? "")?.[0] ?? ""
      return [{ node, text: `${left.text}:\n${indent}case ${right.text}` }]
    }
    // One more constant follows: `x === 1 || 2 || 3`.
    if (node.parent?.type === "binary_expression" && operationOf(node.parent).operator === "||") return null
    const compared = operationOf(left)
    return [{ node: right, text: `${compared.left?.text ?? ""} ${compared.operator} ${right.text}` }]
  },
  "invalid-typeof": (node) => {
    const { left, right } = operationOf(node)
    const kind = right?.type === "string" ? right : left
    const result = resultLike(plainString(kind) ?? "")
    return kind === null || result === null
      ? null
      : [{ node: kind, text: `${kind.text.slice(0, 1)}${result}${kind.text.slice(-1)}` }]
  }
}
