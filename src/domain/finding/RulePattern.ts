/** How a user names rules: `py/mutable-default`, all of an area with `py/*`, or one finding by its fingerprint. */

import { didYouMean, nearest } from "../text/Suggestion.ts"
import type { Finding } from "./Finding.ts"

const rule = /^[a-z][a-z0-9-]*\/(?:\*|[a-z0-9][a-z0-9-]*)$/
const fingerprint = /^dd1:[0-9a-f]{16}$/

/** The form of a rule's id or of an area; a path of this form has to be written with a leading slash. */
export const isRulePattern = (text: string): boolean => rule.test(text)

export const isFingerprint = (text: string): boolean => fingerprint.test(text)

export const namesRule = (pattern: string, id: string): boolean =>
  pattern.endsWith("/*") ? id.startsWith(pattern.slice(0, -1)) : id === pattern

/** Why a pattern names no rule, with the rule or area that was probably meant; null where it names one. */
export const unknownRule = (pattern: string, ids: ReadonlySet<string>): string | null => {
  if (isFingerprint(pattern) || [...ids].some((id) => namesRule(pattern, id))) return null
  const isArea = pattern.endsWith("/*")
  const meant = nearest(pattern, isArea ? new Set([...ids].map((id) => id.replace(/\/.*$/, "/*"))) : ids)
  // Another user or repository may have such rules, and an extension may name its findings as it likes.
  if (/^(?:user|repo|ext)\//.test(pattern) && (isArea || meant === null)) return null
  return `there is no such ${isArea ? "area" : "rule"}${didYouMean(meant)}`
}

/** Does a rule, an area or a fingerprint name this finding? */
export const namesFinding = (pattern: string, finding: Pick<Finding, "rule" | "fingerprint">): boolean =>
  isFingerprint(pattern) ? finding.fingerprint === pattern : namesRule(pattern, finding.rule)
