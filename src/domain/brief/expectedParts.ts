import type { Change } from "../change/Change.ts"
import { type Part, parts } from "./Brief.ts"

export interface ExpectedPart {
  readonly part: Part
  /** Why the brief will not have it; null if it is looked for. */
  readonly missing: string | null
}

const ofRepository: ReadonlySet<Part> = new Set(["definitions", "dependents", "tests"])
const ofHistory: ReadonlySet<Part> = new Set(["companions", "history", "people"])

/** The parts that a brief of this change can have, for a preview. */
export const expectedParts = ({ base, head }: Change): ReadonlyArray<ExpectedPart> =>
  parts.map((part) => {
    const isPatch = head._tag === "Unknown"
    if (isPatch && (ofRepository.has(part) || ofHistory.has(part)))
      return { part, missing: "the patch has no repository" }
    if (base._tag === "Empty" && ofHistory.has(part)) return { part, missing: "there is no history before the change" }
    return { part, missing: null }
  })
