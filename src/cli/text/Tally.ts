/** Counts and lists as text. */
import type { Finding, Severity } from "../../domain/finding/Finding.ts"
import { compareText } from "../../domain/text/compareText.ts"

const severities: ReadonlyArray<Severity> = ["high", "medium", "low"]

export const countBySeverity = (findings: ReadonlyArray<Pick<Finding, "severity">>): Record<Severity, number> => {
  const counts = { high: 0, medium: 0, low: 0 }
  for (const { severity } of findings) counts[severity] += 1
  return counts
}

/** "2 high, 3 medium". */
export const severityWords = (findings: ReadonlyArray<Pick<Finding, "severity">>): string => {
  const counts = countBySeverity(findings)
  return severities
    .filter((severity) => counts[severity] > 0)
    .map((severity) => `${counts[severity]} ${severity}`)
    .join(", ")
}

/** "a", "a and b", "a, b and c". */
export const listed = (items: ReadonlyArray<string>): string =>
  items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items[items.length - 1]}`

/** "a, b and 3 more". */
export const someOf = (items: ReadonlyArray<string>, most: number): string =>
  items.length <= most ? items.join(", ") : `${items.slice(0, most).join(", ")} and ${items.length - most} more`

export interface Reason {
  readonly reason: string
  readonly paths: ReadonlyArray<string>
}

/** The most frequent reason first, then in alphabetical order. */
export const byReason = (
  files: ReadonlyArray<{ readonly path: string; readonly reason: string }>
): ReadonlyArray<Reason> => {
  const groups = Map.groupBy(files, ({ reason }) => reason)
  return [...groups]
    .map(([reason, ofReason]) => ({ reason, paths: ofReason.map(({ path }) => path) }))
    .sort((a, b) => b.paths.length - a.paths.length || compareText(a.reason, b.reason))
}
