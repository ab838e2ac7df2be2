/** The exit codes, and which of them a finished review has. */
import { atLeast, type Finding, type Severity } from "../../domain/finding/Finding.ts"
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

/**
 * Findings take precedence over an incomplete review; only new findings count. A review that is not complete passes
 * only if the user allowed it.
 */
export const exitCodeFor = (
  result: {
    readonly status: ReviewResult["status"]
    readonly findings: ReadonlyArray<Pick<Finding, "id" | "severity" | "new">>
    readonly fix: FixReport | null
  },
  failOn: FailOn,
  onInconclusive: OnInconclusive
): ExitCode => {
  const fixed = fixedIds(result.fix)
  const counts = ({ id, new: isNew, severity }: Pick<Finding, "id" | "severity" | "new">, least: Severity) =>
    isNew && !fixed.has(id) && atLeast(severity, least)
  if (failOn !== "none" && result.findings.some((finding) => counts(finding, failOn))) {
    return exitCodes.findings
  }
  return result.status !== "complete" && onInconclusive === "fail" ? exitCodes.inconclusive : exitCodes.pass
}
