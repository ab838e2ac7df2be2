/**
 * `--loop N`: passes that review and fix until no findings are left. A pass is a run of its own, whose change ends at the
 * commit of the pass before.
 */
import { type FixReport, fixedIds } from "../fix/FixReport.ts"
import type { Pass } from "./Pass.ts"
import type { ReviewResult } from "./ReviewResult.ts"

/** The current pass. */
export interface Loop {
  /** From 1. */
  readonly pass: number
  readonly atMost: number
  /** The passes before it, in order. */
  readonly before: ReadonlyArray<Pass>
}

export const passOf = ({ cost, findings, fix, run }: Omit<ReviewResult, "passes">): Pass => {
  const fixed = fixedIds(fix)
  const fresh = findings.filter((finding) => finding.new)
  return {
    sessionId: run.sessionId,
    findings: fresh.length,
    fixed: fresh.filter(({ id }) => fixed.has(id)).length,
    commit: fix?.commit ?? null,
    tests: fix?.tests?.after?.outcome ?? null,
    usd: cost.usd
  }
}

/** Another pass follows a commit, also if it left no findings: they are reviewed again. `code`: of the flow. */
export const goesOn = ({ atMost, pass }: Loop, code: number, fix: FixReport | null): boolean =>
  code === 0 && pass < atMost && fix !== null && fix.commit !== null

/** What the passes before have cost, in US dollars; null if that of one is unknown. */
export const costBefore = (loop: Loop | null): number | null =>
  (loop?.before ?? []).reduce((sum: number | null, { usd }) => (sum === null || usd === null ? null : sum + usd), 0)

/** "Pass 1 of 5 fixed 2 of 3 findings and committed as 1a2b3c4d5e6f, tests passed" */
export const passWords = ({ commit, findings, fixed, tests }: Pass, number: number, { atMost }: Loop): string => {
  const tested = tests === null ? "without tests" : `tests ${tests}`
  const committed = commit === null ? "" : ` and committed as ${commit.slice(0, 12)}, ${tested}`
  return `Pass ${number} of ${atMost} fixed ${fixed} of ${findings} finding${findings === 1 ? "" : "s"}${committed}`
}

/** How the last pass ended the loop, as a sentence; "" if it found nothing. */
export const endWords = ({ findings, fixed }: Pass, { atMost, pass }: Loop): string => {
  if (findings === 0) return ""
  const left = findings - fixed
  const state = left > 0 ? `with ${left} finding${left === 1 ? "" : "s"} left` : "and its fixes were not reviewed again"
  return `The loop ended at pass ${pass} of ${atMost}, ${state}.`
}
