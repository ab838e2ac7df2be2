import { Cause } from "effect"
import { oneLine } from "../../domain/text/Printable.ts"

/** Why something failed, in one line. */
export const reasonOf = (cause: Cause.Cause<unknown>): string => {
  if (Cause.hasInterruptsOnly(cause)) return "was interrupted"
  const error = Cause.squash(cause)
  return oneLine(error instanceof Error ? error.message || error.name : String(error)).slice(0, 300)
}
