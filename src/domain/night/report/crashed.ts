/** The report of a night that was killed: what it wrote last, as `failed`. */
import { DateTime, Option } from "effect"
import { type Summary, spanOf } from "../Summary.ts"
import { failedSummary } from "./plannedSummary.ts"

/** A disk that is full from one moment to the next leaves the same. */
export const crashWords = "the night was killed, or could not write its report"

/** A report that says `planned` while no run holds the lock is one of a killed night. `finished_at` is its last sign of life. */
export const crashed = (planned: Summary): Summary => {
  const [start = 0] = millisOf([planned.started_at])
  const signs = millisOf([planned.finished_at, ...(planned.iterations ?? []).map(({ finished_at }) => finished_at)])
  return failedSummary({ ...planned, ...spanOf(start, Math.max(start, ...signs)) }, crashWords, "killed")
}

const millisOf = (times: ReadonlyArray<string>): ReadonlyArray<number> =>
  times.flatMap((time) => Option.toArray(Option.map(DateTime.make(time), DateTime.toEpochMillis)))
