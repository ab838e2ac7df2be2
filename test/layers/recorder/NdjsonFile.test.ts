import { describe, expect } from "bun:test"
import { Effect, FileSystem, Layer, Logger, Schema } from "effect"
import { AgentEvent } from "../../../src/domain/AgentEvent.ts"
import { RunEvent } from "../../../src/domain/RunEvent.ts"
import * as Platform from "../../../src/layers/Platform.ts"
import * as NdjsonFile from "../../../src/layers/recorder/NdjsonFile.ts"
import { Recorder } from "../../../src/services/Recorder.ts"
import type { Redactor } from "../../../src/services/Redactor.ts"
import { it } from "../../support/effect.ts"

const started = (step: string) => RunEvent.make({ _tag: "StepStarted", step })
const decode = Schema.decodeUnknownSync(Schema.fromJsonString(RunEvent))

const recording = (path: string, events: ReadonlyArray<RunEvent>) =>
  Recorder.use((recorder) => Effect.forEach(events, recorder.record, { concurrency: "unbounded" })).pipe(
    Effect.provide(NdjsonFile.layer(path).pipe(Layer.provide(Platform.layer)))
  )

const inTemp = <A, E>(body: (dir: string, fs: FileSystem.FileSystem) => Effect.Effect<A, E, Redactor>) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    return yield* body(yield* fs.makeTempDirectoryScoped(), fs)
  }).pipe(Effect.scoped, Effect.provide(Platform.layer))

describe("the NDJSON recorder", () => {
  it.live("has every event on disk, a line each, before it says that it is recorded", () =>
    inTemp((dir, fs) =>
      Effect.gen(function* () {
        const path = `${dir}/runs/s/events.jsonl`
        const events = Array.from({ length: 500 }, (_, i) => started(`step-${i}`))
        yield* recording(path, events)
        const lines = (yield* fs.readFileString(path)).trimEnd().split("\n")
        const steps = lines.map((line) => decode(line)).map((event) => ("step" in event ? event.step : ""))
        // Recorded at once, so in any order; whole and all of them.
        expect(steps.toSorted()).toEqual(events.map((_, i) => `step-${i}`).toSorted())
      })
    )
  )

  it.live("masks secrets, wherever in an event they stand", () =>
    inTemp((dir, fs) =>
      Effect.gen(function* () {
        const token = `ghp_${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}`
        const event = AgentEvent.make({
          _tag: "Result",
          timestamp: "2026-01-01T00:00:00.000Z",
          output: { issues: [{ quote: `t = "${token}"` }] }
        })
        yield* recording(`${dir}/e.jsonl`, [RunEvent.make({ _tag: "Agent", call: 1, event })])
        const text = yield* fs.readFileString(`${dir}/e.jsonl`)
        expect(text).toContain("[REDACTED_API_KEY]")
        expect(text).not.toContain(token)
      })
    )
  )

  it.live("appends to what is there", () =>
    inTemp((dir, fs) =>
      Effect.gen(function* () {
        yield* recording(`${dir}/e.jsonl`, [started("a")])
        yield* recording(`${dir}/e.jsonl`, [started("b")])
        expect((yield* fs.readFileString(`${dir}/e.jsonl`)).trimEnd().split("\n")).toHaveLength(2)
      })
    )
  )

  it.live("costs one warning, and not the run, when the file cannot be made", () =>
    inTemp((dir, fs) =>
      Effect.gen(function* () {
        yield* fs.writeFileString(`${dir}/file`, "")
        const warned: Array<unknown> = []
        const logger = Logger.make(({ message }) => void warned.push(message))
        yield* recording(`${dir}/file/e.jsonl`, [started("a"), started("b")]).pipe(
          Effect.provide(Logger.layer([logger]))
        )
        expect(warned).toHaveLength(1)
        expect(String(warned[0])).toContain("this run is not recorded")
      })
    )
  )
})
