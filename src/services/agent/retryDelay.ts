/** When a request to a model that failed is sent again. */
import type { ModelError } from "./Model.ts"

/** Including the first. A malformed answer rarely succeeds later. */
export const maxTries = ({ kind }: ModelError): number => (kind === "malformed" ? 2 : 5)
const first = 500
const longest = 30_000
/** If the provider asks for a longer wait, it is not sent again. */
const longestRequested = 120_000

/** In milliseconds; null: no retry. `chance`: random, from 0 to 1. */
export const retryDelay = (error: ModelError, tries: number, chance: number): number | null => {
  if (!error.retryable || tries >= maxTries(error)) return null
  const requested = error.retryAfterMillis ?? 0
  if (requested > longestRequested) return null
  const growing = Math.min(longest, first * 2 ** (tries - 1))
  return Math.max(requested, growing * (0.5 + chance / 2))
}
