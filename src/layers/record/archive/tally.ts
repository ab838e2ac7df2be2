/** The archive, counted. */
import { Effect } from "effect"
import { outcomeOf } from "../../../domain/record/LabelObservation.ts"
import type { RunFilter } from "../../../domain/record/RunFilter.ts"
import type { Tally } from "../../../services/record/ArchiveIndex.ts"
import { conditionsOf } from "./conditions.ts"
import type { Connection } from "./connection.ts"

interface Sums {
  readonly runs: number
  readonly findings: number
  readonly cost: number
  readonly unknown: number
  readonly first: string | null
  readonly last: string | null
  readonly wall: number | null
  readonly grounding: number | null
  readonly coverage: number | null
  readonly reward: number | null
}

export const tally = Effect.fnUntraced(function* (ask: Connection["ask"], filter: RunFilter) {
  const { parameters, where } = conditionsOf(filter)
  const [sums] = yield* ask<Sums>(
    `SELECT COUNT(*) runs, COALESCE(SUM(total_findings), 0) findings, COALESCE(SUM(total_cost_usd), 0) cost,
       COALESCE(SUM(total_cost_usd IS NULL), 0) unknown, MIN(archived_at) first, MAX(archived_at) last,
       AVG(wall_clock_seconds) wall, AVG(grounding_rate) grounding, AVG(coverage_ratio) coverage,
       AVG(composite_reward) reward FROM runs ${where}`,
    parameters
  )
  const by = (column: string) =>
    ask<{ name: string; n: number }>(
      `SELECT ${column} name, COUNT(*) n FROM runs ${where} GROUP BY 1 ORDER BY n DESC, name`,
      parameters
    ).pipe(Effect.map((rows) => rows.map(({ n, name }) => [name, n] as const)))
  const [findings] = yield* ask<{ n: number }>("SELECT COUNT(*) n FROM finding_labels")
  const counted: Tally = {
    runs: sums?.runs ?? 0,
    findings: sums?.findings ?? 0,
    costUsd: sums?.cost ?? 0,
    unknownCost: sums?.unknown ?? 0,
    labelledFindings: findings?.n ?? 0,
    first: sums?.first ?? null,
    last: sums?.last ?? null,
    by: {
      status: yield* by("status"),
      flow: yield* by("run_flow"),
      backend: yield* by("backend"),
      outcome: together((yield* by("outcome_labels")).map(([labels, n]) => [outcomeOf(labels), n])),
      repo: yield* by("COALESCE(repo_slug, source_path, '')")
    },
    mean: {
      wallClockSeconds: sums?.wall ?? null,
      groundingRate: sums?.grounding ?? null,
      coverageRatio: sums?.coverage ?? null,
      compositeReward: sums?.reward ?? null
    }
  }
  return counted
})

const together = (counts: ReadonlyArray<readonly [string, number]>): Tally["by"]["outcome"] => {
  const sums = new Map<string, number>()
  for (const [name, n] of counts) sums.set(name, (sums.get(name) ?? 0) + n)
  return [...sums].sort(([, a], [, b]) => b - a)
}
