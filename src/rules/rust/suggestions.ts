/** The edits that fix what the rules for Rust report, where every reader would make them. */
import { rootOf } from "../../languages/tree.ts"
import type { NodeSuggestions } from "../page/Checks.ts"

export const nodeSuggestions: NodeSuggestions = {
  "thread-sleep-in-async": (node) => {
    const [, time] = /^(?:(?:::)?std::)?thread::sleep(\([\s\S]*\))$/.exec(node.text) ?? []
    if (time === undefined || !/\btokio::/.test(rootOf(node).text)) return null
    return [{ node, text: `tokio::time::sleep${time}.await` }]
  }
}
