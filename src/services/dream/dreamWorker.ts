/**
 * The worker: passes over the sessions that are due, again and again, in one process for each user. It ends by itself when no
 * session is open and nothing was due for some minutes, and never influences the session that is going on.
 *
 * A pass that dies is a fault of the worker, which goes on with the next one.
 */
import { type Cause, Clock, Effect, Exit } from "effect"
import { type PassReport, statusAfterPass, statusAtStart, type WorkerStatus } from "../../domain/dream/WorkerStatus.ts"
import { monotonicMillis } from "../system/monotonicMillis.ts"
import { DreamPass } from "./DreamPass.ts"
import { reasonOf } from "./reasonOf.ts"
import { WorkerProcess } from "./WorkerProcess.ts"

/** All in milliseconds. */
export interface WorkerTimes {
  /** From one pass to the next. */
  readonly cycle: number
  /** Of a pass. */
  readonly budget: number
  /** Without open sessions and without work, until the worker ends. */
  readonly idle: number
}

export const usualTimes: WorkerTimes = { cycle: 30_000, budget: 2_000, idle: 5 * 60_000 }

/** How often the worker looks whether it is woken and still has its place, in milliseconds. */
const watchEvery = 1_000

const onePass = Effect.fnUntraced(function* (before: WorkerStatus, budget: number) {
  const pass = yield* DreamPass
  const system = yield* WorkerProcess
  const began = yield* monotonicMillis
  const exit = yield* Effect.exit(pass.run(budget))
  const report = Exit.isSuccess(exit) ? exit.value : passThatDied(exit.cause)
  const status = statusAfterPass(before, report, yield* Clock.currentTimeMillis, (yield* monotonicMillis) - began)
  yield* system.report(status)
  return { report, status }
})

const begin = Effect.gen(function* () {
  const system = yield* WorkerProcess
  yield* system.stepBack
  return statusAtStart((yield* system.state).status, yield* Clock.currentTimeMillis)
})

/** Until the cycle is over or somebody asks for a pass. False: the worker has lost its place. */
const rest = Effect.fnUntraced(function* (pause: number, woken: number) {
  const system = yield* WorkerProcess
  const until = (yield* Clock.currentTimeMillis) + pause
  for (;;) {
    const left = until - (yield* Clock.currentTimeMillis)
    if (left <= 0 || (yield* system.wake) !== woken) return yield* system.beat
    yield* Effect.sleep(Math.min(left, watchEvery))
    if (!(yield* system.beat)) return false
  }
})

/** Returns when it is idle. "other": another worker runs. */
export const runWorker = Effect.fn("DreamWorker.run")(function* ({ budget, cycle, idle }: WorkerTimes) {
  const system = yield* WorkerProcess
  if (!(yield* system.own)) return "other"
  let status = yield* begin
  let busyAt = yield* Clock.currentTimeMillis
  for (;;) {
    const woken = yield* system.wake
    const done = yield* onePass(status, budget)
    status = done.status
    const { analysed, left, open } = done.report
    const now = yield* Clock.currentTimeMillis
    if (analysed.length > 0 || left > 0 || open > 0) busyAt = now
    if (now - busyAt >= idle) return "idle"
    const pause = left > 0 ? Math.min(cycle, watchEvery) : cycle
    if (!(yield* rest(pause, woken))) return "replaced"
  }
}, Effect.scoped)

/** One pass without a budget. Null: another worker runs. */
export const passOnce = Effect.gen(function* () {
  const system = yield* WorkerProcess
  if (!(yield* system.own)) return null
  return (yield* onePass(yield* begin, Number.POSITIVE_INFINITY)).report
}).pipe(Effect.scoped, Effect.withSpan("DreamWorker.once"))

const passThatDied = (cause: Cause.Cause<unknown>): PassReport => ({
  analysed: [],
  left: 0,
  open: 0,
  notes: [],
  faults: [{ project: "", session: "", task: null, reason: reasonOf(cause) }]
})
