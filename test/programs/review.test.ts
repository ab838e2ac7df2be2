import { describe, expect, test } from "bun:test"
import { Effect, FileSystem, Layer, Ref, Result, type Schema } from "effect"
import type { Task } from "../../src/domain/agent/Task.ts"
import type { Change } from "../../src/domain/change/Change.ts"
import type { Degraded } from "../../src/domain/change/Degraded.ts"
import type { ExtensionRegistry } from "../../src/domain/run/Extension.ts"
import type { RunEvent } from "../../src/domain/run/RunEvent.ts"
import { SessionId } from "../../src/domain/run/SessionId.ts"
import * as CodeLive from "../../src/layers/CodeLive.ts"
import * as NoFacts from "../../src/layers/change/facts/None.ts"
import * as Patch from "../../src/layers/change/sources/Patch.ts"
import * as TreeSitter from "../../src/layers/code/syntax/TreeSitter.ts"
import * as ReviewLive from "../../src/layers/ReviewLive.ts"
import * as Directory from "../../src/layers/review/artifacts/Directory.ts"
import * as None from "../../src/layers/review/artifacts/None.ts"
import * as Platform from "../../src/layers/system/Platform.ts"
import { costNote, preview, type ReviewRequest, review } from "../../src/programs/review.ts"
import { Backend, BackendFailed } from "../../src/services/agent/Backend.ts"
import { Budget } from "../../src/services/agent/Budget.ts"
import { Git } from "../../src/services/change/Git.ts"
import { Sources } from "../../src/services/change/Sources.ts"
import { SymbolIndex } from "../../src/services/code/SymbolIndex.ts"
import { SyntaxTrees } from "../../src/services/code/SyntaxTrees.ts"
import { RuleSet } from "../../src/services/finding/RuleSet.ts"
import { Archive } from "../../src/services/record/Archive.ts"
import { type ExtensionFile, Extensions } from "../../src/services/run/Extensions.ts"
import { FailPolicy } from "../../src/services/run/FailPolicy.ts"
import { Redactor } from "../../src/services/secret/Redactor.ts"
import { change, record } from "../support/builders.ts"
import { clockSetBack } from "../support/clockSetBack.ts"
import { it } from "../support/effect.ts"
import * as Memory from "../support/MemoryRecorder.ts"
import * as Scripted from "../support/ScriptedBackend.ts"
import { staticReviews } from "../support/staticReviews.ts"

const three = change({
  "src/a.py": ["import os", "f = open(p)", "g = open(q)"],
  "web/b.tsx": ["const a = 1", "const b = 2", "const c = 3"],
  "lib/c.go": ["package c", "var A = 1", "var B = 2"]
})

const request = (over: Partial<ReviewRequest> = {}): ReviewRequest => ({
  sessionId: "00000000-0000-4000-8000-000000000000",
  flow: "deep",
  change: three,
  ignored: [],
  startAt: "review",
  findingsOut: null,
  fixing: null,
  proving: null,
  loop: null,
  feedback: null,
  known: new Set(),
  tinyThreshold: 2,
  wantsBrief: false,
  reviewedBy: () => [],
  notes: [],
  missing: [],
  ...over
})

/** What a quiet model says to each task. */
const quiet = (task: Task): Effect.Effect<Scripted.Reply> => {
  switch (task._tag) {
    case "Intent":
      return Effect.succeed({ intent: "Open a file." })
    case "StackReview":
      return Effect.succeed({ review: "fine", issues: [] })
    case "Arbitrate":
      return Effect.succeed({ findings: task.contested.map(({ arbId }) => ({ arb_id: arbId, keep: true })) })
    case "Verify":
      return Effect.succeed({
        verdicts: task.claims.map(({ id, record: { file, line } }) => ({
          issue_id: id,
          evidence: `${file}:${line}`,
          unverified_assumptions: [],
          verdict: "consistent"
        }))
      })
    case "Merge":
      return Effect.succeed({ notes: [] })
    default:
      return Effect.succeed({ issues: [] })
  }
}

const stackOf = (task: Task): string => ("stack" in task ? task.stack.name : "")
const claims = (...records: ReadonlyArray<ReturnType<typeof record>>) =>
  Effect.succeed({ review: "claims", issues: records.map((each) => ({ ...each })) })
const down = Effect.fail(new BackendFailed({ backend: "scripted", retryable: false, cause: "boom" }))

interface World {
  readonly change?: ReviewRequest["change"]
  readonly root?: string
  /** What the rules find; by default a model reviews and the rules find nothing. */
  readonly rules?: Parameters<typeof staticReviews>[0]
  readonly backend?: Layer.Layer<Backend>
  /** What could not be read of the repository. */
  readonly failures?: ReadonlyArray<Degraded>
  readonly extensions?: ReadonlyArray<ExtensionFile>
}

/** The texts of the patch, with these failures in place of the one that only a patch is known. */
const patchOf = (reviewed: Change, failures: ReadonlyArray<Degraded>) =>
  Layer.effect(
    Sources,
    Effect.map(Sources, (sources) => Sources.of({ ...sources, failures: Effect.succeed(failures) }))
  ).pipe(Layer.provide(Patch.layer(reviewed)))

const world = (
  script: Scripted.Script,
  {
    backend = Scripted.layer(script),
    change: reviewed = three,
    extensions = [],
    failures = [],
    root,
    rules
  }: World = {}
) =>
  ReviewLive.fixes(withoutFixes).pipe(
    Layer.provideMerge(ReviewLive.steps(null)),
    Layer.provideMerge(staticReviews(rules)),
    Layer.provideMerge(backend),
    Layer.provideMerge(Layer.succeed(Extensions, Extensions.of({ place: "none", files: Effect.succeed(extensions) }))),
    Layer.provideMerge(CodeLive.briefs),
    Layer.provideMerge(
      SymbolIndex.layer.pipe(Layer.provideMerge(SyntaxTrees.layer), Layer.provide([NoFacts.layer, TreeSitter.layer]))
    ),
    Layer.provideMerge(patchOf(reviewed, failures)),
    Layer.provideMerge(RuleSet.layerOf([])),
    Layer.provideMerge(FailPolicy.layer),
    Layer.provideMerge(Memory.layer),
    Layer.provideMerge(Archive.layerNone),
    Layer.provideMerge(root === undefined ? None.layer : Directory.layer(root, "s1")),
    Layer.provideMerge(Git.layer),
    Layer.provideMerge(Redactor.layerOf({})),
    Layer.provideMerge(Platform.layer)
  )

const withoutFixes = {
  fixing: null,
  loop: null,
  home: null,
  repository: null,
  sessionId: SessionId.make("00000000-0000-4000-8000-000000000000"),
  version: "0"
}

const steps = (events: ReadonlyArray<RunEvent>) =>
  events.flatMap((event) => (event._tag === "StepStarted" ? [event.step] : []))

const reviewed = (script: Scripted.Script, over: Partial<ReviewRequest> = {}) =>
  Effect.gen(function* () {
    const { result } = yield* review(request(over))
    return { result, events: yield* Ref.get(yield* Memory.RecordedEvents) }
  }).pipe(Effect.scoped, Effect.provide(world(script, over.change === undefined ? {} : { change: over.change })))

const inRoot = <A, E>(body: (root: string, fs: FileSystem.FileSystem) => Effect.Effect<A, E, Redactor>) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    return yield* body(yield* fs.makeTempDirectoryScoped(), fs)
  }).pipe(Effect.scoped, Effect.provide(Platform.layer))

describe("a deep review", () => {
  it.live("runs the steps of the flow in order and plans 2 + 2N + 3 agents", () =>
    Effect.gen(function* () {
      const { result, events } = yield* reviewed(quiet)
      expect(steps(events)).toEqual([
        "exploration",
        "intent",
        "alternatives",
        "per-stack-reviews",
        "per-stack-parse",
        "arbiter",
        "cross-stack-merge",
        "load-items"
      ])
      expect(result.stacks).toEqual(["go", "python", "react", "structure"])
      expect(result.agentsPlanned).toBe(2 + 4)
      expect(result.status).toBe("complete")
    })
  )

  it.live("merges the claims of two reviewers at one place, gates them, and numbers them best first", () =>
    Effect.gen(function* () {
      const said = { file: "src/a.py", line: 2, evidence: "src/a.py:2" }
      const { result } = yield* reviewed((task) => {
        if (task._tag !== "StackReview") return quiet(task)
        if (stackOf(task) === "python")
          return claims(
            record({ ...said, severity: "low", description: "The handle is never closed" }),
            record({ ...said, id: 2, line: 40, evidence: "src/a.py:40", description: "Made up" }),
            record({ ...said, id: 3, line: 3, confidence: "LOW", evidence: "src/a.py:3", description: "A hunch" })
          )
        if (stackOf(task) === "go")
          return claims(record({ ...said, severity: "high", description: "Handle is never closed" }))
        return quiet(task)
      })
      expect(result.findings.map(({ id, file, line, severity, lens }) => [id, file, line, severity, lens])).toEqual([
        [1, "src/a.py", 2, "high", "cross-stack"]
      ])
      expect(result.dropped).toHaveLength(2)
      expect(result.findings[0]?.fingerprint).toMatch(/^dd1:[0-9a-f]{16}$/)
    })
  )

  it.live("is partial when one stack's reviewer fails, and its files are never shown as clean", () =>
    Effect.gen(function* () {
      const { result } = yield* reviewed((task) =>
        task._tag === "StackReview" && ["python", "structure"].includes(stackOf(task)) ? down : quiet(task)
      )
      expect(result.status).toBe("partial")
      expect(result.coverage.files.find((file) => file.path === "src/a.py")?.status).toBe("unread")
      expect(result.coverage.files.find((file) => file.path === "lib/c.go")?.status).toBe("reviewed")
      expect(result.degraded.map((entry) => entry.step)).toEqual(["per-stack-reviews", "per-stack-reviews"])
    })
  )

  it.live("parses prose with the parse agent, and drops the stack only if the prose is no review", () =>
    Effect.gen(function* () {
      const prose = "src/a.py:2 opens a file and never closes it."
      const parsed: Array<string> = []
      const inProse =
        (said: object): Scripted.Script =>
        (task) => {
          if (task._tag === "ParseReview") {
            parsed.push(`${stackOf(task)}: ${task.review}`)
            return Effect.succeed({ issues: [], ...said })
          }
          return task._tag === "StackReview" && stackOf(task) === "python" ? Effect.succeed(prose) : quiet(task)
        }
      const { result } = yield* reviewed(inProse({ issues: [{ ...record({ description: "Never closed" }) }] }))
      expect([result.status, result.degraded]).toEqual(["complete", []])
      expect(result.findings.map(({ file, line, title }) => [file, line, title])).toEqual([
        ["src/a.py", 2, "Never closed"]
      ])
      expect(parsed).toEqual([`python: ${prose}`])
      const { result: none } = yield* reviewed(inProse({ notAReview: true }))
      expect(none.status).toBe("partial")
      expect(none.degraded.map(({ error, step }) => [step, error])).toEqual([["per-stack-parse", "ReviewNotGiven"]])
    })
  )

  it.live("drops a claim without a description, and ignores a blank title", () =>
    Effect.gen(function* () {
      const { result } = yield* reviewed((task) =>
        task._tag === "StackReview" && stackOf(task) === "python"
          ? claims(
              record({ description: " " }),
              record({ id: 2, line: 3, title: " ", description: "It leaks. Close it." })
            )
          : quiet(task)
      )
      expect(result.findings.map(({ title }) => title)).toEqual(["It leaks."])
      expect(result.dropped.map(({ reason }) => reason)).toEqual(["it does not say what is wrong"])
    })
  )

  it.live("measures its duration with the monotonic clock", () =>
    Effect.gen(function* () {
      const { result } = yield* reviewed(quiet)
      expect(result.run.durationMs).toBeGreaterThan(0)
      expect(result.status).toBe("complete")
    }).pipe(Effect.provide(clockSetBack))
  )

  it.live("is inconclusive when no reviewer came back", () =>
    Effect.gen(function* () {
      const { result } = yield* reviewed((task) => (task._tag === "StackReview" ? down : quiet(task)))
      expect(result.status).toBe("inconclusive")
      expect(result.findings).toEqual([])
    })
  )

  it.live("goes on without intent, alternatives and arbiter, and reports it", () =>
    Effect.gen(function* () {
      const { result } = yield* reviewed((task) => {
        if (task._tag === "StackReview" && stackOf(task) === "python") return claims(record({ severity: "high" }))
        return task._tag === "StackReview" ? quiet(task) : down
      })
      expect(result.findings).toHaveLength(1)
      expect(result.degraded.map((entry) => entry.step)).toEqual([
        "intent",
        "alternatives",
        "arbiter",
        "cross-stack-merge",
        "verify"
      ])
    })
  )

  const claimed =
    (verdicts: ReadonlyArray<Schema.JsonObject>): Scripted.Script =>
    (task) => {
      if (task._tag === "Verify") return Effect.succeed({ verdicts })
      return task._tag === "StackReview" && stackOf(task) === "python" ? claims(record()) : quiet(task)
    }
  const verdict = (over: Schema.JsonObject): Schema.JsonObject => ({
    issue_id: 1,
    evidence: "src/a.py:1 closes it",
    unverified_assumptions: [],
    verdict: "contradicts",
    ...over
  })

  it.live("drops a claim that the verifier contradicts with a line, and says why", () =>
    Effect.gen(function* () {
      const { events, result } = yield* reviewed(claimed([verdict({})]))
      expect(result.findings).toEqual([])
      expect(result.dropped.map(({ reason }) => reason)).toEqual(["the code contradicts it: src/a.py:1 closes it"])
      expect([result.status, result.degraded]).toEqual(["complete", []])
      expect(steps(events)).toContain("verify")
    })
  )

  it.live("leaves out suggested code that the verifier finds wrong, keeps the finding, and says why", () =>
    Effect.gen(function* () {
      const suggesting =
        (over: Schema.JsonObject): Scripted.Script =>
        (task) => {
          if (task._tag === "StackReview" && stackOf(task) === "python")
            return claims(record({ suggestion: "with open(p) as f:" }))
          return claimed([verdict({ verdict: "consistent", ...over })])(task)
        }
      const wrong = yield* reviewed(suggesting({ suggestion_fault: "f is used below the block" }))
      expect(wrong.result.findings.map(({ suggestion }) => suggestion)).toEqual([null])
      expect(wrong.result.notes.join("\n")).toContain("its suggested code is left out: f is used below the block")
      const right = yield* reviewed(suggesting({}))
      expect(right.result.findings.map(({ suggestion }) => suggestion)).toEqual(["with open(p) as f:"])
    })
  )

  it.live("keeps a claim that is contradicted without a line of the code, as uncertain", () =>
    Effect.gen(function* () {
      for (const evidence of ["I do not believe it", "src/a.py:9999 closes it", "src/gone.py:1"]) {
        const { result } = yield* reviewed(claimed([verdict({ evidence })]))
        expect(result.findings.map(({ verdict }) => verdict)).toEqual(["uncertain"])
      }
    })
  )

  it.live("keeps a claim with no verdict or contradictory ones, and reports it", () =>
    Effect.gen(function* () {
      for (const verdicts of [[], [verdict({}), verdict({ verdict: "consistent" })], [verdict({ issue_id: 7 })]]) {
        const { result } = yield* reviewed(claimed(verdicts))
        expect(result.findings.map(({ verdict }) => verdict)).toEqual([null])
        expect(result.degraded.map(({ error, step }) => [step, error])).toEqual([["verify", "NotVerified"]])
      }
    })
  )

  it.live("verifies the claims of every reviewer, one task for a file", () =>
    Effect.gen(function* () {
      const asked: Array<ReadonlyArray<string>> = []
      const script: Scripted.Script = (task) => {
        if (task._tag === "Verify") asked.push(task.claims.map(({ record, stack }) => `${stack} ${record.file}`))
        if (task._tag !== "StackReview") return quiet(task)
        return claims(record({ file: "src/a.py", line: task.stack.name === "structure" ? 0 : 2, severity: "low" }))
      }
      const { result } = yield* reviewed(script)
      expect(asked.map((each) => each.length)).toEqual([result.findings.length])
      expect(asked.flat().join()).toContain("structure")
    })
  )

  it.live("leaves arbiter and merge out of a tiny change, and keeps the gate", () =>
    Effect.gen(function* () {
      const tiny = change()
      const { result, events } = yield* reviewed(
        (task) =>
          task._tag === "StackReview" && stackOf(task) === "python"
            ? claims(record({ severity: "high" }), record({ id: 2, line: 99, evidence: "src/a.py:99" }))
            : quiet(task),
        { change: tiny }
      )
      expect(steps(events)).not.toContain("arbiter")
      expect(steps(events)).toContain("single-stack-merge")
      // A change of one file has no alternatives.
      expect(result.agentsPlanned).toBe(1 + 2)
      expect([result.findings.length, result.dropped.length]).toEqual([1, 1])
    })
  )

  it.live("keeps a true claim beside an unfounded one in the same words", () =>
    Effect.gen(function* () {
      const { result } = yield* reviewed((task) =>
        stackOf(task) === "python"
          ? claims(
              record({ id: 1, line: 1, severity: "high", quote: "nothing like this" }),
              record({ id: 2, line: 2, severity: "low" })
            )
          : quiet(task)
      )
      expect(result.findings.map(({ line, severity }) => [line, severity])).toEqual([[2, "low"]])
      expect(result.dropped.map(({ reason }) => reason)).toEqual(["the quoted text is not there"])
    })
  )

  it.live("drops an unfounded alternative before the merge, and numbers what is left from 1", () =>
    inRoot((root, fs) =>
      Effect.gen(function* () {
        const alternative = {
          title: "The handle is never closed",
          description: "Close it.",
          recommendation: "Use with.",
          severity: "high",
          confidence: "HIGH",
          rationale: "It leaks."
        }
        const merged: Array<ReadonlyArray<number>> = []
        const script: Scripted.Script = (task) => {
          if (task._tag === "Alternatives") {
            return Effect.succeed({
              issues: [
                { ...alternative, id: 1, files: ["src/a.py"], line: 2, evidence: "src/gone.py:3" },
                { ...alternative, id: 2, files: ["src/gone.py"], line: 3, evidence: "src/gone.py:3" }
              ]
            })
          }
          if (task._tag === "Merge") merged.push(task.items.map(({ id }) => id))
          return stackOf(task) === "python" ? claims(record({ severity: "low" })) : quiet(task)
        }
        const { result } = yield* review(request()).pipe(Effect.scoped, Effect.provide(world(script, { root })))
        expect(result.findings.map(({ id, severity, title }) => [id, severity, title])).toEqual([
          [1, "low", "The handle is never closed"]
        ])
        expect(result.dropped.map(({ stack }) => stack)).toEqual(["alternatives", "alternatives"])
        expect(merged).toEqual([[1]])
        const deep = `${root}/.daydream/deep`
        expect(JSON.parse(yield* fs.readFileString(`${deep}/merged-items.json`)).items[0].id).toBe(1)
        expect(yield* fs.readFileString(`${deep}/review-output.md`)).toContain("\n1. [src/a.py:2] ")
      })
    )
  )

  it.live("answers an empty change without calling a model", () =>
    Effect.gen(function* () {
      const { result, events } = yield* reviewed(() => Effect.die("nobody is asked"), { change: change({}) })
      expect(result.status).toBe("complete")
      expect(steps(events)).toEqual([])
    })
  )

  it.live("lists what the settings left out as skipped", () =>
    Effect.gen(function* () {
      const { result } = yield* reviewed(quiet, {
        ignored: [{ path: "gen/x.py", status: "skipped", reason: "ignored by gen/** (--ignore-path)" }]
      })
      expect(result.coverage.filesInDiff).toBe(4)
      const ignored = result.coverage.files.find(({ path }) => path === "gen/x.py")
      expect(ignored).toMatchObject({ status: "skipped" })
    })
  )

  it.live("counts each rule that was applied once, and does not count a rule that only a model names", () =>
    Effect.gen(function* () {
      const ruled: Scripted.Script = (task) =>
        task._tag === "StackReview"
          ? Effect.succeed({ review: "", issues: [], rules: ["secret/url-password", `${stackOf(task)}/own`] })
          : quiet(task)
      const found = (stack: string) => [record({ rule: "secret/url-password" }), record({ rule: `${stack}/own` })]
      const rules = Object.fromEntries(["go", "python", "react", "structure"].map((stack) => [stack, found(stack)]))
      const counted = (over: World) =>
        review(request()).pipe(
          Effect.map(({ result }) => result.rulesApplied),
          Effect.scoped,
          Effect.provide(world(ruled, over))
        )
      expect(yield* counted({ backend: Backend.withoutModel(2), rules })).toBe(5)
      expect(yield* counted({})).toBe(0)
    })
  )

  it.live("refuses an unregistered flow before anything runs", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(reviewed(() => Effect.die("nobody is asked"), { flow: "depe" }))
      expect(error.message).toContain('"depe"')
      expect(error.message).toContain("deep")
    })
  )

  it.live("is not clean if its flow only works on the comments of a pull request", () =>
    Effect.gen(function* () {
      const { result } = yield* reviewed(() => Effect.die("nobody is asked"), { flow: "pr-feedback" })
      expect([result.status, result.feedback]).toEqual(["partial", null])
      expect(result.coverage.files.every(({ status }) => status === "unread")).toBe(true)
    })
  )
})

describe("a step that has nothing to do", () => {
  it.live("reports an arbiter without claims, and reviews that are taken from an earlier run", () =>
    inRoot((root) =>
      Effect.gen(function* () {
        const summaries = (startAt: ReviewRequest["startAt"]) =>
          Effect.gen(function* () {
            yield* review(request({ startAt }))
            const events = yield* Ref.get(yield* Memory.RecordedEvents)
            return new Map(events.flatMap((event) => (event._tag === "StepEnded" ? [[event.step, event.summary]] : [])))
          }).pipe(Effect.scoped, Effect.provide(world(quiet, { root })))
        expect((yield* summaries("review")).get("arbiter")).toBe("no claims to check")
        const resumed = yield* summaries("merge")
        expect(resumed.get("per-stack-reviews")).toBe("taken from the earlier review")
        expect(resumed.get("arbiter")).toBe("taken from the earlier review")
      })
    )
  )

  it.live("reports that no alternatives are requested for one file", () =>
    Effect.gen(function* () {
      const { events } = yield* reviewed(quiet, { change: change() })
      expect(events).toContainEqual({
        _tag: "StepEnded",
        step: "alternatives",
        summary: "skipped: the change has one file"
      })
    })
  )
})

describe("the other flows", () => {
  it.live("shallow: one reviewer however large the change", () =>
    Effect.gen(function* () {
      const { result, events } = yield* reviewed(quiet, { flow: "shallow" })
      expect(result.stacks).toEqual(["generic", "structure"])
      expect(steps(events)).toEqual(["shallow-exploration", "review", "parse", "summary"])
    })
  )

  it.live("shallow: reports nothing where the one reviewer fails, whatever the rules find", () =>
    Effect.gen(function* () {
      const { result } = yield* reviewed((task) => (task._tag === "StackReview" ? down : quiet(task)), {
        flow: "shallow"
      })
      expect(result.status).toBe("inconclusive")
    })
  )

  it.live("review: findings have lines, and an unavailable step is reported, not run", () =>
    Effect.gen(function* () {
      const { result, events } = yield* reviewed(
        (task) => (task._tag === "StackReview" && stackOf(task) === "python" ? claims(record()) : quiet(task)),
        { flow: "review" }
      )
      expect(result.findings.map((finding) => finding.line)).toEqual([2])
      expect(
        events.some(
          (event) =>
            event._tag === "StepSkipped" && event.step === "post-comments" && /not in this build/.test(event.reason)
        )
      ).toBe(true)
    })
  )
})

describe("taking up an earlier review", () => {
  const at = (root: string, script: Scripted.Script, over: Partial<ReviewRequest> = {}, also: World = {}) =>
    review(request(over)).pipe(Effect.scoped, Effect.provide(world(script, { root, ...also })))
  const claiming: Scripted.Script = (task) =>
    task._tag === "StackReview" && stackOf(task) === "python"
      ? Effect.map(claims(record(), record({ id: 2, line: 99, evidence: "src/a.py:99" })), (reply) => ({
          ...reply,
          omitted: ["the tests"]
        }))
      : quiet(task)
  const unasked: Scripted.Script = (task) =>
    task._tag === "Merge" ? quiet(task) : Effect.die(`asked for ${task._tag}`)

  for (const startAt of ["merge", "fix"] as const) {
    it.live(`at ${startAt} calls no reviewer again and finds the same`, () =>
      inRoot((root) =>
        Effect.gen(function* () {
          const first = yield* at(root, claiming)
          const again = yield* at(root, unasked, { startAt })
          expect(first.result.notes).toEqual(["Not checked: the tests"])
          expect(first.result.dropped).toHaveLength(1)
          for (const part of ["findings", "dropped", "coverage"] as const) {
            expect(again.result[part]).toEqual(first.result[part])
          }
          const resumed = `This continues an earlier review at ${startAt}; the steps before come from that review.`
          expect(again.result.notes).toEqual([resumed, ...first.result.notes])
        })
      )
    )
  }

  /** A model whose answer to one kind of task is lost; its python reviewer claims something high, or answers in prose. */
  const failing =
    (lost: Task["_tag"]): Scripted.Script =>
    (task) => {
      if (task._tag === lost && (lost !== "StackReview" || stackOf(task) === "python")) return down
      if (task._tag !== "StackReview" || stackOf(task) !== "python") return quiet(task)
      return lost === "ParseReview"
        ? Effect.succeed("There is a leak in src/a.py.")
        : claims(record({ severity: "high" }))
    }
  const taken = {
    "per-stack": ["Intent", "Alternatives"],
    merge: ["Intent", "Alternatives", "StackReview", "ParseReview"],
    fix: ["Intent", "Alternatives", "StackReview", "ParseReview", "Arbitrate", "Merge"]
  } as const
  for (const startAt of ["per-stack", "merge", "fix"] as const) {
    for (const lost of taken[startAt]) {
      it.live(`at ${startAt} is no cleaner than the review whose ${lost} failed`, () =>
        inRoot((root) =>
          Effect.gen(function* () {
            const first = (yield* at(root, failing(lost))).result
            expect(first.degraded).not.toEqual([])
            const sound = failing("Intent")
            const again = (yield* at(root, (task) => (task._tag === lost ? Effect.die("repeated") : sound(task)), {
              startAt
            })).result
            for (const entry of first.degraded.filter(({ step }) => step !== "arbiter" || startAt === "fix")) {
              expect(again.degraded).toContainEqual(entry)
            }
            expect(again.status).toBe(first.status)
            expect(again.coverage).toEqual(first.coverage)
            expect(again.dropped).toEqual(first.dropped)
          })
        )
      )
    }
  }

  it.live("keeps the failures of the first review through any number of resumes", () =>
    inRoot((root, fs) =>
      Effect.gen(function* () {
        const first = (yield* at(root, failing("ParseReview"))).result
        expect(first.status).toBe("partial")
        expect(yield* fs.readFileString(`${root}/.daydream/deep/per-stack-failures.json`)).toContain("python")
        for (const startAt of ["merge", "merge", "fix", "merge", "fix"] as const) {
          const again = (yield* at(root, quiet, { startAt })).result
          expect([again.status, again.degraded]).toEqual([first.status, first.degraded])
        }
        expect((yield* at(root, quiet, { startAt: "per-stack" })).result.status).toBe("complete")
      })
    )
  )

  it.live("stays partial if the first review could not search the repository, and reports it once", () =>
    inRoot((root) =>
      Effect.gen(function* () {
        const unchecked = "uses in other files"
        const failure = { step: "git", error: "GitTimedOut", detail: `not checked: ${unchecked}: slow`, unchecked }
        const first = (yield* at(root, quiet, {}, { failures: [failure] })).result
        expect([first.status, first.degraded]).toEqual(["partial", [failure]])
        for (const startAt of ["merge", "fix", "merge"] as const) {
          const healed = (yield* at(root, quiet, { startAt })).result
          expect([healed.status, healed.degraded]).toEqual([first.status, first.degraded])
          const again = (yield* at(root, quiet, { startAt }, { failures: [failure] })).result
          expect([again.status, again.degraded]).toEqual([first.status, first.degraded])
        }
      })
    )
  )

  it.live("stays inconclusive when the budget stopped the first review", () =>
    inRoot((root) =>
      Effect.gen(function* () {
        const stopped = Layer.sync(Budget, () => ({ ...Budget.defaultValue(), stopped: Effect.succeed(true) }))
        const first = yield* at(root, quiet).pipe(Effect.provide(stopped))
        expect(first.result.status).toBe("inconclusive")
        for (const startAt of ["per-stack", "merge", "fix"] as const) {
          expect((yield* at(root, quiet, { startAt })).result.status).toBe("inconclusive")
        }
      })
    )
  )

  it.live("does not arbitrate twice, and keeps what the arbiter dropped", () =>
    inRoot((root) =>
      Effect.gen(function* () {
        const dropping: Scripted.Script = (task) =>
          task._tag === "Arbitrate"
            ? Effect.succeed({
                findings: [
                  { arb_id: 1, keep: false, rationale: "guarded" },
                  { arb_id: 2, keep: true }
                ]
              })
            : task._tag === "StackReview" && stackOf(task) === "python"
              ? claims(record({ severity: "high" }), record({ id: 2, line: 3, severity: "high" }))
              : quiet(task)
        const first = (yield* at(root, dropping)).result
        expect(first.dropped.map(({ reason }) => reason)).toEqual(["the arbiter dropped it: guarded"])
        for (const startAt of ["merge", "fix"] as const) {
          const again = (yield* at(root, unasked, { startAt })).result
          expect([again.findings, again.dropped]).toEqual([first.findings, first.dropped])
        }
      })
    )
  )

  it.live("drops each item once after a review that was killed during the drop", () =>
    inRoot((root, fs) =>
      Effect.gen(function* () {
        const deep = `${root}/.daydream/deep`
        const high = failing("Arbitrate")
        const dropping: Scripted.Script = (task) =>
          task._tag === "Arbitrate" ? Effect.succeed({ findings: [{ arb_id: 1, keep: false }] }) : high(task)
        yield* at(root, high)
        const before = yield* fs.readFileString(`${deep}/stack-python-records.json`)
        const first = (yield* at(root, dropping, { startAt: "merge" })).result
        expect(first.dropped).toHaveLength(1)
        yield* fs.writeFileString(`${deep}/stack-python-records.json`, before)
        yield* fs.remove(`${deep}/arbiter-complete.marker`)
        expect((yield* at(root, dropping, { startAt: "merge" })).result.dropped).toEqual(first.dropped)
      })
    )
  )

  it.live("keeps what each of two merges could not do", () =>
    inRoot((root) =>
      Effect.gen(function* () {
        const late: ExtensionFile = {
          file: "late.ts",
          exports: Result.succeed({
            DAYDREAM_EXT_API: 1,
            register: (r: ExtensionRegistry) =>
              r.insertAfter("deep", "cross-stack-merge", {
                name: "late",
                run: () => ({
                  findings: [{ description: "It leaks.", file: "lib/c.go", line: 2, severity: "low" }]
                })
              })
          })
        }
        const failing: Scripted.Script = (task) => (task._tag === "Merge" ? down : claiming(task))
        const first = yield* review(request()).pipe(
          Effect.scoped,
          Effect.provide(world(failing, { root, extensions: [late] }))
        )
        // Merged again with what the extension has found.
        expect(first.result.degraded.map(({ step }) => step)).toEqual(["cross-stack-merge", "cross-stack-merge"])
        expect((yield* at(root, unasked, { startAt: "fix" })).result.degraded).toEqual(first.result.degraded)
      })
    )
  )

  it.live("does not repeat what the first review could not have before it began", () =>
    inRoot((root) =>
      Effect.gen(function* () {
        const missing = [{ step: "rules", error: "RuleFileBroken", detail: "a.toml is broken" }]
        expect((yield* at(root, quiet, { missing })).result.degraded).toEqual(missing)
        expect((yield* at(root, unasked, { startAt: "fix" })).result.degraded).toEqual([])
      })
    )
  )

  it.live("arbitrates again when the arbiter failed before", () =>
    inRoot((root) =>
      Effect.gen(function* () {
        expect((yield* at(root, failing("Arbitrate"))).result.findings).toHaveLength(1)
        const again = yield* at(
          root,
          (task) =>
            task._tag === "Arbitrate" ? Effect.succeed({ findings: [{ arb_id: 1, keep: false }] }) : unasked(task),
          { startAt: "merge" }
        )
        expect([again.result.findings, again.result.degraded]).toEqual([[], []])
      })
    )
  )

  it.live("leaves no merged items of an earlier review when it is killed before the merge", () =>
    inRoot((root) =>
      Effect.gen(function* () {
        yield* at(root, failing("Arbitrate"))
        const killed: Scripted.Script = (task) => (task._tag === "Merge" ? Effect.die("killed") : quiet(task))
        yield* Effect.exit(at(root, killed, { startAt: "merge" }))
        const refused = yield* Effect.flip(at(root, unasked, { startAt: "fix" }))
        expect(refused.message).toContain("deep/merged-items.json")
        expect(refused.message).toContain("start at merge")
      })
    )
  )

  it.live("shows no file as reviewed when its claims were lost", () =>
    Effect.gen(function* () {
      const { result } = yield* reviewed((task) =>
        task._tag === "ParseReview"
          ? down
          : task._tag === "StackReview" && ["python", "structure"].includes(stackOf(task))
            ? Effect.succeed("Prose.")
            : quiet(task)
      )
      expect(result.status).toBe("partial")
      expect(result.coverage.files.find(({ path }) => path === "src/a.py")?.status).toBe("unread")
    })
  )

  it.live("does not resume reviews of stacks that are no longer planned", () =>
    inRoot((root, fs) =>
      Effect.gen(function* () {
        yield* at(root, quiet)
        yield* fs.writeFileString(`${root}/.daydream/deep/stack-billing-records.json`, "[]\n")
        const refused = yield* Effect.flip(at(root, unasked, { startAt: "merge" }))
        expect(refused.message).toContain("stack-billing-records.json")
        expect(refused.message).toContain("start at per-stack")
      })
    )
  )

  for (const [name, startAt, earlier] of [
    ["diff-key", "merge", "review"],
    ["alternatives.json", "per-stack", "review"],
    ["coverage.json", "fix", "per-stack"],
    ["per-stack-failures.json", "merge", "per-stack"],
    ["stack-go-records.json", "merge", "per-stack"],
    ["incomplete.json", "fix", "review"],
    ["merged-items.json", "fix", "merge"]
  ] as const) {
    it.live(`refuses a damaged ${name}, and names where to start instead`, () =>
      inRoot((root, fs) =>
        Effect.gen(function* () {
          yield* at(root, quiet)
          yield* fs.writeFileString(`${root}/.daydream/deep/${name}`, '{"truncat')
          const refused = yield* Effect.flip(at(root, unasked, { startAt }))
          expect(refused.message).toContain(`deep/${name} (which is damaged)`)
          expect(refused.message).toContain(`start at ${earlier}`)
        })
      )
    )
  }

  it.live("at per-stack reviews again with the intent that was read", () =>
    inRoot((root) =>
      Effect.gen(function* () {
        yield* at(root, quiet)
        const heard: Array<string> = []
        yield* at(
          root,
          (task) => {
            if (task._tag === "StackReview") heard.push(task.intent)
            return task._tag === "Intent" ? Effect.die("the intent is known") : quiet(task)
          },
          { startAt: "per-stack" }
        )
        expect(new Set(heard)).toEqual(new Set(["Open a file."]))
      })
    )
  )

  it.live("at per-stack discards the failures and the drops of the earlier review", () =>
    inRoot((root, fs) =>
      Effect.gen(function* () {
        const ill: Scripted.Script = (task) => {
          if (task._tag !== "StackReview") return quiet(task)
          if (stackOf(task) === "go") return down
          return claims(record({ severity: "high" }), record({ id: 2, line: 99, evidence: "src/a.py:99" }))
        }
        expect((yield* at(root, ill)).result.status).toBe("partial")
        const left = fs.readDirectory(`${root}/.daydream/deep`)
        const stale = ["per-stack-failures.json", "dropped-speculative.json", "arbiter-input.json"]
        expect(yield* left).toEqual(expect.arrayContaining(stale))
        expect((yield* at(root, quiet, { startAt: "per-stack" })).result.status).toBe("complete")
        for (const name of stale) expect(yield* left).not.toContain(name)
        expect((yield* at(root, quiet, { startAt: "merge" })).result.status).toBe("complete")
      })
    )
  )

  it.live("at merge has nothing of a stack whose reviewer failed, although an earlier one did not", () =>
    inRoot((root) =>
      Effect.gen(function* () {
        yield* at(root, claiming)
        const ill: Scripted.Script = (task) =>
          task._tag === "StackReview" && stackOf(task) === "python" ? down : quiet(task)
        yield* at(root, ill, { startAt: "per-stack" })
        const again = yield* at(root, unasked, { startAt: "merge" })
        expect([again.result.status, again.result.findings]).toEqual(["partial", []])
      })
    )
  )

  it.live("names what is missing and where to start instead", () =>
    inRoot((root, fs) =>
      Effect.gen(function* () {
        const never = yield* Effect.flip(at(root, unasked, { startAt: "merge" }))
        expect(never.message).toContain("start at review")
        yield* at(root, quiet)
        yield* fs.remove(`${root}/.daydream/deep/stack-go-records.json`)
        const lost = yield* Effect.flip(at(root, unasked, { startAt: "merge" }))
        expect(lost.message).toContain("deep/stack-go-records.json")
        expect(lost.message).toContain("start at per-stack")
      })
    )
  )

  it.live("does not mix two changes", () =>
    inRoot((root) =>
      Effect.gen(function* () {
        yield* at(root, quiet)
        const other = yield* Effect.flip(at(root, unasked, { startAt: "fix", change: change({ "x.py": ["y = 1"] }) }))
        expect(other._tag).toBe("ResumeImpossible")
      })
    )
  )

  it.live("refuses to resume with fewer or more files of the same diff, and changes no artifact", () =>
    inRoot((root, fs) =>
      Effect.gen(function* () {
        const narrowed = { ...three, diff: { files: three.diff.files.filter(({ path }) => path === "lib/c.go") } }
        const items = fs.readFileString(`${root}/.daydream/deep/merged-items.json`)
        for (const [first, second] of [
          [three, narrowed],
          [narrowed, three]
        ] as const) {
          yield* at(root, claiming, { change: first })
          const written = yield* items
          for (const startAt of ["per-stack", "merge", "fix"] as const) {
            const refused = yield* Effect.flip(at(root, unasked, { startAt, change: second }))
            expect(refused.message).toContain("its files (PATH, ignored paths)")
            expect(refused.message).toContain("start at review")
          }
          expect(yield* items).toBe(written)
          expect((yield* at(root, unasked, { startAt: "fix", change: first })).result.status).toBe("complete")
        }
      })
    )
  )
})

describe("artifacts of a review", () => {
  it.live("have the seed's names, and no secret in them", () =>
    inRoot((root, fs) =>
      Effect.gen(function* () {
        const token = `ghp_${"a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"}`
        const leaky = change({ "src/a.py": ["import os", `t = "${token}"`], "b.go": ["x"], "c.ts": ["y"] })
        yield* review(request({ change: leaky })).pipe(
          Effect.scoped,
          Effect.provide(
            world(
              (task) =>
                task._tag === "StackReview" && stackOf(task) === "python"
                  ? claims(record({ severity: "high", rationale: `it is ${token}`, quote: `t = "${token}"` }))
                  : quiet(task),
              { root, change: leaky }
            )
          )
        )
        const names = (yield* fs.readDirectory(`${root}/.daydream`, { recursive: true })).toSorted()
        for (const name of [
          "diff.patch",
          "exploration/summary.md",
          "deep/intent.md",
          "deep/alternatives.json",
          "deep/stack-python-review.md",
          "deep/stack-python-records.json",
          "deep/arbiter-input.json",
          "deep/arbiter-complete.marker",
          "deep/dedup-candidates.json",
          "deep/merged-items.json",
          "deep/review-output.md"
        ]) {
          expect(names).toContain(name)
        }
        for (const name of names) {
          const text = yield* Effect.result(fs.readFileString(`${root}/.daydream/${name}`))
          if (Result.isSuccess(text)) expect([name, text.success.includes(token)]).toEqual([name, false])
        }
      })
    )
  )
})

describe("the note on the cost", () => {
  const cost = { usd: 0.5, source: "reported", doubts: new Map(), cachedTokens: null } as const

  test("does not count unreported tokens", () => {
    expect(costNote({ ...cost, promptTokens: null, completionTokens: null })).toEqual([
      "The model read an unknown number of tokens and wrote an unknown number, for $0.50."
    ])
    expect(costNote({ ...cost, promptTokens: 1200, completionTokens: 30, cachedTokens: 1000 })).toEqual([
      "The model read 1,200 tokens (1,000 of them cached) and wrote 30, for $0.50."
    ])
  })
})

describe("a preview", () => {
  it.live("plans without calling a model", () =>
    Effect.gen(function* () {
      const plan = yield* preview(request()).pipe(
        Effect.scoped,
        Effect.provide(world(() => Effect.die("nobody is asked")))
      )
      expect(plan.agentsPlanned).toBe(6)
    })
  )
})
