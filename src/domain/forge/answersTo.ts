/** What is answered to the threads of a bot: that a fix is in the pull request, or why there is none. */
import type { Dropped, Finding } from "../finding/Finding.ts"
import type { FixReport } from "../fix/FixReport.ts"
import { isFixed, type Outcome } from "../fix/Outcome.ts"
import { type AnswerKind, type Feedback, refOf } from "../review/Feedback.ts"
import { cleanMarkdown, codeSpan } from "./Cleaning.ts"

export interface ThreadAnswer {
  readonly ref: string
  readonly kind: AnswerKind
  readonly text: string
}

export interface Judged {
  readonly findings: ReadonlyArray<Finding>
  /** Comments that the code contradicts. */
  readonly contradicted: ReadonlyArray<Dropped>
}

/**
 * Nothing is answered about a comment that dd could not work on: without a model, after a failed agent, if the user did not
 * want the fixes, or if they could not be applied.
 */
export const answersTo = (
  { comments, pushed }: Feedback,
  { contradicted, findings }: Judged,
  fix: FixReport | null,
  redact: (text: string) => string
): ReadonlyArray<ThreadAnswer> => {
  const byRef = new Map(findings.map((finding) => [refOf(finding), finding]))
  const against = new Map(contradicted.map(({ reason, record }) => [refOf(record), reason]))
  return comments.flatMap(({ fixedIn, isAnswered, kind, ref }): ReadonlyArray<ThreadAnswer> => {
    if (kind !== "thread" || isAnswered) return []
    if (fixedIn !== null) return [{ ref, kind: "fixed", text: fixedText(fixedIn) }]
    if (fix === null || fix.detail === declined) return []
    const outcome = fix.outcomes.find(({ id }) => id === byRef.get(ref)?.id)
    if (outcome !== undefined && isFixed(outcome) && pushed !== null) {
      return [{ ref, kind: "fixed", text: fixedText(pushed) }]
    }
    const disproof = against.get(ref)
    const reason =
      disproof !== undefined ? `Not changed: ${disproof}` : outcome === undefined ? null : reasonOf(outcome, fix)
    return reason === null ? [] : [{ ref, kind: "open", text: cleanMarkdown(redact(reason), longestReason) }]
  })
}

/** In `FixReport.detail`, if the user said no. */
const declined = "declined"

/** In characters. */
const longestReason = 1500

const fixedText = (sha: string): string => `Fixed in ${codeSpan(sha.slice(0, 7))}.`

const reasonOf = ({ detail, status }: Outcome, { patch, tests }: FixReport): string | null => {
  switch (status) {
    case "unresolved":
    case "wrong-target":
    case "regressed":
    case "off-limits":
      return `Not fixed: ${detail}`
    case "resolved":
    case "changed":
      return patch === "recommended" && tests?.comparison === "worse"
        ? "Not fixed: with a fix of it, the tests are worse than before."
        : null
    case "blocked":
    case "no-fix":
    case "failed":
      return null
  }
}
