/** The exit codes, and which of them a finished review has. */
import { atLeast, type Finding } from "../../domain/finding/Finding.ts"
import { type FixReport, fixedIds } from "../../domain/fix/FixReport.ts"
import type { ReviewResult } from "../../domain/review/ReviewResult.ts"
import type { FailOn, OnInconclusive } from "../../domain/run/ReviewSettings.ts"

export const exitCodes = {
  pass: 0,
  /** Findings at or above `--fail-on`. */
  findings: 1,
  /** Usage or configuration. */
  usage: 2,
  /** Could not run: git, network, authentication. */
  couldNotRun: 3,
  /** Budget, timeout, refusal, unreadable reply: never shown as clean. */
  inconclusive: 4,
  interrupted: 130,
  terminated: 143
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

type Judged = Pick<Finding, "id" | "severity" | "new">

/** The findings that fail a review: new, at or above the threshold, and not fixed. */
export const failing = <A extends Judged>(
  result: { readonly findings: ReadonlyArray<A>; readonly fix: FixReport | null },
  failOn: FailOn
): ReadonlyArray<A> => {
  const fixed = fixedIds(result.fix)
  return failOn === "none"
    ? []
    : result.findings.filter(({ id, new: isNew, severity }) => isNew && !fixed.has(id) && atLeast(severity, failOn))
}

/** Findings take precedence over an incomplete review. One that is not complete passes only if the user allowed it. */
export const exitCodeFor = (
  result: {
    readonly status: ReviewResult["status"]
    readonly findings: ReadonlyArray<Judged>
    readonly fix: FixReport | null
  },
  failOn: FailOn,
  onInconclusive: OnInconclusive
): ExitCode => {
  if (failing(result, failOn).length > 0) return exitCodes.findings
  return result.status !== "complete" && onInconclusive === "fail" ? exitCodes.inconclusive : exitCodes.pass
}
