/** Task 1: the phases that a session went through, with turns, steps and times. */
import type { SessionProfile } from "../SessionProfile.ts"
import type { SessionView } from "../SessionView.ts"

/** The last runs are kept if there are more. */
const mostRuns = 50

/** Runs of activity phases in order, each ending where the next begins. Never empty. */
export const phaseArc = ({
  activity,
  endedAt,
  lastAt,
  startedAt,
  steps,
  turns
}: SessionView): SessionProfile["arc"] => {
  const starts = activity.filter(({ phase }, at) => at === 0 || phase !== activity[at - 1]!.phase)
  const runs = starts.map(({ at, phase, step }, index) => {
    const next = starts[index + 1]
    const first = index === 0 ? 1 : step
    const end = next?.step ?? steps.length + 1
    const firstTurn = steps[first - 1]?.turn ?? 0
    const lastTurn = steps[end - 2]?.turn ?? firstTurn
    return {
      phase,
      // A prompt that no call follows belongs to the last run.
      turns: (next === undefined ? turns : lastTurn) - firstTurn + (firstTurn === 0 ? 0 : 1),
      steps: end - first,
      from: Math.trunc(index === 0 ? startedAt : at),
      to: Math.trunc(next?.at ?? endedAt ?? lastAt)
    }
  })
  return runs.slice(-mostRuns)
}
