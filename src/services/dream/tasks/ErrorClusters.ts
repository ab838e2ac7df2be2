/**
 * Task 2: the errors of a session by signature. A cluster needs two occurrences, or one of an error that another session had;
 * a single new error is none. Source: seed 001 (task 2), reference warden §2.1.
 */
import { Effect, Layer } from "effect"
import type { ErrorCluster } from "../../../domain/dream/SessionProfile.ts"
import type { SessionStep } from "../../../domain/dream/SessionView.ts"
import { DreamTasks } from "../DreamTasks.ts"

export const layer = Layer.effectDiscard(
  DreamTasks.use((tasks) =>
    tasks.add({
      place: 2,
      name: "error clusters",
      version: 3,
      about: "errors that occur twice in the session, or in more than one session",
      always: false,
      budget: 100,
      run: ({ profiles, session }) =>
        Effect.sync(() => {
          const all = errorsOf(session.steps)
          const known = new Set(profiles.flatMap(({ errors }) => errors))
          const clusters = all
            .filter(({ count, signature }) => count >= 2 || known.has(signature))
            .toSorted((a, b) => b.count - a.count || a.firstStep - b.firstStep)
            .slice(0, mostClusters)
          const errors = all.slice(-mostErrors).map(({ signature }) => signature)
          const summary = clusters.length === 0 ? "" : `${clusters.length} recurring`
          return { part: { clusters, errors }, contributions: [], summary }
        })
    })
  )
)

const mostClusters = 20
const mostErrors = 50
/** Of each of `files` and `commands`. */
const mostNames = 5

/** Failed calls by signature, in the order of their first occurrence. Denied and interrupted calls are no errors. */
export const errorsOf = (steps: ReadonlyArray<SessionStep>): ReadonlyArray<ErrorCluster> => {
  const found = new Map<string, Open>()
  /** Signatures that a success of the same check or call would resolve. */
  const failing = new Map<string, Set<string>>()
  for (const step of steps) {
    const subject = step.family ?? `${step.tool} ${step.files[0] ?? ""}`
    if (step.result === "ok") {
      for (const signature of failing.get(subject) ?? []) found.get(signature)!.failing.delete(subject)
      failing.delete(subject)
    }
    if (step.error === null) continue
    const { masked, trigger } = step.error
    const open = found.get(masked) ?? {
      ...{ trigger, count: 0, firstStep: step.step, lastStep: step.step },
      ...{ files: new Set<string>(), commands: new Set<string>(), failing: new Set<string>() }
    }
    found.set(masked, open)
    open.count++
    open.lastStep = step.step
    for (const file of [...step.files, ...step.named]) if (open.files.size < mostNames) open.files.add(file)
    if (step.family !== null && open.commands.size < mostNames) open.commands.add(step.family)
    open.failing.add(subject)
    failing.set(subject, (failing.get(subject) ?? new Set()).add(masked))
  }
  return [...found].map(([signature, { commands, failing: left, files, ...cluster }]) => ({
    ...{ signature, ...cluster, files: [...files], commands: [...commands] },
    resolved: left.size === 0
  }))
}

interface Open {
  readonly trigger: string | null
  count: number
  readonly firstStep: number
  lastStep: number
  readonly files: Set<string>
  readonly commands: Set<string>
  /** Checks and calls that failed with the error and have not succeeded since. */
  readonly failing: Set<string>
}
