/**
 * What the tasks of the Dream engine find, and what a pass costs. Run `bun scripts/bench/dreamTasks.ts [SEED]`.
 *
 * 1. Months of 200 sessions with known truth: precision and recall of each task, in sessions of planted work only and with
 *    something unrelated before every third call, and what was missed or wrong.
 * 2. All tasks over one session of 5,000, 10,000 and 20,000 events, with 200 profiles of earlier sessions: milliseconds,
 *    median of seven after one that is not counted. The view of the session is computed before.
 */
import { Effect } from "effect"
import { viewOfSession } from "../../src/domain/dream/viewOfSession.ts"
import { tasks } from "../../src/layers/DreamLive.ts"
import { DreamTasks } from "../../src/services/dream/DreamTasks.ts"
import { pass, profilesOf, scoreOf } from "../../test/support/dreamScores.ts"
import { longSession, plantedMonths } from "../../test/support/plantedMonths.ts"
import { emptyRepository } from "../../test/support/plantedSessions.ts"
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
const timed = Effect.fnUntraced(function* <A>(work: Effect.Effect<A, never, DreamTasks>) {
  const wall: Array<number> = []
  const cpu: Array<number> = []
  for (let run = 0; run < 8; run++) {
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
    for (const task of yield* DreamTasks.use(({ all }) => all)) {
      console.log(`  ${task.name.padEnd(24)} ${yield* timed(task.run(input))}`)
    }
  }
})

await Effect.runPromise(Effect.andThen(months, cost).pipe(Effect.provide(tasks)))
