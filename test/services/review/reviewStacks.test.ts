import { describe, expect } from "bun:test"
import { Cause, Effect, Exit, Fiber, Layer, Ref, Stream } from "effect"
import type { Task } from "../../../src/domain/agent/Task.ts"
import type { Change } from "../../../src/domain/change/Change.ts"
import type { DiffFile } from "../../../src/domain/change/Diff.ts"
import { allLines } from "../../../src/domain/change/SeenLines.ts"
import { nothingExplored } from "../../../src/domain/code/Exploration.ts"
import { Agent } from "../../../src/services/agent/Agent.ts"
import { Backend, BackendFailed, NoModel } from "../../../src/services/agent/Backend.ts"
import { Budget } from "../../../src/services/agent/Budget.ts"
import { parseReports } from "../../../src/services/review/parseReports.ts"
import { reviewStacks } from "../../../src/services/review/reviewStacks.ts"
import { FailPolicy } from "../../../src/services/run/FailPolicy.ts"
import { change, record, stack } from "../../support/builders.ts"
import { it } from "../../support/effect.ts"
import * as Memory from "../../support/MemoryRecorder.ts"
import * as Scripted from "../../support/ScriptedBackend.ts"
import { staticReviews } from "../../support/staticReviews.ts"

const hearing = (script: Scripted.Script, found: Parameters<typeof staticReviews>[0] = {}) =>
  hearingOf(script, {}, found)
const hearingOf = (
  script: Scripted.Script,
  options: Parameters<typeof Scripted.layer>[1],
  found: Parameters<typeof staticReviews>[0] = {}
) => worldOf(Scripted.layer(script, options), found)
const worldOf = (backend: Layer.Layer<Backend>, found: Parameters<typeof staticReviews>[0] = {}) =>
  staticReviews(found).pipe(
    Layer.provideMerge(Agent.layer),
    Layer.provide(backend),
    Layer.provideMerge(FailPolicy.layer),
    Layer.provideMerge(Memory.layer)
  )

const stacks = [stack("go", "a.go"), stack("python", "a.py"), stack("structure", "a.go", "a.py")]
const both = change({ "a.go": ["package a", "func F() {}"], "a.py": ["import os", "f = open(p)"] })
const request = { change: both, exploration: nothingExplored, intent: "", stacks }
const reviewed = reviewStacks(request)
const parsed = Effect.gen(function* () {
  const { reports } = yield* reviewed
  return yield* parseReports(reports)
})
const degraded = FailPolicy.use((policy) => policy.degraded)
const down = (task: string) => new BackendFailed({ backend: "scripted", retryable: false, cause: `${task}: boom` })
/** Fails for every stack, the last one first. */
const lastFirst: Scripted.Script = (task) => {
  const turns = 3 - stacks.findIndex(({ name }) => name === stackOf(task))
  return Effect.andThen(
    Effect.forEach(Array.from({ length: 10 * turns }), () => Effect.yieldNow),
    Effect.fail(down(stackOf(task)))
  )
}
const stackOf = (task: Task) => ("stack" in task ? task.stack.name : "")
/** The first agent is shown nothing, each further one the first of its files. */
const byFile = ({ remaining = [] }: { readonly remaining?: ReadonlyArray<DiffFile> }) => allLines(remaining.slice(0, 1))

describe("reviewStacks", () => {
  it.effect("asks one reviewer a stack and keeps their order", () =>
    Effect.gen(function* () {
      const { reports, failures } = yield* reviewed
      expect(reports.map((report) => [report.stack.name, report.review])).toEqual([
        ["go", "go!"],
        ["python", "python!"],
        ["structure", "structure!"]
      ])
      expect(failures).toEqual({})
    }).pipe(Effect.provide(hearing((task) => Effect.succeed({ review: `${stackOf(task)}!`, issues: [] }))))
  )

  it.effect("counts a file as unread if the model's ledger does not name it", () =>
    Effect.gen(function* () {
      const { reports } = yield* reviewed
      expect(reports[2]?.coverage).toEqual([
        { path: "a.go", status: "reviewed", reason: "" },
        { path: "a.py", status: "unread", reason: "not reported as read by its reviewer" }
      ])
    }).pipe(
      Effect.provide(
        hearing(() =>
          Effect.succeed({ review: "", issues: [], coverage: [{ path: "a.go", status: "reviewed", reason: "" }] })
        )
      )
    )
  )

  it.effect("keeps no reason for a file that was read completely, whatever the model writes beside it", () =>
    Effect.gen(function* () {
      const { reports } = yield* reviewed
      expect(reports[0]?.coverage).toEqual([{ path: "a.go", status: "reviewed", reason: "" }])
      expect(reports[1]?.coverage).toEqual([{ path: "a.py", status: "unread", reason: "too long" }])
    }).pipe(
      Effect.provide(
        hearing(() =>
          Effect.succeed({
            review: "",
            issues: [],
            coverage: [
              { path: "a.go", status: "reviewed", reason: "read in full" },
              { path: "a.py", status: "unread", reason: "too long" }
            ]
          })
        )
      )
    )
  )

  const long = Array.from({ length: 30 }, (_, at) => `x${at} = ${at}`)
  const wide = change({ "a.py": long, "b.py": long, "yarn.lock": ["left-pad"] })
  const python = [stack("python", "a.py", "b.py", "yarn.lock")]
  const only = { ...request, change: wide, stacks: python }
  const claimed = (asked: Array<Task>, over: object = {}) =>
    hearingOf(
      (task) =>
        Effect.sync(() => {
          asked.push(task)
          return { review: `part ${asked.length}`, issues: [{ ...record({ description: `no. ${asked.length}` }) }] }
        }),
      over
    )

  it.effect("assigns lines that a model was not shown to further agents, and counts them only then", () => {
    const asked: Array<Task> = []
    return Effect.gen(function* () {
      const { failures, reports } = yield* reviewStacks(only)
      expect(failures).toEqual({})
      const remaining = asked.map((task) =>
        task._tag === "StackReview"
          ? task.remaining?.map(({ hunks, path }) => `${path} ${hunks[0]?.newStart}+${hunks[0]?.newCount}`)
          : null
      )
      expect(remaining).toEqual([undefined, ["a.py 11+20", "b.py 1+30"], ["b.py 11+20"]])
      expect(reports[0]?.coverage).toEqual([
        { path: "a.py", status: "reviewed", reason: "" },
        { path: "b.py", status: "reviewed", reason: "" },
        { path: "yarn.lock", status: "skipped", reason: "generated or vendored: not shown to the model" }
      ])
      expect(reports[0]?.records?.map(({ description, id }) => `${id} ${description}`)).toEqual([
        "1 no. 1",
        "2 no. 2",
        "3 no. 3"
      ])
      expect(reports[0]?.review).toContain("part 3")
      expect(yield* degraded).toEqual([])
    }).pipe(
      Effect.provide(
        claimed(asked, {
          // The first ten lines of the first file, then all of it with the first ten of the second, then the rest.
          shown: ({ change, remaining }: { readonly change: Change; readonly remaining?: ReadonlyArray<DiffFile> }) => {
            const [first, second] = remaining ?? change.diff.files
            if (remaining === undefined) return [{ path: "a.py", side: "head", from: 1, to: 10 }]
            if (second === undefined) return allLines(first === undefined ? [] : [first])
            return [...allLines(first === undefined ? [] : [first]), { path: "b.py", side: "head", from: 1, to: 10 }]
          }
        })
      )
    )
  })

  it.effect("reports unseen lines when a further agent sees nothing new", () => {
    const asked: Array<Task> = []
    return Effect.gen(function* () {
      const { reports } = yield* reviewStacks(only)
      expect(asked).toHaveLength(2)
      expect(reports[0]?.coverage.slice(0, 2)).toEqual([
        { path: "a.py", status: "unread", reason: "the model did not see 1 of 1 hunk whole (lines 11-30)" },
        { path: "b.py", status: "unread", reason: "not shown to the model, and the model did not read it" }
      ])
      expect(yield* degraded).toEqual([
        {
          step: "per-stack-reviews",
          error: "NotAllReviewed",
          detail: "the model did not see or did not review all of 2 files of the python stack"
        }
      ])
    }).pipe(Effect.provide(claimed(asked, { shown: () => [{ path: "a.py", side: "head", from: 1, to: 10 }] })))
  })

  it.effect("counts lines that tools returned, not lines that were requested", () =>
    Effect.gen(function* () {
      const { reports } = yield* reviewStacks(only)
      expect(reports[0]?.coverage.map(({ path, status }) => `${path} ${status}`)).toEqual([
        "a.py reviewed",
        "b.py unread",
        "yarn.lock skipped"
      ])
    }).pipe(
      Effect.provide(
        claimed([], {
          shown: () => [],
          tools: [
            {
              name: "read_file",
              input: { path: "a.py" },
              output: ["a.py (head), 30 lines", ...long.map((text, at) => `${at + 1}\t${text}`)].join("\n")
            },
            { name: "read_file", input: { path: "b.py", from: 1, to: 30 }, output: "b.py (head), 30 lines\n1\tx0 = 0" }
          ]
        })
      )
    )
  )

  it.effect("asks no further agent for the whole, which the other stacks have read file by file", () => {
    const asked: Array<Task> = []
    const whole = { ...request, stacks: [stack("structure", "a.go", "a.py")] }
    return Effect.gen(function* () {
      yield* reviewStacks(whole)
      expect(asked).toHaveLength(1)
      expect(yield* degraded).toEqual([])
    }).pipe(Effect.provide(claimed(asked, { shown: () => [] })))
  })

  it.effect("takes the last agent's coverage of the files it was given, and of no others", () => {
    const replies: Array<Scripted.Reply> = [
      {
        review: "",
        issues: [],
        omitted: ["the tests"],
        coverage: [
          { path: "a.py", status: "unread", reason: "no time" },
          { path: "b.py", status: "reviewed", reason: "" }
        ]
      },
      {
        review: "",
        issues: [],
        omitted: ["the docs"],
        coverage: [{ path: "b.py", status: "unread", reason: "not given" }]
      }
    ]
    const two = [stack("python", "a.py", "b.py")]
    return Effect.gen(function* () {
      const { reports } = yield* reviewStacks({ ...only, stacks: two })
      expect(reports[0]?.coverage).toEqual([
        { path: "a.py", status: "unread", reason: "not reported as read by its reviewer" },
        { path: "b.py", status: "reviewed", reason: "" }
      ])
      expect(reports[0]?.omitted).toEqual(["the tests", "the docs"])
      expect(replies).toEqual([])
    }).pipe(Effect.provide(hearing(() => Effect.sync(() => replies.shift() ?? {}))))
  })

  it.effect("names each who answered, once", () => {
    const names = ["first", "second", "second"]
    const answering = Layer.effect(
      Backend,
      Effect.map(Backend, (backend) => ({ ...backend, answererOf: () => names.shift() ?? "" }))
    ).pipe(Layer.provide(Scripted.layer(() => Effect.succeed({ review: "", issues: [] }), { shown: byFile })))
    return Effect.gen(function* () {
      const { reports } = yield* reviewStacks(only)
      expect(reports[0]?.by).toEqual(["first", "second"])
    }).pipe(Effect.provide(worldOf(answering)))
  })

  it.effect("stops after the greatest number of further agents", () => {
    const asked: Array<Task> = []
    return Effect.gen(function* () {
      yield* reviewStacks(only)
      expect(asked).toHaveLength(33)
      expect((yield* degraded).map(({ error }) => error)).toEqual(["NotAllReviewed"])
    }).pipe(
      Effect.provide(
        claimed(asked, {
          shown: () => {
            const line = asked.length <= 15 ? asked.length : asked.length - 15
            return [{ path: asked.length <= 15 ? "a.py" : "b.py", side: "head", from: line, to: line }]
          }
        })
      )
    )
  })

  it.effect("asks no further agent once the budget has stopped the run", () => {
    const asked: Array<Task> = []
    const spent = Layer.effect(
      Budget,
      Effect.map(Budget, (budget) => ({ ...budget, stopped: Effect.succeed(true) }))
    )
    return Effect.gen(function* () {
      const { reports } = yield* reviewStacks(only)
      expect(asked).toHaveLength(1)
      expect(reports[0]?.coverage.map(({ status }) => status)).toEqual(["unread", "unread", "skipped"])
    }).pipe(Effect.provide(claimed(asked, { shown: () => [] }).pipe(Layer.provideMerge(spent))))
  })

  it.effect("sends records and prose of one stack to the parser together", () => {
    const asked: Array<Task> = []
    return Effect.gen(function* () {
      const { reports } = yield* reviewStacks(only)
      expect(reports[0]?.records).toBeNull()
      expect(reports[0]?.review).toContain("The first leaks.")
      expect(reports[0]?.review).toContain("[src/a.py:2] (medium, HIGH) The second is worse.")
    }).pipe(
      Effect.provide(
        hearingOf(
          (task) =>
            Effect.sync(() =>
              asked.push(task) === 1
                ? { review: "The first leaks." }
                : { review: "", issues: [{ ...record({ description: "The second is worse." }) }] }
            ),
          { shown: ({ remaining }: { readonly remaining?: ReadonlyArray<DiffFile> }) => allLines(remaining ?? []) }
        )
      )
    )
  })

  it.effect("reports findings of rules for a stack without an agent", () =>
    Effect.gen(function* () {
      const { reports } = yield* reviewStacks({
        ...request,
        stacks: [{ ...stack("structure", "a.go", "a.py"), rulesOnly: true }]
      })
      expect(reports.map(({ by, proven }) => [by, proven.map(({ rule }) => rule)])).toEqual([[[], ["xref/made-up"]]])
    }).pipe(Effect.provide(hearing(() => Effect.die("asked"), { structure: [record({ rule: "xref/made-up" })] })))
  )

  it.effect("goes on when the reviewer of a stack fails, and names it with the reason", () =>
    Effect.gen(function* () {
      const { reports, failures } = yield* reviewed
      // What the rules applied counts, and no file as reviewed.
      expect(reports.map(({ by, coverage, stack }) => [stack.name, by.length, coverage.length])).toEqual([
        ["go", 1, 1],
        ["python", 0, 0],
        ["structure", 1, 2]
      ])
      expect(Object.keys(failures)).toEqual(["python"])
      expect((yield* degraded).map((entry) => entry.detail)).toEqual([
        "the scripted backend failed: review:python: boom"
      ])
    }).pipe(
      Effect.provide(
        hearing((task) =>
          stackOf(task) === "python" ? Effect.fail(down("review:python")) : Effect.succeed({ review: "", issues: [] })
        )
      )
    )
  )

  it.effect("keeps what dd itself proves beside a model's claims, and what it proves where the model fails", () =>
    Effect.gen(function* () {
      const { reports } = yield* reviewed
      const { records } = yield* parsed
      expect(
        records.map((each) => [each.stack.name, each.records.map(({ id, rule }) => [id, rule ?? "model"])])
      ).toEqual([
        [
          "go",
          [
            [1, "model"],
            [2, "go/ignored-error"]
          ]
        ],
        ["python", [[1, "py/bare-except"]]],
        ["structure", []]
      ])
      // Rules alone are not the review that was asked for.
      expect(reports.map((report) => report.coverage.length)).toEqual([1, 0, 2])
      expect(reports.map((report) => report.rules)).toEqual([["go/ignored-error"], ["py/bare-except"], []])
    }).pipe(
      Effect.provide(
        hearing(
          (task) =>
            stackOf(task) === "python"
              ? Effect.fail(down("review:python"))
              : Effect.succeed({
                  review: "",
                  issues:
                    stackOf(task) === "go" ? [{ ...record({ rule: "go/made-up", description: "It may fail." }) }] : []
                }),
          { go: [record({ rule: "go/ignored-error" })], python: [record({ rule: "py/bare-except" })] }
        )
      )
    )
  )

  it.effect("keeps what is proven where a model's prose cannot be read", () =>
    Effect.gen(function* () {
      const { failures, records } = yield* parsed
      expect(Object.keys(failures)).toEqual(["go", "python", "structure"])
      expect(records.map((each) => [each.stack.name, each.records.map(({ rule }) => rule)])).toEqual([
        ["python", ["py/bare-except"]]
      ])
    }).pipe(
      Effect.provide(
        hearing(
          (task) =>
            task._tag === "ParseReview" ? Effect.fail(down("parse")) : Effect.succeed({ review: "It leaks." }),
          { python: [record({ rule: "py/bare-except" })] }
        )
      )
    )
  )

  it.effect("names failures in the order of the stacks, in whatever order they happen", () =>
    Effect.gen(function* () {
      const { failures } = yield* reviewed
      expect(Object.keys(failures)).toEqual(["go", "python", "structure"])
      expect((yield* degraded).map((entry) => entry.detail)).toEqual(
        ["go", "python", "structure"].map((name) => `the scripted backend failed: ${name}: boom`)
      )
      const events = yield* Ref.get(yield* Memory.RecordedEvents)
      expect(
        events.flatMap((event) => (event._tag === "Degraded" ? [event.detail.replace(": boom", "").slice(-2)] : []))
      ).toEqual(["re", "on", "go"])
    }).pipe(Effect.provide(hearing(lastFirst)))
  )

  it.effect("does not hide a defect of one reviewer", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit(reviewed)
      expect(Exit.isFailure(exit) && Cause.hasDies(exit.cause)).toBe(true)
    }).pipe(Effect.provide(hearing(() => Effect.die("bug"))))
  )

  it.effect("stops all reviewers when it is interrupted", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(reviewed)
      yield* Effect.yieldNow
      yield* Fiber.interrupt(fiber)
      expect(Exit.hasInterrupts(yield* Fiber.await(fiber))).toBe(true)
    }).pipe(Effect.provide(hearing(() => Effect.never)))
  )
})

describe("reviewStacks without a model", () => {
  const found = { python: [record({ rule: "py/bare-except" })] }

  it.effect("takes what the rules find as it is, and records it as calls", () =>
    Effect.gen(function* () {
      const { reports, failures } = yield* reviewed
      expect(failures).toEqual({})
      expect(reports.map(({ by, coverage, proven, records }) => [by, coverage.length, proven, records])).toEqual([
        [["static"], 1, [], []],
        [["static"], 1, found.python, []],
        [["static"], 2, [], []]
      ])
      const events = yield* Ref.get(yield* Memory.RecordedEvents)
      const told = events.flatMap((event) => (event._tag === "Agent" && event.call === 3 ? [event.event] : []))
      expect(told.map(({ _tag }) => _tag)).toEqual(["Prompted", "Text", "TurnEnd", "Result"])
      expect(told.at(-1)).toMatchObject({ output: { issues: [{ rule: "py/bare-except" }], rules: ["py/bare-except"] } })
      expect(events.filter(({ _tag }) => _tag === "AgentEnded")).toHaveLength(3)
    }).pipe(Effect.provide(worldOf(Backend.withoutModel(2), found)))
  )

  it.effect("takes what the rules find if they replace a model, with all lines shown", () =>
    Effect.gen(function* () {
      const { reports, failures } = yield* reviewed
      expect(failures).toEqual({})
      expect(reports.map(({ by, coverage }) => [by, coverage[0]?.status])).toEqual(
        stacks.map(() => [["static"], "reviewed"])
      )
      expect(reports[1]?.proven).toEqual(found.python)
      const events = yield* Ref.get(yield* Memory.RecordedEvents)
      const shown = events.flatMap((event) => (event._tag === "Agent" ? [event.event] : []))
      expect(shown.filter(({ _tag }) => _tag === "Shown")).toHaveLength(3)
    }).pipe(
      Effect.provide(
        worldOf(
          Layer.succeed(Backend, {
            name: "broken",
            model: "m",
            fanout: 3,
            execute: () => Stream.fail(new NoModel({ task: "review" }))
          }),
          found
        )
      )
    )
  )
})

describe("parseReports", () => {
  it.effect("takes records as they are, without asking again", () =>
    Effect.gen(function* () {
      expect((yield* parsed).records.map((each) => each.records.length)).toEqual([1, 1, 1])
    }).pipe(
      Effect.provide(
        hearing((task) =>
          task._tag === "StackReview"
            ? Effect.succeed({ review: "", issues: [{ ...record() }] })
            : Effect.die(`unexpected ${task._tag}`)
        )
      )
    )
  )

  it.effect("takes no rule from a model: only a rule that ran has findings under its name", () =>
    Effect.gen(function* () {
      const records = (yield* parsed).records.flatMap((each) => each.records)
      expect(records.map((each) => each.rule)).toEqual([undefined, undefined, undefined])
    }).pipe(
      Effect.provide(hearing(() => Effect.succeed({ review: "", issues: [{ ...record({ rule: "py/bare-except" }) }] })))
    )
  )

  it.effect("has prose parsed by an agent", () =>
    Effect.gen(function* () {
      expect((yield* parsed).records[0]?.records[0]?.description).toBe("from prose")
    }).pipe(
      Effect.provide(
        hearing((task) =>
          Effect.succeed(
            task._tag === "StackReview"
              ? { review: "words" }
              : { issues: [{ ...record({ description: "from prose" }) }] }
          )
        )
      )
    )
  )

  it.effect("names what could not be parsed in the order of the stacks, in whatever order it fails", () =>
    Effect.gen(function* () {
      expect(Object.keys((yield* parsed).failures)).toEqual(["go", "python", "structure"])
      expect((yield* degraded).map((entry) => entry.detail.replace(": boom", "").slice(-2))).toEqual(["go", "on", "re"])
    }).pipe(
      Effect.provide(
        hearing((task) => (task._tag === "StackReview" ? Effect.succeed({ review: "words" }) : lastFirst(task)))
      )
    )
  )

  it.effect("keeps what it found in a text that also asks for something", () =>
    Effect.gen(function* () {
      const { failures, records } = yield* parsed
      expect([Object.keys(failures), records.map((each) => each.records.length)]).toEqual([[], [1, 1, 1]])
    }).pipe(
      Effect.provide(
        hearing((task) =>
          Effect.succeed(
            task._tag === "StackReview" ? { review: "words" } : { issues: [{ ...record() }], notAReview: true }
          )
        )
      )
    )
  )

  it.effect("loses only the stack whose report cannot be parsed, and reports it", () =>
    Effect.gen(function* () {
      const { records, failures } = yield* parsed
      expect(records.map((each) => each.stack.name)).toEqual(["python", "structure"])
      expect(failures.go).toContain("AgentReplyInvalid")
    }).pipe(
      Effect.provide(
        hearing((task) => {
          if (task._tag === "StackReview") return Effect.succeed({ review: "words" })
          return Effect.succeed(stackOf(task) === "go" ? "I cannot" : { issues: [] })
        })
      )
    )
  )
})
