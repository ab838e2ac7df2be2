/** Patterns for rules: `py/mutable-default`, an area (`py/*`), or the fingerprint of one finding. */

import { didYouMean, nearest } from "../text/Suggestion.ts"
import type { Finding } from "./Finding.ts"

const rule = /^[a-z][a-z0-9-]*\/(?:\*|[a-z0-9][a-z0-9-]*)$/
const fingerprint = /^dd1:[0-9a-f]{16}$/

/** Does it have the form of a rule's id or of an area? A path of this form is written with a leading slash. */
export const isRulePattern = (text: string): boolean => rule.test(text)

export const isFingerprint = (text: string): boolean => fingerprint.test(text)

export const namesRule = (pattern: string, id: string): boolean =>
  pattern.endsWith("/*") ? id.startsWith(pattern.slice(0, -1)) : id === pattern

/** Why a pattern matches no rule, with a suggestion; null if it matches one. */
export const unknownRule = (pattern: string, ids: ReadonlySet<string>): string | null => {
  if (isFingerprint(pattern) || [...ids].some((id) => namesRule(pattern, id))) return null
  const isArea = pattern.endsWith("/*")
  const meant = nearest(pattern, isArea ? new Set([...ids].map((id) => id.replace(/\/.*$/, "/*"))) : ids)
  // Another user or repository may have such rules, and an extension may choose any name for its findings.
  if (/^(?:user|repo|ext)\//.test(pattern) && (isArea || meant === null)) return null
  return `there is no such ${isArea ? "area" : "rule"}${didYouMean(meant)}`
}

/** Does the pattern match this finding? */
export const namesFinding = (pattern: string, finding: Pick<Finding, "rule" | "fingerprint">): boolean =>
  isFingerprint(pattern) ? finding.fingerprint === pattern : namesRule(pattern, finding.rule)
