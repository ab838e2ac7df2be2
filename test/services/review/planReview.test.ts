import { afterAll, describe, expect } from "bun:test"
import { Effect, Layer, ManagedRuntime } from "effect"
import { stepNames } from "../../../src/domain/run/Flow.ts"
import * as NoFacts from "../../../src/layers/change/facts/None.ts"
import * as TreeSitter from "../../../src/layers/code/syntax/TreeSitter.ts"
import { flows } from "../../../src/programs/flows.ts"
import { SymbolIndex } from "../../../src/services/code/SymbolIndex.ts"
import { SyntaxTrees } from "../../../src/services/code/SyntaxTrees.ts"
import { type PlanOptions, planReview } from "../../../src/services/review/planReview.ts"
import { changeOf, sourcesOf, type Texts } from "../../support/change.ts"
import { it } from "../../support/effect.ts"

const stepsOf = (name: string) => flows.flatMap((flow) => (flow.name === name ? stepNames(flow) : []))

const parsing = ManagedRuntime.make(TreeSitter.layer)
afterAll(() => parsing.dispose())

const planned = (texts: Texts, options: Partial<PlanOptions> = {}, others: Readonly<Record<string, string>> = {}) =>
  planReview(changeOf(texts), {
    stackRules: [],
    tinyThreshold: 2,
    oneReviewer: false,
    readsByModel: true,
    steps: stepsOf("deep"),
    startAt: "review",
    ...options
  }).pipe(
    Effect.provide(
      SymbolIndex.layer.pipe(
        Layer.provide(SyntaxTrees.layer),
        Layer.provideMerge(sourcesOf(texts, others)),
        Layer.provide(NoFacts.layer),
        Layer.provide(Layer.effectContext(parsing.contextEffect))
      )
    )
  )

const added = (...paths: ReadonlyArray<string>): Texts => Object.fromEntries(paths.map((path) => [path, [null, "x\n"]]))

describe("the plan of a review", () => {
  it.effect("has a stack a language and one for the whole, and counts its agents and those for claims", () =>
    Effect.gen(function* () {
      const plan = yield* planned(added("a.py", "b.go", "c.rs"))
      expect(plan.stacks.map((stack) => stack.name)).toEqual(["go", "python", "rust", "structure"])
      expect([plan.single, plan.agentsPlanned, plan.agentsForClaims]).toEqual([false, 6, 5])
    })
  )

  it.effect("plans one reviewer for a tiny change besides the structural one, and 0 disables that", () =>
    Effect.gen(function* () {
      const tiny = yield* planned(added("a.py", "b.go"))
      expect(tiny.stacks.map((stack) => stack.name)).toEqual(["generic", "structure"])
      expect([tiny.single, tiny.agentsPlanned, tiny.agentsForClaims]).toEqual([true, 4, 2])
      expect((yield* planned(added("a.py", "b.go"), { tinyThreshold: 0 })).single).toBe(false)
    })
  )

  it.effect("counts the agents that the flow asks, and no others", () =>
    Effect.gen(function* () {
      const count = (options: Parameters<typeof planned>[1], ...paths: ReadonlyArray<string>) =>
        Effect.map(planned(added(...paths), options), ({ agentsForClaims, agentsPlanned }) => [
          agentsPlanned,
          agentsForClaims
        ])
      const many = ["a.py", "b.go", "c.rs"]
      // The second number: a verifier for each file, and an arbiter and one that merges where the flow has them.
      expect(yield* count({ steps: stepsOf("review") }, ...many)).toEqual([2 + 4, 3 + 1])
      expect(yield* count({ steps: stepsOf("review") }, "a.py", "b.go")).toEqual([2 + 2, 2])
      expect(yield* count({ steps: stepsOf("shallow"), oneReviewer: true }, ...many)).toEqual([1, 3])
      expect(yield* count({ startAt: "per-stack" }, ...many)).toEqual([4, 3 + 2])
      expect(yield* count({ startAt: "merge" }, ...many)).toEqual([0, 3 + 2])
      expect(yield* count({ startAt: "fix" }, ...many)).toEqual([0, 0])
      expect(yield* count({ steps: stepsOf("deep").filter((step) => step !== "arbiter") }, ...many)).toEqual([
        2 + 4,
        3 + 1
      ])
      // One file has no alternatives.
      expect(yield* count({}, "a.py")).toEqual([1 + 2, 1])
      expect(yield* count({ steps: stepsOf("review") }, "a.py")).toEqual([1 + 2, 1])
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

describe("a change that is larger than one prompt", () => {
  /** About `lines` * 12 tokens. */
  const code = (name: string, uses: string, lines: number) =>
    [
      `def ${name}(value):`,
      ...Array.from({ length: lines }, (_, at) => `    ${uses}(value, "argument ${at}")`),
      ""
    ].join("\n")
  const large: Texts = {
    "store/prices.py": [null, code("price_of_item", "lookup", 450)],
    "web/zz_checkout.py": [null, code("checkout", "price_of_item", 450)],
    "store/users.py": [null, code("user_by_name", "lookup", 450)],
    "tests/test_users.py": [null, code("test_finds", "user_by_name", 450)],
    "web/orders.ts": [null, `export const orders = () => fetch("/orders")\n`]
  }

  it.effect("is divided so that uses and tests stay with what they use and test", () =>
    Effect.gen(function* () {
      const { agentsPlanned, single, stacks } = yield* planned(large)
      const together = (one: string, other: string) =>
        stacks.some(({ files, shard }) => shard !== undefined && files.includes(one) && files.includes(other))
      expect(together("store/prices.py", "web/zz_checkout.py")).toBe(true)
      expect(together("store/users.py", "tests/test_users.py")).toBe(true)
      expect(together("store/prices.py", "store/users.py")).toBe(false)
      expect(stacks.map(({ name }) => name)).toEqual(["python-1", "python-2", "structure"])
      expect(single).toBe(false)
      expect(agentsPlanned).toBe(2 + 3)
      const ofScript = stacks.find(({ files, shard }) => shard !== undefined && files.includes("web/orders.ts"))
      expect(ofScript?.shard?.profiles).toEqual(["python", "typescript"])
    })
  )

  it.effect("stays whole for the rules and for the one reviewer of the shallow flow", () =>
    Effect.gen(function* () {
      const names = (options: Parameters<typeof planned>[1]) =>
        Effect.map(planned(large, options), ({ stacks }) => stacks.map(({ name }) => name))
      expect(yield* names({ readsByModel: false })).toEqual(["python", "typescript", "structure"])
      expect(yield* names({ oneReviewer: true })).toEqual(["generic", "structure"])
      expect(yield* names({ tinyThreshold: 9 })).toEqual(["python-1", "python-2", "structure"])
    })
  )
})
