import { describe, expect } from "bun:test"
import { Effect, Sink, Stdio } from "effect"
import { TestClock } from "effect/testing"
import { make, type ProgressOptions } from "../../../src/cli/review/Progress.ts"
import * as StreamedLines from "../../../src/cli/review/StreamedLines.ts"
import { RunEvent } from "../../../src/domain/run/RunEvent.ts"
import type { Recorder } from "../../../src/services/run/Recorder.ts"
import { it } from "../../support/effect.ts"

const written: Array<string> = []
const keep = (chunk: string | Uint8Array) => Effect.sync(() => void written.push(String(chunk)))
const collect = () => Sink.forEach(keep)
const stdio = Stdio.layerTest({ stdout: collect, stderr: collect })

const started = (step: string) => RunEvent.make({ _tag: "StepStarted", step })
const ended = (step: string, summary: string) => RunEvent.make({ _tag: "StepEnded", step, summary })
const skipped = RunEvent.make({ _tag: "StepSkipped", step: "fix", reason: "not in this build: no fixes yet" })
const agent = RunEvent.make({
  _tag: "AgentStarted",
  call: 1,
  task: "review:python",
  phase: "x",
  fork: null,
  prompt: ""
})

const shown = (options: Partial<ProgressOptions>, script: (recorder: Recorder["Service"]) => Effect.Effect<unknown>) =>
  Effect.gen(function* () {
    written.length = 0
    const recorder = yield* make({
      terminal: false,
      colour: false,
      verbose: false,
      quiet: false,
      width: 80,
      ...options
    })
    yield* script(recorder)
  }).pipe(
    Effect.scoped,
    Effect.map(() => written.join("")),
    Effect.provide(stdio)
  )

const run = (recorder: Recorder["Service"]) =>
  Effect.gen(function* () {
    yield* recorder.record(started("per-stack-reviews"))
    yield* recorder.record(agent)
    yield* recorder.record(agent)
    yield* TestClock.adjust("1500 millis")
    yield* recorder.record(ended("per-stack-reviews", "2 stacks of 2\u001b[31m"))
    yield* recorder.record(started("intent"))
    yield* recorder.record(ended("intent", ""))
    yield* recorder.record(skipped)
  })

describe("progress", () => {
  it.effect("prints nothing into a pipe without a flag", () =>
    Effect.gen(function* () {
      expect(yield* shown({}, run)).toBe("")
      expect(yield* shown({ terminal: true, quiet: true }, run)).toBe("")
    })
  )

  it.effect("is plain lines without a control byte in a pipe, with -v", () =>
    Effect.gen(function* () {
      const text = yield* shown({ verbose: true }, run)
      expect(text).toContain("per-stack-reviews    2 stacks of 2  1.5 s\n")
      expect(text).toContain("fix                  skipped: not in this build: no fixes yet\n")
      expect(text).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f]/)
    })
  )

  it.effect("rewrites one line a step on a terminal, with agents and time, and leaves none half written", () =>
    Effect.gen(function* () {
      const text = yield* shown({ terminal: true }, run)
      expect(text).toContain("0 of 2 agents  1.4 s")
      expect(text).toContain("\r\u001b[2K  per-stack-reviews    2 stacks of 2  1.5 s\n")
      expect(text).not.toContain("skipped")
      expect(text).not.toContain("\u001b[31m")
    })
  )

  it.effect("stays on one line of a narrow terminal, so that the next rewrite finds all of it", () =>
    Effect.gen(function* () {
      const text = yield* shown({ terminal: true, width: 30 }, run)
      for (const line of text.split(/\r\u001b\[2K|\n/))
        expect(line.replace(/ {2}[\d.]+ m?s$/, "").length).toBeLessThan(30)
    })
  )

  it.effect("wipes the line of a step that was cut off", () =>
    Effect.gen(function* () {
      const text = yield* shown({ terminal: true }, (recorder) => recorder.record(started("intent")))
      expect(text.endsWith("\r\u001b[2K")).toBe(true)
    })
  )
})

describe("the jsonl stream", () => {
  it.effect("prints a heartbeat every ten seconds, with what dd works on", () =>
    Effect.gen(function* () {
      written.length = 0
      const recorder = yield* StreamedLines.make({ version: "0.0.0" })
      yield* recorder.record(started("per-stack-reviews"))
      yield* TestClock.adjust("21 seconds")
      const beats = written.map((line) => JSON.parse(line)).filter((event) => event.type === "heartbeat")
      expect(beats.map(({ elapsed_ms, running }) => [elapsed_ms, running])).toEqual([
        [10_000, ["per-stack-reviews"]],
        [20_000, ["per-stack-reviews"]]
      ])
    }).pipe(Effect.scoped, Effect.provide(stdio))
  )
})
