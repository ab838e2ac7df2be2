/** An archived run as a line for another program: its row as it was known at a time, its findings, and what was said. */

import type { ArchivedFinding, FindingsFile } from "../review/FindingsFile.ts"
import { ArchivedRun } from "./ArchivedRun.ts"
import type { FindingLabel } from "./FindingLabel.ts"
import { type LabelObservation, winning } from "./LabelObservation.ts"

export interface ExportedRun {
  readonly run: ArchivedRun
  readonly observations: ReadonlyArray<LabelObservation>
  readonly findings: ReadonlyArray<ArchivedFinding & { readonly label: FindingLabel | null }>
}

/**
 * `observations` and `labels` are those that count at the time asked for; whatever else the row knows of labels is
 * later, and left out. `reward` is what the run was judged to be worth when it was archived.
 */
export const exportedRun = (
  row: ArchivedRun,
  reward: number | null,
  file: FindingsFile | null,
  said: { readonly observations: ReadonlyArray<LabelObservation>; readonly findings: ReadonlyArray<FindingLabel> }
): ExportedRun => {
  const best = winning(said.observations)
  return {
    run: ArchivedRun.make({
      ...row,
      outcome_labels: best?.labels ?? "[]",
      labeled_at: best?.observed_at ?? null,
      rubric_json: best?.rubric_json ?? null,
      composite_reward: best?.composite_reward ?? reward,
      has_posterior: best?.has_posterior ?? 0
    }),
    observations: said.observations,
    findings: (file?.findings ?? []).map((finding) => ({
      ...finding,
      label: winning(said.findings.filter((label) => label.finding === finding.id))
    }))
  }
}
