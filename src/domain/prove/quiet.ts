/** Code whose change nobody would write a test for: what is printed, measured, kept for speed, or waited for. */
import type { SyntaxNode } from "../code/Syntax.ts"
import type { MutationSyntax } from "./MutationSyntax.ts"

const quietName =
  /^_{0,2}(?:(?:self|this|cls)\.)?_?(?:console|log(?:s|ger|ging)?|print(?:f|ln)?|debug\w*|trace\w*|warn(?:ing)?s?|verbose|metrics?|stats?d?|telemetry|tracer|span|profiler|performance|invariant|assert\w*|expect|unreachable\w*|exhaust\w*|clear(?:Timeout|Interval)|set(?:Timeout|Interval)|sleep|cache\w*|memo\w*|\w+Cache)(?:\b|[A-Z_.])/
const quietEnd = /\.(?:log|debug|trace|info|warn|warning|verbose|unref|unpersist|gc)$/
/** Messages are for people. */
const messageName = /(?:Error|Exception|Warning|Fault|Panic)$/

/** Is the node a call of this kind, or inside one? */
export const isQuiet = (node: SyntaxNode, { call, functions, throwing }: MutationSyntax): boolean => {
  for (let each: SyntaxNode | null = node; each !== null; each = each.parent) {
    if (each !== node && functions.has(each.type)) return false
    // What is thrown; the statement itself may be left out.
    if (each.type === throwing && each !== node) return true
    const callee = each.childForFieldName(call.callee) ?? each.childForFieldName("constructor")
    if (callee !== null && (isQuietCallee(callee.text) || messageName.test(callee.text))) return true
    const [only] = each === node ? each.namedChildren : []
    const inner = only?.childForFieldName(call.callee) ?? null
    if (inner !== null && isQuietCallee(inner.text)) return true
  }
  return false
}

const longestCallee = 200

const isQuietCallee = (text: string): boolean =>
  text.length <= longestCallee && (quietName.test(text) || quietEnd.test(text))
