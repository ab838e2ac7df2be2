/** `dd dream worker`: what hooks start in the background. */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { plural } from "../../domain/text/plural.ts"
import * as DreamLive from "../../layers/DreamLive.ts"
import { passOnce, runWorker, usualTimes } from "../../services/dream/dreamWorker.ts"
import { WorkerProcess } from "../../services/dream/WorkerProcess.ts"
import { writeOut } from "../system/writeOut.ts"
import { jsonFlag, numberFlag, switchFlag } from "../text/flags.ts"
import { jsonDocument } from "../text/plainJson.ts"
import { dreamHome } from "./dreamHome.ts"

const flags = {
  once: switchFlag("once", "Make one pass over all sessions that are due, and end"),
  cycle: numberFlag("cycle", "SECONDS", "From one pass to the next; 30 when absent", 1, usualTimes.cycle / 1_000),
  idle: numberFlag(
    "idle",
    "SECONDS",
    "End after so long without open sessions and without work; 300 when absent",
    0,
    usualTimes.idle / 1_000
  ),
  json: jsonFlag
}

const other = Effect.gen(function* () {
  const { running } = yield* (yield* WorkerProcess).state
  yield* Console.log(`A worker already runs${running === null ? "" : ` (process ${running.pid})`}.`)
})

const onePass = Effect.fnUntraced(function* (json: boolean) {
  const report = yield* passOnce
  if (report === null) return yield* other
  const { analysed, faults, notes } = report
  if (json) return yield* writeOut(jsonDocument({ schema_version: 1, analysed, faults, notes }))
  for (const note of notes) yield* Effect.logWarning(note)
  for (const { reason, session, task } of faults) {
    const where = [...(session === "" ? [] : [`session ${session}`]), ...(task === null ? [] : [task])]
    yield* Effect.logWarning([where.join(", "), reason].filter((words) => words !== "").join(": "))
  }
  yield* Console.log(`${plural(analysed.length, "session")} analysed`)
})

export const workerCommand = Command.make("worker", flags).pipe(
  Command.withShortDescription("Analyse recorded sessions in the background"),
  Command.withDescription(`Analyse recorded sessions that ended or are idle, every 30 seconds, until there is nothing to do.

  Hooks start it, so you need not. Only one runs for each user. The setting dream.worker ("off") and the variable
  DD_DREAM_WORKER (0) keep hooks from starting it. If the settings dream.synthesis name a model, it
  is asked to summarise what was learned.`),
  Command.withHandler(
    Effect.fnUntraced(function* ({ cycle, idle, json, once }) {
      const body = once
        ? onePass(json)
        : Effect.gen(function* () {
            const times = { ...usualTimes, cycle: cycle * 1_000, idle: idle * 1_000 }
            if ((yield* runWorker(times)) === "other") yield* other
          })
      yield* Effect.provide(body, DreamLive.worker(yield* dreamHome))
    })
  ),
  Command.withExamples([
    { command: "dd dream worker --once", description: "Analyse now what is due, in the foreground" }
  ])
)
