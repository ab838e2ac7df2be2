/** Builds records of inconsistencies across files. */
import type { ReviewRecord } from "../../domain/finding/Finding.ts"
import type { Misfit, StructureRule } from "../../domain/finding/Rule.ts"
import { ruleRecord } from "../../domain/finding/ruleRecord.ts"
import { compareText } from "../../domain/text/compareText.ts"

/** One inconsistency, at a place of the change, with the related places. */
export interface StructureClaim {
  readonly misfit: Misfit
  readonly title: string
  /** Full sentences; "" if the title is enough. */
  readonly detail: string
  readonly path: string
  readonly line: number
  readonly places: ReadonlyArray<{ readonly path: string; readonly line: number }>
}

/** Sorted by place; claims without a rule are left out. `texts`: lines of the head side. */
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

const recordOf = (
  rule: StructureRule,
  { detail, line, path, places, title }: StructureClaim,
  texts: ReadonlyMap<string, ReadonlyArray<string>>
): ReviewRecord => {
  const cited = places.map((place) => `${place.path}:${place.line}`)
  return ruleRecord(rule, {
    path,
    line,
    title,
    description: detail === "" ? title : `${title}. ${detail}`,
    evidence: [...new Set([`${path}:${line}`, ...cited])],
    quote: texts.get(path)?.[line - 1] ?? ""
  })
}
