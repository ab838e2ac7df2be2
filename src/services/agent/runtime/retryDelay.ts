/** How long to wait before a turn is asked again, or that it is not worth it. */
import type { ModelError } from "../Model.ts"

/** Tries of one turn, the first included. What is not the protocol seldom becomes it. */
export const maxTries = ({ kind }: ModelError): number => (kind === "malformed" ? 2 : 5)
const first = 500
const longest = 30_000
/** A provider that asks for more has no room today. */
const patience = 120_000

/** Milliseconds after the `tries`th try; `chance` is from 0 to 1. Null: give up. */
export const retryDelay = (error: ModelError, tries: number, chance: number): number | null => {
  if (!error.retryable || tries >= maxTries(error)) return null
  const asked = error.retryAfterMillis ?? 0
  if (asked > patience) return null
  const growing = Math.min(longest, first * 2 ** (tries - 1))
  return Math.max(asked, growing * (0.5 + chance / 2))
}
