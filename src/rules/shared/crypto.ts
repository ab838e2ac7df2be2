/** Broken ciphers, passwords put through a fast hash, and secrets drawn from a predictable generator. */
import type { SyntaxNode } from "../../domain/code/Syntax.ts"
import type { NodeCheck } from "../../domain/finding/Rule.ts"
import { squeezed } from "../../languages/tree.ts"

/** Longer calls are whole programs handed over as an argument. */
const longest = 400

const squeezedText = (node: SyntaxNode): string | null =>
  node.endIndex - node.startIndex > longest ? null : squeezed(node)

/** Is the pattern found in the node's text without white space? */
export const textMatches =
  (pattern: RegExp): NodeCheck =>
  (claim) =>
    pattern.test(squeezedText(claim) ?? "")

/** Whoever asks a breach service sends it such a hash; that is no way of keeping a password. */
const breachService = /pwned|hibp|breach|leak/i

/** The node puts a password through a fast hash, and not to ask a breach service about it. */
export const passwordHashedFast =
  (pattern: RegExp): NodeCheck =>
  (claim, file) =>
    pattern.test(squeezedText(claim) ?? "") &&
    !breachService.test(file.path) &&
    !(file.head ?? []).some((line) => line.length < 500 && breachService.test(line))

export const secretName =
  "(?:(?:auth|access|api|session|reset|csrf|xsrf|security|invite|invitation|verification|refresh|bearer|login|otp)_?(?:token|key|code|secret|id)|password|passwd|secret|secret_?key|otp)"
