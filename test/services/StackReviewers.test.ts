import { describe, expect } from "bun:test"
import { Cause, Effect, Exit, Fiber, Layer, Ref } from "effect"
import { nothingExplored } from "../../src/domain/Exploration.ts"
import type { Task } from "../../src/domain/Task.ts"
import * as Scripted from "../../src/layers/backend/Scripted.ts"
import * as Memory from "../../src/layers/recorder/Memory.ts"
import { Agent } from "../../src/services/Agent.ts"
import { BackendFailed } from "../../src/services/Backend.ts"
import { FailPolicy } from "../../src/services/FailPolicy.ts"
import { StackParser } from "../../src/services/StackParser.ts"
import { StackReviewers } from "../../src/services/StackReviewers.ts"
import { change, record, stack } from "../support/builders.ts"
import { it } from "../support/effect.ts"
import { staticReviews } from "../support/staticReviews.ts"

const hearing = (script: Scripted.Script, found: Parameters<typeof staticReviews>[0] = {}) =>
  Layer.mergeAll(StackReviewers.layer, StackParser.layer).pipe(
    Layer.provide(staticReviews(found)),
    Layer.provideMerge(Agent.layer),
    Layer.provide(Scripted.layer(script)),
    Layer.provideMerge(FailPolicy.layer),
    Layer.provideMerge(Memory.layer)
  )

const stacks = [stack("go", "a.go"), stack("python", "a.py"), stack("structure", "a.go", "a.py")]
const request = { change: change(), exploration: nothingExplored, intent: "", alternatives: [], stacks }
const reviewed = StackReviewers.use((reviewers) => reviewers.review(request))
const parsed = Effect.gen(function* () {
  const { reports } = yield* reviewed
  return yield* StackParser.use((parser) => parser.parse(reports))
})
const degraded = FailPolicy.use((policy) => policy.degraded)
const down = (task: string) => new BackendFailed({ backend: "scripted", task, retryable: false, cause: "boom" })
/** Fails for every stack, the last one first. */
const lastFirst: Scripted.Script = (task) => {
  const turns = 3 - stacks.findIndex(({ name }) => name === stackOf(task))
  return Effect.andThen(
    Effect.forEach(Array.from({ length: 10 * turns }), () => Effect.yieldNow),
    Effect.fail(down(stackOf(task)))
  )
}
const stackOf = (task: Task) => ("stack" in task ? task.stack.name : "")

describe("StackReviewers", () => {
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

  it.effect("calls a file unread that a model's own ledger does not name", () =>
    Effect.gen(function* () {
      const { reports } = yield* reviewed
      expect(reports[2]?.coverage).toEqual([
        { path: "a.go", status: "reviewed", reason: "" },
        { path: "a.py", status: "unread", reason: "its reviewer does not say that it read it" }
      ])
    }).pipe(
      Effect.provide(
        hearing(() =>
          Effect.succeed({ review: "", issues: [], coverage: [{ path: "a.go", status: "reviewed", reason: "" }] })
        )
      )
    )
  )

  it.effect("goes on without a stack whose reviewer fails, and names it with the reason", () =>
    Effect.gen(function* () {
      const { reports, failures } = yield* reviewed
      expect(reports.map((report) => report.stack.name)).toEqual(["go", "structure"])
      expect(Object.keys(failures)).toEqual(["python"])
      expect((yield* degraded).map((entry) => entry.detail)).toEqual([
        "the scripted backend failed on review:python: boom"
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
        ["go", "python", "structure"].map((name) => `the scripted backend failed on ${name}: boom`)
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

describe("StackParser", () => {
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

  it.effect("takes no rule from a model: only a rule that ran speaks with its authority", () =>
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

  it.effect("loses only the stack whose report cannot be parsed, and says so", () =>
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
