/**
 * What recording costs. Run `bun scripts/bench/recording.ts` after `bun run build`.
 *
 * 1. The events of a static review recorded once more, against the wall time of the review itself.
 * 2. A run of 1,000,000 events: events a second, time to make the documents, peak memory.
 */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Layer, Logger } from "effect"
import { parseJournalLine } from "../../src/domain/record/TrajectoryJournal.ts"
import { AgentEvent } from "../../src/domain/run/AgentEvent.ts"
import { RunEvent } from "../../src/domain/run/RunEvent.ts"
import * as Trajectory from "../../src/layers/record/recorder/Trajectory.ts"
import * as Platform from "../../src/layers/system/Platform.ts"
import { Recorder } from "../../src/services/run/Recorder.ts"
import { Redactor } from "../../src/services/secret/Redactor.ts"
import { makePlainRepository } from "./plainRepository.ts"
import { environmentIn, median, timerIn } from "./timed.ts"

const dd = join(import.meta.dir, "../../dist/dd")
const place = mkdtempSync(join(tmpdir(), "dd-bench-"))
const run = timerIn(environmentIn(place))

/** The recorder of a run of its own; `told` says what happens in it. */
const recorded = (name: string, told: (recorder: Recorder["Service"]) => Effect.Effect<void>) => {
  const options = { document: join(place, name, "trajectory.json"), sessionId: name, version: "0", target: null }
  return Effect.runPromise(
    Effect.flatMap(Recorder, told).pipe(
      Effect.provide([
        Trajectory.layer(options).pipe(Layer.provide([Platform.layer, Redactor.layerOf({})])),
        Logger.layer([])
      ])
    )
  )
}

/** A file where the siblings should be keeps the journal from being turned into documents. */
const eventsOf = (root: string): ReadonlyArray<RunEvent> => {
  writeFileSync(join(place, "kept.trajectories"), "")
  run(root, dd, "review", "--commit", "HEAD", "--format", "json", "--trajectory", join(place, "kept.json"))
  const lines = readFileSync(join(place, "kept.jsonl.partial"), "utf8").trimEnd().split("\n").map(parseJournalLine)
  return lines.flatMap((line) => (line !== null && "event" in line ? [line.event] : []))
}

const timestamp = "2026-01-01T00:00:00.000Z"
const words = "The function opens a file and never closes it when the second read fails. "

/** The n-th event of an agent that thinks, asks, gets an answer and says something, turn after turn. */
const nth = (n: number): AgentEvent => {
  const turn = Math.floor(n / 6)
  switch (n % 6) {
    case 0:
      return AgentEvent.make({ _tag: "Thinking", timestamp, text: words })
    case 1:
      return AgentEvent.make({ _tag: "Text", timestamp, text: words })
    case 2:
      return AgentEvent.make({
        _tag: "ToolStart",
        timestamp,
        id: `t${turn}`,
        name: "Read",
        input: { path: `m${turn}.py` }
      })
    case 3:
      return AgentEvent.make({
        _tag: "Metrics",
        timestamp,
        messageId: `m${turn}`,
        promptTokens: 1000,
        completionTokens: 50,
        cachedTokens: 900,
        reasoningTokens: 10,
        costUsd: 0.001,
        model: "bench-1"
      })
    case 4:
      return AgentEvent.make({ _tag: "TurnEnd", timestamp, messageId: `m${turn}` })
    default:
      return AgentEvent.make({ _tag: "ToolResult", timestamp, id: `t${turn}`, output: words.repeat(3), isError: false })
  }
}

const manyEvents = 1_000_000

try {
  const root = makePlainRepository(join(place, "repo"), run)
  const events = eventsOf(root)
  const review = median(
    Array.from({ length: 9 }, () => run(root, dd, "review", "--commit", "HEAD", "--format", "json").wall)
  )
  const times: Array<number> = []
  for (let round = 0; round < 15; round++) {
    const started = performance.now()
    await recorded(`again-${round}`, (recorder) => Effect.forEach(events, recorder.record, { discard: true }))
    times.push(performance.now() - started)
  }
  const recording = median(times.slice(3))
  const share = ((recording / review) * 100).toFixed(1)
  console.log("a static review of a 10-file commit among 1,000 files")
  console.log(`  review     ${review.toFixed(0)} ms`)
  console.log(`  recording  ${recording.toFixed(1)} ms for ${events.length} events: ${share} % (allowed: 5 %)`)

  const before = process.memoryUsage.rss()
  let peak = before
  const watching = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 20)
  const started = performance.now()
  let told = 0
  await recorded("many", (recorder) =>
    Effect.gen(function* () {
      yield* recorder.record(
        RunEvent.make({ _tag: "AgentStarted", call: 1, task: "review", phase: "intent", fork: null, prompt: "Review." })
      )
      for (let n = 0; n < manyEvents; n++) {
        yield* recorder.record(RunEvent.make({ _tag: "Agent", call: 1, event: nth(n) }))
        if (n % 1000 === 0) yield* Effect.promise(() => Bun.sleep(0))
      }
      yield* recorder.record(RunEvent.make({ _tag: "AgentEnded", call: 1, outcome: "ok" }))
      yield* recorder.record(RunEvent.make({ _tag: "RunEnded", status: "complete", findings: 0 }))
      told = performance.now()
    })
  )
  const over = performance.now()
  clearInterval(watching)
  const mib = (bytes: number) => `${Math.round(bytes / 1024 / 1024)} MiB`
  const document = statSync(join(place, "many", "trajectory.json")).size
  console.log(`\na run of ${manyEvents.toLocaleString("en")} events`)
  console.log(
    `  recorded   ${((told - started) / 1000).toFixed(1)} s (${(((told - started) * 1000) / manyEvents).toFixed(0)} us an event)`
  )
  console.log(`  documents  ${((over - told) / 1000).toFixed(1)} s for ${mib(document)}`)
  console.log(`  memory     ${mib(peak)} peak, ${mib(before)} of it before (allowed: 200 MB)`)
} finally {
  rmSync(place, { recursive: true, force: true })
}
