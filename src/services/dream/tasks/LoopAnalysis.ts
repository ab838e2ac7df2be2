/**
 * Task 5: the loops of a session, resolved or not. A loop is unresolved if the session ends in it, or if what failed in it does
 * not succeed afterwards or fails again within ten steps. One verdict for each kind and key: that of the last such loop.
 * Source: seed 001 (task 5), reference warden §2.1.
 */
import { Effect, Layer } from "effect"
import type { SessionProfile } from "../../../domain/dream/SessionProfile.ts"
import type { SessionLoop, SessionStep, SessionView } from "../../../domain/dream/SessionView.ts"
import { recurrenceWindow } from "../../../domain/dream/tasks/repairs.ts"
import { workflowWords } from "../../../domain/dream/tasks/workflows.ts"
import { DreamTasks } from "../DreamTasks.ts"

export const layer = Layer.effectDiscard(
  DreamTasks.use((tasks) =>
    tasks.add({
      place: 5,
      name: "loop analysis",
      version: 1,
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
export const reviewedLoops = ({ loops, steps }: Pick<SessionView, "loops" | "steps">): SessionProfile["loops"] => {
  const last = new Map(loops.map((loop) => [`${loop.kind}\n${loop.key}`, loop]))
  const runs = Map.groupBy(
    steps.filter(({ action, family }) => action === "run" && family !== null),
    ({ family }) => family!
  )
  return [...last.values()]
    .map((loop) => {
      const left = loop.closedAt === null ? null : steps[loop.closedAt - 1]!
      return {
        kind: loop.kind,
        key: loop.key,
        openedAt: loop.openedAt,
        resolved: isResolved(loop, steps, runs),
        escape: left === null ? null : (workflowWords(left) ?? left.action)
      }
    })
    .toSorted((a, b) => Number(a.resolved) - Number(b.resolved) || b.openedAt - a.openedAt)
    .slice(0, mostLoops)
}

const isResolved = (
  { closedAt, firstStep, kind, openedAt }: SessionLoop,
  steps: ReadonlyArray<SessionStep>,
  runs: ReadonlyMap<string, ReadonlyArray<SessionStep>>
): boolean => {
  if (closedAt === null) return false
  if (kind === "read spiral" || kind === "low entropy") return true
  const target = steps
    .slice(firstStep - 1, openedAt)
    .findLast(({ action, result }) => action === "run" && result === "failed")
  if (target?.family == null) return true
  const later = (runs.get(target.family) ?? []).filter(({ step }) => step > openedAt)
  const success = later.find(({ result }) => result === "ok")
  if (success === undefined) return false
  return !later.some(
    ({ result, step }) => result === "failed" && step > success.step && step <= success.step + recurrenceWindow
  )
}
