/** Task 6: trust, focus and debt at the start, at each change of phase and at the end. */
import type { SessionProfile } from "../SessionProfile.ts"
import type { SessionView } from "../SessionView.ts"

const mostPoints = 24

/** `phase` is the health phase. If the phases change more often, points in equal distances are kept, the ends always. */
export const trustTrajectory = ({
  activity,
  health,
  samples
}: Pick<SessionView, "activity" | "health" | "samples">): NonNullable<SessionProfile["trust"]> => {
  const first = samples[0]!
  const last = samples.at(-1)!
  const steps = [...new Set([first.step, ...[...health, ...activity].map(({ step }) => step), last.step])]
  const sorted = steps.toSorted((a, b) => a - b)
  const count = Math.min(mostPoints, sorted.length)
  const kept = Array.from({ length: count }, (_, at) =>
    count === 1 ? sorted[0]! : sorted[Math.round((at * (sorted.length - 1)) / (count - 1))]!
  )
  const values = samples.map(({ trust }) => trust)
  return {
    // There is one sample for each step, the first for step 0.
    points: kept.map((step) => {
      const { debt, focus, health: phase, trust } = samples[step]!
      return { step, phase, trust, focus, debt }
    }),
    min: values.reduce((least, value) => Math.min(least, value), last.trust),
    mean: Math.round((values.reduce((sum, value) => sum + value, 0) / values.length) * 10) / 10,
    end: last.trust,
    delta: last.trust - first.trust
  }
}
