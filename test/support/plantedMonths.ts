/** The months by which tasks are judged: each has plants of one subject, so that the truth of one is not noise of another. */
import type { RepositoryView } from "../../src/domain/dream/RepositoryView.ts"
import type { Judge } from "./dreamScores.ts"
import { type Month, type Plant, PlantedSession, plantedMonth, Random } from "./plantedSessions.ts"
import { injectionJudge, injectionPlants, plantedRepository, projectJudges, projectPlants } from "./projectPlants.ts"
import { repairJudges, repairPlants } from "./repairPlants.ts"
import { workflowJudge, workflowPlants } from "./workflowPlants.ts"

export interface JudgedMonth {
  readonly name: string
  readonly judges: ReadonlyArray<Judge>
  /** `restless`: the share of calls before which something unrelated happens. */
  readonly month: (seed: number, restless: number) => Month
}

const sessions = 200
const monthOf = (
  name: string,
  plants: ReadonlyArray<Plant>,
  judges: ReadonlyArray<Judge>,
  repository: Partial<RepositoryView> = {}
): JudgedMonth => ({
  ...{ name, judges },
  month: (seed, restless) => plantedMonth({ seed, sessions, plants, restless, repository })
})

export const plantedMonths: ReadonlyArray<JudgedMonth> = [
  monthOf("errors, repairs and loops", repairPlants, repairJudges),
  monthOf("workflows", workflowPlants, [workflowJudge]),
  monthOf("habits, pairs and commands", projectPlants, projectJudges, plantedRepository),
  monthOf("injections", injectionPlants, [injectionJudge])
]

/** One session with everything that is planted in months, at least `events` long. */
export const longSession = (events: number): PlantedSession => {
  const session = new PlantedSession("long", new Random(1), 1_788_220_800_000)
  const plants = [...repairPlants, ...workflowPlants]
  for (let next = 0; session.events.length < events; next++) {
    if (next % 8 === 0) session.prompt("Go on with the next part")
    plants[next % plants.length]!(session)
    session.noise(3)
  }
  return session
}
