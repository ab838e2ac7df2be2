/** The loop with the real gate, a corpus in memory and the files of a night: what becomes of the corpus, whatever fails. */
import { describe, expect } from "bun:test"
import { readdirSync } from "node:fs"
import { join } from "node:path"
import { Effect, Exit, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Generation } from "../../../src/domain/night/Generation.ts"
import { unmeasured } from "../../../src/domain/night/gate.ts"
import type { LabelledReview } from "../../../src/domain/night/LabelledReview.ts"
import { mustShow } from "../../../src/domain/night/mustShow.ts"
import { rehydrated } from "../../../src/domain/night/rehydration.ts"
import { isCommitted } from "../../../src/domain/night/Summary.ts"
import { identityOf, splitByTime } from "../../../src/domain/night/split.ts"
import { fullBudget, readBudget, warnOnlyNote, writtenBudget } from "../../../src/domain/night/warnOnly.ts"
import * as Platform from "../../../src/layers/system/Platform.ts"
import { Corpus } from "../../../src/services/night/Corpus.ts"
import { NightFiles } from "../../../src/services/night/NightFiles.ts"
import { NightFileUnusable } from "../../../src/services/night/NightFileUnusable.ts"
import {
  AtStage,
  type LoopRequest,
  refusedNote,
  runLoop,
  type Stage,
  stages
} from "../../../src/services/night/nightLoop.ts"
import { holder } from "../../support/corpusContract.ts"
import { it } from "../../support/effect.ts"
import { fileDirectory } from "../../support/fileDirectory.ts"
import { MemoryCorpus } from "../../support/MemoryCorpus.ts"
import { onDay, reviewOn } from "../../support/night/labels.ts"
import { digest, isProtected } from "../../support/night/learning.ts"
import { syntheticArchive } from "../../support/night/syntheticArchive.ts"

const directory = fileDirectory()
let worlds = 0

/** Six batches, of which each but the fifth hardly changes the fitness after the first. */
const long = syntheticArchive({ seed: 1, reviews: 500 })
/** Three batches. */
const short = syntheticArchive({ seed: 1, reviews: 200 })
/** Labels of the build set reject what people accept in much of the gate set, though not in its newest labels. */
const outvoted = {
  now: onDay(120),
  reviews: Array.from({ length: 100 }, (_, day) =>
    reviewOn(`r${day}`, day, [
      day < 85
        ? { file: `docs/a${day}.py`, judgement: day >= 60 && day < 71 ? "accepted" : "rejected" }
        : { rule: "ts/floating-promise", file: "docs/b.ts", judgement: "accepted" }
    ])
  )
}

interface Given {
  readonly options?: Partial<LoopRequest["options"]>
  readonly request?: Partial<LoopRequest>
  /** Of the fourth argument: what happens before a stage. */
  readonly at?: (stage: Stage, iteration: number) => Effect.Effect<void, Error>
}

/** A repository with labelled reviews: each `night` is a process of its own. */
const world = (
  { now, reviews }: { readonly now: number; readonly reviews: ReadonlyArray<LabelledReview> },
  damaged: (corpus: Corpus["Service"]) => Partial<Corpus["Service"]> = () => ({})
) => {
  const memory = new MemoryCorpus()
  const top = join(directory, `world-${worlds++}`)
  let lastRun = "night-1"
  const files = NightFiles.layer(top, null).pipe(Layer.provide(Platform.layer))
  const corpus = Layer.effect(
    Corpus,
    Effect.map(Corpus, (each) => Corpus.of({ ...each, ...damaged(each) }))
  ).pipe(Layer.provide(memory.layer))
  const recorded = (run = lastRun) =>
    Effect.map(
      Effect.provide(
        NightFiles.use((each) => each.iterations(run)),
        files
      ),
      (found) => rehydrated(run, found)
    )
  const night = Effect.fnUntraced(
    function* (run: string, { at, options, request }: Given = {}) {
      lastRun = run
      let iteration = 0
      const atStage = (stage: Stage) => {
        if (stage === "ingest") iteration++
        return at?.(stage, iteration) ?? Effect.void
      }
      yield* TestClock.setTime(now)
      yield* (yield* Corpus).own(holder(run))
      yield* (yield* NightFiles).log("begins")
      const split = splitByTime(reviews, memory.current)
      const outcome = yield* runLoop({
        digest,
        ...{ run, split, isProtected, gateSet: digest(identityOf(split.gate)), ingest: { reviews: reviews.length } },
        labelLog: Effect.succeed("the same"),
        context: { resolves: () => true, hasFolder: () => true, mustShow: mustShow(reviews) },
        options: { maxIterations: 0, epsilon: 0.01, window: 2, warnOnly: true, largest: 2 ** 29, ...options },
        until: Number.POSITIVE_INFINITY,
        earlier: (yield* recorded(run)).iterations,
        ...request
      }).pipe(Effect.provideService(AtStage, atStage))
      return outcome
    },
    Effect.provide([corpus, files]),
    Effect.scoped
  )
  return {
    memory,
    night,
    recorded,
    markers: () => readdirSync(top, { recursive: true }).filter((name) => String(name).endsWith(".marker"))
  }
}

const injected = new Error("injected")
const gone = new Error("a label is gone")
/** What SIGTERM does: the fiber ends at the next place at which it may. */
const interrupted = Effect.withFiber((fiber) => {
  fiber.interruptUnsafe()
  return Effect.yieldNow
})
const faults = { failure: Effect.fail(injected), defect: Effect.die(injected), interruption: interrupted }

/** The corpus has a new generation for each iteration whose status says that it was committed, and for no other one. */
const expectTruth = (at: ReturnType<typeof world>, run = "night-1") =>
  Effect.gen(function* () {
    const { iterations, notes } = yield* at.recorded(run)
    const said = iterations.filter(({ status }) => isCommitted(status)).map(({ index }) => index)
    const made = at.memory.generations.filter((each) => each.run === run).map(({ iteration }) => iteration)
    expect(made.toReversed()).toEqual(said)
    expect(notes).toEqual([])
    expect(iterations.map(({ index }) => index)).toEqual(iterations.map((_, before) => before + 1))
    return iterations
  })

describe("the corpus changed if and only if the status says so", () => {
  const expected: Record<Stage, string> = {
    ingest: "failed",
    checkpoint: "failed",
    reduce: "rolled-back-pre-commit",
    measure: "degraded",
    commit: "failed",
    "post-check": "halted-on-regression-post-commit",
    persist: "done"
  }
  for (const stage of stages.filter((each) => each !== "persist")) {
    for (const fault of ["failure", "defect"] as const) {
      it.effect(`after a ${fault} in ${stage}`, () =>
        Effect.gen(function* () {
          const at = world(short)
          const outcome = yield* at.night("night-1", {
            at: (each, iteration) => (each === stage && iteration === 2 ? faults[fault] : Effect.void)
          })
          const iterations = yield* expectTruth(at)
          const second = iterations[1]
          expect(second?.status).toBe(expected[stage] as never)
          expect(iterations.length).toBe(stage === "measure" ? 3 : 2)
          expect(JSON.stringify(second)).toContain("injected")
          expect(outcome.after).toEqual(at.memory.current)
          expect(outcome.failure !== null).toBe(["failed", "rolled-back-pre-commit"].includes(expected[stage]))
          expect(at.markers().length).toBe(stage === "post-check" ? 1 : 0)
        })
      )
    }
  }

  it.effect("after a record that could not be written: the generation stays, and the report says what is missing", () =>
    Effect.gen(function* () {
      const at = world(short)
      const outcome = yield* at.night("night-1", { at: (each) => (each === "persist" ? faults.failure : Effect.void) })
      expect(outcome.iterations.map(({ status }) => status)).toEqual(["done", "done", "done"])
      expect(at.memory.current).toMatchObject({ number: 3, iteration: 3 })
      expect(outcome.degraded).toContain("injected")
    })
  )

  for (const stage of stages) {
    it.effect(`after an interruption in ${stage}`, () =>
      Effect.gen(function* () {
        const at = world(short)
        const running = yield* Effect.forkChild(
          at.night("night-1", {
            at: (each, iteration) => (each === stage && iteration === 2 ? faults.interruption : Effect.void)
          })
        )
        const exit = yield* Fiber.await(running)
        expect(Exit.hasInterrupts(exit)).toBe(true)
        const iterations = yield* expectTruth(at)
        const isOver = ["commit", "post-check", "persist"].includes(stage)
        expect(iterations.map(({ status }) => status)).toEqual(isOver ? ["done", "done"] : ["done"])
      })
    )
  }

  it.effect("after a commit that fails when the new generation counts already", () =>
    Effect.gen(function* () {
      const at = world(short, (corpus) => ({
        commit: (next) =>
          Effect.andThen(
            corpus.commit(next),
            Effect.fail(new NightFileUnusable({ path: "current.json", reason: "the disk could not be flushed" }))
          )
      }))
      const outcome = yield* at.night("night-1")
      const iterations = yield* expectTruth(at)
      expect(iterations.map(({ status }) => status)).toEqual(["halted-on-regression-post-commit"])
      expect(iterations[0]?.error).toContain("the disk could not be flushed")
      expect(outcome).toMatchObject({ halt: "regression", failure: null, after: { number: 1 } })
    })
  )

  it.effect("after a commit that put something else on disk", () =>
    Effect.gen(function* () {
      const at = world(short, (corpus) => ({
        commit: (next) => corpus.commit(Generation.make({ ...next, suppressions: [] }))
      }))
      const outcome = yield* at.night("night-1")
      expect(outcome).toMatchObject({ halt: "regression", failure: null })
      expect(outcome.reason).toBe("post-check: generation 1 is not on disk as it was committed")
      const [first] = yield* expectTruth(at)
      expect(first?.status).toBe("halted-on-regression-post-commit")
      expect(at.markers()).toEqual([join("night-1", "iterations", "committed-but-flagged.iter-1.marker")])
    })
  )

  for (const [moment, reason] of [
    ["checkpoint", "checkpoint: generation 2 counts, not 1"],
    ["measure", "generation 1 no longer counts, generation 2 does: nothing was changed"]
  ] as const) {
    it.effect(`if another process moved the corpus before ${moment}: nothing is overwritten`, () =>
      Effect.gen(function* () {
        const at = world(short)
        const outcome = yield* at.night("night-1", {
          at: (stage, iteration) =>
            Effect.sync(() => {
              const [first] = at.memory.generations
              if (stage !== moment || iteration !== 2 || first === undefined) return
              const other = Generation.make({ ...first, number: 2, base: 1, run: "another" })
              at.memory.generations = [other, first]
            })
        })
        expect(outcome.failure).toBe(`iteration 2: ${reason}`)
        expect(at.memory.current.run).toBe("another")
      })
    )
  }

  it.effect("after a generation that is larger than allowed", () =>
    Effect.gen(function* () {
      const at = world(short)
      const outcome = yield* at.night("night-1", { options: { largest: 1_000 } })
      expect(outcome.failure).toMatch(/^iteration 2: checkpoint: \d+ bytes are more than 1000$/)
      expect(at.memory.current.number).toBe(1)
      yield* expectTruth(at)
    })
  )
})

describe("a night", () => {
  it.effect("measures the generation before it first, and gates the first iteration", () =>
    Effect.gen(function* () {
      const at = world(outvoted)
      const outcome = yield* at.night("night-1", { options: { warnOnly: false } })
      const [first] = yield* expectTruth(at)
      expect(first).toMatchObject({ status: "halted-on-regression-pre-commit", ingest: { reviews: 100 } })
      expect(first?.fitness_before).toBeDefined()
      expect(outcome).toMatchObject({ halt: "regression", failure: null, before: { number: 0 }, after: { number: 0 } })
      expect(outcome.reason).toStartWith("iteration 1: ")
      expect(at.memory.current.number).toBe(0)
    })
  )

  it.effect("does other work in each iteration, until there is none", () =>
    Effect.gen(function* () {
      const at = world(short)
      const first = yield* at.night("night-1")
      expect(first).toMatchObject({ halt: "no-proposals", failure: null })
      const contents = at.memory.generations.map(({ suppressions, conventions, playbooks, calibration }) =>
        JSON.stringify([suppressions, conventions, playbooks, calibration])
      )
      expect(new Set(contents).size).toBe(3)
      const again = yield* at.night("night-2")
      expect(again).toMatchObject({ halt: "no-proposals", iterations: [], proposals: [] })
      expect(at.memory.current.number).toBe(3)
    })
  )

  it.effect("raises the recall of suppressions with good labels", () =>
    Effect.gen(function* () {
      const { measuredAfter, measuredBefore } = yield* world(short).night("night-1")
      expect(measuredBefore.metrics.suppression_recall.value).toBe(0)
      expect(measuredAfter.metrics.suppression_recall.value).toBeGreaterThan(0.4)
      expect(measuredAfter.metrics.suppression_precision.lo).toBeGreaterThan(0.5)
    })
  )

  it.effect("ends after the allowed number of iterations, with those of the interrupted run", () =>
    Effect.gen(function* () {
      const at = world(long)
      const running = yield* Effect.forkChild(
        at.night("night-1", {
          options: { maxIterations: 5 },
          at: (stage, iteration) => (stage === "reduce" && iteration === 3 ? faults.interruption : Effect.void)
        })
      )
      yield* Fiber.await(running)
      expect((yield* at.recorded()).iterations.length).toBe(2)
      const outcome = yield* at.night("night-1", { options: { maxIterations: 5 } })
      expect(outcome.halt).toBe("max-iterations")
      expect(outcome.iterations.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5].map((index) => `night-1-iter-${index}`))
      expect((yield* expectTruth(at)).length).toBe(5)
      expect(at.memory.current.number).toBe(5)
    })
  )

  it.effect("goes on from a generation whose record a killed run did not write", () =>
    Effect.gen(function* () {
      const at = world(short)
      yield* at.night("night-1", { options: { maxIterations: 1 } })
      yield* at.night("night-1", {
        options: { maxIterations: 2 },
        at: (stage) => (stage === "persist" ? faults.failure : Effect.void)
      })
      expect([(yield* at.recorded()).iterations.length, at.memory.current.iteration]).toEqual([1, 2])
      const outcome = yield* at.night("night-1")
      expect((yield* expectTruth(at)).map(({ index }) => index)).toEqual([1, 2, 3])
      expect(outcome.iterations[1]).toMatchObject({
        status: "done",
        degraded: ["the run was killed before it recorded this iteration"]
      })
      const [first, lost, last] = outcome.iterations
      const { composite: _, ...begins } = first!.fitness_after!
      const { composite: _last, ...ends } = last!.fitness_before!
      expect(lost).toMatchObject({ fitness_before: begins, fitness_after: ends })
      expect(lost?.fitness_delta).not.toBe(0)
      expect([outcome.before.number, outcome.after.number]).toEqual([0, 3])
    })
  )

  it.effect("begins no iteration after its time", () =>
    Effect.gen(function* () {
      const at = world(short)
      const outcome = yield* at.night("night-1", {
        request: { until: short.now + 60_000 },
        at: (stage, iteration) =>
          stage === "persist" && iteration === 1 ? Effect.asVoid(TestClock.adjust("1 minute")) : Effect.void
      })
      expect(outcome).toMatchObject({ halt: "budget", failure: null, after: { number: 1 } })
      expect((yield* expectTruth(at)).length).toBe(1)
    })
  )

  it.effect("ends after three measurements in a row that failed, and not after three with a success between", () =>
    Effect.gen(function* () {
      const failing = (iterations: ReadonlyArray<number>): Given => ({
        at: (stage, iteration) => (stage === "measure" && iterations.includes(iteration) ? faults.defect : Effect.void)
      })
      const at = world(long)
      const halted = yield* at.night("night-1", failing([2, 3, 4]))
      expect(halted).toMatchObject({ halt: "measure-failure", reason: "3 measurements in a row failed", failure: null })
      expect((yield* expectTruth(at)).map(({ status }) => status)).toEqual(["done", "degraded", "degraded", "degraded"])
      const other = world(long)
      const went = yield* other.night("night-1", failing([1, 2, 4]))
      expect(went.halt).toBe("no-proposals")
      const statuses = (yield* expectTruth(other)).map(({ status }) => status)
      expect(statuses).toEqual(["degraded", "degraded", "done", "degraded", "done", "done"])
    })
  )
})

describe("under --warn-only", () => {
  it.effect("a night commits what regressed with a warning, and counts one rescue, also for later nights", () =>
    Effect.gen(function* () {
      const at = world(outvoted)
      const outcome = yield* at.night("night-1", { options: { maxIterations: 1 } })
      const [first] = yield* expectTruth(at)
      expect(first?.status).toBe("done")
      expect(first?.degraded?.join("\n")).toMatch(/warn-only: regression: .*suppression_precision begins at 0.37/)
      expect(outcome.budget).toMatchObject({ initial_budget: 3, remaining: 2 })
      expect(readBudget(at.memory.notes.get(warnOnlyNote) ?? null).budget.remaining).toBe(2)
    })
  )

  it.effect("a night without rescues is strict, and says why", () =>
    Effect.gen(function* () {
      const at = world(outvoted)
      at.memory.notes.set(warnOnlyNote, writtenBudget({ ...fullBudget(), remaining: 0 }))
      const outcome = yield* at.night("night-1")
      expect(outcome.halt).toBe("regression")
      expect(outcome.reason).toEndWith(" (warn-only budget exhausted)")
      expect(at.memory.current.number).toBe(0)
      yield* expectTruth(at)
    })
  )

  it.effect("a plateau is found again after a rescue", () =>
    Effect.gen(function* () {
      const at = world(long)
      const outcome = yield* at.night("night-1", { options: { epsilon: 0.9 } })
      const rescued = (yield* expectTruth(at)).filter(({ degraded = [] }) =>
        degraded.some((line) => line.startsWith("warn-only: plateau: "))
      )
      expect(rescued.map(({ index }) => index)).toEqual([2, 4, 6])
      expect(outcome.budget.remaining).toBe(0)
    })
  )

  it.effect("a damaged budget is read as a whole one, with a note", () =>
    Effect.gen(function* () {
      const at = world(short)
      at.memory.notes.set(warnOnlyNote, "{")
      at.memory.notes.set(refusedNote, "{")
      const { budget, degraded } = yield* at.night("night-1")
      expect(budget.initial_budget).toBe(3)
      expect(degraded.join("\n")).toContain(`${warnOnlyNote} could not be read`)
      expect(degraded.join("\n")).toContain(`${refusedNote} could not be read`)
    })
  )
})

/** Ten labelled reviews for the build set, then a newer one by which the night decides; a last one is sealed. */
const proposing = (gate: ReadonlyArray<LabelledReview>) => ({
  now: onDay(40),
  reviews: [
    ...Array.from({ length: 12 }, (_, day) =>
      reviewOn(`build-${day}`, day, [
        { rule: "go/error-swallowed", severity: "high", file: `legacy/a${day}.go`, judgement: "rejected" },
        { rule: "py/loop-closure", file: `docs/b${day}.py`, judgement: "rejected" }
      ])
    ),
    ...gate,
    ...[0, 1, 2].map((each) => reviewOn(`sealed-${each}`, 35 + each, [{ file: "other/d.py", judgement: "accepted" }]))
  ]
})

describe("a batch", () => {
  const hides = (rule: string, folder: string) => expect.objectContaining({ rule, folder })

  it.effect(
    "that would hide a high finding that people accepted later is not made, also under warn-only; the rest of it is",
    () =>
      Effect.gen(function* () {
        const high = {
          rule: "go/error-swallowed",
          severity: "high",
          file: "legacy/z.go",
          judgement: "accepted"
        } as const
        for (const day of [20, 60]) {
          const at = world(proposing([0, 1, 2, 3, 4].map((more) => reviewOn(`later-${more}`, day + more, [high]))))
          const outcome = yield* at.night("night-1")
          expect((yield* expectTruth(at)).map(({ status }) => status)).toEqual(["done"])
          expect(outcome.halt).toBe("no-proposals")
          expect(at.memory.current.suppressions).toEqual([hides("py/loop-closure", "docs/")])
          expect((yield* at.night("night-2")).proposals).toEqual([])
        }
      })
  )

  it.effect("of which every proposal was dropped commits nothing, and is not tried again", () =>
    Effect.gen(function* () {
      const finding = { rule: "py/loop-closure", file: "docs/a.py" }
      const on = (day: number, judgement: "accepted" | "rejected", rule = finding.rule) =>
        reviewOn(`r${day}`, day, [{ ...finding, rule, judgement }])
      const days = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at)
      const at = world({
        now: onDay(122),
        reviews: [
          ...days(0, 20).map((day) => on(day, "rejected")),
          ...days(103, 106).map((day) => on(day, "accepted")),
          ...days(106, 121).map((day) => on(day, "accepted", "ts/floating-promise"))
        ]
      })
      const outcome = yield* at.night("night-1")
      expect(outcome.proposals.map(({ kind }) => kind).toSorted()).toEqual(["calibrate", "suppress"])
      expect(outcome).toMatchObject({ halt: "no-proposals", failure: null, iterations: [], after: { number: 0 } })
      expect(outcome.notes).toEqual(["2 proposals were dropped, because reviews of the build set got worse with them"])
      expect(yield* expectTruth(at)).toEqual([])
      expect((yield* at.night("night-2")).proposals).toEqual([])
    })
  )

  it.effect("of corrections is kept whatever it costs: what people labelled anew no longer hides anything", () =>
    Effect.gen(function* () {
      const finding = { rule: "py/loop-closure", file: "docs/a.py" }
      const labelled = (judgement: "accepted" | "rejected") =>
        Array.from({ length: 120 }, (_, day) =>
          reviewOn(`r${day}`, day, [
            { ...finding, judgement: day < 72 ? judgement : "rejected", fingerprint: `f${day}` }
          ])
        )
      const at = world({ now: onDay(121), reviews: labelled("rejected") })
      yield* at.night("night-1", { options: { warnOnly: false } })
      expect(at.memory.current.suppressions).toHaveLength(1)
      const split = splitByTime(labelled("accepted"), at.memory.current)
      yield* at.night("night-2", { options: { warnOnly: false }, request: { split } })
      expect(at.memory.current.suppressions).toEqual([])
      const iterations = (yield* at.recorded("night-2")).iterations
      expect(iterations[0]?.status).toBe("done")
      expect(iterations[0]?.degraded?.join()).toContain("correction: ")
      const third = yield* at.night("night-3", { options: { warnOnly: false }, request: { split } })
      expect(third.failure).toBe(null)
    })
  )

  it.effect("learned from accepted findings is refused if people rejected all newer ones", () =>
    Effect.gen(function* () {
      const at = world({
        now: onDay(160),
        reviews: Array.from({ length: 120 }, (_, day) =>
          reviewOn(`r${day}`, day, [{ file: `src/a${day}.py`, judgement: day < 72 ? "accepted" : "rejected" }])
        )
      })
      const outcome = yield* at.night("night-1", { options: { warnOnly: false } })
      expect(outcome.halt).toBe("regression")
      expect(outcome.reason).toStartWith("iteration 1: calibration of the same items dropped 0.9")
      for (const run of ["night-2", "night-3"]) yield* at.night(run, { options: { warnOnly: false } })
      expect(at.memory.generations).toEqual([])
    })
  )

  it.effect("that cannot be measured is not kept by a strict night, and with a warning under warn-only", () =>
    Effect.gen(function* () {
      const elsewhere = { rule: "ts/nan-comparison", file: "src/z.ts", judgement: "accepted" } as const
      const at = world(proposing([20, 21, 22, 23, 24].map((day) => reviewOn(`gate-${day}`, day, [elsewhere]))))
      const strict = yield* at.night("night-0", { options: { warnOnly: false } })
      expect((yield* expectTruth(at, "night-0")).map(({ status }) => status)).toEqual(["degraded"])
      expect([strict.warnings, at.memory.current.number]).toEqual([[], 0])
      const outcome = yield* at.night("night-1")
      const iterations = yield* expectTruth(at)
      expect(iterations.map(({ fitness_delta, status }) => [status, fitness_delta])).toEqual([["done", 0]])
      expect(outcome.halt).toBe("no-proposals")
      expect(outcome.warnings).toEqual([`iteration 1: warn-only: kept, although ${unmeasured}`])
      expect(at.memory.current.suppressions.length).toBe(2)
    })
  )

  it.effect("is not made if the labels changed while it was made", () =>
    Effect.gen(function* () {
      const at = world(short)
      let reads = 0
      const outcome = yield* at.night("night-1", { request: { labelLog: Effect.sync(() => String(reads++)) } })
      expect(outcome.failure).toBe("iteration 1: integrity: lost-label: the log of labels: changed during the night")
      expect((yield* expectTruth(at)).map(({ status }) => status)).toEqual(["rolled-back-pre-commit"])
    })
  )

  it.effect("is not made if a label was lost since the night began", () =>
    Effect.gen(function* () {
      const at = world(short)
      let reads = 0
      const outcome = yield* at.night("night-1", {
        request: {
          labelLog: Effect.suspend(() => (++reads > 3 ? Effect.fail(gone) : Effect.succeed("")))
        }
      })
      expect(outcome.failure).toBe("iteration 2: a label is gone")
      const iterations = yield* expectTruth(at)
      expect(iterations.map(({ status }) => status)).toEqual(["done", "rolled-back-pre-commit"])
    })
  )
})
