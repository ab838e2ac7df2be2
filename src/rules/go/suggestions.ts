/** The edits that fix what the rules for Go report, where every reader would make them. */

import type { NodeSuggestion } from "../../domain/finding/Rule.ts"
import { after, enclosing, partsOf, textOf } from "../../languages/tree.ts"
import type { NodeSuggestions } from "../page/Checks.ts"
import { functions } from "./goTree.ts"

/** Defers the call after the check of the error; in a loop it would run too late. */
const closedAfterCheck =
  (closed: string): NodeSuggestion =>
  (node, { head }) => {
    const [opened, error, ...others] = partsOf(node, "left")
    const check = after(node)
    if (
      opened === undefined ||
      error === undefined ||
      others.length > 0 ||
      enclosing(node, ["for_statement"], functions) !== null
    )
      return null
    if (
      check?.type !== "if_statement" ||
      textOf(check, "condition") !== `${error.text} != nil` ||
      check.childForFieldName("alternative") !== null
    )
      return null
    if (!/\b(?:return|panic|os\.Exit|log\.Fatal\w*|t\.Fatal\w*)\b/.test(textOf(check, "consequence"))) return null
    const indent = /^\s*/.exec(head?.[node.startPosition.row] ?? "")?.[0] ?? ""
    return [{ node: check, text: `${check.text}\n${indent}defer ${opened.text}.${closed}()` }]
  }

export const nodeSuggestions: NodeSuggestions = {
  "response-body-not-closed": closedAfterCheck("Body.Close"),
  "file-or-rows-not-closed": closedAfterCheck("Close"),
  "handler-continues-after-error": (node, { head }) => {
    // A function with a result has to return a value.
    if (enclosing(node, functions)?.childForFieldName("result") !== null) return null
    const indent = /^\s*/.exec(head?.[node.startPosition.row] ?? "")?.[0] ?? ""
    return [{ node, text: `${node.text}\n${indent}return` }]
  }
}
