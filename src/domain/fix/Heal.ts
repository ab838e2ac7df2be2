/** What follows from the result of the tests after a fix. */
import type { EnvironmentalKind } from "./environmentalFault.ts"
import type { TestResult } from "./TestResult.ts"

export type Comparison = "green" | "not-worse" | "worse" | "environment" | "unknown"

/** `baseline`: the result before any fix; null if the tests did not run then. */
export const compare = (baseline: TestResult | null, after: TestResult): Comparison => {
  switch (after.outcome) {
    case "passed":
      return "green"
    case "not-run":
      return "unknown"
    case "environment":
      return after.fault !== null && ofCode.has(after.fault) && hasRun(baseline) ? "worse" : "environment"
    case "timed-out":
      return baseline?.outcome === "passed" || baseline?.outcome === "failed" ? "worse" : "unknown"
    default:
      if (baseline?.outcome === "passed") return "worse"
      return baseline?.outcome === "failed" ? compareFailed(baseline, after) : "unknown"
  }
}

/** What was there in the run before and is now missing is missing because of an edit. */
const ofCode: ReadonlySet<EnvironmentalKind> = new Set(["command", "dependency"])
const hasRun = (baseline: TestResult | null): boolean =>
  baseline?.outcome === "passed" || baseline?.outcome === "failed"

const compareFailed = (before: TestResult, after: TestResult): Comparison => {
  // A runner that was killed has not run all tests.
  if (isSignal(after.exitCode) && after.exitCode !== before.exitCode) return "worse"
  if (after.failing === null) return before.failing === null ? "unknown" : "worse"
  if (before.failing === null) return "unknown"
  const known = new Set(before.failing)
  return after.failing.every((name) => known.has(name)) ? "not-worse" : "worse"
}

const isSignal = (exitCode: number | null): boolean => exitCode !== null && exitCode > 128

export type Attendance = "unattended" | "yes" | "interactive"

/**
 * `attemptsMade`: how often a fix has already been repeated because of the tests. Under `--yes` it is repeated once,
 * unattended never.
 */
export const nextAction = ({
  attemptsMade,
  comparison,
  mode
}: {
  readonly comparison: Comparison
  readonly attemptsMade: number
  readonly mode: Attendance
}): "accept" | "heal" | "ask" | "stop" => {
  switch (comparison) {
    case "green":
    case "not-worse":
      return "accept"
    case "environment":
      return "stop"
    case "unknown":
      return mode === "interactive" ? "ask" : "stop"
    case "worse":
      if (mode === "interactive") return "ask"
      return mode === "yes" && attemptsMade === 0 ? "heal" : "stop"
  }
}
