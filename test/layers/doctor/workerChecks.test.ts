import { expect, test } from "bun:test"
import { checksOf } from "../../../src/layers/doctor/doctor/workerChecks.ts"
import type { WorkerState } from "../../../src/services/dream/WorkerProcess.ts"

const hour = 3_600_000
const now = 100 * hour
const fault = { project: "p", session: "s1", task: "loops", reason: "no such field" }
const state = (over: Partial<WorkerState>, faultAt: number | null = null): WorkerState => ({
  running: null,
  beatAt: null,
  status: {
    v: 1,
    startedAt: 0,
    passes: 1,
    lastPass: null,
    faults: { count: 1, latest: faultAt === null ? [] : [{ at: faultAt, ...fault }] }
  },
  ...over
})
const running = { pid: 7, started: null }
const said = (given: WorkerState) => checksOf(given, now).map(({ state, words }) => `${state}: ${words}`)

test("dd doctor tells whether a worker runs, and names one that hangs", () => {
  expect(said(state({ status: null }))).toEqual(["ok: none has run yet"])
  expect(said(state({}))).toEqual(["ok: none runs; the next session of an assistant starts one"])
  expect(said(state({ running, beatAt: now - 20_000 }))).toEqual(["ok: runs, process 7"])
  expect(said(state({ running, beatAt: now - 120_000 }))).toEqual([
    "problem: process 7 has shown no sign of life for 120 s: end it, and another one starts"
  ])
})

test("dd doctor reports the faults of the last day, and not older ones", () => {
  const [, note] = said(state({}, now - hour))
  expect(note).toContain("note: faults in the last day: 1, the latest: loops in session s1: no such field")
  expect(said(state({}, now - 25 * hour))).toHaveLength(1)
  const { status } = state({}, now - hour)
  const cut = state({ status: { ...status!, faults: { ...status!.faults, count: 30 } } })
  expect(said(cut)[1]).toContain("faults in the last day: at least 1, the latest")
})
