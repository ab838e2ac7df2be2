/** Runs the tasks over a planted month, one session after the other, and compares what they find with what was planted. */
import { Effect } from "effect"
import type { ProfilePart, SessionProfile } from "../../src/domain/dream/SessionProfile.ts"
import { viewOfSession } from "../../src/domain/dream/viewOfSession.ts"
import { profileOf, type TaskResult } from "../../src/services/dream/DreamPass.ts"
import { DreamTasks, type TaskInput } from "../../src/services/dream/DreamTasks.ts"
import type { Month } from "./plantedSessions.ts"

/** What a task found in a month, in the words in which plants say it. */
export interface Judge {
  readonly task: string
  readonly found: (profiles: ReadonlyArray<SessionProfile>) => ReadonlyArray<string>
}

/** What must be found in the session in which it was planted. */
export const inEachSession =
  (found: (profile: SessionProfile) => ReadonlyArray<string>): Judge["found"] =>
  (profiles) =>
    profiles.flatMap((profile) => found(profile).map((words) => `${profile.session}: ${words}`))

export interface Score {
  readonly task: string
  readonly planted: number
  readonly found: number
  readonly precision: number
  readonly recall: number
  readonly missed: ReadonlyArray<string>
  readonly wrong: ReadonlyArray<string>
}

export const scoreOf = ({ found, task }: Judge, { truths }: Month, profiles: ReadonlyArray<SessionProfile>): Score => {
  const own = truths.filter((truth) => truth.task === task)
  const ofSessions = own
    .filter(({ sessions }) => sessions === undefined)
    .map((truth) => `${truth.session}: ${truth.found}`)
  const ofMonth = [...Map.groupBy(own, (truth) => truth.found)].flatMap(([words, same]) => {
    const least = same[0]!.sessions
    return least !== undefined && new Set(same.map(({ session }) => session)).size >= least ? [words] : []
  })
  const planted = new Set([...ofSessions, ...ofMonth])
  const seen = new Set(found(profiles))
  const right = planted.intersection(seen).size
  return {
    task,
    planted: planted.size,
    found: seen.size,
    precision: seen.size === 0 ? 1 : right / seen.size,
    recall: planted.size === 0 ? 1 : right / planted.size,
    missed: [...planted.difference(seen)],
    wrong: [...seen.difference(planted)]
  }
}

/** The profiles of the sessions of a month, newest first, as passes one after the other make them. */
export const profilesOf = Effect.fnUntraced(function* (month: Month) {
  let profiles: ReadonlyArray<SessionProfile> = []
  for (const events of month.sessions) {
    const session = viewOfSession(events)!
    const { repository } = month
    const profile = yield* pass({
      session,
      profiles,
      artifacts: [],
      repository,
      found: {},
      now: session.lastAt + 60_000
    })
    profiles = [profile, ...profiles]
  }
  return profiles
})

/** All tasks in order, each seeing what those before it found. */
export const pass = Effect.fnUntraced(function* (input: TaskInput) {
  let found: ProfilePart = {}
  const results: Array<TaskResult> = []
  const tasks = yield* DreamTasks
  for (const task of tasks) {
    const output = yield* task.run({ ...input, found })
    found = { ...found, ...output.part }
    results.push({ task, output, reason: "" })
  }
  return profileOf(input.session, null, results, input.now)
})
