/** The edits that fix what the rules for Swift report, where every reader would make them. */
import { rootOf } from "../../languages/tree.ts"
import type { NodeSuggestions } from "../page/Checks.ts"

export const nodeSuggestions: NodeSuggestions = {
  // Only a reference to an object can be weak, so that the protocol must be known.
  "strong-delegate": (node) => {
    const type = /\bvar\s+\w+\s*:\s*(?:any\s+)?(\w+)\?/.exec(node.text)?.[1]
    const isOfObjects =
      type === undefined ? null : new RegExp(`\\bprotocol ${type}\\s*:[^{]*\\b(?:AnyObject|class|NSObjectProtocol)\\b`)
    return isOfObjects?.test(rootOf(node).text) ? [{ node, text: node.text.replace(/\bvar\b/, "weak var") }] : null
  }
}
