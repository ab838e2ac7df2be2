/** The report of a night that was killed: what it wrote at its start, as `failed`. */
import type { Summary } from "../Summary.ts"
import { afterFailure } from "./plannedSummary.ts"

export const crashWords = "the night was killed before it could report"

/** A report that says `planned` while no run holds the lock is one of a killed night. `finished_at` remains its last sign of life. */
export const crashed = (planned: Summary): Summary => ({
  ...planned,
  status: "failed",
  steps: planned.steps.map((step) => (step.status === "pending" ? { ...step, status: "skipped" } : step)),
  degraded: [...(planned.degraded ?? []), crashWords],
  failure_reason: crashWords,
  ...afterFailure(planned, "Run `dd dream start` again")
})
