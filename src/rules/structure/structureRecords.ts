/** Builds records of inconsistencies across files. */
import type { ReviewRecord } from "../../domain/finding/Finding.ts"
import type { Misfit, StructureRule } from "../../domain/finding/Rule.ts"
import { type PlaceClaim, ruleRecord, type TextAt } from "../../domain/finding/ruleRecord.ts"
import { compareText } from "../../domain/text/compareText.ts"

/** One inconsistency, at a place of the change, with the related places. */
export interface StructureClaim {
  readonly misfit: Misfit
  readonly title: string
  /** Full sentences; "" if the title is enough. */
  readonly detail: string
  readonly path: string
  readonly line: number
  /** The first of them that is in the line has the columns. */
  readonly words: ReadonlyArray<string>
  readonly label?: string
  readonly places: ReadonlyArray<PlaceClaim>
}

/** Sorted by place; claims without a rule are left out. */
export const structureRecords = (
  rules: ReadonlyArray<StructureRule>,
  claims: ReadonlyArray<StructureClaim>,
  textAt: TextAt
): ReadonlyArray<ReviewRecord> =>
  claims
    .flatMap((claim) => {
      const rule = rules.find(({ misfit }) => misfit === claim.misfit)
      return rule === undefined ? [] : [recordOf(rule, claim, textAt)]
    })
    .sort((a, b) => compareText(a.file, b.file) || a.line - b.line || compareText(a.title ?? "", b.title ?? ""))

const recordOf = (
  rule: StructureRule,
  { detail, label, line, path, places, title, words }: StructureClaim,
  textAt: TextAt
): ReviewRecord =>
  ruleRecord(
    rule,
    {
      path,
      line,
      words,
      label,
      title,
      description: detail === "" ? title : `${title}. ${detail}`,
      related: places,
      quote: textAt(path, line) ?? ""
    },
    textAt
  )
