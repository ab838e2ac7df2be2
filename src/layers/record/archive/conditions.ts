import { labelsOf, type Outcome } from "../../../domain/record/LabelObservation.ts"
import type { OfPullRequest, RunFilter } from "../../../domain/record/RunFilter.ts"

export interface Conditions {
  readonly where: string
  readonly parameters: ReadonlyArray<string | number>
}

type Condition = readonly [string, ReadonlyArray<string | number>]

/**
 * `common`: conditions that many runs meet, for which a scan by time finds the newest faster than the index of the
 * column. A `+` before the column disables that index.
 */
export const conditionsOf = (
  { backend, branch, cost, label, pullRequest, repo, since, status }: RunFilter,
  common: ReadonlySet<"repo" | "label"> = new Set()
): Conditions => {
  const parts: Array<Condition> = []
  if (repo !== null) parts.push(repoCondition(repo, common.has("repo") ? "+" : ""))
  if (since !== null) parts.push(["archived_at >= ?", [since]])
  if (backend !== null) parts.push(["backend = ?", [backend]])
  if (label !== null) parts.push(labelCondition(label, common.has("label") ? "+" : ""))
  if (cost === "unknown") parts.push(["total_cost_usd IS NULL", []])
  else if (cost !== null) parts.push([`total_cost_usd ${cost.operator} ?`, [cost.usd]])
  if (branch !== null) parts.push(["branch = ?", [branch]])
  if (status !== null) parts.push(["status = ?", [status]])
  if (pullRequest !== null) parts.push(pullRequestCondition(pullRequest))
  return {
    where: parts.length === 0 ? "" : `WHERE ${parts.map(([condition]) => condition).join(" AND ")}`,
    parameters: parts.flatMap(([, given]) => given)
  }
}

/** Other programs may have written more than one label; the first one counts. */
const labelCondition = (label: Outcome, plus: string): Condition =>
  label === "unknown"
    ? [`${plus}outcome_labels = ?`, [labelsOf(label)]]
    : [
        `(${plus}outcome_labels = ? OR (${plus}outcome_labels > ? AND ${plus}outcome_labels < ?))`,
        [labelsOf(label), `["${label}",`, `["${label}"-`]
      ]

/** A clone without a remote has no name; then the commit alone identifies its run. */
const pullRequestCondition = ({ commits, number, repo }: OfPullRequest): Condition => [
  `((lower(COALESCE(pr_repo, repo_slug)) = lower(?) AND pr_number ${number === null ? "IS NOT NULL" : "= ?"})
    OR (pr_number IS NULL AND lower(COALESCE(repo_slug, ?)) = lower(?) AND head_sha IN (SELECT value FROM json_each(?))))`,
  [repo, ...(number === null ? [] : [number]), repo, repo, JSON.stringify(commits)]
]

const repoCondition = (repo: string, plus: string): Condition => {
  if (repo.startsWith("/")) return ["source_path = ?", [repo]]
  if (repo.includes("/")) return [`${plus}repo_slug = ?`, [repo]]
  const ending = `%/${repo.replaceAll(/[\\%_]/g, "\\$&")}`
  return ["(repo_slug LIKE ? ESCAPE '\\' OR source_path LIKE ? ESCAPE '\\')", [ending, ending]]
}

/** The conditions of a filter that have an index, each alone. */
export const indexed = (filter: RunFilter): ReadonlyArray<readonly ["repo" | "label", Conditions]> => {
  const parts: ReadonlyArray<readonly ["repo" | "label", Condition | null]> = [
    [
      "repo",
      filter.repo?.includes("/") === true && !filter.repo.startsWith("/") ? repoCondition(filter.repo, "") : null
    ],
    ["label", filter.label === null ? null : labelCondition(filter.label, "")]
  ]
  return parts.flatMap(([name, part]) =>
    part === null ? [] : [[name, { where: `WHERE ${part[0]}`, parameters: part[1] }] as const]
  )
}
