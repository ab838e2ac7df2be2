/**
 * Task 2: the errors of a session by signature. A cluster needs two occurrences, or one of an error that another session had;
 * a single new error is none.
 */
import { Effect, Layer } from "effect"
import { failingChecks } from "../../../domain/dream/failingChecks.ts"
import type { ErrorCluster } from "../../../domain/dream/SessionProfile.ts"
import type { SessionStep } from "../../../domain/dream/SessionView.ts"
import { DreamTasks } from "../DreamTasks.ts"

export const layer = Layer.effectDiscard(
  DreamTasks.use((tasks) =>
    tasks.add({
      place: 2,
      name: "error clusters",
      version: 4,
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
  const failing = new Set(
    failingChecks(steps).flatMap(({ failures }) => failures.flatMap(({ error }) => error?.masked ?? []))
  )
  const all = Map.groupBy(
    steps.filter(({ error }) => error !== null),
    ({ error }) => error!.masked
  )
  return [...all].map(([signature, same]) => ({
    signature,
    trigger: same[0]!.error!.trigger,
    count: same.length,
    firstStep: same[0]!.step,
    lastStep: same.at(-1)!.step,
    files: [...new Set(same.flatMap(({ files, named }) => [...files, ...named]))].slice(0, mostNames),
    commands: [...new Set(same.flatMap(({ family }) => family ?? []))].slice(0, mostNames),
    resolved: !failing.has(signature)
  }))
}
