/** The confidence of findings as the labels of their rules support it, in the order that follows from it. */
import { calibrated, type RuleCalibration } from "../../domain/finding/Calibration.ts"
import { byImportance, Finding } from "../../domain/finding/Finding.ts"

/**
 * `reviewers`: the backends that reviewed, each with its model in parentheses. What people said of a model's findings counts for
 * that model only, and not if several models reviewed.
 */
export const calibratedFindings = (
  findings: ReadonlyArray<Finding>,
  calibration: ReadonlyArray<RuleCalibration>,
  reviewers: ReadonlyArray<string>
): { readonly kept: ReadonlyArray<Finding>; readonly notes: ReadonlyArray<string> } => {
  const models = reviewers.filter((name) => name !== "static")
  const changed = new Map<string, string>()
  const kept = findings.map((finding) => {
    const known = calibration.find(
      ({ by, rule }) =>
        rule === finding.rule &&
        (finding.source === "static" ? by === "static" : models.length === 1 && names(models[0] ?? "", by))
    )
    const confidence = calibrated(finding.confidence, known ?? null)
    if (known === undefined || confidence === finding.confidence) return finding
    const { accepted, rejected, rule } = known
    changed.set(rule, `${rule} is ${confidence} (people accepted ${accepted} of ${accepted + rejected})`)
    return Finding.make({ ...finding, confidence })
  })
  if (changed.size === 0) return { kept: findings, notes: [] }
  const rules = [...changed.values()].toSorted().join(", ")
  return {
    kept: kept.toSorted(byImportance),
    notes: [`Confidence from labels: ${rules}; --no-learned reports dd's own`]
  }
}

/** `anthropic (claude-x)` names the backend and the model. */
const names = (reviewer: string, by: string): boolean =>
  by !== "static" && (reviewer === by || reviewer.startsWith(`${by} (`) || reviewer.endsWith(` (${by})`))
