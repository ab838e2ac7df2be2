/** How a command ends with a code other than 0 when it did what it was asked: `findings at or above --fail-on`. */
import { Data } from "effect"

export class Outcome extends Data.TaggedError("Outcome")<{ readonly code: number }> {}
