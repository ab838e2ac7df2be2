/** Selects archived runs, and parses the filter flags of the command line. */
import { DateTime, Option, Result } from "effect"
import { parseAge } from "../system/amounts.ts"
import type { Outcome } from "./LabelObservation.ts"

export interface CostBound {
  readonly operator: ">" | ">=" | "<" | "<=" | "="
  /** US dollars. */
  readonly usd: number
}

/** Runs of one pull request, or of any in a repository. */
export interface OfPullRequest {
  /** `owner/name`, in any case. */
  readonly repo: string
  /** Null: any. */
  readonly number: number | null
  /** Its commits that were reviewed: runs of these count that name no pull request. */
  readonly commits: ReadonlyArray<string>
}

export interface RunFilter {
  /** `owner/name`, a name alone, or a directory of the reviewed repository. */
  readonly repo: string | null
  /** UTC, ISO 8601: archived at this time or later. */
  readonly since: string | null
  readonly backend: string | null
  readonly label: Outcome | null
  /** `unknown`: runs of unknown cost. */
  readonly cost: CostBound | "unknown" | null
  readonly branch: string | null
  /** The status in the index. */
  readonly status: string | null
  readonly pullRequest: OfPullRequest | null
  /** The maximum number of runs, newest first; null: all. */
  readonly limit: number | null
}

export const everyRun: RunFilter = {
  repo: null,
  since: null,
  backend: null,
  label: null,
  cost: null,
  branch: null,
  status: null,
  pullRequest: null,
  limit: null
}

/** `>0.5`, `<=2`, `0` (exactly), `unknown`. Fails with the end of an error message. */
export const parseCost = (text: string): Result.Result<CostBound | "unknown", string> => {
  if (text.trim() === "unknown") return Result.succeed("unknown")
  const match = /^\s*(>=|<=|>|<|=)?\s*\$?(\d+(?:\.\d+)?)\s*$/.exec(text)
  if (match === null) return Result.fail(`must be like ">0.5", "<=2", "0" or "unknown", not "${text}"`)
  return Result.succeed({ operator: operators.find((known) => known === match[1]) ?? "=", usd: Number(match[2]) })
}

const operators = [">=", "<=", ">", "<", "="] as const

/** `90m`, `36h`, `7d`, `2w` before `now`, or a date or time; as UTC. */
export const parseMoment = (text: string, now: DateTime.Utc): Result.Result<string, string> => {
  const ago = parseAge(text)
  if (ago !== null) return Result.succeed(DateTime.formatIso(DateTime.subtractDuration(now, ago)))
  // A plain number could be a year or seconds.
  const given = /^\d{4}-\d{2}-\d{2}/.test(text.trim()) ? DateTime.make(text.trim()) : Option.none()
  return Option.match(given, {
    onNone: () => Result.fail(`must be an age like 12h, 7d or 2w, or a date like 2026-01-31, not "${text}"`),
    onSome: (at) => Result.succeed(DateTime.formatIso(DateTime.toUtc(at)))
  })
}
