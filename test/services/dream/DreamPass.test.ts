import { describe, expect, test } from "bun:test"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { mostTries } from "../../../src/domain/dream/dueSessions.ts"
import type { SessionEvent } from "../../../src/domain/dream/SessionEvent.ts"
import { DreamPass, projectsAfter } from "../../../src/services/dream/DreamPass.ts"
import { DreamNotStored, type DreamProject } from "../../../src/services/dream/DreamStore.ts"
import { type DreamTask, DreamTasks } from "../../../src/services/dream/DreamTasks.ts"
import { Synthesis } from "../../../src/services/dream/Synthesis.ts"
import { MemorySpool, MemoryStore, memoryProjects } from "../../support/dreamMemory.ts"
import { it } from "../../support/effect.ts"
import { edit, eventsOf, prompt } from "../../support/sessionEvents.ts"

/** The time at which all sessions of these tests have ended. */
const later = 2_000_000

const session = (name: string, over: Partial<SessionEvent> = {}) =>
  eventsOf([prompt(), ...edit("a.ts"), { kind: "session_end", reason: "clear" }]).map((event) => ({
    ...event,
    session: name,
    id: `${name}-${event.id}`,
    ...over
  }))

const contribution = (key: string) => ({
  key,
  body: { type: "ProjectConvention" as const, domain: "naming", pattern: key },
  s: 5,
  f: 0
})

const task = (place: number, over: Partial<DreamTask> = {}): DreamTask => ({
  place,
  name: `task ${place}`,
  version: 1,
  about: "",
  always: true,
  budget: 100,
  run: ({ session }) =>
    Effect.succeed({
      part: place === 1 ? { edits: { [`events ${session.events}`]: 1 } } : {},
      contributions: [contribution(`by ${place}`)],
      summary: `found by ${place}`
    }),
  ...over
})

interface World {
  readonly spool: MemorySpool
  readonly store: MemoryStore
  readonly tasks: ReadonlyArray<DreamTask>
  readonly missing?: ReadonlyArray<string>
}

const layerOf = ({ missing, spool, store, tasks }: World) =>
  DreamPass.layer.pipe(
    Layer.provide([spool.layer, store.layer, memoryProjects(missing), Layer.succeed(DreamTasks, tasks)])
  )

/** Runs with one pass service at the time `later`. */
const inWorld = (
  world: World,
  body: (run: Effect.Effect<Effect.Success<ReturnType<DreamPass["Service"]["run"]>>>) => Effect.Effect<unknown>
) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(later)
    const pass = yield* DreamPass
    yield* body(pass.run(Number.POSITIVE_INFINITY))
  }).pipe(Effect.provide(layerOf(world)))

const world = (tasks: ReadonlyArray<DreamTask> = [task(1), task(2)], store = new MemoryStore()) => {
  const spool = new MemorySpool()
  spool.append(session("s1"))
  return { spool, store, tasks }
}

describe("a pass", () => {
  it.effect("runs all tasks in their order and stores one profile for each session", () => {
    const given = world()
    given.spool.append(session("s0", { at: 900_000 }))
    return inWorld(given, (run) =>
      Effect.gen(function* () {
        expect(yield* run).toEqual({ analysed: ["s0", "s1"], left: 0, open: 0, notes: [], faults: [] })
        const [, profile] = given.store.puts
        expect(profile).toMatchObject({
          session: "s1",
          outcome: "clean",
          events: 4,
          versions: { "task 1": 1, "task 2": 1 },
          summaries: { "task 1": "found by 1", "task 2": "found by 2" },
          edits: { "events 4": 1 }
        })
        expect(profile!.contributions.map(({ key, task }) => [task, key])).toEqual([
          ["task 1", "by 1"],
          ["task 2", "by 2"]
        ])
      })
    )
  })

  it.effect("a second pass changes nothing, and does not even read the session", () => {
    const given = world()
    return inWorld(given, (run) =>
      Effect.gen(function* () {
        yield* run
        expect((yield* run).analysed).toEqual([])
        expect(given.spool.reads).toHaveLength(1)
        expect(given.store.puts).toHaveLength(1)
      })
    )
  })

  it.effect("neither does the first pass of another worker", () => {
    const given = world()
    return Effect.andThen(
      inWorld(given, (run) => run),
      inWorld(given, (run) => Effect.map(run, ({ analysed }) => expect(analysed).toEqual([])))
    )
  })

  it.effect("a session that goes on replaces what it contributed", () => {
    const given = world()
    return inWorld(given, (run) =>
      Effect.gen(function* () {
        yield* run
        given.spool.append(session("s1").map((event) => ({ ...event, id: `more ${event.id}`, at: event.at + 1 })))
        expect((yield* run).analysed).toEqual(["s1"])
        const { profiles } = given.store.of("p1")
        expect(profiles).toHaveLength(1)
        expect(profiles[0]).toMatchObject({ events: 8, edits: { "events 8": 1 } })
        expect(profiles[0]!.contributions).toHaveLength(2)
      })
    )
  })

  it.effect("an idle session is analysed again when silence has ended it, as interrupted", () => {
    const given = world()
    given.spool.append(session("s2", { kind: "prompt", at: later - 60_000 }))
    return inWorld(given, (run) =>
      Effect.gen(function* () {
        expect(yield* run).toMatchObject({ analysed: ["s1", "s2"], open: 1 })
        yield* TestClock.adjust("28 minutes")
        expect((yield* run).analysed).toEqual([])
        yield* TestClock.adjust("1 minute")
        expect(yield* run).toMatchObject({ analysed: ["s2"], open: 0 })
        expect(given.store.puts.map(({ outcome }) => outcome)).toEqual(["clean", "open", "interrupted"])
      })
    )
  })

  it.effect("projects take turns, and the next pass begins with the next project", () => {
    const given = world()
    for (const name of ["a", "b", "c"]) given.spool.append(session(name, { project: "p0" }))
    given.spool.append(session("s2"))
    return Effect.gen(function* () {
      yield* TestClock.setTime(later)
      const pass = yield* DreamPass
      expect(yield* pass.run(0)).toMatchObject({ analysed: ["a"], left: 4 })
      expect(yield* pass.run(0)).toMatchObject({ analysed: ["s1"], left: 3 })
      expect(yield* pass.run(0)).toMatchObject({ analysed: ["b"], left: 2 })
      expect(yield* pass.run(1_000)).toMatchObject({ analysed: ["s2", "c"], left: 0 })
    }).pipe(Effect.provide(layerOf(given)))
  })

  it.effect("waits while a hook writes, between sessions and between tasks, and not for ever", () => {
    const given = world()
    const writing = (at: number) => session("s2", { at, kind: "prompt", id: `at ${at}` })
    given.spool.append(writing(later - 10))
    return inWorld(given, (run) =>
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(run)
        yield* TestClock.adjust("240 millis")
        given.spool.append(writing(later + 240))
        expect(given.store.puts).toHaveLength(0)
        yield* TestClock.adjust("10 seconds")
        expect((yield* Fiber.join(fiber)).analysed).toEqual(["s1"])
      })
    )
  })
})

describe("a task", () => {
  const broken = {
    defect: { run: () => Effect.die(new Error("no such field")) },
    "thrown error": {
      run: () => {
        throw new Error("no such field")
      }
    },
    "task that interrupts itself": { run: () => Effect.interrupt },
    "task that never ends": { run: () => Effect.never }
  }
  for (const [name, over] of Object.entries(broken)) {
    it.effect(`with a ${name} loses only its own part, and is counted`, () => {
      const given = world([task(1), task(2, over), task(3)])
      return inWorld(given, (run) =>
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(run)
          yield* TestClock.adjust("1 second")
          const { faults } = yield* Fiber.join(fiber)
          expect(faults).toMatchObject([{ project: "p1", session: "s1", task: "task 2" }])
          const [profile] = given.store.puts
          expect(profile!.contributions.map(({ key }) => key)).toEqual(["by 1", "by 3"])
          expect(profile!.versions).toEqual({ "task 1": 1, "task 3": 1 })
          expect(profile!.failed).toMatchObject({ "task 2": { version: 1, times: 1 } })
          expect(profile!.edits).toEqual({ "events 4": 1 })
        })
      )
    })
  }

  it.effect("that fails keeps what it found before, until it succeeds", () => {
    let fails = false
    const sometimes = task(1, {
      run: (input) => (fails ? Effect.die("no") : task(1).run(input))
    })
    const given = world([sometimes, task(2)])
    return inWorld(given, (run) =>
      Effect.gen(function* () {
        yield* run
        fails = true
        given.spool.append(session("s1").map((event) => ({ ...event, id: `more ${event.id}` })))
        yield* run
        const [profile] = given.store.of("p1").profiles
        expect(profile).toMatchObject({ events: 8, edits: { "events 4": 1 }, versions: { "task 1": 1 } })
        expect(profile!.contributions.map(({ key }) => key)).toEqual(["by 1", "by 2"])
        fails = false
        yield* run
        expect(given.store.of("p1").profiles[0]).toMatchObject({ edits: { "events 8": 1 } })
        expect(given.store.of("p1").profiles[0]).not.toHaveProperty("failed")
      })
    )
  })

  it.effect("that always fails is tried a limited number of times", () => {
    const given = world([task(1, { run: () => Effect.die("no") })])
    return inWorld(given, (run) =>
      Effect.gen(function* () {
        for (let at = 0; at < mostTries + 3; at++) yield* run
        expect(given.store.puts.map(({ failed }) => failed?.["task 1"]?.times)).toEqual([1, 2, 3])
      })
    )
  })

  it.effect("sees what the tasks before it found, and the profiles of other sessions only", () => {
    const seen: Array<unknown> = []
    const watching = task(2, {
      run: ({ found, profiles }) => {
        seen.push([found, profiles.map(({ session }) => session)])
        return task(2).run({} as never)
      }
    })
    const given = world([task(1), watching])
    given.spool.append(session("s2"))
    return inWorld(given, (run) =>
      Effect.gen(function* () {
        yield* run
        given.spool.append(session("s1").map((event) => ({ ...event, id: `more ${event.id}` })))
        yield* run
        expect(seen).toEqual([
          [{ edits: { "events 4": 1 } }, []],
          [{ edits: { "events 4": 1 } }, ["s1"]],
          [{ edits: { "events 8": 1 } }, ["s2"]]
        ])
      })
    )
  })
})

describe("a pass survives", () => {
  it.effect("a store that cannot be written: the session is tried again", () => {
    let isFull = true
    const store = new MemoryStore(
      Effect.suspend(() => (isFull ? Effect.fail(new DreamNotStored({ path: "/x", reason: "no space" })) : Effect.void))
    )
    const given = world([task(1)], store)
    return inWorld(given, (run) =>
      Effect.gen(function* () {
        expect((yield* run).faults).toEqual([
          { project: "p1", session: "s1", task: null, reason: "/x could not be written: no space" }
        ])
        isFull = false
        expect((yield* run).analysed).toEqual(["s1"])
      })
    )
  })

  it.effect("a store that can never be written: a session is tried three times, and again when it goes on", () =>
    Effect.gen(function* () {
      for (const fault of [
        Effect.fail(new DreamNotStored({ path: "/x", reason: "the file system is read-only" })),
        Effect.die(new Error("no"))
      ]) {
        const given = world([task(1)], new MemoryStore(fault))
        given.spool.append(session("s2"))
        yield* inWorld(given, (run) =>
          Effect.gen(function* () {
            const faultsOf = Effect.forEach(Array.from({ length: mostTries + 3 }), () =>
              Effect.map(run, ({ faults }) => faults.length)
            )
            expect(yield* faultsOf).toEqual([2, 2, 2, 0, 0, 0])
            given.spool.append(session("s2").map((event) => ({ ...event, id: `more ${event.id}` })))
            expect(yield* faultsOf).toEqual([1, 1, 1, 0, 0, 0])
          })
        )
      }
    })
  )

  it.effect("a store that could not be written, which is tried three times again after it could", () => {
    let isFull = true
    const store = new MemoryStore(
      Effect.suspend(() => (isFull ? Effect.fail(new DreamNotStored({ path: "/x", reason: "no space" })) : Effect.void))
    )
    const given = world([task(1)], store)
    const more = (name: string) => session("s1").map((event) => ({ ...event, id: `${name} ${event.id}` }))
    return inWorld(given, (run) =>
      Effect.gen(function* () {
        yield* run
        yield* run
        isFull = false
        expect((yield* run).analysed).toEqual(["s1"])
        isFull = true
        given.spool.append(more("more"))
        for (let at = 0; at < mostTries; at++) expect((yield* run).faults).toHaveLength(1)
        expect((yield* run).faults).toEqual([])
      })
    )
  })

  it.effect("a repository that is gone, and names it", () => {
    const given = { ...world(), missing: ["/gone"] }
    given.spool.append(session("s9", { project: "p9", root: "/gone" }))
    return inWorld(given, (run) =>
      Effect.map(run, (report) =>
        expect(report).toMatchObject({
          analysed: ["s1"],
          notes: ["p9: its repository is not where it was"],
          faults: []
        })
      )
    )
  })

  it.effect("an interruption, in which nothing is stored, and the next pass does the work", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      let hangs = true
      const hanging = task(2, {
        budget: 60_000,
        run: (input) => (hangs ? Effect.andThen(Deferred.succeed(begun, undefined), Effect.never) : task(2).run(input))
      })
      const given = world([task(1), hanging])
      yield* inWorld(given, (run) =>
        Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(run)
          yield* Deferred.await(begun)
          yield* Fiber.interrupt(fiber)
          expect(given.store.puts).toHaveLength(0)
          hangs = false
          expect(yield* run).toMatchObject({ analysed: ["s1"], faults: [] })
        })
      )
    })
  )
})

test("projects begin after the one that was served last", () => {
  const file = (project: string) => ({ project, path: project, size: 1, changedAt: 1 })
  const files = [file("b"), file("a"), file("c"), file("a")]
  const order = (last: string) => projectsAfter(files, last).map(([project]) => project)
  expect(order("")).toEqual(["a", "b", "c"])
  expect(order("a")).toEqual(["b", "c", "a"])
  expect(order("c")).toEqual(["a", "b", "c"])
  expect(order("bb")).toEqual(["c", "a", "b"])
})

describe("summaries by a model", () => {
  it.effect("are asked for after the sessions, and their faults are in the report", () => {
    const given = world()
    const seen: Array<string> = []
    const fault = { project: "p", session: "", task: "synthesis", reason: "no network" }
    const next = (projects: ReadonlyArray<DreamProject>) =>
      Effect.sync(() => {
        seen.push(...projects.map(({ key }) => `${key} after ${given.store.puts.length}`))
        return { notes: ["a note"], faults: [fault] }
      })
    return Effect.provideService(
      inWorld(given, (run) =>
        Effect.gen(function* () {
          const { analysed, faults, notes } = yield* run
          expect({ analysed, faults, notes }).toEqual({ analysed: ["s1"], faults: [fault], notes: ["a note"] })
          expect(seen).toEqual([`${session("s1")[0]!.project} after 1`])
        })
      ),
      Synthesis,
      { next }
    )
  })

  it.effect("are not paid for where nothing can be stored", () => {
    const given = world(
      [task(1)],
      new MemoryStore(Effect.fail(new DreamNotStored({ path: "/x", reason: "the file system is read-only" })))
    )
    const asked: Array<ReadonlyArray<DreamProject>> = []
    const next = (projects: ReadonlyArray<DreamProject>) =>
      Effect.sync(() => {
        asked.push(projects)
        return { notes: [], faults: [] }
      })
    return Effect.provideService(
      inWorld(given, (run) => Effect.map(run, () => expect(asked).toEqual([[]]))),
      Synthesis,
      { next }
    )
  })
})
