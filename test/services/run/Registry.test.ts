import { describe, expect, test } from "bun:test"
import { Effect, Result } from "effect"
import { remove } from "../../../src/domain/run/Flow.ts"
import type { Outline } from "../../../src/domain/run/Step.ts"
import * as Registry from "../../../src/services/run/Registry.ts"
import { emptyRegistry } from "../../support/emptyRegistry.ts"

const outline = (name: string, origin = "dd"): Outline => ({ _tag: "Step", name, phase: name, when: "", origin })

const withSteps = (...names: ReadonlyArray<string>): Registry.Registry<Outline> =>
  names.reduce(
    (registry, name) => Result.getOrThrow(Registry.registerStep(registry, outline(name))),
    emptyRegistry<Outline>()
  )

const refusal = <A, E extends { readonly message: string }>(result: Result.Result<A, E>): string =>
  Result.match(result, { onFailure: (error) => error.message, onSuccess: () => "no refusal" })

describe("Registry", () => {
  test("keeps a step under its name, and refuses a second one unless it replaces the first", () => {
    const registry = withSteps("scan")
    expect(refusal(Registry.registerStep(registry, outline("scan", "b.ts")))).toBe(
      'step "scan": dd registered a step of this name; to replace it, pass replace'
    )
    const replaced = Result.getOrThrow(Registry.registerStep(registry, outline("scan", "b.ts"), { replace: true }))
    expect(replaced.steps.get("scan")?.origin).toBe("b.ts")
    expect(registry.steps.get("scan")?.origin).toBe("dd")
  })

  test("does not replace a step that is not there", () => {
    expect(refusal(Registry.registerStep(withSteps("scan"), outline("scam"), { replace: true }))).toBe(
      'step "scam": there is no such step to replace (did you mean "scan"?)'
    )
  })

  test("refuses a step whose name is not valid in a flow", () => {
    expect(refusal(Registry.registerStep(withSteps(), outline("Scan It")))).toContain("lower-case words")
  })

  test("recognises a flow that was defined, and names the likely one otherwise", () => {
    const registry = Result.getOrThrow(
      Registry.defineFlow(withSteps("scan"), { name: "quick", description: "", entries: ["scan"] })
    )
    expect(Result.getOrThrow(Registry.getFlow(registry, "quick")).entries).toEqual(["scan"])
    expect(refusal(Registry.getFlow(registry, "quik"))).toContain('did you mean "quick"?')
    expect(refusal(Registry.editFlow(registry, "slow", (flow) => remove(flow, "scan")))).toContain('flow "slow"')
  })

  test("edits a flow without touching the registry it came from", () => {
    const registry = Result.getOrThrow(
      Registry.defineFlow(withSteps("scan", "look"), { name: "quick", description: "", entries: ["scan", "look"] })
    )
    const edited = Result.getOrThrow(Registry.editFlow(registry, "quick", (flow) => remove(flow, "scan")))
    expect(edited.flows.get("quick")?.entries).toEqual(["look"])
    expect(registry.flows.get("quick")?.entries).toEqual(["scan", "look"])
  })

  test("overrides only the prompts that may be, the last one standing", () => {
    const by = (origin: string): Registry.PromptOverride => ({ origin, render: (text) => Effect.succeed(text) })
    const once = Result.getOrThrow(Registry.overridePrompt(withSteps(), "intent", by("a.ts")))
    const twice = Result.getOrThrow(Registry.overridePrompt(once, "intent", by("b.ts")))
    expect(twice.prompts.get("intent")?.origin).toBe("b.ts")
    for (const slot of ["parse", "test", "commit", "__proto__", ""]) {
      expect(refusal(Registry.overridePrompt(withSteps(), slot, by("a.ts")))).toContain("no such prompt")
    }
    expect(refusal(Registry.overridePrompt(withSteps(), "arbitre", by("a.ts")))).toContain('did you mean "arbiter"?')
  })

  test("keeps stack rules in order and refuses empty, doubled and dd's own ones", () => {
    const rule = (name: string, ...patterns: ReadonlyArray<string>): Registry.AddedStackRule => ({
      name,
      patterns,
      profile: null,
      origin: "a.ts"
    })
    const first = Result.getOrThrow(Registry.addStackRule(withSteps(), rule("terraform", "*.tf")))
    const both = Result.getOrThrow(Registry.addStackRule(first, rule("sql", "*.sql")))
    expect(both.stackRules.map(({ name }) => name)).toEqual(["terraform", "sql"])
    expect(refusal(Registry.addStackRule(both, rule("sql", "*.ddl")))).toContain("a.ts added a stack rule")
    expect(refusal(Registry.addStackRule(both, rule("docs")))).toContain("no patterns")
    expect(refusal(Registry.addStackRule(both, rule("docs", " ")))).toContain("is empty")
    expect(refusal(Registry.addStackRule(both, rule("structure", "*")))).toContain("dd's own")
  })

  test("finds a flow with an unregistered step", () => {
    const registry = Result.getOrThrow(
      Registry.defineFlow(withSteps("scan"), { name: "quick", description: "", entries: ["scan", "lok"] })
    )
    expect(Registry.firstUnknownStep(registry)).toMatchObject({ flow: "quick", step: "lok" })
    expect(Registry.firstUnknownStep(withSteps("scan"))).toBe(null)
  })
})
