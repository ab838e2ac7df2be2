/** A whole night with its report, on a corpus in memory: whatever happens, there is a report that fits the contract. */
import { describe, expect } from "bun:test"
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Deferred, Effect, Exit, Fiber, Layer, Result, Stream } from "effect"
import { layerWebCrypto } from "effect/crypto/SecureRandom"
import { TestClock } from "effect/testing"
import type { LabelledReview } from "../../src/domain/night/LabelledReview.ts"
import {
  decodeSummary,
  encodeSummary,
  isCommitted,
  type Summary,
  type SummaryFields,
  toV1
} from "../../src/domain/night/Summary.ts"
import type { FindingLabel } from "../../src/domain/record/FindingLabel.ts"
import { AgentEvent } from "../../src/domain/run/AgentEvent.ts"
import type { SessionId } from "../../src/domain/run/SessionId.ts"
import * as Platform from "../../src/layers/system/Platform.ts"
import type { NightRequest } from "../../src/programs/NightRequest.ts"
import { dryNight, night } from "../../src/programs/night.ts"
import { rollback } from "../../src/programs/rollback.ts"
import type { Respondent } from "../../src/services/agent/Respondent.ts"
import { Runners } from "../../src/services/night/Council.ts"
import { KeepAwake } from "../../src/services/night/KeepAwake.ts"
import { type Ingested, LabelledReviews } from "../../src/services/night/LabelledReviews.ts"
import { NightFiles } from "../../src/services/night/NightFiles.ts"
import { NightFileUnusable } from "../../src/services/night/NightFileUnusable.ts"
import { AtStage, type Stage, stages } from "../../src/services/night/nightLoop.ts"
import { it } from "../support/effect.ts"
import { fileDirectory } from "../support/fileDirectory.ts"
import { breachesOf } from "../support/jsonSchema.ts"
import { MemoryCorpus } from "../support/MemoryCorpus.ts"
import { digest, isProtected } from "../support/night/learning.ts"
import schema from "../support/night/report.schema.json"
import { syntheticArchive } from "../support/night/syntheticArchive.ts"

const directory = fileDirectory()
let worlds = 0
const breaches = breachesOf(schema)
const noSpace = new Error("no space left")

const empty = { now: Date.UTC(2026, 0, 31), reviews: [] }
/** Three batches. */
const short = syntheticArchive({ seed: 1, reviews: 200 })
/** Six. */
const long = syntheticArchive({ seed: 1, reviews: 500 })

const labelsOf = (reviews: ReadonlyArray<LabelledReview>): Array<FindingLabel> =>
  reviews.flatMap(({ findings, session }) =>
    findings.flatMap(({ file, finding, fingerprint, judgedAt, judgement, line, rule }) =>
      judgement === null
        ? []
        : {
            ...{ session_id: session as SessionId, finding, fingerprint, rule, file, line, end_line: line },
            ...{ observed_at: String(judgedAt), valid_at: "", text_hash: "", note: null, source: "human" },
            verdict: judgement
          }
    )
  )

const loopOf = (maxIterations: number) => ({
  ...{ maxIterations, epsilon: 0.01, window: 2, warnOnly: true, largest: 2 ** 29 }
})

type AtStages = (stage: Stage, iteration: number) => Effect.Effect<void, Error>

/** Each night is a process of its own. */
const world = ({ now, reviews }: { readonly now: number; readonly reviews: ReadonlyArray<LabelledReview> }) => {
  const memory = new MemoryCorpus()
  const top = join(directory, `world-${worlds++}`)
  const ingested = (): Ingested => ({
    reviews: reviews.filter(({ session }) => ![...given.removed, ...given.unreadable].includes(session)),
    labels: [...given.labels],
    unreadable: given.unreadable,
    conflicting: 0,
    ahead: given.ahead
  })
  const source = Layer.succeed(LabelledReviews, {
    read: Effect.sync(ingested),
    labels: () => Effect.sync(() => [...given.labels]),
    counted: Effect.sync(() => [...given.labels])
  })
  const awake = Layer.succeed(KeepAwake, { begin: () => Effect.succeed({ mode: "disabled", note: null }) })
  const request = (more: Partial<NightRequest> = {}): NightRequest => ({
    ...{ run: "20270106T000000Z", pid: 7, host: "here", repoRoot: "/home/ada/shop", outputDir: join(top, "out") },
    ...{ goal: "", requestedTimeout: "8h", timeout: 28_800_000, keepAwake: false, previous: null },
    ...{ runners: [], runnerSeconds: 180, policy: "majority", longHaul: { enabled: false, budget: 0 } },
    loop: loopOf(0),
    ...{ isProtected, folders: null, likelyTests: () => [], agents: "", isSwitchedOff: () => false, digest },
    ...more
  })
  const given = {
    labels: labelsOf(reviews),
    reads: 0,
    ahead: 0,
    removed: [] as ReadonlyArray<string>,
    unreadable: [] as ReadonlyArray<string>,
    isFull: (_: SummaryFields): boolean => false
  }
  const files = (path: string) =>
    Layer.effect(
      NightFiles,
      Effect.map(NightFiles, (real) => ({
        ...real,
        report: (fields: SummaryFields) =>
          given.isFull(fields)
            ? Effect.fail(new NightFileUnusable({ path: "summary.json", reason: "no space left" }))
            : real.report(fields)
      }))
    ).pipe(Layer.provide(NightFiles.layer(path, null)))
  const services = () => Layer.mergeAll(memory.layer, source, awake, Platform.layer, layerWebCrypto)
  const run = Effect.fnUntraced(function* (more: Partial<NightRequest> = {}, at: AtStages = () => Effect.void) {
    let iteration = 0
    const atStage = (stage: Stage) => {
      if (stage === "ingest") iteration++
      return at(stage, iteration)
    }
    yield* TestClock.setTime(now)
    return yield* Effect.provideService(night(request(more), files), AtStage, atStage)
  })
  return {
    ...{ memory, top, given },
    start: (more: Partial<NightRequest> = {}, at?: AtStages) => Effect.provide(run(more, at), services()),
    dry: (more: Partial<NightRequest>) => Effect.provide(dryNight(request(more)), services()),
    text: (name = "out/summary.json") => readFileSync(join(top, name), "utf8"),
    report: (name = "out/summary.json"): Summary => {
      const text = readFileSync(join(top, name), "utf8")
      expect(breaches(JSON.parse(text))).toEqual([])
      return Result.getOrThrowWith(decodeSummary(text), (reason) => new Error(reason))
    }
  }
}

const interrupted = Effect.withFiber((fiber) => {
  fiber.interruptUnsafe()
  return Effect.yieldNow
})

const committedBy = ({ iterations = [] }: Summary) =>
  iterations.filter(({ status }) => isCommitted(status)).map(({ index }) => index)

/** The fitness of the report is that of the last generation minus that of the first. */
const expectDifference = ({ dd, fitness_delta = {}, iterations = [] }: Summary) => {
  const { after, before } = dd!.fitness!
  expect(Object.keys(fitness_delta).length).toBeGreaterThan(1)
  for (const [name, delta] of Object.entries(fitness_delta)) expect(after[name]! - before[name]!).toBeCloseTo(delta, 12)
  for (const { fitness_after, fitness_before, fitness_delta } of iterations) {
    expect((fitness_after?.composite ?? 0) - (fitness_before?.composite ?? 0)).toBeCloseTo(fitness_delta, 12)
  }
  const [first, last] = [iterations[0]!.fitness_before!, iterations.at(-1)!.fitness_after!]
  for (const name of Object.keys(before)) if (name !== "composite") expect(first[name]!).toBe(before[name]!)
  for (const name of Object.keys(after)) if (name !== "composite") expect(last[name]!).toBe(after[name]!)
}

describe("the report of a night", () => {
  it.effect("says planned from the start, then done", () =>
    Effect.gen(function* () {
      const at = world(short)
      const seen: Array<Summary> = []
      yield* at.start({ goal: "src/api" }, (stage) => {
        if (stage === "ingest") seen.push(at.report())
        return Effect.void
      })
      expect(seen[0]).toMatchObject({ status: "planned", schema_version: 1, goal: "src/api" })
      const done = at.report()
      expect(done).toMatchObject({ status: "done", schema_version: 2, dry_run: false })
      expect(committedBy(done)).toEqual([1, 2, 3])
      expect(done.dd).toMatchObject({ halt_kind: "no-proposals", generation_before: 0, generation_after: 3 })
      expectDifference(done)
      expect(done.steps.map(({ name, status }) => [name, status])).toEqual(
        [
          ...["iteration-1", "iteration-2", "iteration-3", "close-loop"],
          ...["metrics-health", "retrieval-live", "knowledge-brief", "morning-packets"]
        ].map((name) => [name, "done"])
      )
      expect(at.text("out/summary.md")).toStartWith("# Dream Morning Report\n")
      expect(done.morning_packets?.length).toBeGreaterThan(0)
      expect(existsSync(done.morning_packets?.[0]?.artifact_path ?? "")).toBe(true)
    })
  )

  it.effect("of a dry run is not on disk", () =>
    Effect.gen(function* () {
      const at = world(short)
      const summary = yield* at.dry({ keepAwake: true })
      expect(breaches(JSON.parse(encodeSummary(summary)))).toEqual([])
      expect(summary).toMatchObject({
        ...{ status: "dry-run", dry_run: true },
        runtime: { keep_awake: false, keep_awake_mode: "disabled", report_contract_doc: "" }
      })
      expect(existsSync(at.top)).toBe(false)
    })
  )

  it.effect("is the same, byte for byte, for the same labels at the same time", () =>
    Effect.gen(function* () {
      const at = world(short)
      yield* at.start({ goal: "ts/nan-comparison" })
      const first = [at.text(), at.text("out/summary.md"), at.text("out/morning-packets/index.json")]
      rmSync(at.top, { recursive: true })
      at.memory.generations = []
      at.memory.notes.clear()
      yield* at.start({ goal: "ts/nan-comparison" })
      expect([at.text(), at.text("out/summary.md"), at.text("out/morning-packets/index.json")]).toEqual(first)
    })
  )

  it.effect("without any review is done, with no packet, nothing degraded and one note", () =>
    Effect.gen(function* () {
      const at = world(empty)
      yield* at.start()
      const { dd, degraded, iterations, metrics_health, morning_packets, status } = at.report()
      expect({ status, morning_packets, degraded }).toEqual({
        status: "done",
        morning_packets: undefined,
        degraded: undefined
      })
      expect(iterations).toEqual([])
      expect(dd?.notes).toEqual(["No review of this repository is archived yet, so there was nothing to learn from."])
      const metrics = Object.values(metrics_health?.metrics as Record<string, { state: string }>)
      expect(new Set(metrics.map(({ state }) => state))).toEqual(new Set(["dormant"]))
      expect(at.memory.current.number).toBe(0)
    })
  )

  it.effect("says why there are no packets any more once no review was archived for 90 days", () =>
    Effect.gen(function* () {
      const at = world({ ...short, now: short.now + 91 * 86_400_000 })
      yield* at.start()
      expect(at.report().morning_packets).toBeUndefined()
      expect(at.text("out/summary.md")).toContain(
        "- No review was archived in the last 90 days, so there are no packets; the next review brings back those that still hold."
      )
    })
  )

  it.effect("can be read by who knows version 1, whole or projected", () =>
    Effect.gen(function* () {
      const at = world(short)
      yield* at.start()
      const version2 = at.report()
      const required: ReadonlyArray<string> = schema.required
      expect(required.filter((key) => !Object.hasOwn(version2, key))).toEqual([])
      const projected = JSON.parse(encodeSummary(toV1(version2)))
      expect(breaches(projected)).toEqual([])
      expect(projected.schema_version).toBe(1)
      for (const key of [
        "yield",
        "long_haul",
        "morning_packets",
        "iterations",
        "fitness_delta",
        "plateau_reason",
        "regression_reason"
      ]) {
        expect(Object.hasOwn(projected, key)).toBe(false)
      }
    })
  )

  it.effect("and the packets are made although the time for learning is over", () =>
    Effect.gen(function* () {
      const at = world(short)
      yield* at.start({ timeout: 120_000, requestedTimeout: "2m" }, (stage, iteration) =>
        stage === "persist" && iteration === 1 ? TestClock.adjust("61 seconds") : Effect.void
      )
      const report = at.report()
      expect(report).toMatchObject({ status: "done", dd: { halt_kind: "budget", budget_exhausted: true } })
      expect(committedBy(report)).toEqual([1])
      expect(report.morning_packets?.length).toBeGreaterThan(0)
    })
  )
})

describe("the artifacts of a night", () => {
  it.effect("are all files that it wrote, and no other", () =>
    Effect.gen(function* () {
      const at = world(short)
      yield* at.start({ goal: "py/mutable-default", longHaul: { enabled: true, budget: 60_000 } })
      const { artifacts, runtime, steps } = at.report()
      const out = join(at.top, "out")
      const written = readdirSync(out, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name, parentPath }) => join(parentPath, name))
      expect(Object.values(artifacts).toSorted()).toEqual(written.toSorted())
      expect(readFileSync(runtime.report_contract_doc, "utf8")).toContain("Dream report contract")
      expect(runtime.process_contract_doc).toBe(artifacts.contract!)
      expect(artifacts).toMatchObject({
        ...{ close_loop: join(out, "close-loop.json"), overnight_log: join(out, "overnight.log") },
        ...{ briefing: join(out, "briefing.json"), retrieval_live: join(out, "retrieval-bench.json") },
        morning_packets_markdown: join(out, "morning-packets/index.md")
      })
      expect(steps).toContainEqual({ name: "metrics-health", status: "done", artifact: artifacts.metrics_health! })
      expect(at.text("out/morning-packets/index.md")).toStartWith("# Morning packets\n\n### 1. ")
    })
  )

  it.effect("name the evidence that matters for a goal", () =>
    Effect.gen(function* () {
      const at = world(short)
      yield* at.start({ goal: "py/mutable-default" })
      const { conventions } = at.report().briefing as {
        readonly conventions: ReadonlyArray<{ readonly evidence: ReadonlyArray<string> }>
      }
      const lines = conventions[0]?.evidence ?? []
      expect(lines).toHaveLength(6)
      expect(lines[0]).toMatch(/^\S+:\d+, review \S+, finding \d+: (?:accepted|rejected)$/)
      expect(lines[5]).toMatch(/^and \d+ more$/)
    })
  )
})

describe("the sealed reviews", () => {
  it.effect("are looked at once a month, and each look is recorded and reported", () =>
    Effect.gen(function* () {
      const at = world(short)
      yield* at.start()
      const first = at.report().dd
      expect(first).toMatchObject({ sealed_looks: 1, sealed: { state: "ok", look: { generation: 3 } } })
      const { hi, lo, n, state, value } = first!.sealed!.look!.metrics.calibration!
      expect({ state, isIn: value !== null && lo <= value && value <= hi, isEnough: n >= 20 }).toEqual({
        state: "ok",
        isIn: true,
        isEnough: true
      })
      expect(at.text("out/summary.md")).toContain("Sealed reviews, look 1 on ")
      yield* at.start({ run: "20270106T000001Z", outputDir: join(at.top, "second") })
      expect(at.report("second/summary.json").dd).toMatchObject({ sealed_looks: 1, sealed: first!.sealed! })
      const [look] = JSON.parse(at.memory.notes.get("sealed-looks.json") ?? "").looks
      const earlier = JSON.stringify({ version: 1, looks: [{ ...look, at: "2026-01-31T00:00:00Z" }] })
      at.memory.notes.set("sealed-looks.json", earlier)
      yield* at.start({ run: "20270106T000002Z", outputDir: join(at.top, "third") })
      expect(at.report("third/summary.json").dd).toMatchObject({ sealed_looks: 2, sealed: { look: { at: look.at } } })
    })
  )

  it.effect("are not looked at with fewer than 20 labels, nor if the looks are not known", () =>
    Effect.gen(function* () {
      const at = world(syntheticArchive({ seed: 1, reviews: 20 }))
      yield* at.start()
      expect(at.report().dd).toMatchObject({ sealed_looks: 0, sealed: { state: "insufficient", look: null } })
      expect(at.text("out/summary.md")).toContain("are insufficient for a look")
      const damaged = world(short)
      damaged.memory.notes.set("sealed-looks.json", "{")
      yield* damaged.start()
      expect(damaged.report().degraded?.join("")).toContain("sealed-looks.json could not be read")
      expect(damaged.memory.notes.get("sealed-looks.json")).toBe("{")
    })
  )
})

it.effect("a night after a rollback leaves what was taken back away, and its report says so", () =>
  Effect.gen(function* () {
    const at = world(short)
    yield* at.start()
    yield* TestClock.setTime(short.now)
    yield* Effect.provide(rollback(0, { pid: 7, host: "here" }), at.memory.layer)
    yield* at.start({ run: "20270106T000001Z", outputDir: join(at.top, "second") })
    const { dd, iterations } = at.report("second/summary.json")
    expect({ iterations, number: at.memory.current.number }).toEqual({ iterations: [], number: 4 })
    expect(dd?.notes.join("")).toMatch(
      /^A rollback on \d{4}-\d\d-\d\d took back the suppression of .* labels given before it/
    )
  })
)

describe("a night that is stopped", () => {
  for (const stage of stages) {
    it.effect(`in ${stage} leaves a valid report that says failed, and what it committed has a record`, () =>
      Effect.gen(function* () {
        const at = world(short)
        const night = at.start({}, (each, iteration) => (each === stage && iteration === 2 ? interrupted : Effect.void))
        // As the command runs it: only its report may not be interrupted.
        const running = yield* Effect.forkChild(Effect.uninterruptible(night))
        expect(Exit.hasInterrupts(yield* Fiber.await(running))).toBe(true)
        const report = at.report()
        expect(report).toMatchObject({
          ...{ status: "failed", failure_reason: "the night was interrupted" },
          dd: { halt_kind: "interrupted" }
        })
        expect(committedBy(report)).toEqual(at.memory.generations.map(({ iteration }) => iteration).toReversed())
        const { number } = at.memory.current
        expect(report.dd).toMatchObject({ generation_before: 0, generation_after: number })
        expect(report.next_action).toEndWith(`generation ${number}, which the night committed, counts.`)
        expect(report.steps.filter(({ status }) => status === "pending")).toEqual([])
        expect(at.text("out/summary.md")).toContain("interrupted")
        expect(at.text("out/overnight.log")).toContain("failed")
      })
    )
  }

  it.effect("before it commits says that nothing was changed", () =>
    Effect.gen(function* () {
      const at = world(short)
      yield* at.start({ loop: loopOf(1) })
      const second = at.start({ run: "20270106T000001Z", outputDir: join(at.top, "second") }, (stage) =>
        stage === "measure" ? interrupted : Effect.void
      )
      yield* Fiber.await(yield* Effect.forkChild(second))
      const { dd, next_action } = at.report("second/summary.json")
      expect(dd).toMatchObject({ generation_before: 1, generation_after: 1, sealed_looks: 1 })
      expect(next_action).toEndWith("nothing was changed.")
    })
  )

  it.effect("while it writes its plan leaves no report that says planned", () =>
    Effect.gen(function* () {
      const at = world(short)
      const running = yield* Effect.forkChild(at.start())
      while (!existsSync(join(at.top, "out/summary.json"))) yield* Effect.yieldNow
      yield* Fiber.interrupt(running)
      expect(at.report().status).toBe("failed")
    })
  )

  it.effect("by a stage that fails still reports what it knows, and the packets", () =>
    Effect.gen(function* () {
      const at = world(short)
      const exit = yield* Effect.exit(
        at.start({}, (stage, iteration) => (stage === "reduce" && iteration === 2 ? Effect.fail(noSpace) : Effect.void))
      )
      expect(Exit.isFailure(exit)).toBe(true)
      const report = at.report()
      expect(report).toMatchObject({ status: "failed", failure_reason: "iteration 2: no space left" })
      expect(report.iterations?.map(({ status }) => status)).toEqual(["done", "rolled-back-pre-commit"])
      expect(report.morning_packets?.length).toBeGreaterThan(0)
      expect(at.memory.current.number).toBe(1)
    })
  )

  it.effect("by no failure, but with an iteration that could not be measured, is degraded, also when strict", () =>
    Effect.gen(function* () {
      const at = world(short)
      const loop = { ...loopOf(0), warnOnly: false }
      yield* at.start({ loop }, (stage, iteration) =>
        stage === "measure" && iteration === 1 ? Effect.fail(noSpace) : Effect.void
      )
      const { degraded, iterations, status } = at.report()
      expect(status).toBe("done")
      expect(iterations?.[0]?.status).toBe("degraded")
      expect(degraded).toContain("iteration 1 (degraded): measure failed: no space left")
      expect(at.text("out/summary.md")).toMatch(
        /\n## Degraded\n\n- iteration 1 \(degraded\): measure failed: no space left/
      )
    })
  )

  it.effect("by a plateau names it", () =>
    Effect.gen(function* () {
      const at = world(long)
      yield* at.start({ loop: { ...loopOf(0), warnOnly: false, epsilon: 10, window: 1 } })
      const { dd, iterations, plateau_reason, status } = at.report()
      expect({ status, halt: dd?.halt_kind }).toEqual({ status: "done", halt: "plateau" })
      expect(plateau_reason).toStartWith(`iteration ${iterations?.length}: `)
      expect(at.text("out/summary.md")).toContain("further changes brought almost nothing")
    })
  )

  it.effect("by a check after a commit says that the generation counts, and how to go back", () =>
    Effect.gen(function* () {
      const at = world(short)
      yield* at.start({}, (stage, iteration) =>
        stage === "post-check" && iteration === 2 ? Effect.fail(noSpace) : Effect.void
      )
      const { degraded, next_action, recommended, status } = at.report()
      expect({ status, number: at.memory.current.number }).toEqual({ status: "done", number: 2 })
      expect(degraded).toEqual(["generation 2 counts, although a check failed after its commit: no space left"])
      expect(next_action).toStartWith("Check generation 2")
      expect(next_action).toContain("`dd dream rollback 1`")
      expect(recommended[0]).toBe("dd dream rollback 1")
      const text = at.text("out/summary.md")
      expect(text).toContain("generation 2 was committed, but a check failed afterwards")
      expect(text).not.toContain("it was not kept")
    })
  )

  it.effect("by kill is reported as failed by the next one, which begins anew elsewhere", () =>
    Effect.gen(function* () {
      const at = world(short)
      let planned = ""
      const killed = yield* Effect.forkChild(
        at.start({}, (stage, iteration) => {
          if (stage !== "measure" || iteration !== 2) return Effect.void
          planned = at.text()
          return interrupted
        })
      )
      yield* Fiber.await(killed)
      writeFileSync(join(at.top, "out/summary.json"), planned)
      at.memory.dead = { run: "20270106T000000Z", pid: 7, host: "here", outputDir: join(at.top, "out") }
      yield* at.start({ run: "20270106T000001Z", outputDir: join(at.top, "second") })
      expect(at.report()).toMatchObject({ status: "failed", run_id: "20270106T000000Z" })
      expect(committedBy(at.report())).toEqual([1])
      expect(at.report().dd).toMatchObject({ generation_before: 0, generation_after: 1 })
      expect(at.report().next_action).toEndWith("generation 1, which the night committed, counts.")
      expect(committedBy(at.report("second/summary.json"))).toEqual([1, 2])
    })
  )

  it.effect("by kill between a commit and its record is reported with this commit", () =>
    Effect.gen(function* () {
      const at = world(short)
      const planned: Array<string> = []
      yield* at.start({ loop: loopOf(1) }, (stage) =>
        Effect.sync(() => {
          if (stage === "ingest") planned.push(at.text())
        })
      )
      writeFileSync(join(at.top, "out/summary.json"), planned[0]!)
      rmSync(join(at.top, "out/20270106T000000Z"), { recursive: true })
      at.memory.dead = { run: "20270106T000000Z", pid: 7, host: "here", outputDir: join(at.top, "out") }
      yield* at.start({ run: "20270106T000001Z", outputDir: join(at.top, "second") })
      expect(at.report()).toMatchObject({
        ...{ status: "failed", dd: { generation_before: 0, generation_after: 1, sealed_looks: 1 } }
      })
      expect(committedBy(at.report())).toEqual([1])
    })
  )

  it.effect("by kill after its report leaves no draft after the next one, and keeps its report", () =>
    Effect.gen(function* () {
      const at = world(short)
      yield* at.start()
      const before = at.text()
      for (const name of ["dd-night.1.draft", "mine.1.draft"]) writeFileSync(join(at.top, "out", name), "{")
      at.memory.dead = { run: "20270106T000000Z", pid: 7, host: "here", outputDir: join(at.top, "out") }
      yield* at.start({ run: "20270106T000001Z", outputDir: join(at.top, "second") })
      expect(readdirSync(join(at.top, "out")).filter((name) => name.endsWith(".draft"))).toEqual(["mine.1.draft"])
      expect(at.text()).toBe(before)
    })
  )

  it.effect("by kill, and whose directory was removed since, is not made again", () =>
    Effect.gen(function* () {
      const at = world(short)
      at.memory.dead = { run: "20270106T000000Z", pid: 7, host: "here", outputDir: join(at.top, "removed") }
      yield* at.start()
      expect(existsSync(join(at.top, "removed"))).toBe(false)
      expect(at.report().status).toBe("done")
    })
  )

  it.effect(
    "by a full disk, which left it as planned and released its lock, is reported as failed by the next one",
    () =>
      Effect.gen(function* () {
        const at = world(short)
        const run = "20270106T000000Z"
        let planned = ""
        const note = (stage: Stage, iteration: number) =>
          Effect.sync(() => {
            if (stage === "measure" && iteration === 2) planned = at.text()
          })
        yield* at.start({ run, loop: loopOf(2) }, note)
        writeFileSync(join(at.top, "out/summary.json"), planned)
        const previous = at.report()
        expect(previous.status).toBe("planned")
        yield* at.start({ run: "20270106T000001Z", outputDir: join(at.top, "second"), previous })
        expect(at.report()).toMatchObject({ status: "failed", run_id: run })
        expect(at.report().next_action).toContain("which the night committed, counts.")
      })
  )

  it.effect("by kill after two of five iterations goes on in the same directory", () =>
    Effect.gen(function* () {
      const at = world(long)
      const loop = loopOf(5)
      let planned = ""
      const killed = yield* Effect.forkChild(
        at.start({ loop }, (stage, iteration) => {
          if (stage !== "reduce" || iteration !== 3) return Effect.void
          planned = at.text()
          return interrupted
        })
      )
      yield* Fiber.await(killed)
      writeFileSync(join(at.top, "out/summary.json"), planned)
      yield* at.start({ loop })
      const report = at.report()
      expect(report).toMatchObject({ status: "done", dd: { halt_kind: "max-iterations", generation_after: 5 } })
      expect(report.iterations?.map(({ id }) => id)).toEqual(
        [1, 2, 3, 4, 5].map((index) => `20270106T000000Z-iter-${index}`)
      )
      expect(report.dd?.generation_before).toBe(0)
      expectDifference(report)
    })
  )
})

describe("a council", () => {
  /** A runner that does what it is given when it is asked. */
  const asking = (asked: Effect.Effect<never>) => {
    const respondent: Respondent["Service"] = {
      ...{ name: "claude", model: "m", room: null },
      execute: () => Stream.fromEffect(asked)
    }
    return Layer.succeed(Runners, () => Effect.succeed(respondent))
  }

  const timestamp = "2027-01-06T00:00:00.000Z"
  const advice = {
    ...{ runner: "claude", headline: "read", recommended_kind: "validate", recommended_first_action: "Read file12.ts" },
    ...{ risks: [], opportunities: [], confidence: "medium", wildcard_idea: "" }
  }
  const answering = (text: string) => {
    const respondent: Respondent["Service"] = {
      ...{ name: "claude", model: "m", room: null },
      execute: () =>
        Stream.fromIterable([
          AgentEvent.make({ _tag: "Text", timestamp, text }),
          AgentEvent.make({ _tag: "TurnEnd", timestamp, messageId: "m", stopReason: "end_turn" }),
          AgentEvent.make({ _tag: "Result", timestamp, output: null })
        ])
    }
    return Layer.succeed(Runners, () => Effect.succeed(respondent))
  }
  const heldBy = Effect.fnUntraced(function* (text: string, more: Partial<NightRequest> = {}, at?: AtStages) {
    const held = world(short)
    yield* held.start({ runners: ["claude"], ...more }, at).pipe(Effect.provide(answering(text)))
    return held.report()
  })

  it.effect("that fails has its steps in the order of one that answers", () =>
    Effect.gen(function* () {
      const good = yield* heldBy(JSON.stringify(advice))
      const failed = yield* heldBy("I have no opinion")
      const order = ({ steps }: Summary) => steps.map(({ name }) => name)
      expect(order(failed)).toEqual(order(good))
      expect(order(good).slice(-3)).toEqual(["council-packet", "council-claude", "council-synthesis"])
      expect(failed.steps.slice(-2).map(({ status }) => status)).toEqual(["soft-fail", "soft-fail"])
      expect(failed.yield).toMatchObject({ council_failed_count: 1, council_action_delta: "" })
    })
  )

  it.effect("refines the first move, or leaves one that comes before all opinions", () =>
    Effect.gen(function* () {
      const refined = yield* heldBy(JSON.stringify(advice))
      expect(refined.yield?.council_action_delta).toBe("refined")
      expect(refined.next_action).toEndWith("`; the second opinion: Read file12.ts")
      const flagged = yield* heldBy(JSON.stringify(advice), {}, (stage, iteration) =>
        stage === "post-check" && iteration === 2 ? Effect.fail(noSpace) : Effect.void
      )
      expect(flagged.yield?.council_action_delta).toBe("unchanged")
      expect(flagged.next_action).toStartWith("Check generation 2")
    })
  )

  it.effect("is not asked if nothing is contested, and the report says so", () =>
    Effect.gen(function* () {
      const at = world(empty)
      yield* at.start({ runners: ["claude"] }).pipe(Effect.provide(asking(Effect.die("asked"))))
      const { council, dd, degraded, steps } = at.report()
      expect({ council, degraded }).toEqual({ council: undefined, degraded: undefined })
      expect(dd?.notes).toContain("No packet is contested, so no second opinion was asked for.")
      for (const name of ["council-packet", "council-claude", "council-synthesis"]) {
        expect(steps).toContainEqual({ name, status: "skipped" })
      }
    })
  )

  it.effect("during which the night is stopped costs no packet, and the report names where it was", () =>
    Effect.gen(function* () {
      const at = world(short)
      const asked = yield* Deferred.make<void>()
      const silent = asking(Effect.andThen(Deferred.succeed(asked, undefined), Effect.never))
      const running = yield* Effect.forkChild(at.start({ runners: ["claude"] }).pipe(Effect.provide(silent)))
      yield* Deferred.await(asked)
      yield* Fiber.interrupt(running)
      const { degraded, morning_packets: packets = [], recommended, steps } = at.report()
      expect(degraded?.at(-1)).toBe(
        "interrupted in council-packet, council-claude, council-synthesis, after morning-packets: the night was interrupted"
      )
      expect(steps).toContainEqual({ name: "council-claude", status: "failed", note: "interrupted before it ended" })
      expect(packets.length).toBeGreaterThan(0)
      for (const { artifact_path, morning_command } of packets) {
        expect(existsSync(artifact_path ?? "")).toBe(true)
        expect(recommended).toContain(morning_command)
      }
    })
  )

  it.effect("during which the night is killed leaves what had ended, how long it took, and its log", () =>
    Effect.gen(function* () {
      const at = world(short)
      const asked = yield* Deferred.make<void>()
      const silent = asking(Effect.andThen(Deferred.succeed(asked, undefined), Effect.never))
      const running = yield* Effect.forkChild(
        at
          .start({ runners: ["claude"] }, (stage, iteration) =>
            stage === "measure" && iteration === 3 ? TestClock.adjust("90 minutes") : Effect.void
          )
          .pipe(Effect.provide(silent))
      )
      yield* Deferred.await(asked)
      const [planned, log] = [at.text(), at.text("out/overnight.log")]
      yield* Fiber.interrupt(running)
      writeFileSync(join(at.top, "out/summary.json"), planned)
      writeFileSync(join(at.top, "out/overnight.log"), log)
      at.memory.dead = { run: "20270106T000000Z", pid: 7, host: "here", outputDir: join(at.top, "out") }
      yield* at.start({ run: "20270106T000001Z", outputDir: join(at.top, "second") })
      const { degraded, duration, runtime, steps } = at.report()
      expect(duration).toBe("1h30m0s")
      expect(degraded?.at(-1)).toStartWith(
        "killed in council-packet, council-claude, council-synthesis, after morning-"
      )
      const ended = ["iteration-1", "close-loop", "metrics-health", "morning-packets"]
      for (const name of ended) expect(steps).toContainEqual(expect.objectContaining({ name, status: "done" }))
      expect(at.text("out/summary.md")).toContain("its last sign of life came 1 h 30 min after its start")
      expect(readFileSync(runtime.log_path, "utf8")).toContain(" close-loop done\n")
    })
  )

  it.effect("is asked no longer than the night may take", () =>
    Effect.gen(function* () {
      const at = world(short)
      const asked = yield* Deferred.make<void>()
      const silent = asking(Effect.andThen(Deferred.succeed(asked, undefined), Effect.never))
      const given = { runners: ["claude"], timeout: 60_000, requestedTimeout: "1m" }
      const running = yield* Effect.forkChild(at.start(given).pipe(Effect.provide(silent)))
      yield* Deferred.await(asked)
      yield* TestClock.adjust("60 seconds")
      yield* Fiber.join(running)
      expect(at.report()).toMatchObject({ status: "done", yield: { council_timeout_count: 1 } })
    })
  )
})

describe("a disk that is full at the end", () => {
  it.effect("leaves a short report with the cause, if that has room", () =>
    Effect.gen(function* () {
      const at = world(short)
      at.given.isFull = ({ iterations, status }) => status === "done" && iterations !== undefined
      yield* Effect.exit(at.start())
      const { failure_reason, next_action, status } = at.report()
      expect({ failure_reason, status }).toEqual({
        ...{ status: "failed", failure_reason: "summary.json could not be used: no space left" }
      })
      expect(next_action).toEndWith("generation 3, which the night committed, counts.")
    })
  )

  it.effect("that was full meanwhile, too, is degraded only", () =>
    Effect.gen(function* () {
      const at = world(short)
      at.given.isFull = ({ steps, status }) => status === "planned" && steps.some((each) => each.status === "done")
      yield* at.start()
      expect(at.report()).toMatchObject({
        ...{ status: "done", degraded: [expect.stringContaining("could not be written meanwhile")] }
      })
    })
  )
})

describe("two nights at once", () => {
  it.effect("with different directories: one runs, the other says who does and writes nothing", () =>
    Effect.gen(function* () {
      const at = world(short)
      const [begun, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const first = yield* Effect.forkChild(
        at.start({}, (stage, iteration) =>
          stage === "ingest" && iteration === 1
            ? Effect.andThen(Deferred.succeed(begun, undefined), Deferred.await(goOn))
            : Effect.void
        )
      )
      yield* Deferred.await(begun)
      const busy = yield* Effect.flip(at.start({ run: "other", outputDir: join(at.top, "other") }))
      expect(busy._tag).toBe("CorpusBusy")
      expect(existsSync(join(at.top, "other"))).toBe(false)
      yield* Deferred.succeed(goOn, undefined)
      yield* Fiber.join(first)
      expect(at.report().status).toBe("done")
      expect(at.memory.current.number).toBe(3)
    })
  )
})

describe("the report of a night names", () => {
  it.effect("labels that are dated later than now", () =>
    Effect.gen(function* () {
      const at = world(short)
      at.given.ahead = 2
      yield* at.start()
      expect(at.report().degraded).toContain("2 labels are dated later than now, and did not count: check the clock")
    })
  )

  it.effect("a damaged note of packets, whose ages begin anew", () =>
    Effect.gen(function* () {
      const at = world(short)
      yield* at.start()
      expect(at.report().degraded).toBeUndefined()
      at.memory.notes.set("packets.json", "{")
      yield* at.start()
      expect(at.report().degraded).toEqual(["packets.json could not be read: every packet counts as new"])
      expect(at.report().morning_packets?.map(({ dd }) => dd?.nights)).toEqual([1, 1, 1])
    })
  )
})

describe("labels of earlier nights", () => {
  const second = (at: ReturnType<typeof world>) =>
    at.start({ run: "20270106T000001Z", outputDir: join(at.top, "second") })

  for (const [what, change] of [
    ["are gone", (labels: Array<FindingLabel>) => void labels.splice(3, 1)],
    [
      "say something else",
      (labels: Array<FindingLabel>) => void labels.splice(3, 1, { ...labels[3]!, verdict: "contested" })
    ]
  ] as const) {
    it.effect(`that ${what} are lost: the night fails, and the first move says where they were`, () =>
      Effect.gen(function* () {
        const at = world(short)
        yield* at.start()
        const { generations } = at.memory
        const whole = [...at.given.labels]
        const { session_id } = whole[3]!
        change(at.given.labels)
        for (const _ of [1, 2]) {
          yield* Effect.exit(second(at))
          const { failure_reason, next_action, recommended } = at.report("second/summary.json")
          expect(failure_reason).toBe(
            `labels that an earlier night read are gone or changed, although labels are only added: 1 label of ${session_id.slice(0, 8)}`
          )
          expect(next_action).toStartWith(`Restore labels/${session_id}.jsonl of the archive from a backup, run`)
          expect(recommended).toEqual(["dd archive rebuild-index", "dd dream start", "dd dream report"])
          expect(at.memory.generations).toEqual(generations)
        }
        const { notes } = at.memory
        const log = notes.get("label-log.json")!
        notes.delete("label-log.json")
        yield* second(at)
        expect(at.report("second/summary.json").status).toBe("done")
        notes.set("label-log.json", log)
        at.given.labels.splice(0, Number.POSITIVE_INFINITY, ...whole)
        yield* second(at)
        expect(at.report("second/summary.json").status).toBe("done")
      })
    )
  }

  it.effect("whose findings are damaged are lost, too: the night fails, and the first move names their file", () =>
    Effect.gen(function* () {
      const at = world(short)
      yield* at.start()
      const { session_id } = at.given.labels[3]!
      at.given.unreadable = [session_id]
      at.given.labels = at.given.labels.filter((each) => each.session_id !== session_id)
      yield* Effect.exit(second(at))
      const { failure_reason, next_action } = at.report("second/summary.json")
      expect(failure_reason).toEndWith(`; damaged or changed: runs/${session_id}/findings.json`)
      expect(next_action).toStartWith(`Restore runs/${session_id}/findings.json of the archive from a backup, run`)
    })
  )

  it.effect("that were removed with their review are named, and what only they support ends", () =>
    Effect.gen(function* () {
      const at = world(short)
      yield* at.start()
      const [one] = at.memory.current.suppressions
      at.given.removed = one!.evidence.map(({ session }) => session)
      at.given.labels = at.given.labels.filter(({ session_id }) => !at.given.removed.includes(session_id))
      yield* second(at)
      const { dd, status } = at.report("second/summary.json")
      expect(status).toBe("done")
      const count = new Set(at.given.removed).size
      expect(dd?.notes[0]).toStartWith(
        `${count} labelled reviews were removed from the archive since the last night; what`
      )
      expect(at.memory.current.suppressions.map(({ id }) => id)).not.toContain(one!.id)
    })
  )
})

describe("labels during a night", () => {
  it.effect("that are new are no fault", () =>
    Effect.gen(function* () {
      const at = world(short)
      yield* at.start({}, (stage, iteration) =>
        Effect.sync(() => {
          if (stage !== "reduce" || iteration !== 1) return
          at.given.labels.push({ ...at.given.labels[0]!, observed_at: "later", verdict: "accepted" })
        })
      )
      expect(at.report().status).toBe("done")
      expect(at.given.labels.at(-1)?.observed_at).toBe("later")
    })
  )

  for (const [moment, iteration, status] of [
    ["before the first iteration", 1, "failed"],
    ["in the second one", 2, "rolled-back-pre-commit"]
  ] as const) {
    it.effect(`that vanish ${moment} stop it, and nothing is made from them`, () =>
      Effect.gen(function* () {
        const at = world(short)
        const when: Stage = status === "failed" ? "ingest" : "reduce"
        yield* Effect.exit(
          at.start({}, (stage, index) =>
            Effect.sync(() => {
              if (stage === when && index === iteration) at.given.labels.splice(3, 2)
            })
          )
        )
        const report = at.report()
        expect(report).toMatchObject({ status: "failed" })
        expect(report.failure_reason).toBe(`iteration ${iteration}: labels that the night began with are gone: 2`)
        expect(report.iterations?.at(-1)?.status).toBe(status)
        expect(at.memory.current.number).toBe(iteration - 1)
      })
    )
  }
})
