import { longestLabel, type RelatedPlace, ReviewRecord, type Severity } from "./Finding.ts"
import type { Rule } from "./Rule.ts"

/** A place where a rule applies, with its own texts. */
export interface RuleClaim {
  readonly path: string
  readonly line: number
  readonly endLine?: number
  readonly column?: number | undefined
  readonly endColumn?: number | undefined
  /** Without columns: those of the first of these words that is in the line. */
  readonly words?: ReadonlyArray<string>
  /** Absent or too long: that of the rule. */
  readonly label?: string | undefined
  /** Other places that the claim is about; one that is the claim's own is left out. */
  readonly related?: ReadonlyArray<PlaceClaim>
  readonly title: string
  readonly description: string
  /** The places of the evidence, such as `a.py:3`; by default the claim's own and the related ones. */
  readonly evidence?: ReadonlyArray<string>
  /** The line of the claim after the change; "" for none. */
  readonly quote?: string
  readonly suggestion?: string | undefined
  /** Absent: that of the rule. */
  readonly severity?: Severity
}

/** A place that a claim is about. */
export interface PlaceClaim {
  readonly path: string
  /** 0 for the file as a whole; that before the change with `deleted`. */
  readonly line: number
  /** What is there, in a few words. */
  readonly message: string
  readonly column?: number | undefined
  readonly endColumn?: number | undefined
  /** Without columns: those of the first of these words that is in the line. */
  readonly words?: ReadonlyArray<string>
  /** The line that the change deleted there, if the place is about it. */
  readonly deleted?: string | undefined
}

/** A line of a file after the change; undefined if it is unknown. */
export type TextAt = (path: string, line: number) => string | undefined

const longestQuote = 300
const mostPlaces = 100

/** The record of a rule's claim, without a number. */
export const ruleRecord = (rule: Rule, claim: RuleClaim, textAt: TextAt = () => undefined): ReviewRecord => {
  const { description, line, path, suggestion, title } = claim
  const { column, endColumn } = columnsOf(claim, textAt(path, line))
  const label = [claim.label, rule.label].find((text) => text !== undefined && text.length <= longestLabel)
  const related = (claim.related ?? [])
    .map((place) => ({ ...place, ...columnsOf(place, place.deleted ?? textAt(place.path, place.line)) }))
    .filter((place) => place.deleted !== undefined || isElsewhere(place, { column, line, path }))
  const evidence = claim.evidence ?? [...new Set([claim, ...related].map(placeText))]
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
    ...(related.length === 0 ? {} : { related: related.slice(0, mostPlaces).map(relatedPlace) }),
    severity: claim.severity ?? rule.severity,
    confidence: rule.confidence,
    evidence: evidence.slice(0, mostPlaces).join("; "),
    ...(quote === "" ? {} : { quote }),
    ...(suggestion === undefined ? {} : { suggestion })
  })
}

/** On another line, or at other columns of this one. */
const isElsewhere = (place: PlaceClaim, claim: Pick<PlaceClaim, "column" | "line" | "path">): boolean =>
  placeText(place) !== placeText(claim) || (place.column !== undefined && place.column !== claim.column)

const placeText = ({ line, path }: Pick<PlaceClaim, "line" | "path">): string => `${path}:${line}`

const relatedPlace = ({ column, deleted, endColumn, line, message, path }: PlaceClaim): RelatedPlace => ({
  file: path,
  line,
  column: column ?? null,
  endColumn: endColumn ?? null,
  message,
  ...(deleted === undefined ? {} : { deleted })
})

type Columned = Pick<PlaceClaim, "column" | "endColumn" | "words">

/** Those that are given, or those of the first of the words that is in the text. */
export const columnsOf = (
  { column, endColumn, words }: Columned,
  text: string | undefined
): Omit<Columned, "words"> => {
  if (column !== undefined || words === undefined) return { column, endColumn }
  if (text === undefined) return {}
  for (const word of words) {
    const [before, after] = [/^\w/.test(word) ? "(?<![\\w$])" : "", /\w$/.test(word) ? "(?![\\w$])" : ""]
    const start = word === "" ? -1 : text.search(new RegExp(before + RegExp.escape(word) + after))
    if (start >= 0) return { column: start + 1, endColumn: start + word.length + 1 }
  }
  return {}
}

/** The records of one reviewer, numbered from 1. */
export const numbered = (records: ReadonlyArray<ReviewRecord>): ReadonlyArray<ReviewRecord> =>
  records.map((record, at) => ReviewRecord.make({ ...record, id: at + 1 }))
