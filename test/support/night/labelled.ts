/** Labelled reviews and generations, as small as a test needs them. */
import type { RuleCalibration } from "../../../src/domain/finding/Calibration.ts"
import type { LearnedSuppression } from "../../../src/domain/finding/LearnedSuppression.ts"
import {
  emptyGeneration,
  Generation,
  type LearnedConvention,
  type LearnedPlaybook
} from "../../../src/domain/night/Generation.ts"
import type { LabelledFinding, LabelledReview } from "../../../src/domain/night/LabelledReview.ts"

/** 2026-11-01. */
export const measuredAt = Date.UTC(2026, 10, 1)

export const labelledFinding = (given: Partial<LabelledFinding> = {}): LabelledFinding => ({
  finding: 1,
  rule: "py/bare-except",
  title: "Bare except",
  file: "src/app.py",
  line: 3,
  severity: "medium",
  fingerprint: "f1",
  by: "static",
  hiddenBy: null,
  isGone: false,
  judgement: "accepted",
  judgedAt: measuredAt,
  weak: null,
  fixed: null,
  ...given
})

/** Its findings are numbered from 1 and are in its changed files. */
export const labelledReview = (
  session: string,
  findings: ReadonlyArray<Partial<LabelledFinding>>,
  given: Partial<LabelledReview> = {}
): LabelledReview => {
  const numbered = findings.map((finding, at) => labelledFinding({ finding: at + 1, ...finding }))
  return {
    session,
    at: measuredAt,
    changedFiles: [...new Set(numbered.map(({ file }) => file))],
    check: null,
    findings: numbered,
    hiddenBy: [],
    ...given
  }
}

const evidence = [{ session: "old", finding: 1 }]

export const suppressionOf = (
  rule: string,
  folder = "",
  given: Partial<LearnedSuppression> = {}
): LearnedSuppression => ({
  id: `sup-${rule}-${folder}`,
  rule,
  folder,
  rejected: 5,
  accepted: 0,
  evidence,
  since: 0,
  expires: measuredAt + 1,
  ...given
})

export const conventionOf = (rule: string, folder = "", given: Partial<LearnedConvention> = {}): LearnedConvention => ({
  id: `con-${rule}-${folder}`,
  rule,
  folder,
  text: `Avoid ${rule}`,
  maturity: "provisional",
  accepted: 3,
  rejected: 0,
  evidence,
  ...given
})

export const playbookOf = (rule: string, given: Partial<LearnedPlaybook> = {}): LearnedPlaybook => ({
  id: `pbk-${rule}`,
  rule,
  text: `Fix ${rule}`,
  check: "bun test",
  passed: 1,
  failed: 0,
  evidence,
  ...given
})

export const calibrationOf = (rule: string, probability: number, by = "static"): RuleCalibration => ({
  rule,
  by,
  accepted: Math.round(probability * 10),
  rejected: 10 - Math.round(probability * 10),
  probability
})

export const generationOf = (
  given: Partial<Pick<Generation, "calibration" | "conventions" | "playbooks" | "suppressions">>
): Generation => Generation.make({ ...emptyGeneration("shop"), number: 1, ...given })
