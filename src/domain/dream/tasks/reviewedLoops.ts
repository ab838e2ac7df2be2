/** Task 5: the loops of a session, resolved or not (`loopVerdicts`). One verdict for each kind and key: that of the last such loop. */
import type { SessionProfile } from "../SessionProfile.ts"
import type { SessionView } from "../SessionView.ts"
import { loopVerdicts } from "../sessionLoops.ts"
import { workflowWords } from "./workflows.ts"

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
