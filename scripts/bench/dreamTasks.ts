/**
 * What the tasks of the Dream engine find, and what a pass costs. Run `bun scripts/bench/dreamTasks.ts [SEED]`.
 *
 * 1. Months of 200 sessions with known truth: precision and recall of each task, in sessions of planted work only and with
 *    something unrelated before every third call, and what was missed or wrong.
 * 2. All tasks over one session of 5,000, 10,000 and 20,000 events, with 200 profiles of earlier sessions: milliseconds,
 *    median of seven after one that is not counted. The view of the session is computed before.
 * 3. The whole pass over the same sessions: a new worker reads the file of the session and an empty repository, runs all
 *    tasks and writes the store.
 */
import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import { viewOfSession } from "../../src/domain/dream/viewOfSession.ts"
import { tasks, worker } from "../../src/layers/DreamLive.ts"
import { projectAt } from "../../src/layers/dream/spoolFile.ts"
import * as Platform from "../../src/layers/system/Platform.ts"
import { Git } from "../../src/services/change/Git.ts"
import { DreamTasks } from "../../src/services/dream/DreamTasks.ts"
import { passOnce } from "../../src/services/dream/dreamWorker.ts"
import { Redactor } from "../../src/services/secret/Redactor.ts"
import { pass, profilesOf, scoreOf } from "../../test/support/dreamScores.ts"
import { longSession, plantedMonths } from "../../test/support/plantedMonths.ts"
import { emptyRepository } from "../../test/support/plantedSessions.ts"
import { inside, scratch } from "../../test/support/process.ts"
import { initRepository } from "../../test/support/repository.ts"
import { median } from "./timed.ts"

const seed = Number(process.argv[2] ?? 1)
const share = (value: number): string => value.toFixed(3)

/** Equal words of different sessions are one line. */
const listed = (label: string, found: ReadonlyArray<string>): void => {
  const same = Map.groupBy(found, (words) => words.replace(/^session-\d+: /, ""))
  for (const [words, { length }] of same) console.log(`    ${label} ${length} × ${words}`)
}

const months = Effect.gen(function* () {
  for (const { judges, month, name } of plantedMonths) {
    for (const restless of [0, 0.3]) {
      const planted = month(seed, restless)
      const profiles = yield* profilesOf(planted)
      console.log(`${name}, seed ${seed}, unrelated calls ${restless}`)
      for (const judge of judges) {
        const { found, missed, planted: truths, precision, recall, task, wrong } = scoreOf(judge, planted, profiles)
        console.log(
          `  ${task.padEnd(24)} planted ${truths}  found ${found}  precision ${share(precision)}  recall ${share(recall)}`
        )
        listed("missed", missed)
        listed("wrong", wrong)
      }
    }
  }
})

/** Milliseconds of the clock and of the processor; the second depends less on what else the machine does. */
const timed = Effect.fnUntraced(function* <A, R>(work: Effect.Effect<A, never, R>, prepare = () => {}) {
  const wall: Array<number> = []
  const cpu: Array<number> = []
  for (let run = 0; run < 8; run++) {
    prepare()
    const began = performance.now()
    const before = process.cpuUsage()
    yield* work
    const { system, user } = process.cpuUsage(before)
    if (run > 0) wall.push(performance.now() - began)
    if (run > 0) cpu.push((user + system) / 1000)
  }
  return `${median(wall).toFixed(1)} ms, least ${Math.min(...wall).toFixed(1)}; processor ${median(cpu).toFixed(1)} ms`
})

const cost = Effect.gen(function* () {
  const profiles = yield* profilesOf(plantedMonths[0]!.month(seed, 0.3))
  for (const events of [5_000, 10_000, 20_000]) {
    const session = viewOfSession(longSession(events).events)!
    const input = { session, profiles, artifacts: [], repository: emptyRepository, found: {}, now: session.lastAt }
    console.log(`${events} events: ${yield* timed(pass(input))}`)
    for (const task of yield* DreamTasks) {
      console.log(`  ${task.name.padEnd(24)} ${yield* timed(task.run(input))}`)
    }
  }
})

/** The session has ended before the pass, or it would not be due. */
const whole = Effect.gen(function* () {
  using place = scratch()
  const { root } = initRepository(join(place.path, "shop"))
  const home = inside(place.path, "home")
  const { key } = projectAt(root)!
  const spool = inside(home, "spool", key)
  for (const events of [5_000, 10_000, 20_000]) {
    const lines = longSession(events).events.map((event) => JSON.stringify({ ...event, project: key, root, cwd: root }))
    writeFileSync(join(spool, "long.jsonl"), `${lines.join("\n")}\n`)
    const once = passOnce.pipe(Effect.provide(worker(home)), Effect.orDie)
    const forget = () => rmSync(join(root, ".daydream"), { recursive: true, force: true })
    console.log(`whole pass, ${events} events: ${yield* timed(once, forget)}`)
  }
}).pipe(Effect.provide(Layer.provideMerge(Git.layer, Layer.merge(Platform.layer, Redactor.layerOf({})))))

await Effect.runPromise(Effect.andThen(months, cost).pipe(Effect.provide(tasks)))
await Effect.runPromise(whole)
