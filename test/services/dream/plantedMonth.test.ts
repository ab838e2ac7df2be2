import { describe, expect } from "bun:test"
import { Effect } from "effect"
import { viewOfSession } from "../../../src/domain/dream/viewOfSession.ts"
import { tasks } from "../../../src/layers/DreamLive.ts"
import { inEachSession, profilesOf, scoreOf } from "../../support/dreamScores.ts"
import { it } from "../../support/effect.ts"
import { plantedMonths } from "../../support/plantedMonths.ts"
import { emptyRepository, type Plant, plantedMonth } from "../../support/plantedSessions.ts"

const failing: Plant = (session) => {
  session.fail("bun test", "error: nothing works")
  return [
    { task: "sample", found: "planted" },
    { task: "sample over sessions", found: "planted", sessions: 2 }
  ]
}

const onlyNoise: Plant = (session) => {
  session.noise(6)
  return []
}

const month = (seed: number) => plantedMonth({ seed, sessions: 6, plants: [failing] })

describe("a planted month", () => {
  it("is the same for the same seed, and another one for another seed", () => {
    expect(month(1)).toEqual(month(1))
    expect(month(1)).not.toEqual(month(2))
  })

  it("has the shapes of Claude Code: a failure is an event of its own, a success has no exit code", () => {
    const events = month(1).sessions.flat()
    expect(events.filter(({ kind }) => kind === "tool_fail").every(({ exit }) => exit === 1)).toBe(true)
    expect(events.filter(({ kind }) => kind === "tool_ok").every(({ exit }) => exit === undefined)).toBe(true)
    expect(viewOfSession(month(1).sessions[0]!)).toMatchObject({ outcome: "clean", host: "claude" })
  })

  it("has no loop in its noise", () => {
    const quiet = plantedMonth({ seed: 3, sessions: 100, plants: [onlyNoise] })
    const loops = quiet.sessions.flatMap((events) => viewOfSession(events)!.loops)
    expect(loops.map(({ kind }) => kind)).toEqual([])
  })

  it.effect("is scored by what was missed and what was wrong", () =>
    Effect.gen(function* () {
      const planted = month(1)
      const profiles = yield* profilesOf(planted)
      const { repository, sessions } = planted
      expect(repository).toEqual(emptyRepository)
      expect(profiles).toHaveLength(sessions.length)
      const all = scoreOf({ task: "sample", found: inEachSession(() => ["planted"]) }, planted, profiles)
      expect(all).toMatchObject({ planted: 6, precision: 1, recall: 1 })
      const wrong = scoreOf({ task: "sample", found: inEachSession(() => ["planted", "other"]) }, planted, profiles)
      expect(wrong).toMatchObject({ precision: 0.5, recall: 1 })
      const none = scoreOf({ task: "sample over sessions", found: () => [] }, planted, profiles)
      expect(none).toMatchObject({ planted: 1, recall: 0, missed: ["planted"] })
    }).pipe(Effect.provide(tasks))
  )
})

describe("a month of 200 sessions with known truth", () => {
  for (const { judges, month: plant, name } of plantedMonths) {
    it.effect(`${name}: at least nine of ten are found, and at least nine of ten found are right`, () =>
      Effect.gen(function* () {
        // Something unrelated happens before every third call.
        const planted = plant(7, 0.3)
        const profiles = yield* profilesOf(planted)
        for (const judge of judges) {
          const score = scoreOf(judge, planted, profiles)
          expect(score.planted).toBeGreaterThan(1)
          expect([judge.task, score.precision >= 0.9, score.recall >= 0.9]).toEqual([judge.task, true, true])
        }
      }).pipe(Effect.provide(tasks))
    )
  }
})
