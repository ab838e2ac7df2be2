/** What a hook reports and records instead of a review if the user lets a push or commit go with `DD_SKIP`. */
import type { Degraded } from "../change/Degraded.ts"

const step = "hook"
const error = "Skipped"

export const skip = (what: "push" | "commit"): Degraded => ({
  step,
  error,
  detail: `DD_SKIP is set: the ${what} is not reviewed`,
  unchecked: "the change"
})

export const isSkip = (entry: Degraded): boolean => entry.step === step && entry.error === error
