import { expect, test } from "bun:test"
import { Effect } from "effect"
import * as SlicedScheduler from "../../../../src/layers/system/process/SlicedScheduler.ts"

/** Works for a millisecond, and awaits a resolved promise. */
const part = Effect.promise(() => {
  for (const end = performance.now() + 1; performance.now() < end; );
  return Promise.resolve()
})

const parts = (count: number, done: () => void = () => {}) =>
  Effect.gen(function* () {
    for (let at = 0; at < count; at++) {
      yield* part
      done()
    }
  })

test("work that only awaits resolved promises lets the event loop run", async () => {
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  await Effect.runPromise(Effect.provide(parts(200), SlicedScheduler.layer))
  clearInterval(timer)
  expect(turns).toBeGreaterThan(2)
})

test("many fibers at work share one slice, so that the event loop has its turns as often", async () => {
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  const workers = Array.from({ length: 40 }, () => parts(20))
  await Effect.runPromise(Effect.provide(Effect.all(workers, { concurrency: "unbounded" }), SlicedScheduler.layer))
  clearInterval(timer)
  expect(turns).toBeGreaterThan(8)
})

test("busy fibers run in turns", async () => {
  const order: Array<string> = []
  const workers = ["a", "b", "c"].map((name) => parts(60, () => order.push(name)))
  await Effect.runPromise(Effect.provide(Effect.all(workers, { concurrency: "unbounded" }), SlicedScheduler.layer))
  for (const name of ["b", "c"]) expect(order.indexOf(name)).toBeLessThan(order.lastIndexOf("a"))
})
