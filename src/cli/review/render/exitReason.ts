/** The reason for the exit code of a review, in one line. */
import type { ReviewResult } from "../../../domain/review/ReviewResult.ts"
import type { FailOn } from "../../../domain/run/ReviewSettings.ts"
import { plural } from "../../../domain/text/plural.ts"
import { exitCodes, failing } from "../../system/exitCode.ts"

/** Null if nothing needs a reason: no findings, no `--fail-on`, and the review is complete. */
export const exitReason = (
  result: ReviewResult,
  { exitCode, failOn }: { readonly exitCode: number; readonly failOn: FailOn }
): string | null => {
  const count = failing(result, failOn).length
  const threshold = failOn === "low" ? "" : ` at or above ${failOn}`
  switch (exitCode) {
    case exitCodes.findings:
      return count > 0
        ? `Failed: ${plural(count, "finding")}${threshold}.`
        : "Failed: fixing did not succeed; the report above says why."
    case exitCodes.inconclusive:
      return "Failed: the review is not complete; --on-inconclusive pass accepts that."
    case exitCodes.pass:
      if (result.status !== "complete") return "Passed, although the review is not complete (--on-inconclusive pass)."
      if (failOn === "none")
        return result.findings.length === 0 ? null : "Passed: findings do not fail a run without --fail-on."
      return isUnread(result) ? "Passed, although no changed file was checked." : `Passed: no new finding${threshold}.`
    default:
      return `Failed with exit code ${exitCode}.`
  }
}

/** There are changed files, and none was reviewed. */
const isUnread = ({ coverage, findings }: ReviewResult): boolean =>
  findings.length === 0 && coverage.filesInDiff > 0 && coverage.filesReviewed === 0
