/** Tasks 4, 7, 8 and 9 over months with known truth, and as services. */
import { describe, expect } from "bun:test"
import { Effect, Fiber } from "effect"
import { viewOfSession } from "../../../../src/domain/dream/viewOfSession.ts"
import { tasks } from "../../../../src/layers/DreamLive.ts"
import { DreamTasks, type TaskInput } from "../../../../src/services/dream/DreamTasks.ts"
import { type Judge, profilesOf, scoreOf } from "../../../support/dreamScores.ts"
import { it } from "../../../support/effect.ts"
import { emptyRepository, type Plant, plantedMonth } from "../../../support/plantedSessions.ts"
import {
  injectionJudge,
  injectionPlants,
  plantedRepository,
  projectJudges,
  projectPlants
} from "../../../support/projectPlants.ts"
import { edit, eventsOf, prompt } from "../../../support/sessionEvents.ts"

const scores = (plants: ReadonlyArray<Plant>, sessions: number, judges: ReadonlyArray<Judge>) =>
  Effect.gen(function* () {
    const month = plantedMonth({ seed: 1, sessions, plants, repository: plantedRepository })
    const profiles = yield* profilesOf(month)
    return judges.map((judge) => scoreOf(judge, month, profiles))
  }).pipe(Effect.provide(tasks))

const input = (given: Partial<TaskInput>): TaskInput => ({
  session: viewOfSession(eventsOf([prompt(), ...edit("a-b.ts")]))!,
  profiles: [],
  artifacts: [],
  repository: emptyRepository,
  found: {},
  now: 0,
  ...given
})

const runTask = (name: string, given: Partial<TaskInput>) =>
  DreamTasks.use((every) => every.find((task) => task.name === name)!.run(input(given)))

describe("a planted month", () => {
  it.live("is found: habits, commands, pairs and denials at nine of ten or better, each way", () =>
    Effect.gen(function* () {
      const found = yield* scores(projectPlants, 100, projectJudges)
      expect(found).toHaveLength(4)
      for (const { missed, planted, precision, recall, wrong } of found) {
        expect(planted).toBeGreaterThan(0)
        expect([precision >= 0.9, recall >= 0.9], [...missed, ...wrong].join()).toEqual([true, true])
      }
    })
  )

  it.live("is found: injections with, without and with a bad effect", () =>
    Effect.gen(function* () {
      const [score] = yield* scores(injectionPlants, 10, [injectionJudge])
      expect([score!.planted, score!.precision >= 0.9, score!.recall >= 0.9]).toEqual([30, true, true])
    })
  )
})

describe("the tasks", () => {
  const files = Array.from({ length: 3_000 }, (_, at) => `part-${at}.ts`)

  it.live("count the habits of a commit once", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const text = (path: string) => {
        asked.push(path)
        return null
      }
      const repository = { ...emptyRepository, files, text }
      yield* Effect.gen(function* () {
        const first = yield* runTask("conventions", { repository })
        asked.length = 0
        expect(yield* runTask("conventions", { repository })).toEqual(first)
        // Only the file that the session edited.
        expect(asked).toEqual(["a-b.ts"])
      }).pipe(Effect.provide(tasks))
    })
  )

  it.live("a repository that cannot be read is a defect of task 4 alone", () =>
    Effect.gen(function* () {
      const broken = () => {
        throw new Error("damaged")
      }
      const repository = { ...emptyRepository, files, text: broken }
      yield* Effect.gen(function* () {
        expect((yield* Effect.exit(runTask("conventions", { repository })))._tag).toBe("Failure")
        expect((yield* runTask("file relationships", { repository })).part.pairs).toEqual([])
      }).pipe(Effect.provide(tasks))
    })
  )

  it.live("can be interrupted while they count", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const fiber: Fiber.Fiber<unknown> = yield* runTask("conventions", {
        repository: {
          ...emptyRepository,
          files,
          text: (path) => {
            asked.push(path)
            if (asked.length === 1) fiber.interruptUnsafe()
            return null
          }
        }
      }).pipe(Effect.provide(tasks), Effect.forkScoped)
      yield* Fiber.await(fiber)
      expect(asked.length).toBeGreaterThan(0)
      expect(asked.length).toBeLessThan(100)
    })
  )
})
