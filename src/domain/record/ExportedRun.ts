/** An archived run as a line for other programs: its row as of a given time, its findings and labels. */
import {
  type ArchivedFinding,
  type FindingsFile,
  type SuppressedFinding,
  suppressedIn
} from "../review/FindingsFile.ts"
import { ArchivedRun } from "./ArchivedRun.ts"
import type { FindingLabel } from "./FindingLabel.ts"
import { type LabelObservation, winning } from "./LabelObservation.ts"

/** `label` is that of a reader, not the words at the columns. */
type WithLabel<A> = Omit<A, "label"> & { readonly label: FindingLabel | null }

export interface ExportedRun {
  readonly run: ArchivedRun
  readonly observations: ReadonlyArray<LabelObservation>
  readonly findings: ReadonlyArray<WithLabel<ArchivedFinding>>
  /** Those with a number. */
  readonly suppressed: ReadonlyArray<WithLabel<SuppressedFinding>>
}

/** `labels` has the labels up to the given time; later ones in the row are removed. `reward` is from the evaluation. */
export const exportedRun = (
  row: ArchivedRun,
  reward: number | null,
  file: FindingsFile | null,
  labels: { readonly observations: ReadonlyArray<LabelObservation>; readonly findings: ReadonlyArray<FindingLabel> }
): ExportedRun => {
  const best = winning(labels.observations)
  const withLabel = <A extends ArchivedFinding>(finding: A): WithLabel<A> => ({
    ...finding,
    label: winning(labels.findings.filter((label) => label.finding === finding.id))
  })
  return {
    run: ArchivedRun.make({
      ...row,
      outcome_labels: best?.labels ?? "[]",
      labeled_at: best?.observed_at ?? null,
      rubric_json: best?.rubric_json ?? null,
      composite_reward: best?.composite_reward ?? reward,
      has_posterior: best?.has_posterior ?? 0
    }),
    observations: labels.observations,
    findings: (file?.findings ?? []).map(withLabel),
    suppressed: (file === null ? [] : suppressedIn(file)).map(withLabel)
  }
}
