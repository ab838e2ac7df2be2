import { Effect } from "effect"
import { outcomeOf } from "../../../domain/record/LabelObservation.ts"
import type { RunFilter } from "../../../domain/record/RunFilter.ts"
import type { Tally } from "../../../services/record/ArchiveIndex.ts"
import { conditionsOf } from "./conditions.ts"
import type { Connection } from "./connection.ts"

type Totals = Omit<Tally, "labelled_findings" | "by" | "mean">

export const tally = Effect.fnUntraced(function* (query: Connection["query"], filter: RunFilter) {
  const { parameters, where } = conditionsOf(filter)
  const by = (column: string) =>
    query<{ name: string; n: number }>(
      `SELECT ${column} name, COUNT(*) n FROM runs ${where} GROUP BY 1 ORDER BY n DESC, name`,
      parameters
    ).pipe(Effect.map((rows) => rows.map(({ n, name }) => [name, n] as const)))
  const [totals = noRuns] = yield* query<Totals>(
    `SELECT COUNT(*) runs, COALESCE(SUM(total_findings), 0) findings, COALESCE(SUM(total_cost_usd), 0) cost_usd,
       COALESCE(SUM(total_cost_usd IS NULL), 0) unknown_cost, MIN(archived_at) first, MAX(archived_at) last
     FROM runs ${where}`,
    parameters
  )
  const [mean = noMeans] = yield* query<Tally["mean"]>(
    `SELECT AVG(wall_clock_seconds) wall_clock_seconds, AVG(grounding_rate) grounding_rate,
       AVG(coverage_ratio) coverage_ratio, AVG(composite_reward) composite_reward FROM runs ${where}`,
    parameters
  )
  const [labels] = yield* query<{ n: number }>("SELECT COUNT(*) n FROM finding_labels")
  return {
    ...totals,
    labelled_findings: labels?.n ?? 0,
    by: {
      status: yield* by("status"),
      flow: yield* by("run_flow"),
      backend: yield* by("backend"),
      outcome: together((yield* by("outcome_labels")).map(([labels, n]) => [outcomeOf(labels), n])),
      repo: yield* by("COALESCE(repo_slug, source_path, '')")
    },
    mean
  } satisfies Tally
})

const noRuns: Totals = { runs: 0, findings: 0, cost_usd: 0, unknown_cost: 0, first: null, last: null }
const noMeans: Tally["mean"] = {
  wall_clock_seconds: null,
  grounding_rate: null,
  coverage_ratio: null,
  composite_reward: null
}

const together = (counts: ReadonlyArray<readonly [string, number]>): Tally["by"]["outcome"] => {
  const sums = new Map<string, number>()
  for (const [name, n] of counts) sums.set(name, (sums.get(name) ?? 0) + n)
  return [...sums].sort(([, a], [, b]) => b - a)
}
