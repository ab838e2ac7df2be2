/** The edits that fix what the rules for Go report, where every reader would make them. */
import { enclosing, textOf, within } from "../../languages/tree.ts"
import type { NodeSuggestions } from "../page/Checks.ts"
import { functions } from "./goTree.ts"

export const nodeSuggestions: NodeSuggestions = {
  "other-error-returned": (node) => {
    const tested = /^\w+/.exec(textOf(node, "condition"))?.[0]
    const body = node.childForFieldName("consequence")
    const returned = body === null ? undefined : within(body, ["return_statement"]).at(-1)
    const value = returned === undefined ? undefined : within(returned, ["identifier"]).at(-1)
    return tested === undefined || value === undefined ? null : [{ node: value, text: tested }]
  },
  "handler-continues-after-error": (node, { head }) => {
    // A function with a result has to return a value.
    if (enclosing(node, functions)?.childForFieldName("result") !== null) return null
    const indent = /^\s*/.exec(head?.[node.startPosition.row] ?? "")?.[0] ?? ""
    return [{ node, text: `${node.text}\n${indent}return` }]
  }
}
