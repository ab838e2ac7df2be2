/** Findings as the records of their reviewers, for a run that keeps no artifacts. */
import { type Finding, ReviewRecord } from "../finding/Finding.ts"
import { alternativesStack } from "../finding/MergedItem.ts"

export interface StackRecords {
  readonly stack: string
  readonly records: ReadonlyArray<ReviewRecord>
}

export const recordsOfFindings = (findings: ReadonlyArray<Finding>): ReadonlyArray<StackRecords> => {
  const ofStacks = findings.filter(({ stack }) => stack !== alternativesStack)
  // A finding that several stacks reported names all of them.
  const stacks = Map.groupBy(ofStacks, ({ stack }) => stack.split("+")[0] ?? stack)
  return [...stacks].map(([stack, each]) => ({ stack, records: each.map(recordOf) }))
}

/** Only a record that a static rule made names its rule. */
const recordOf = ({ rule, source, ...finding }: Finding): ReviewRecord =>
  ReviewRecord.make({
    id: finding.id,
    description: finding.description,
    file: finding.file,
    line: finding.line,
    confidence: finding.confidence,
    severity: finding.severity,
    rationale: finding.rationale,
    evidence: finding.evidence,
    ...(source === "static" ? { rule } : {})
  })
