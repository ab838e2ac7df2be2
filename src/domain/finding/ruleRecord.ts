import { type RelatedPlace, ReviewRecord, type Severity } from "./Finding.ts"
import type { Rule } from "./Rule.ts"

/** A place where a rule applies, with its own texts. */
export interface RuleClaim {
  readonly path: string
  readonly line: number
  readonly endLine?: number
  readonly column?: number | undefined
  readonly endColumn?: number | undefined
  /** Absent: that of the rule. */
  readonly label?: string | undefined
  readonly related?: ReadonlyArray<RelatedPlace>
  readonly title: string
  readonly description: string
  /** The places of the evidence, such as `a.py:3`; by default the claim's own. */
  readonly evidence?: ReadonlyArray<string>
  /** The line of the claim after the change; "" for none. */
  readonly quote?: string
  readonly suggestion?: string | undefined
  /** Absent: that of the rule. */
  readonly severity?: Severity
}

const longestQuote = 300
const mostPlaces = 100

/** A place of the evidence other than that of the claim. */
const placeIn = (text: string, { line, path }: RuleClaim): ReadonlyArray<RelatedPlace> => {
  const [, file = "", at] = /^(.+):(\d{1,7})$/s.exec(text) ?? []
  const isOther = at !== undefined && text !== `${path}:${line}`
  return isOther ? [{ file, line: Number(at), column: null, endColumn: null, message: "part of the evidence" }] : []
}

/** The record of a rule's claim, without a number. */
export const ruleRecord = (rule: Rule, claim: RuleClaim): ReviewRecord => {
  const { column, description, endColumn, line, path, suggestion, title } = claim
  const related = claim.related ?? (claim.evidence ?? []).flatMap((text) => placeIn(text, claim))
  const label = claim.label ?? rule.label
  const quote = claim.quote?.trim().slice(0, longestQuote) ?? ""
  return ReviewRecord.make({
    id: 0,
    rule: rule.id,
    title,
    description,
    rationale: `${rule.why} ${rule.fix}`,
    file: path,
    line,
    endLine: Math.max(line, claim.endLine ?? line),
    ...(column === undefined || endColumn === undefined ? {} : { column, endColumn }),
    ...(label === undefined ? {} : { label }),
    ...(related.length === 0 ? {} : { related: related.slice(0, mostPlaces) }),
    severity: claim.severity ?? rule.severity,
    confidence: rule.confidence,
    evidence: (claim.evidence ?? [`${path}:${line}`]).slice(0, mostPlaces).join("; "),
    ...(quote === "" ? {} : { quote }),
    ...(suggestion === undefined ? {} : { suggestion })
  })
}

/** The records of one reviewer, numbered from 1. */
export const numbered = (records: ReadonlyArray<ReviewRecord>): ReadonlyArray<ReviewRecord> =>
  records.map((record, at) => ReviewRecord.make({ ...record, id: at + 1 }))
