/** Checks the worker that analyses recorded sessions. Writes only a file that it removes, to learn whether one can start. */
import { Clock, Effect } from "effect"
import type { Check } from "../../../domain/doctor/Check.ts"
import { DreamStore } from "../../../services/dream/DreamStore.ts"
import { WorkerProcess, type WorkerState } from "../../../services/dream/WorkerProcess.ts"
import { daydreamHome } from "../../../services/run/Settings.ts"
import { systemErrorText } from "../../../services/system/systemErrorText.ts"
import { projectAt } from "../../dream/spoolFile.ts"
import { longestSilence, workerPlaces } from "../../dream/startWorker.ts"
import * as Directory from "../../dream/store/Directory.ts"
import * as WorkerFiles from "../../dream/WorkerFiles.ts"
import { tryToWrite } from "./spoolChecks.ts"

/** Faults of earlier days are in `dd dream status`. */
const recently = 24 * 3_600_000

/** `target`: the repository whose learned files are checked too. */
const noMemory = Effect.succeed({ refused: [] as ReadonlyArray<string> })

export const workerChecks = Effect.fnUntraced(function* (target: string) {
  const home = yield* daydreamHome
  if (home === null) return []
  const worker = WorkerProcess.use(({ state }) => state)
  const project = projectAt(target)
  const learned = DreamStore.use((store) => (project === null ? noMemory : store.read(project)))
  const state = yield* Effect.provide(worker, WorkerFiles.layer(home))
  const { refused } = yield* Effect.provide(learned, Directory.layer(home))
  const { folder } = workerPlaces(home)
  const tried = yield* Effect.result(tryToWrite(folder))
  return [
    ...checksOf(state, yield* Clock.currentTimeMillis),
    ...(tried._tag === "Success"
      ? []
      : [
          check("worker", "problem", `${folder} cannot be written (${systemErrorText(tried.failure)}): none can start`)
        ]),
    ...refused.map((words) => check("learned", "problem", `not used: ${words}`))
  ]
})

export const checksOf = ({ beatAt, running, status }: WorkerState, now: number): ReadonlyArray<Check> => {
  const silence = Math.round((now - (beatAt ?? now)) / 1_000)
  const worker =
    running === null
      ? check(
          "worker",
          "ok",
          status === null ? "none has run yet" : "none runs; the next session of an assistant starts one"
        )
      : silence * 1_000 >= longestSilence
        ? check(
            "worker",
            "problem",
            `process ${running.pid} has shown no sign of life for ${silence} s: end it, and another one starts`
          )
        : check("worker", "ok", `runs, process ${running.pid}`)
  const faults = (status?.faults.latest ?? []).filter(({ at }) => now - at < recently)
  const [latest] = faults
  if (latest === undefined) return [worker]
  const { session, task } = latest
  // The status keeps the latest ones, and the count of all.
  const isCut = faults.length < (status?.faults.count ?? 0) && faults.length === status?.faults.latest.length
  const times = `${isCut ? "at least " : ""}${faults.length}`
  const where = task === null ? session : session === "" ? task : `${task} in session ${session}`
  return [
    worker,
    check(
      "worker",
      "note",
      `faults in the last day: ${times}, the latest: ${where}: ${latest.reason}; see dd dream status`
    )
  ]
}

const check = (subject: string, state: Check["state"], words: string): Check => ({
  area: "sessions",
  subject,
  state,
  words
})
