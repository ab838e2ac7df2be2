/**
 * Task 3: what repaired an error, as playbooks (several steps) and repair patterns (one step). Repairs that were known or
 * given to the assistant and did not help count against themselves.
 */
import { Effect, Layer } from "effect"
import {
  episodesOf,
  injectedInVain,
  type Observed,
  observedIn,
  repairContributions
} from "../../../domain/dream/tasks/repairs.ts"
import { DreamTasks, type TaskInput } from "../DreamTasks.ts"

export const layer = Layer.effectDiscard(
  DreamTasks.use((tasks) =>
    tasks.add({
      place: 3,
      name: "repair sequences",
      version: 4,
      about: "errors that were followed by changes and a successful run of the same check",
      always: false,
      budget: 500,
      run
    })
  )
)

const run = Effect.fnUntraced(function* ({ artifacts, profiles, session }: TaskInput) {
  const observed: Array<Observed> = []
  for (const episode of episodesOf(session.steps)) {
    observed.push(observedIn(episode, session))
    if (observed.length % 32 === 0) yield* Effect.yieldNow
  }
  const known = new Set([
    ...artifacts.map(({ key }) => key),
    ...profiles.flatMap(({ contributions }) => contributions.flatMap(({ key, s }) => (s > 0 ? [key] : [])))
  ])
  const found = repairContributions(observed, known)
  const worked = found.filter(({ s }) => s > 0)
  const inVain = injectedInVain(session, artifacts).filter(({ key }) => !found.some((each) => each.key === key))
  return {
    part: {},
    contributions: [...found, ...inVain.map((repair) => ({ ...repair, s: 0, f: 1 }))],
    summary: worked.length === 0 ? "" : `${worked.length} ${worked.length === 1 ? "repair" : "repairs"}`
  }
})
