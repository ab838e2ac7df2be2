/** Calls that have no effect, because their result is discarded. */
import type { NodeCheck } from "../../domain/finding/Rule.ts"
import { parts, squeezed } from "../../languages/tree.ts"

/** The check for a language: the node of a call, and the start of calls that only return a value. */
export const resultIgnored =
  (type: string, pure: RegExp): NodeCheck =>
  (claim) => {
    const [call, ...others] = parts(claim)
    if (call === undefined || others.length > 0 || call.type !== type) return false
    return call.endIndex - call.startIndex <= 200 && pure.test(squeezed(call))
  }
