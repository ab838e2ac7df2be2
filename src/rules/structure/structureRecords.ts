/** From what no longer fits together to records, in the words of the rule that knows about it. */
import { ReviewRecord } from "../../domain/finding/Finding.ts"
import type { Misfit, StructureRule } from "../../domain/finding/Rule.ts"
import { compareText } from "../../domain/text/compareText.ts"

/** One thing that no longer fits, at a place of the change, with the other places it is about. */
export interface StructureClaim {
  readonly misfit: Misfit
  readonly title: string
  /** Whole sentences; "" when the title says it all. */
  readonly detail: string
  readonly path: string
  readonly line: number
  readonly places: ReadonlyArray<{ readonly path: string; readonly line: number }>
}

/** Places that are named; the rest is counted. */
const placesShown = 5

/** `a.py:3, b.py:7, and 2 more`. */
export const placesText = (places: StructureClaim["places"]): string => {
  const listed = places.slice(0, placesShown).map(({ line, path }) => `${path}:${line}`)
  const more = places.length - listed.length
  return `${listed.join(", ")}${more > 0 ? `, and ${more} more` : ""}`
}

/** Numbered from 1, by place; a claim without its rule is left out. `texts`: lines of the head side. */
export const structureRecords = (
  rules: ReadonlyArray<StructureRule>,
  claims: ReadonlyArray<StructureClaim>,
  texts: ReadonlyMap<string, ReadonlyArray<string>>
): ReadonlyArray<ReviewRecord> =>
  claims
    .flatMap((claim) => {
      const rule = rules.find(({ misfit }) => misfit === claim.misfit)
      return rule === undefined ? [] : [recordOf(rule, claim, texts)]
    })
    .sort((a, b) => compareText(a.file, b.file) || a.line - b.line || compareText(a.title ?? "", b.title ?? ""))
    .map((record, at) => ReviewRecord.make({ ...record, id: at + 1 }))

const recordOf = (
  rule: StructureRule,
  { detail, line, path, places, title }: StructureClaim,
  texts: ReadonlyMap<string, ReadonlyArray<string>>
): ReviewRecord => {
  const quote = texts.get(path)?.[line - 1]?.trim().slice(0, 300) ?? ""
  const cited = places.slice(0, placesShown).map((place) => `${place.path}:${place.line}`)
  return ReviewRecord.make({
    id: 0,
    rule: rule.id,
    title,
    description: detail === "" ? title : `${title}. ${detail}`,
    rationale: `${rule.why} ${rule.fix}`,
    file: path,
    line,
    endLine: line,
    severity: rule.severity,
    confidence: rule.confidence,
    evidence: [...new Set([`${path}:${line}`, ...cited])].join("; "),
    ...(quote === "" ? {} : { quote })
  })
}
