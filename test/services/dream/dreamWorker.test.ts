import { describe, expect } from "bun:test"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { PassReport, WorkerStatus } from "../../../src/domain/dream/WorkerStatus.ts"
import { DreamPass } from "../../../src/services/dream/DreamPass.ts"
import { passOnce, runWorker, usualTimes } from "../../../src/services/dream/dreamWorker.ts"
import { WorkerProcess } from "../../../src/services/dream/WorkerProcess.ts"
import { it } from "../../support/effect.ts"

const nothing: PassReport = { analysed: [], left: 0, open: 0, notes: [], faults: [] }

/** A worker's process in memory, and a pass that says what the test wants. */
class World {
  readonly passes: Array<{ readonly at: number; readonly budget: number }> = []
  report: Effect.Effect<Partial<PassReport>> = Effect.succeed({})
  status: WorkerStatus | null = null
  isOwned = false
  hasPlace = true
  woken = 0
  beats = 0
  isBack = false

  get layer() {
    const pass = DreamPass.of({
      run: (budget) =>
        Effect.andThen(
          Effect.clockWith((clock) =>
            Effect.sync(() => this.passes.push({ at: clock.currentTimeMillisUnsafe(), budget }))
          ),
          Effect.map(this.report, (report) => ({ ...nothing, ...report }))
        )
    })
    const process = WorkerProcess.of({
      own: Effect.acquireRelease(
        Effect.sync(() => {
          const isFree = !this.isOwned
          this.isOwned = true
          return isFree
        }),
        (isMine) =>
          Effect.sync(() => {
            if (isMine) this.isOwned = false
          })
      ),
      beat: Effect.sync(() => {
        this.beats++
        return this.hasPlace
      }),
      wake: Effect.sync(() => this.woken),
      stepBack: Effect.sync(() => {
        this.isBack = true
      }),
      state: Effect.sync(() => ({ running: null, beatAt: null, status: this.status })),
      report: (status) =>
        Effect.sync(() => {
          this.status = status
        })
    })
    return Layer.merge(Layer.succeed(DreamPass, pass), Layer.succeed(WorkerProcess, process))
  }

  readonly at = () => this.passes.map(({ at }) => at / 1_000)
}

const worker = runWorker(usualTimes)
const inWorld = (body: (world: World) => Effect.Effect<unknown, unknown, DreamPass | WorkerProcess>) => {
  const world = new World()
  return Effect.provide(body(world), world.layer)
}

describe("the worker", () => {
  it.effect("makes a pass every 30 seconds, within a budget, behind other processes, and shows that it lives", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        world.report = Effect.succeed({ open: 1 })
        yield* Effect.forkChild(worker)
        yield* TestClock.adjust("95 seconds")
        expect(world.passes).toEqual([0, 30_000, 60_000, 90_000].map((at) => ({ at, budget: 2_000 })))
        expect(world.isBack).toBe(true)
        expect(world.beats).toBeGreaterThan(90)
      })
    )
  )

  it.effect("ends when no session is open and nothing was due for five minutes, and gives its place away", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        world.report = Effect.succeed({ open: 1 })
        const fiber = yield* Effect.forkChild(worker)
        yield* TestClock.adjust("20 minutes")
        world.report = Effect.succeed({})
        yield* TestClock.adjust("4 minutes")
        expect(world.isOwned).toBe(true)
        yield* TestClock.adjust("2 minutes")
        expect(yield* Fiber.join(fiber)).toBe("idle")
        expect(world.isOwned).toBe(false)
      })
    )
  )

  it.effect("goes on at once with what the budget left", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        world.report = Effect.succeed({ left: 3 })
        yield* Effect.forkChild(worker)
        yield* TestClock.adjust("2500 millis")
        expect(world.at()).toEqual([0, 1, 2])
      })
    )
  )

  it.effect("makes a pass within a second when it is woken", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        yield* Effect.forkChild(worker)
        yield* TestClock.adjust("10500 millis")
        world.woken = 10_500
        yield* TestClock.adjust("1 second")
        expect(world.at()).toEqual([0, 11])
      })
    )
  )

  it.effect("leaves the work to a worker that already runs", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        world.isOwned = true
        expect(yield* worker).toBe("other")
        expect(yield* passOnce).toBeNull()
        expect(world.passes).toEqual([])
        expect(world.isOwned).toBe(true)
      })
    )
  )

  it.effect("ends within a second when its place is gone", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(worker)
        yield* TestClock.adjust("5 seconds")
        world.hasPlace = false
        yield* TestClock.adjust("1 second")
        expect(yield* Fiber.join(fiber)).toBe("replaced")
      })
    )
  )

  it.effect("survives a pass that dies, counts it, and counts the faults of earlier workers", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        world.status = {
          v: 1,
          startedAt: 0,
          passes: 9,
          lastPass: null,
          faults: { count: 2, latest: [{ at: 0, project: "p", session: "s", task: "loops", reason: "old" }] }
        }
        world.report = Effect.die(new Error("no memory"))
        yield* Effect.forkChild(worker)
        yield* TestClock.adjust("30 seconds")
        expect(world.passes).toHaveLength(2)
        expect(world.status).toMatchObject({ passes: 2, lastPass: { at: 30_000, analysed: 0 }, faults: { count: 4 } })
        expect(world.status.faults.latest.map(({ reason }) => reason)).toEqual(["no memory", "no memory", "old"])
      })
    )
  )

  it.effect("gives its place away when it is interrupted in a pass", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        world.report = Effect.never
        const fiber = yield* Effect.forkChild(worker)
        yield* TestClock.adjust("1 second")
        yield* Fiber.interrupt(fiber)
        expect(world.isOwned).toBe(false)
        expect(world.status).toBeNull()
      })
    )
  )

  it.effect("makes one pass without a budget when it is asked for one", () =>
    inWorld((world) =>
      Effect.gen(function* () {
        world.report = Effect.succeed({ analysed: ["s1"] })
        expect(yield* passOnce).toEqual({ ...nothing, analysed: ["s1"] })
        expect(world.passes).toEqual([{ at: 0, budget: Number.POSITIVE_INFINITY }])
        expect(world.status).toMatchObject({ passes: 1, lastPass: { analysed: 1 } })
        expect(world.isOwned).toBe(false)
      })
    )
  )
})
