import { describe, expect } from "bun:test"
import { Effect, Layer } from "effect"
import { stepNames } from "../../../src/domain/run/Flow.ts"
import { flows } from "../../../src/programs/flows.ts"
import { Planner } from "../../../src/services/review/Planner.ts"
import { changeOf, sourcesOf, type Texts } from "../../support/change.ts"
import { it } from "../../support/effect.ts"

const stepsOf = (name: string) => flows.flatMap((flow) => (flow.name === name ? stepNames(flow) : []))

const planned = (
  texts: Texts,
  options: Partial<Parameters<Planner["Service"]["plan"]>[1]> = {},
  others: Readonly<Record<string, string>> = {}
) =>
  Planner.use((planner) =>
    planner.plan(changeOf(texts), {
      stackRules: [],
      tinyThreshold: 2,
      oneReviewer: false,
      steps: stepsOf("deep"),
      startAt: "review",
      ...options
    })
  ).pipe(Effect.provide(Planner.layer.pipe(Layer.provide(sourcesOf(texts, others)))))

const added = (...paths: ReadonlyArray<string>): Texts => Object.fromEntries(paths.map((path) => [path, [null, "x\n"]]))

describe("the plan of a review", () => {
  it.effect("has a stack a language and one for the whole, and counts 2 + 2N + 3 agents", () =>
    Effect.gen(function* () {
      const plan = yield* planned(added("a.py", "b.go", "c.rs"))
      expect(plan.stacks.map((stack) => stack.name)).toEqual(["go", "python", "rust", "structure"])
      expect([plan.single, plan.agentsPlanned]).toEqual([false, 13])
    })
  )

  it.effect("plans one reviewer for a tiny change besides the structural one, and 0 disables that", () =>
    Effect.gen(function* () {
      const tiny = yield* planned(added("a.py", "b.go"))
      expect(tiny.stacks.map((stack) => stack.name)).toEqual(["generic", "structure"])
      expect([tiny.single, tiny.agentsPlanned]).toEqual([true, 7])
      expect((yield* planned(added("a.py", "b.go"), { tinyThreshold: 0 })).single).toBe(false)
    })
  )

  it.effect("counts the agents that the flow asks, and no others", () =>
    Effect.gen(function* () {
      const count = (options: Parameters<typeof planned>[1], ...paths: ReadonlyArray<string>) =>
        Effect.map(planned(added(...paths), options), ({ agentsPlanned }) => agentsPlanned)
      const many = ["a.py", "b.go", "c.rs"]
      // Neither parses of what is not reviewed again, nor an arbiter where the flow has none.
      expect(yield* count({ steps: stepsOf("review") }, ...many)).toBe(2 + 2 * 4 + 2)
      expect(yield* count({ steps: stepsOf("review") }, "a.py", "b.go")).toBe(2 + 2 * 2 + 1)
      expect(yield* count({ steps: stepsOf("shallow"), oneReviewer: true }, ...many)).toBe(3)
      expect(yield* count({ startAt: "per-stack" }, ...many)).toBe(2 * 4 + 3)
      expect(yield* count({ startAt: "merge" }, ...many)).toBe(3)
      expect(yield* count({ startAt: "fix" }, ...many)).toBe(0)
      expect(yield* count({ steps: stepsOf("deep").filter((step) => step !== "arbiter") }, ...many)).toBe(2 + 2 * 4 + 2)
      // One file has no alternatives.
      expect(yield* count({}, "a.py")).toBe(1 + 2 * 2 + 1)
      expect(yield* count({ steps: stepsOf("review") }, "a.py")).toBe(1 + 2 * 2 + 1)
    })
  )

  it.effect("asks the nearest package.json whether a script belongs to React", () =>
    Effect.gen(function* () {
      const others = { "web/package.json": '{"dependencies":{"react":"19"}}', "api/package.json": "{}" }
      const plan = yield* planned(added("web/a.ts", "api/b.ts", "c.py"), {}, others)
      expect(plan.stacks.map(({ name, files }) => [name, files.length])).toEqual([
        ["python", 1],
        ["react", 1],
        ["typescript", 1],
        ["structure", 3]
      ])
    })
  )

  it.effect("follows a stack rule before anything else", () =>
    Effect.gen(function* () {
      const plan = yield* planned(added("infra/a.py", "b.py", "c.go"), {
        stackRules: [{ name: "infra", patterns: ["infra/*"] }]
      })
      expect(plan.stacks.find((stack) => stack.name === "infra")?.files).toEqual(["infra/a.py"])
    })
  )
})
