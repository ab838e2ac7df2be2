/** Broken ciphers, passwords hashed by a fast function, and secrets from a predictable generator. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import type { NodeCheck } from "../../domain/finding/Rule.ts"
import { partIn, squeezed, within } from "../../languages/tree.ts"

/** Longer calls have whole programs as arguments. */
const longest = 400

const squeezedText = (node: SyntaxNode): string | null =>
  node.endIndex - node.startIndex > longest ? null : squeezed(node)

/** Does the text of the node without white space match? */
export const textMatches =
  (pattern: RegExp): NodeCheck =>
  (claim) =>
    pattern.test(squeezedText(claim) ?? "")

const generator = /^(?:Math\.random|(?:\w+\.)?random\.\w+|rand\.\w+)\(/

/** A secret from a generator whose next values can be computed; the call of the generator is marked. */
export const predictableSecret =
  (pattern: RegExp): NodeCheck =>
  (claim) => {
    if (!pattern.test(squeezedText(claim) ?? "")) return false
    const calls = within(claim, ["call", "call_expression"]).filter((call) => generator.test(squeezed(call)))
    // Calls on the result begin at the same place.
    const called = calls.findLast(({ startIndex }) => startIndex === calls[0]?.startIndex)
    return partIn(claim, called)
  }

/** A breach service gets such a hash, and the password is not stored. */
const breachService = /pwned|hibp|breach|leak/i

/** Does the node hash a password with a fast function, and not for a breach service? */
export const passwordHashedFast =
  (pattern: RegExp): NodeCheck =>
  (claim, file) =>
    pattern.test(squeezedText(claim) ?? "") &&
    !breachService.test(file.path) &&
    !(file.head ?? []).some((line) => line.length < 500 && breachService.test(line))

export const secretName =
  "(?:(?:auth|access|api|session|reset|csrf|xsrf|security|invite|invitation|verification|refresh|bearer|login|otp)_?(?:token|key|code|secret|id)|password|passwd|secret|secret_?key|otp)"
