/** A worker that runs for long, on virtual time, in projects that always have more to do than a pass can. */
import { describe, expect } from "bun:test"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { DreamPass } from "../../../src/services/dream/DreamPass.ts"
import { DreamTasks } from "../../../src/services/dream/DreamTasks.ts"
import { runWorker, usualTimes } from "../../../src/services/dream/dreamWorker.ts"
import { WorkerProcess } from "../../../src/services/dream/WorkerProcess.ts"
import { MemorySpool, MemoryStore, memoryProjects } from "../../support/dreamMemory.ts"
import { it } from "../../support/effect.ts"
import { edit, eventsOf, prompt } from "../../support/sessionEvents.ts"

const tasks = 10
/** Of a task, in milliseconds: a pass has room for four sessions. */
const work = 50

const alone = Layer.succeed(
  WorkerProcess,
  WorkerProcess.of({
    own: Effect.succeed(true),
    beat: Effect.succeed(true),
    wake: Effect.succeed(0),
    stepBack: Effect.void,
    state: Effect.succeed({ running: null, beatAt: null, status: null }),
    report: () => Effect.void
  })
)

const slowTasks = Layer.succeed(
  DreamTasks,
  Array.from({ length: tasks }, (_, place) => ({
    place,
    name: `slow ${place}`,
    version: 1,
    about: "",
    always: true,
    budget: 10_000,
    run: () => Effect.as(Effect.sleep(work), { part: {}, contributions: [], summary: "" })
  }))
)

class World {
  readonly spool = new MemorySpool()
  readonly store = new MemoryStore()
  get layer() {
    return Layer.merge(
      DreamPass.layer.pipe(Layer.provide([this.spool.layer, this.store.layer, memoryProjects(), slowTasks])),
      alone
    )
  }

  /** Sessions of a project that end at this time. */
  record(project: string, at: number, sessions: number): void {
    for (let number = 1; number <= sessions; number++) {
      const session = `${project} ${at} ${number}`
      this.#append(project, session, at, [prompt(), ...edit("a.ts"), { kind: "session_end", reason: "clear" }])
    }
  }

  /** A hook of a session that goes on. */
  write(project: string, at: number): void {
    this.#append(project, `${project} open`, at, [prompt()])
  }

  #append(project: string, session: string, at: number, given: Parameters<typeof eventsOf>[0]): void {
    const events = eventsOf(given)
    this.spool.append(events.map((event) => ({ ...event, id: `${session} ${at} ${event.id}`, session, project, at })))
  }

  readonly analysedOf = (project: string) => this.store.puts.filter(({ session }) => session.startsWith(`${project} `))

  /** The longest time from the end of a session to its analysis. */
  readonly longestWait = (project: string) =>
    Math.max(...this.analysedOf(project).map(({ analysedAt, endedAt }) => analysedAt - endedAt))
}

const projects = ["p1", "p2"]

/** The worker for four minutes; `each` adds to the spool, ten times a second. `most`: the difference of analysed sessions. */
const fourMinutes = (world: World, each: (at: number) => void) =>
  Effect.gen(function* () {
    let most = 0
    yield* Effect.forkChild(runWorker(usualTimes))
    for (let at = 100; at <= 240_000; at += 100) {
      yield* TestClock.adjust("100 millis")
      each(at)
      const [one, two] = projects.map((project) => world.analysedOf(project).length)
      most = Math.max(most, Math.abs(one! - two!))
    }
    return most
  }).pipe(Effect.provide(world.layer))

describe("two busy projects", () => {
  it.effect("do not starve each other: each gets every second analysis", () => {
    const world = new World()
    for (const project of projects) world.record(project, 0, 90)
    return Effect.gen(function* () {
      // Twice what the worker can do.
      const most = yield* fourMinutes(world, (at) => {
        if (at % 1_000 === 0) for (const project of projects) world.record(project, at, 2)
      })
      expect(world.store.puts.length).toBeGreaterThan(280)
      expect(most).toBeLessThanOrEqual(1)
    })
  })

  it.effect("do not starve each other while their hooks never stop writing", () => {
    const world = new World()
    for (const project of projects) world.record(project, 0, 90)
    return Effect.gen(function* () {
      const most = yield* fourMinutes(world, (at) => {
        for (const project of projects) world.write(project, at)
      })
      // The worker waits for at most two seconds in each session.
      expect(world.store.puts.length).toBeGreaterThan(60)
      expect(most).toBeLessThanOrEqual(1)
    })
  })

  for (const [busy, other] of [
    ["p1", "p2"],
    ["p2", "p1"]
  ] as const) {
    it.effect(`a long queue of ${busy} delays a session of ${other} by one pass at most`, () => {
      const world = new World()
      world.record(busy, 0, 150)
      return Effect.gen(function* () {
        yield* fourMinutes(world, (at) => {
          if (at % 1_000 === 0) world.record(busy, at, 2)
          if (at % 20_000 === 0) world.record(other, at, 1)
        })
        expect(world.analysedOf(other)).toHaveLength(11)
        expect(world.longestWait(other)).toBeLessThan(4_000)
      })
    })
  }
})
