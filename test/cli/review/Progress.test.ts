import { describe, expect } from "bun:test"
import { Terminal } from "@xterm/headless"
import { Clock, Effect, Fiber, type Schema, Sink, Stdio } from "effect"
import { TestClock } from "effect/testing"
import { make, type ProgressOptions, Questions } from "../../../src/cli/review/Progress.ts"
import * as StreamedLines from "../../../src/cli/review/StreamedLines.ts"
import { AgentEvent } from "../../../src/domain/run/AgentEvent.ts"
import { RunEvent } from "../../../src/domain/run/RunEvent.ts"
import { FileCounts, type FileWork, forEachFile } from "../../../src/services/change/progress/FileCounts.ts"
import type { Recorder } from "../../../src/services/run/Recorder.ts"
import { it } from "../../support/effect.ts"

const written: Array<{ readonly at: number; readonly text: string }> = []
const keep = (chunk: string | Uint8Array) =>
  Effect.map(Clock.currentTimeMillis, (at) => void written.push({ at, text: String(chunk) }))
const collect = () => Sink.forEach(keep)
const stdio = Stdio.layerTest({ stdout: collect, stderr: collect })
const text = () => written.map((each) => each.text).join("")

const begun = (source: "static" | "model", agentsPlanned = 0) =>
  RunEvent.make({
    _tag: "RunStarted",
    sessionId: "s",
    flow: "deep",
    backend: "b",
    model: "",
    description: "",
    files: 1,
    agentsPlanned,
    source
  })
const over = RunEvent.make({ _tag: "RunEnded", status: "complete", findings: 0 })
const started = (step: string) => RunEvent.make({ _tag: "StepStarted", step })
const ended = (step: string, summary: string) => RunEvent.make({ _tag: "StepEnded", step, summary })
const skipped = RunEvent.make({ _tag: "StepSkipped", step: "fix", reason: "not in this build: no fixes yet" })
const agent = (call: number, task: string) =>
  RunEvent.make({ _tag: "AgentStarted", call, task, phase: "x", fork: null, prompt: "" })
const used = (call: number, promptTokens: number, costUsd: number) =>
  RunEvent.make({
    _tag: "Agent",
    call,
    event: AgentEvent.make({
      _tag: "Metrics",
      timestamp: "2026-01-01T00:00:00.000Z",
      messageId: "m",
      promptTokens,
      completionTokens: 10,
      cachedTokens: null,
      reasoningTokens: null,
      costUsd,
      model: "m-1"
    })
  })

const shown = <R>(
  options: Partial<ProgressOptions>,
  script: (recorder: Recorder["Service"]) => Effect.Effect<unknown, never, R>
) =>
  Effect.gen(function* () {
    written.length = 0
    const recorder = yield* make({
      terminal: false,
      colour: false,
      verbose: false,
      quiet: false,
      columns: () => 80,
      ...options
    })
    yield* script(recorder)
  }).pipe(
    Effect.scoped,
    Effect.map(text),
    Effect.provideService(FileCounts, { running: new Map(), done: 0, files: 0, functions: 0 }),
    Effect.provide(stdio)
  )

const run = (recorder: Recorder["Service"]) =>
  Effect.gen(function* () {
    yield* recorder.record(begun("static"))
    yield* recorder.record(started("per-stack-reviews"))
    yield* TestClock.adjust("1500 millis")
    yield* recorder.record(ended("per-stack-reviews", "2 stacks of 2\u001b[31m"))
    yield* recorder.record(started("intent"))
    yield* recorder.record(ended("intent", ""))
    yield* recorder.record(skipped)
    yield* recorder.record(over)
  })

/** A review that reads files, one each 50 ms. */
const reading = (files: number) => (recorder: Recorder["Service"]) =>
  Effect.gen(function* () {
    yield* recorder.record(begun("static"))
    yield* recorder.record(started("exploration"))
    const paths = Array.from({ length: files }, (_, at) => `src/a${at}.go`)
    const work = yield* Effect.forkChild(forEachFile("symbols", paths, () => Effect.sleep("50 millis")))
    yield* TestClock.adjust(files * 50)
    yield* Fiber.join(work)
    yield* recorder.record(ended("exploration", "2 related files"))
    yield* recorder.record(over)
  })

/** The lines of a screen after this output; before the output `from`, its width changes. */
const screenAfter = async (
  output: ReadonlyArray<string>,
  resized: { readonly from: number; readonly width: number }
) => {
  const screen = new Terminal({ cols: 80, rows: 10, convertEol: true, allowProposedApi: true })
  const write = (some: string) => new Promise<void>((done) => screen.write(some, done))
  await write("$ dd review\n")
  await write(output.slice(0, resized.from).join(""))
  screen.resize(resized.width, 10)
  await write(output.slice(resized.from).join(""))
  const lines = Array.from({ length: screen.buffer.active.length }, (_, at) =>
    screen.buffer.active.getLine(at)!.translateToString(true)
  )
  return lines.filter((line) => line !== "")
}

describe("progress", () => {
  it.effect("prints nothing of a short run into a pipe, and nothing at all with --quiet", () =>
    Effect.gen(function* () {
      expect(yield* shown({}, run)).toBe("")
      expect(yield* shown({ terminal: true, quiet: true }, run)).toBe("")
    })
  )

  it.effect("prints plain lines for all steps in a pipe, with -v", () =>
    Effect.gen(function* () {
      const output = yield* shown({ verbose: true }, run)
      expect(output).toContain("per-stack-reviews     2 stacks of 2  1.5 s\n")
      expect(output).toContain("intent                  0 ms\n")
      expect(output).not.toContain("not in this build")
      expect(output).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f]/)
    })
  )

  it.effect("prints what each reviewer did and did not check, with -v", () =>
    Effect.gen(function* () {
      const path = (status: string) => ({ path: "a.py", status, reason: "" })
      const answer = (output: typeof Schema.Json.Type) => ({
        _tag: "Agent" as const,
        call: 1,
        event: AgentEvent.make({ _tag: "Result", timestamp: "2026-01-01T00:00:00.000Z", output })
      })
      const output = yield* shown({ verbose: true }, (recorder) =>
        Effect.gen(function* () {
          yield* recorder.record(agent(1, "review:python"))
          yield* TestClock.adjust("250 millis")
          const coverage = [path("reviewed"), path("skipped")]
          yield* recorder.record(answer({ issues: [{}], rules: ["a/b", "c/d"], coverage, omitted: ["uses of x"] }))
          yield* recorder.record({ _tag: "AgentEnded", call: 1, outcome: "ok" })
        })
      )
      expect(output).toBe(
        "  review:python         2 rules, 1 of 2 files read, 1 claim  250 ms\n  not checked           uses of x\n"
      )
    })
  )

  it.effect("counts the time from the start of the command, not of a step or of the run", () =>
    Effect.gen(function* () {
      yield* shown({ terminal: true, startedAt: -5_000 }, ({ record }) =>
        Effect.gen(function* () {
          for (const event of [started("change"), ended("change", ""), begun("static"), started("exploration")]) {
            yield* record(event)
            yield* TestClock.adjust("1 second")
          }
          yield* record(over)
        })
      )
      const times = written.flatMap(({ text }) => /(\d+\.\d) s/.exec(text)?.[1] ?? []).map(Number)
      expect(times).toEqual(times.toSorted((a, b) => a - b))
      expect([times[0], times.at(-1)]).toEqual([5, 9])
    })
  )

  it.effect("prints a step that failed, with -v", () =>
    Effect.gen(function* () {
      const output = yield* shown({ verbose: true }, (recorder) =>
        recorder.record({ _tag: "Degraded", step: "arbiter", error: "BackendUnavailable", detail: "no answer" })
      )
      expect(output).toBe("  arbiter               failed: no answer\n")
    })
  )

  it.effect("prints a plain line every ten seconds into a pipe", () =>
    Effect.gen(function* () {
      const output = yield* shown({}, reading(500))
      expect(output).toMatch(
        /^ {2}10\.0 s {2}reading symbols \d+\/500, go\n {2}20\.0 s {2}reading symbols \d+\/500, go\n$/
      )
    })
  )

  it.effect("moves its counts at least twice a second on a terminal", () =>
    Effect.gen(function* () {
      yield* shown({ terminal: true }, reading(100))
      const counts = written.flatMap(({ at, text }) => {
        const [, count] = /reading symbols (\d+)\/100, go/.exec(text) ?? []
        return count === undefined ? [] : [{ at, count: Number(count) }]
      })
      const moved = counts.filter(({ count }, at) => count !== counts[at - 1]?.count)
      const gaps = moved.slice(1).map(({ at }, before) => at - moved[before]!.at)
      expect(moved.length).toBeGreaterThan(20)
      expect(Math.max(...gaps)).toBeLessThanOrEqual(500)
      expect(moved.map(({ count }) => count)).toEqual(moved.map(({ count }) => count).toSorted((a, b) => a - b))
    })
  )

  it.effect(
    "never returns to earlier work, shows no total that grows, and names no model step of a static review",
    () =>
      Effect.gen(function* () {
        const paths = Array.from({ length: 20 }, (_, at) => `src/a${at}.go`)
        const read = (work: FileWork, some = paths) => forEachFile(work, some, () => Effect.sleep("100 millis"))
        const output = yield* shown({ terminal: true }, ({ record }) =>
          Effect.gen(function* () {
            yield* record(begun("static"))
            yield* record(started("exploration"))
            const first = [
              read("symbols"),
              read("form"),
              read("symbols"),
              read("users", paths.slice(0, 9)),
              read("form")
            ]
            const work = yield* Effect.forkChild(Effect.forEach(first, (each) => each))
            yield* TestClock.adjust("10 seconds")
            yield* Fiber.join(work)
            yield* record(ended("exploration", ""))
            for (const step of ["intent", "alternatives", "per-stack-reviews", "arbiter"]) {
              yield* record(started(step))
              yield* TestClock.adjust("500 millis")
              yield* record(ended(step, ""))
            }
            yield* record(over)
          })
        )
        const lines = [...output.matchAll(/ s {2}([a-z]+(?: [a-z]+)*)(?: (\d+)\/(\d+))?/g)]
        expect([...new Set(lines.map(([, words = ""]) => words))]).toEqual([
          "reading symbols",
          "comparing both sides",
          "finding users",
          "checking rules"
        ])
        expect([...new Set(lines.flatMap(([, , , total]) => total ?? []))]).toEqual(["20", "9"])
      })
  )

  it.effect("gives each count one total that holds, and other work another name", () =>
    Effect.gen(function* () {
      const paths = Array.from({ length: 40 }, (_, at) => `src/a${at}.go`)
      const read = (work: FileWork, files: number) =>
        forEachFile(work, paths.slice(0, files), () => Effect.sleep("100 millis"))
      const output = yield* shown({ terminal: true }, ({ record }) =>
        Effect.gen(function* () {
          yield* record(begun("static"))
          for (const step of ["exploration", "per-stack-reviews"]) {
            yield* record(started(step))
            const parts = [
              read("symbols", 40),
              read("form", 15),
              read("form", 30),
              read("types", 20),
              read("users", 12)
            ]
            const all = step === "exploration" ? parts : [...parts, read("rules", 22)]
            const work = yield* Effect.forkChild(Effect.forEach(all, (each) => each))
            yield* TestClock.adjust("20 seconds")
            yield* Fiber.join(work)
            yield* record(ended(step, ""))
          }
          yield* record(over)
        })
      )
      const counts = [...output.matchAll(/ s {2}([a-z: ]+?) (\d+)\/(\d+)/g)].map(([, name = "", done, total]) => ({
        name,
        done: Number(done),
        total: Number(total)
      }))
      for (const [name, same] of Map.groupBy(counts, (each) => each.name)) {
        const done = same.map((each) => each.done)
        expect([name, new Set(same.map(({ total }) => total)).size]).toEqual([name, 1])
        expect(done).toEqual(done.toSorted((a, b) => a - b))
        expect(done.at(-1)).toBeLessThanOrEqual(same[0]!.total)
      }
      expect(counts.map(({ name }) => name)).toContain("checking rules: finding users")
      expect(output).not.toMatch(/ s {2}[^\n]*\d done/)
      expect(output).toContain("parts of the work done")
    })
  )

  for (const width of [80, 48, 200]) {
    it.effect(`leaves nothing on a terminal that is resized from 80 to ${width} columns`, () =>
      Effect.gen(function* () {
        let columns = 80
        let from = 0
        yield* shown({ terminal: true, colour: true, columns: () => columns }, (recorder) =>
          Effect.gen(function* () {
            yield* recorder.record(begun("model"))
            yield* recorder.record(started("per-stack-reviews"))
            yield* recorder.record(agent(1, "review:python"))
            yield* TestClock.adjust("1 second")
            columns = width
            from = written.length
            yield* TestClock.adjust("1 second")
            yield* recorder.record(over)
          })
        )
        const output = written.map((each) => each.text)
        const drawn = yield* Effect.promise(() => screenAfter(output.slice(0, -1), { from, width }))
        const left = yield* Effect.promise(() => screenAfter(output, { from, width }))
        expect(drawn).toHaveLength(3)
        expect(left).toEqual(["$ dd review"])
      })
    )
  }

  it.effect("leaves nothing on a terminal that is narrower than it was when the region was laid out", () =>
    Effect.gen(function* () {
      yield* shown({ terminal: true, colour: true, columns: () => 80 }, (recorder) =>
        Effect.gen(function* () {
          yield* recorder.record(begun("model"))
          yield* recorder.record(started("per-stack-reviews"))
          yield* recorder.record(agent(1, "review:python"))
          yield* TestClock.adjust("1 second")
          yield* recorder.record(over)
        })
      )
      const output = written.map((each) => each.text)
      expect(yield* Effect.promise(() => screenAfter(output, { from: 0, width: 24 }))).toEqual(["$ dd review"])
    })
  )

  it.effect("shows the steps on a terminal with -v, and nothing of the region between them", () =>
    Effect.gen(function* () {
      yield* shown({ terminal: true, verbose: true }, run)
      const output = written.map((each) => each.text)
      expect(yield* Effect.promise(() => screenAfter(output, { from: 0, width: 80 }))).toEqual([
        "$ dd review",
        "  per-stack-reviews     2 stacks of 2  1.5 s",
        "  intent                  0 ms"
      ])
    })
  )

  it.effect("does not appear on a terminal for a run of less than 0.3 seconds", () =>
    Effect.gen(function* () {
      expect(yield* shown({ terminal: true }, reading(4))).toBe("")
    })
  )

  it.effect("is as narrow as the terminal", () =>
    Effect.gen(function* () {
      const output = yield* shown({ terminal: true, columns: () => 24 }, run)
      for (const line of output.split(/\r|\n|\u001b\[[JKA]/)) expect(line.length).toBeLessThan(24)
    })
  )

  it.effect("is not drawn over a question", () =>
    Effect.gen(function* () {
      const questions = { open: false }
      yield* shown({ terminal: true }, (recorder) =>
        Effect.gen(function* () {
          yield* recorder.record(begun("static"))
          yield* recorder.record(started("fix-gate"))
          yield* TestClock.adjust("1 second")
          questions.open = true
          const before = written.length
          yield* TestClock.adjust("5 seconds")
          expect(before).toBeGreaterThan(0)
          expect(written.length).toBe(before)
        })
      ).pipe(Effect.provideService(Questions, questions))
    })
  )

  it.effect("is erased when a step is interrupted", () =>
    Effect.gen(function* () {
      const output = yield* shown({ terminal: true }, (recorder) =>
        Effect.andThen(recorder.record(started("symbols")), TestClock.adjust("1 second"))
      )
      expect(output).toContain("searching symbols")
      expect(output.endsWith("\u001b[J\r")).toBe(true)
      // tmux keeps a screen that is erased as a whole, from its first column, in its history.
      expect(output).not.toContain("\r\u001b[J")
    })
  )

  it.effect("shows the agents that are done and awaited, with their tokens and cost", () =>
    Effect.gen(function* () {
      const output = yield* shown({ terminal: true }, (recorder) =>
        Effect.gen(function* () {
          yield* recorder.record(begun("model", 7))
          yield* recorder.record(started("per-stack-reviews"))
          yield* recorder.record(agent(1, "review:python"))
          yield* recorder.record(agent(2, "review:go"))
          yield* recorder.record(used(1, 1200, 0.3))
          yield* recorder.record(RunEvent.make({ _tag: "AgentEnded", call: 1, outcome: "ok" }))
          yield* recorder.record(used(2, 500, 0.2))
          yield* TestClock.adjust("65 seconds")
        })
      )
      expect(output).toContain("  1 min 5 s  asking reviewers, 1 of 7 agents done\u001b[K\n")
      expect(output).toContain("waiting for go; 1,720 tokens, $0.50")
    })
  )

  it.effect("hides secrets and control characters in the names of steps", () =>
    Effect.gen(function* () {
      const token = `ghp_${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}`
      const output = yield* shown({ terminal: true }, (recorder) =>
        Effect.andThen(recorder.record(started(`x ${token}\u001b[31m`)), TestClock.adjust("1 second"))
      )
      expect(output).not.toContain(token)
      expect(output).not.toContain("\u001b[31m")
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
      const beats = written.map(({ text }) => JSON.parse(text)).filter((event) => event.type === "heartbeat")
      expect(beats.map(({ elapsed_ms, running }) => [elapsed_ms, running])).toEqual([
        [10_000, ["per-stack-reviews"]],
        [20_000, ["per-stack-reviews"]]
      ])
    }).pipe(Effect.scoped, Effect.provide(stdio))
  )
})
