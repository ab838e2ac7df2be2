/** Code whose change nobody would write a test for: what is printed, measured, kept for speed, or waited for. */
import type { SyntaxNode } from "../code/Syntax.ts"
import type { MutationSyntax } from "./MutationSyntax.ts"

const quietName =
  /^_{0,2}(?:(?:self|this|cls)\.)?_?(?:console|log(?:s|ger|ging)?|print(?:f|ln)?|debug\w*|trace\w*|warn(?:ing)?s?|verbose|metrics?|stats?d?|telemetry|tracer|span|profiler|performance|invariant|assert\w*|expect|unreachable\w*|exhaust\w*|clear(?:Timeout|Interval)|set(?:Timeout|Interval)|sleep|cache\w*|memo\w*|\w+Cache)(?:\b|[A-Z_.])/
/** What holds of the machine or of type checkers, not of the code. */
const quietCondition =
  /\b(?:TYPE_CHECKING|sys\.version_info|sys\.platform|os\.name|process\.(?:platform|versions?)|NODE_ENV|__DEV__)\b|__name__\s*==/
/** Calls that only type checkers read. */
const ofTypes = /^(?:\w+\.)?(?:TypeVar|ParamSpec|NewType|cast|NamedTuple|TypedDict|namedtuple|reveal_type|overload)$/
const quietEnd = /\.(?:log|debug|trace|info|warn|warning|verbose|unref|unpersist|gc)$/
/** Messages are for people. */
const messageName = /(?:Error|Exception|Warning|Fault|Panic)$/

/** Is the node a call of this kind, or inside one? */
export const isQuiet = (node: SyntaxNode, { call, functions, throwing }: MutationSyntax): boolean => {
  if (node.text.length <= longestCondition && quietCondition.test(node.text)) return true
  for (let each: SyntaxNode | null = node; each !== null; each = each.parent) {
    if (functions.has(each.type)) return each !== node && isStub(each)
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

const longestCondition = 200

/** A body without code, such as that of an overload. */
const isStub = (each: SyntaxNode): boolean => each.childForFieldName("body")?.text.trim() === "..."

const longestCallee = 200

const isQuietCallee = (text: string): boolean =>
  text.length <= longestCallee && (quietName.test(text) || quietEnd.test(text) || ofTypes.test(text))
