/** Task 2: the errors of a session by signature. */
import { failingChecks } from "../failingChecks.ts"
import type { ErrorCluster, SessionProfile } from "../SessionProfile.ts"
import type { SessionStep } from "../SessionView.ts"

const mostClusters = 20
const mostErrors = 50
/** Of each of `files` and `commands`. */
const mostNames = 5

/** A cluster needs two occurrences, or one of an error that another session had; a single new error is none. */
export const errorClusters = (
  steps: ReadonlyArray<SessionStep>,
  profiles: ReadonlyArray<Pick<SessionProfile, "errors">>
): Pick<SessionProfile, "clusters" | "errors"> => {
  const all = errorsOf(steps)
  const known = new Set(profiles.flatMap(({ errors }) => errors))
  const clusters = all
    .filter(({ count, signature }) => count >= 2 || known.has(signature))
    .toSorted((a, b) => b.count - a.count || a.firstStep - b.firstStep)
    .slice(0, mostClusters)
  return { clusters, errors: all.slice(-mostErrors).map(({ signature }) => signature) }
}

/** Failed calls by signature, in the order of their first occurrence. Denied and interrupted calls are no errors. */
const errorsOf = (steps: ReadonlyArray<SessionStep>): ReadonlyArray<ErrorCluster> => {
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
