/**
 * What was suppressed: a line for each suppression, with the numbers of its findings, by which `dd archive label` names them. With
 * --all, a line for each finding.
 */
import type { Suppressed } from "../../../domain/finding/Finding.ts"
import type { ReviewResult } from "../../../domain/review/ReviewResult.ts"
import { plural } from "../../../domain/text/plural.ts"
import { placeOf } from "./Explanation.ts"
import type { RenderContext } from "./RenderContext.ts"

export interface SuppressionLine {
  readonly text: string
  readonly addedByChange: boolean
}

/** Suppressions that the change itself adds come first. */
export const suppressionLines = (
  { suppressed }: ReviewResult,
  context: Pick<RenderContext, "all" | "here">
): ReadonlyArray<SuppressionLine> => {
  const groups = [...Map.groupBy(suppressed, (each) => (context.all ? each.finding.id : keyOf(each))).values()]
  return groups
    .map((group) => ({ text: lineOf(group, context), addedByChange: group[0]!.addedByChange }))
    .toSorted((a, b) => Number(b.addedByChange) - Number(a.addedByChange))
}

const keyOf = ({ addedByChange, by, finding, reason }: Suppressed): string =>
  JSON.stringify([by, finding.rule, reason, addedByChange])

const lineOf = (group: ReadonlyArray<Suppressed>, context: Pick<RenderContext, "here">): string => {
  const { addedByChange, by, finding, place: at, reason } = group[0]!
  const place = placeOf(finding, context)
  const what =
    group.length === 1
      ? `${place} ${finding.rule}`
      : `${plural(group.length, "finding")} of ${finding.rule}, the first at ${place}`
  const origin = `${at === null ? by : placeOf(at, context)}${addedByChange ? " (added by this change)" : ""}`
  return `${numbersOf(group)}: ${what}, by ${origin}: ${reason === "" ? "no reason given" : reason}`
}

/** Ranges of numbers: `3`, `3-5, 9`. */
const numbersOf = (group: ReadonlyArray<Suppressed>): string => {
  const ranges: Array<{ from: number; to: number }> = []
  for (const { finding } of group) {
    const last = ranges.at(-1)
    if (last?.to === finding.id - 1) last.to = finding.id
    else ranges.push({ from: finding.id, to: finding.id })
  }
  const shown = ranges.slice(0, mostRanges).map(({ from, to }) => (from === to ? String(from) : `${from}-${to}`))
  return [...shown, ...(ranges.length > mostRanges ? ["…"] : [])].join(", ")
}

const mostRanges = 5
