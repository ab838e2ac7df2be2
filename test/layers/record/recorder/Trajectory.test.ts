import { describe, expect } from "bun:test"
import {
  Deferred,
  Effect,
  Exit,
  Fiber,
  FileSystem,
  Layer,
  Logger,
  type Path,
  PlatformError,
  Ref,
  type Scope,
  Stream
} from "effect"
import { TestClock } from "effect/testing"
import { nothingExplored } from "../../../../src/domain/code/Exploration.ts"
import { parseJournalLine } from "../../../../src/domain/record/TrajectoryJournal.ts"
import { AgentEvent } from "../../../../src/domain/run/AgentEvent.ts"
import type { RunEvent } from "../../../../src/domain/run/RunEvent.ts"
import { tokenFormats } from "../../../../src/domain/secret/tokenFormats.ts"
import * as TrajectoryRecorder from "../../../../src/layers/record/recorder/Trajectory.ts"
import { OpenJournal, openJournal } from "../../../../src/layers/record/recorder/Trajectory.ts"
import * as Platform from "../../../../src/layers/system/Platform.ts"
import * as Proc from "../../../../src/layers/system/process/Proc.ts"
import { Agent } from "../../../../src/services/agent/Agent.ts"
import { Backend } from "../../../../src/services/agent/Backend.ts"
import { Trajectories } from "../../../../src/services/record/Trajectories.ts"
import { FailPolicy } from "../../../../src/services/run/FailPolicy.ts"
import { Recorder } from "../../../../src/services/run/Recorder.ts"
import { Redactor } from "../../../../src/services/secret/Redactor.ts"
import { change } from "../../../support/builders.ts"
import { it } from "../../../support/effect.ts"
import {
  answered,
  asked,
  ended,
  result,
  session,
  started,
  stepEnded,
  text,
  thinks,
  tool,
  turnEnd
} from "../../../support/journal.ts"
import { sampleOf } from "../../../support/sampleOf.ts"

const options = (document: string) => ({ document, sessionId: session, version: "1.2.3", target: "/repo" })
const recorder = (document: string) => TrajectoryRecorder.layer(options(document))
const trajectories = Trajectories.layer.pipe(Layer.provide(Proc.layer), Layer.provide(Platform.layer))

const recording = (path: string, ...events: ReadonlyArray<RunEvent>) =>
  Recorder.use((recorder) => Effect.forEach(events, recorder.record, { discard: true })).pipe(
    Effect.provide(recorder(path))
  )

const fanOut = [
  started(),
  asked(1, "intent"),
  text(1, "For reading."),
  turnEnd(1),
  answered(1),
  asked(2, "per-stack-reviews", "deep-go"),
  asked(3, "per-stack-reviews", "deep-python"),
  text(2, "Go is fine."),
  turnEnd(2),
  answered(2),
  text(3, "Python"),
  turnEnd(3),
  answered(3),
  stepEnded("per-stack-reviews")
]

const inTemp = <A, E>(
  body: (
    dir: string,
    fs: FileSystem.FileSystem
  ) => Effect.Effect<A, E, FileSystem.FileSystem | Path.Path | Redactor | Scope.Scope>
) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    return yield* body(yield* fs.makeTempDirectoryScoped(), fs)
  }).pipe(Effect.scoped, Effect.provide(Platform.layer))

/** Every file below, sorted. */
const filesIn = (fs: FileSystem.FileSystem, dir: string) =>
  Effect.map(fs.readDirectory(dir, { recursive: true }), (names) => names.filter((name) => name.includes(".")).sort())

/** What is wrong with the documents there. */
const problems = (dir: string, names: ReadonlyArray<string>) =>
  Trajectories.use((all) =>
    Effect.forEach(names, (name) => Effect.map(all.validate(`${dir}/${name}`), ({ violations }) => violations))
  ).pipe(
    Effect.map((all) => all.flat()),
    Effect.provide(trajectories)
  )

/** What was warned of while it ran. */
const warningsOf = <A, E, R>(effect: Effect.Effect<A, E, R>) => {
  const warned: Array<string> = []
  const logger = Logger.make(({ message }) => void warned.push(String(message)))
  return Effect.map(effect.pipe(Effect.provide(Logger.layer([logger]))), () => warned)
}

const whole = ["trajectories/deep-go.json", "trajectories/deep-python.json", "trajectory.json"]
const partial = whole.map((name) => `${name}.partial`)

describe("the trajectory recorder", () => {
  it.live("has every event on disk, a line each, before it reports that it is recorded", () =>
    inTemp((dir, fs) =>
      Effect.gen(function* () {
        const recorder = yield* Recorder
        yield* Effect.forEach(fanOut, recorder.record, { concurrency: "unbounded", discard: true })
        const lines = (yield* fs.readFileString(`${dir}/runs/s/trajectory.jsonl.partial`)).split("\n")
        expect(lines.pop()).toBe("")
        // And what the agents said, which is decided when their turn is over.
        const said = fanOut.filter((event) => event._tag === "Agent" && event.event._tag === "Text").length
        expect(lines.map(parseJournalLine).filter((line) => line !== null)).toHaveLength(1 + fanOut.length + said)
      }).pipe(Effect.provide(recorder(`${dir}/runs/s/trajectory.json`)))
    )
  )

  it.live("leaves the run's trajectory and a sibling for each agent beside it after a run that ended well", () =>
    inTemp((dir, fs) =>
      Effect.gen(function* () {
        yield* recording(`${dir}/trajectory.json`, ...fanOut, ended)
        expect(yield* filesIn(fs, dir)).toEqual(whole)
        expect(yield* problems(dir, whole)).toEqual([])
        expect(yield* fs.readFileString(`${dir}/trajectory.json`)).not.toContain("partial")
      })
    )
  )

  it.live("leaves the siblings of a document of another name in a directory of that name", () =>
    inTemp((dir, fs) =>
      Effect.gen(function* () {
        yield* recording(`${dir}/out/run.json`, ...fanOut, ended)
        expect(yield* filesIn(fs, `${dir}/out`)).toEqual([
          "run.json",
          "run.trajectories",
          "run.trajectories/deep-go.json",
          "run.trajectories/deep-python.json"
        ])
        expect(yield* problems(dir, ["out/run.json"])).toEqual([])
      })
    )
  )

  it.live("leaves partial ones after a failure, and all of them report it", () =>
    inTemp((dir, fs) =>
      Effect.gen(function* () {
        yield* Effect.exit(
          Effect.andThen(
            Recorder.use((each) => Effect.forEach(fanOut, each.record)),
            Effect.fail("no")
          ).pipe(Effect.provide(recorder(`${dir}/trajectory.json`)))
        )
        expect(yield* filesIn(fs, dir)).toEqual(partial)
        expect(yield* problems(dir, partial)).toEqual([])
        for (const name of partial) {
          expect(JSON.parse(yield* fs.readFileString(`${dir}/${name}`)).extra.partial).toBe(true)
        }
      })
    )
  )

  it.live("counts a run with its last event as complete, however its answer was shown", () =>
    inTemp((dir, fs) =>
      Effect.gen(function* () {
        const exit = yield* Effect.exit(
          Effect.andThen(
            Recorder.use((each) => Effect.forEach([...fanOut, ended], each.record)),
            Effect.fail("findings")
          ).pipe(Effect.provide(recorder(`${dir}/trajectory.json`)))
        )
        expect(Exit.isFailure(exit)).toBe(true)
        expect(yield* filesIn(fs, dir)).toEqual(whole)
      })
    )
  )

  it.live("keeps the text of agents when the run was interrupted, in forks and in the run itself", () =>
    inTemp((dir, fs) =>
      Effect.gen(function* () {
        const waiting = yield* Ref.make(0)
        const all = yield* Deferred.make<void>()
        const timestamp = "2026-01-01T00:00:00.000Z"
        const hangs = Layer.succeed(Backend, {
          name: "scripted",
          model: "model-7",
          fanout: 4,
          execute: () =>
            Stream.concat(
              Stream.make(
                AgentEvent.make({ _tag: "Text", timestamp, text: "I am at it" }),
                AgentEvent.make({ _tag: "ToolStart", timestamp, id: "t", name: "Read", input: {} })
              ),
              Stream.fromEffectDrain(
                Ref.updateAndGet(waiting, (n) => n + 1).pipe(
                  Effect.flatMap((n) => (n === 3 ? Deferred.succeed(all, undefined) : Effect.void)),
                  Effect.andThen(Effect.never)
                )
              )
            )
        })
        const task = { _tag: "Intent", change: change(), exploration: nothingExplored } as const
        const run = Effect.gen(function* () {
          const agent = yield* Agent
          yield* (yield* Recorder).record(started("deep", "model-7"))
          const forks = ["deep-go", "deep-python"].map((fork) =>
            agent.invoke(task, { phase: "per-stack-reviews", fork }, { intent: "" })
          )
          yield* Effect.all([agent.invoke(task, { phase: "intent" }, { intent: "" }), ...forks], {
            concurrency: "unbounded"
          })
        }).pipe(
          Effect.provide(
            Agent.layer.pipe(
              Layer.provide(hangs),
              Layer.provide(FailPolicy.layer),
              Layer.provideMerge(recorder(`${dir}/trajectory.json`))
            )
          )
        )
        const fiber = yield* Effect.forkScoped(run)
        yield* Deferred.await(all)
        yield* Fiber.interrupt(fiber)
        expect(yield* filesIn(fs, dir)).toEqual(partial)
        expect(yield* problems(dir, partial)).toEqual([])
        for (const name of partial) {
          const { extra, steps } = JSON.parse(yield* fs.readFileString(`${dir}/${name}`))
          const step = steps.find(({ message }: { message: string }) => message === "I am at it")
          expect([extra.partial, step.extra.partial_step, step.tool_calls.length, step.model_name]).toEqual([
            true,
            true,
            1,
            "model-7"
          ])
        }
      })
    )
  )

  it.live("masks secrets wherever they are, in prompts, names, arguments and results", () =>
    inTemp((dir, fs) =>
      Effect.gen(function* () {
        const token = `ghp_${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}`
        yield* recording(
          `${dir}/trajectory.json`,
          started(),
          asked(1, "intent", null, `Is ${token} safe?`),
          tool(1, "t", { [token]: [token], password: "hunter2" }),
          result(1, "t", `token ${token}`),
          thinks(1, `It is ${token}.`),
          answered(1),
          ended
        )
        const written = yield* fs.readFileString(`${dir}/trajectory.json`)
        expect(written.split("[REDACTED_API_KEY]")).toHaveLength(6)
        expect(written).not.toContain(token.slice(0, 12))
        expect(written).not.toContain("hunter2")
      })
    )
  )

  it.live("has at no time any part of a token on disk, wherever it was cut in two", () =>
    inTemp((dir, fs) =>
      Effect.gen(function* () {
        const { text: redact } = yield* Redactor
        const cuts = tokenFormats.flatMap(({ pattern }) => {
          const whole = `It says\n\nuse ${sampleOf(pattern)} now`
          // At every place: see RedactedEvents.
          return Array.from({ length: Math.floor(whole.length / 9) }, (_, at) => ({ whole, at: at * 9 }))
        })
        const journal = `${dir}/trajectory.jsonl.partial`
        /** What each call has said by now, as anybody would read it who finds the journal. */
        const written = Effect.map(fs.readFileString(journal), (lines) => {
          const said = cuts.map(() => "")
          for (const line of lines.split("\n").map(parseJournalLine)) {
            if (line === null || !("event" in line) || line.event._tag !== "Agent") continue
            if (line.event.event._tag === "Text") said[line.event.call] += line.event.event.text
          }
          return said
        })
        yield* Effect.gen(function* () {
          const { record } = yield* Recorder
          yield* Effect.forEach(cuts, ({ at, whole }, call) => record(text(call, whole.slice(0, at))))
          const begins = yield* written
          expect(cuts.filter(({ whole }, call) => !redact(whole).startsWith(begins[call]!))).toEqual([])
          yield* Effect.forEach(cuts, ({ at, whole }, call) => record(text(call, whole.slice(at))))
          yield* Effect.forEach(cuts, (_, call) => record(turnEnd(call)))
          const ends = yield* written
          expect(cuts.filter(({ whole }, call) => ends[call] !== redact(whole))).toEqual([])
          expect(ends.filter((said) => said !== "It says\n\nuse [REDACTED_API_KEY] now")).toEqual([])
        }).pipe(Effect.provide(recorder(`${dir}/trajectory.json`)))
      })
    )
  )

  it.live("brings what was held back of a turn that an interruption cut, in order, and no half of a token", () =>
    inTemp((dir, fs) =>
      Effect.gen(function* () {
        const token = `ghp_${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}`
        const fiber = yield* Effect.forkScoped(
          Effect.gen(function* () {
            const { record } = yield* Recorder
            yield* Effect.forEach(
              [
                started(),
                asked(1),
                text(1, "I saw "),
                text(1, token.slice(0, 20)),
                asked(2, "a", "b"),
                text(2, "And ")
              ],
              record
            )
            return yield* Effect.never
          }).pipe(Effect.provide(recorder(`${dir}/trajectory.json`)))
        )
        const journal = `${dir}/trajectory.jsonl.partial`
        while (!(yield* Effect.orElseSucceed(fs.readFileString(journal), () => "")).includes('"call":2,"event"')) {
          yield* Effect.yieldNow
        }
        yield* Fiber.interrupt(fiber)
        const messages = (name: string) =>
          Effect.map(fs.readFileString(`${dir}/${name}`), (json) =>
            JSON.parse(json).steps.map(({ message }: { message: string }) => message)
          )
        expect(yield* messages("trajectory.json.partial")).toEqual([
          "prompt 1",
          "I saw [REDACTED_API_KEY]",
          "Dispatching 1 parallel a task"
        ])
        expect(yield* messages("trajectories/b.json.partial")).toEqual(["prompt 2", "And "])
      })
    )
  )

  it.effect("is in order, and reports it, when the clock is set back", () =>
    inTemp((dir, fs) =>
      Effect.gen(function* () {
        const warned = yield* warningsOf(
          Effect.gen(function* () {
            const recorder = yield* Recorder
            yield* TestClock.setTime(1_000_000)
            yield* Effect.forEach([started(), asked(1)], recorder.record)
            yield* TestClock.setTime(10_000)
            yield* Effect.forEach([text(1, "x"), turnEnd(1), answered(1)], recorder.record)
            expect((yield* recorder.missing).map(({ error }) => error)).toEqual(["ClockSetBack"])
            yield* recorder.record(ended)
          }).pipe(Effect.provide(recorder(`${dir}/trajectory.json`)))
        )
        expect(warned).toEqual([expect.stringContaining("the clock was set back by 990 s")])
        const { steps } = JSON.parse(yield* fs.readFileString(`${dir}/trajectory.json`))
        expect(steps.map(({ timestamp }: { timestamp: string }) => timestamp)).toEqual([
          "1970-01-01T00:16:40.000Z",
          "1970-01-01T00:16:40.000Z"
        ])
      })
    )
  )
})

const noSpace = Object.assign(new Error("ENOSPC"), { code: "ENOSPC" })
const full = PlatformError.systemError({
  _tag: "Unknown",
  module: "FileSystem",
  method: "write",
  cause: noSpace
})

/** A disk on which a journal takes `writes` and then no more, and nothing is renamed after `renames`. */
const failing = (limits: { readonly writes?: number; readonly renames?: number; readonly removes?: number }) => {
  const left = { writes: 1e9, renames: 1e9, removes: 1e9, ...limits }
  const counted = <A>(what: keyof typeof left, effect: Effect.Effect<A, PlatformError.PlatformError>) =>
    Effect.suspend(() => (left[what]-- > 0 ? effect : Effect.fail(full)))
  const files = Layer.effect(
    FileSystem.FileSystem,
    Effect.map(FileSystem.FileSystem, (fs) => {
      return FileSystem.FileSystem.of({
        ...fs,
        rename: (from, to) => counted("renames", fs.rename(from, to)),
        remove: (path, options) =>
          path.endsWith(".jsonl.partial") ? counted("removes", fs.remove(path, options)) : fs.remove(path, options),
        open: (path, options) =>
          Effect.map(fs.open(path, options), (file) => {
            const writeAll: FileSystem.File["writeAll"] = (bytes) => counted("writes", file.writeAll(bytes))
            const wrapped: FileSystem.File = Object.assign(Object.create(file), { writeAll })
            return wrapped
          })
      })
    })
  )
  const journals = Layer.succeed(OpenJournal, (path: string) => {
    const file = openJournal(path)
    const append = (bytes: Uint8Array) => {
      if (left.writes-- <= 0) throw noSpace
      file.append(bytes)
    }
    return { ...file, append }
  })
  return Layer.merge(files, journals).pipe(Layer.provideMerge(Platform.layer))
}

describe("where it cannot write", () => {
  it.live("a full disk costs one warning, a degraded entry and the rest of the record, never the run", () =>
    inTemp((dir, fs) =>
      Effect.gen(function* () {
        const warned = yield* warningsOf(
          Effect.gen(function* () {
            const recorder = yield* Recorder
            yield* Effect.forEach([...fanOut, ended], recorder.record)
            expect((yield* recorder.missing).map(({ step, error }) => [step, error])).toEqual([
              ["trajectory", "TrajectoryNotWritten"]
            ])
          }).pipe(Effect.provide(recorder(`${dir}/trajectory.json`).pipe(Layer.provide(failing({ writes: 6 })))))
        )
        expect(warned).toEqual([
          expect.stringContaining("the rest of this run is not recorded: no space left on the device"),
          expect.stringContaining("the trajectory is left as a journal")
        ])
        // Begun, and five events, what was said in a line of its own; nothing of a document.
        const lines = (yield* fs.readFileString(`${dir}/trajectory.jsonl.partial`)).trimEnd().split("\n")
        expect(lines).toHaveLength(7)
        expect(yield* filesIn(fs, dir)).toEqual(["trajectory.jsonl.partial"])
      })
    )
  )

  it.live("leaves no empty journal", () =>
    inTemp((dir, fs) =>
      Effect.gen(function* () {
        const run = recording(`${dir}/trajectory.json`, ...fanOut).pipe(Effect.provide(failing({ writes: 0 })))
        expect(yield* warningsOf(run)).toHaveLength(1)
        expect(yield* filesIn(fs, dir)).toEqual([])
      })
    )
  )

  it.live("a directory that cannot be made costs one warning and a degraded entry", () =>
    inTemp((dir, fs) =>
      Effect.gen(function* () {
        yield* fs.writeFileString(`${dir}/file`, "")
        const warned = yield* warningsOf(
          Effect.gen(function* () {
            const recorder = yield* TrajectoryRecorder.makeIfPossible(options(`${dir}/file/trajectory.json`))
            yield* Effect.forEach(fanOut, recorder.record)
            expect((yield* recorder.missing).map(({ error }) => error)).toEqual(["TrajectoryNotBegun"])
          }).pipe(Effect.scoped)
        )
        expect(warned).toEqual([expect.stringContaining("this run is not recorded")])
      })
    )
  )

  it.live(
    "an invalid path of the user is refused before anything runs: a directory, a journal that is still there",
    () =>
      inTemp((dir, fs) =>
        Effect.gen(function* () {
          const refused = (path: string) =>
            Effect.map(Effect.flip(TrajectoryRecorder.make(options(path))), (error) => error.message)
          yield* fs.writeFileString(`${dir}/t.jsonl.partial`, "")
          expect(yield* Effect.scoped(refused(dir))).toContain("it is not a file")
          expect(yield* Effect.scoped(refused(`${dir}/t.json`))).toContain("dd trajectory recover")
        })
      )
  )

  for (const [what, limits] of [
    ["a document", { renames: 2 }],
    ["the journal, which it cannot remove", { removes: 0 }]
  ] as const) {
    it.live(`an end that stops at ${what} leaves the journal, from which the same documents are made`, () =>
      inTemp((dir, fs) =>
        Effect.gen(function* () {
          const path = `${dir}/trajectory.json`
          const warned = yield* warningsOf(
            Recorder.use((each) => Effect.forEach([...fanOut, ended], each.record)).pipe(
              Effect.provide(recorder(path).pipe(Layer.provide(failing(limits))))
            )
          )
          expect(warned).toEqual([expect.stringContaining("left as a journal")])
          const journal = yield* fs.readFileString(`${dir}/trajectory.jsonl.partial`)
          // The run is over, as its process would be.
          yield* fs.writeFileString(
            `${dir}/trajectory.jsonl.partial`,
            journal.replace(/"pid":\d+/, '"pid":4000000').replace(/"boot":"[^"]*"/, '"boot":"other"')
          )
          const recovered = yield* Trajectories.use((all) => all.recover(path)).pipe(Effect.provide(trajectories))
          expect(recovered).toEqual({ _tag: "Recovered", document: path, siblings: 2 })
          expect(yield* filesIn(fs, dir)).toEqual(whole)
          expect(yield* problems(dir, whole)).toEqual([])
        })
      )
    )
  }
})
