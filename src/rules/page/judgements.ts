/**
 * Reads the verdicts of readers, at build time: `judgements.tsv` has one finding a line, `tallies.tsv` the counts of
 * measurements whose places were not kept.
 *
 * Findings that the present build does not report (`silent`) are not counted. Findings of one rule in one repository with
 * the same verdict and reason count once: a copied line is not evidence a second time.
 */
import { type Judged, noneJudged, type Verdicts } from "../../domain/finding/Judged.ts"

type Verdict = keyof Verdicts
type Scope = keyof Judged

const rowsOf = (text: string): ReadonlyArray<ReadonlyArray<string>> =>
  text
    .trimEnd()
    .split("\n")
    .slice(1)
    .map((line) => line.split("\t"))

export const judgedByRule = (judgements: string, tallies: string): ReadonlyMap<string, Judged> => {
  const found = new Map<string, Judged>()
  const add = (rule: string, scope: Scope, verdict: Verdict, count: number) => {
    const judged = found.get(rule) ?? noneJudged
    const verdicts = { ...judged[scope], [verdict]: judged[scope][verdict] + count }
    found.set(rule, { ...judged, [scope]: verdicts })
  }
  const counted = new Set<string>()
  for (const [scope, repository, , rule = "", , , verdict, reason, now] of rowsOf(judgements)) {
    const key = [scope, repository, rule, verdict, reason].join("\t")
    if (now === "silent" || counted.has(key)) continue
    counted.add(key)
    add(rule, scope as Scope, verdict as Verdict, 1)
  }
  for (const [, rule = "", ...counts] of rowsOf(tallies)) {
    verdicts.forEach((verdict, at) => {
      add(rule, "commits", verdict, Number(counts[at]))
    })
  }
  return found
}

const verdicts = ["true", "arguable", "false"] as const
