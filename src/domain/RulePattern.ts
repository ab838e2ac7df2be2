/** How a user names rules: `py/mutable-default`, all of an area with `py/*`, or one finding by its fingerprint. */
import type { Finding } from "./Finding.ts"

const rule = /^[a-z][a-z0-9-]*\/(?:\*|[a-z0-9][a-z0-9-]*)$/
const fingerprint = /^dd1:[0-9a-f]{16}$/

/** The form of a rule's id or of an area; a path of this form has to be written with a leading slash. */
export const isRulePattern = (text: string): boolean => rule.test(text)

export const isFingerprint = (text: string): boolean => fingerprint.test(text)

export const namesRule = (pattern: string, id: string): boolean =>
  pattern.endsWith("/*") ? id.startsWith(pattern.slice(0, -1)) : id === pattern

/** Does a rule, an area or a fingerprint name this finding? */
export const namesFinding = (pattern: string, finding: Pick<Finding, "rule" | "fingerprint">): boolean =>
  isFingerprint(pattern) ? finding.fingerprint === pattern : namesRule(pattern, finding.rule)
