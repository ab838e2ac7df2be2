/**
 * Task 5: the loops of a session, resolved or not (`loopVerdicts`). One verdict for each kind and key: that of the last such
 * loop.
 */
import { Effect, Layer } from "effect"
import type { SessionProfile } from "../../../domain/dream/SessionProfile.ts"
import type { SessionView } from "../../../domain/dream/SessionView.ts"
import { loopVerdicts } from "../../../domain/dream/sessionLoops.ts"
import { workflowWords } from "../../../domain/dream/tasks/workflows.ts"
import { DreamTasks } from "../DreamTasks.ts"

export const layer = Layer.effectDiscard(
  DreamTasks.use((tasks) =>
    tasks.add({
      place: 5,
      name: "loop analysis",
      version: 2,
      about: "whether the session escaped from its loops, and how",
      always: false,
      budget: 100,
      run: ({ session }) =>
        Effect.sync(() => {
          const loops = reviewedLoops(session)
          const open = loops.filter(({ resolved }) => !resolved).length
          const summary = loops.length === 0 ? "" : `${loops.length - open} resolved, ${open} unresolved`
          return { part: { loops }, contributions: [], summary }
        })
    })
  )
)

const mostLoops = 20

/** Unresolved ones first, then the latest. */
export const reviewedLoops = (session: Pick<SessionView, "loops" | "outcome" | "steps">): SessionProfile["loops"] => {
  const { loops, steps } = session
  const last = new Map(loops.map((loop) => [`${loop.kind}\n${loop.key}`, loop]))
  const isResolved = loopVerdicts(session)
  return [...last.values()]
    .map((loop) => {
      const left = loop.closedAt === null ? null : steps[loop.closedAt - 1]!
      return {
        kind: loop.kind,
        key: loop.key,
        openedAt: loop.openedAt,
        resolved: isResolved(loop),
        escape: left === null ? null : (workflowWords(left) ?? left.action)
      }
    })
    .toSorted((a, b) => Number(a.resolved) - Number(b.resolved) || b.openedAt - a.openedAt)
    .slice(0, mostLoops)
}
