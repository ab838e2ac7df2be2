/** Calls whose result is all they are for, and is thrown away. */
import type { NodeCheck } from "../../domain/finding/Rule.ts"
import { parts, squeezed } from "../../languages/tree.ts"

/** The check for a language: the node of a call, and the beginning of a call that does nothing but return a value. */
export const resultIgnored =
  (type: string, pure: RegExp): NodeCheck =>
  (claim) => {
    const [call, ...others] = parts(claim)
    if (call === undefined || others.length > 0 || call.type !== type) return false
    return call.endIndex - call.startIndex <= 200 && pure.test(squeezed(call))
  }
