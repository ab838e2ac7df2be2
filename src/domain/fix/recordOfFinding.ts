import { type Finding, ReviewRecord } from "../finding/Finding.ts"

/** A finding as a claim, for a task. */
export const recordOfFinding = (finding: Finding): ReviewRecord =>
  ReviewRecord.make({
    id: finding.id,
    title: finding.title,
    description: finding.description,
    file: finding.file,
    line: finding.line,
    endLine: finding.endLine,
    confidence: finding.confidence,
    severity: finding.severity,
    rationale: finding.rationale,
    evidence: finding.evidence,
    ...(finding.source === "static" ? { rule: finding.rule } : {}),
    ...(finding.suggestion === null ? {} : { suggestion: finding.suggestion })
  })
