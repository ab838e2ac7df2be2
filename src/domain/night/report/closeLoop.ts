/** What a night did to the corpus, in counts: the object `close_loop` of the summary. Source: reference dream-report §10.4. */
import type { Generation } from "../Generation.ts"

export const closeLoopOf = (night: {
  readonly before: Generation
  readonly after: Generation
  readonly reviews: number
  /** Labels of people, and those of them that the night before did not know. */
  readonly labels: number
  readonly newLabels: number
}) => {
  const { after, before, labels, newLabels, reviews } = night
  const [old, now] = [itemsOf(before), itemsOf(after)]
  const promoted = [...now].filter((id) => !old.has(id)).length
  return {
    source: "dd",
    generation_before: before.number,
    generation_after: after.number,
    reviews,
    ingested: labels,
    promoted,
    expired: [...old].filter((id) => !now.has(id)).length,
    contested: after.conventions.filter(({ maturity }) => maturity === "contested").length,
    suppressions: after.suppressions.length,
    conventions: after.conventions.length,
    playbooks: after.playbooks.length,
    calibrated_rules: after.calibration.length,
    throughput_stalled: isStalled(newLabels, promoted)
  }
}

/** Labels come in, and nothing is learned from them. */
export const isStalled = (ingested: number, promoted: number): boolean => ingested > 0 && promoted === 0

const itemsOf = ({ conventions, playbooks, suppressions }: Generation): ReadonlySet<string> =>
  new Set([...suppressions, ...conventions, ...playbooks].map(({ id }) => id))
