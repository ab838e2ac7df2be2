import { describe, expect, test } from "bun:test"
import { Effect, Result } from "effect"
import { define, entryName, type Flow, stepNames } from "../../src/domain/run/Flow.ts"
import { proceed } from "../../src/domain/run/Step.ts"
import { type AvailableStep, flows, outlineRegistry, seedRegistry, withProof } from "../../src/programs/flows.ts"
import { firstUnknownStep } from "../../src/services/run/Registry.ts"

describe("built-in flows", () => {
  test("are deep, shallow, review, prove and pr-feedback", () => {
    expect(flows.map(({ name }) => name)).toEqual(["deep", "shallow", "review", "prove", "pr-feedback"])
  })

  test("can be defined, and every step they name is known", () => {
    for (const flow of flows) expect(Result.getOrThrow(define(flow))).toEqual(flow)
    expect(firstUnknownStep(outlineRegistry)).toBe(null)
  })

  test("leave no known step unused", () => {
    const used = new Set(flows.flatMap(stepNames))
    expect([...outlineRegistry.steps.keys()].toSorted()).toEqual([...used].toSorted())
  })

  test("have the sixteen steps of a deep review in their order", () => {
    expect(flows[0]?.entries).toEqual([
      "exploration",
      "intent",
      "alternatives",
      "per-stack-reviews",
      "per-stack-parse",
      "arbiter",
      "cross-stack-merge",
      "single-stack-merge",
      "load-items",
      "verify",
      "findings-out",
      "post-review",
      "fix-gate",
      "fix",
      "test",
      "commit"
    ])
  })

  test("get the tests of the project before claims are merged, if these are wanted", () => {
    const before = (flow: Flow) => flow.entries.map(entryName)[flow.entries.map(entryName).indexOf("prove") + 1] ?? ""
    expect(flows.map(withProof).map(before)).toEqual([
      "per-stack-parse",
      "iterate",
      "review-alternatives",
      "load-items",
      "fetch-feedback"
    ])
  })

  test("take a body for every step of this build and mark the others", () => {
    const body = { run: (state: number) => Effect.succeed(proceed(state + 1)) }
    const available = [...outlineRegistry.steps.values()].filter(({ _tag }) => _tag === "Step").map(({ name }) => name)
    const bodies = Object.fromEntries(available.map((name) => [name, body])) as Record<AvailableStep, typeof body>
    const registry = seedRegistry(bodies)
    expect(registry.steps.get("intent")).toMatchObject({ _tag: "Step", phase: "intent", origin: "dd" })
    expect(registry.steps.get("alternatives")).toMatchObject({ phase: "wonder" })
    expect(registry.steps.get("post-comments")).toMatchObject({
      _tag: "Unavailable",
      reason: expect.stringContaining("dd post")
    })
    expect([...registry.steps.keys()]).toEqual([...outlineRegistry.steps.keys()])
  })
})
