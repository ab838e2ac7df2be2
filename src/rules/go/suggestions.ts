/** The edits that fix what the rules for Go report, where every reader would make them. */
import { enclosing } from "../../languages/tree.ts"
import type { NodeSuggestions } from "../page/Checks.ts"
import { functions } from "./goTree.ts"

export const nodeSuggestions: NodeSuggestions = {
  "handler-continues-after-error": (node, { head }) => {
    // A function with a result has to return a value.
    if (enclosing(node, functions)?.childForFieldName("result") !== null) return null
    const indent = /^\s*/.exec(head?.[node.startPosition.row] ?? "")?.[0] ?? ""
    return [{ node, text: `${node.text}\n${indent}return` }]
  }
}
