import { describe, expect, test } from "bun:test"
import { Cause, Effect, Exit, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import type { ReviewRecord } from "../../../src/domain/finding/Finding.ts"
import type { ExtensionRegistry, StepDefinition } from "../../../src/domain/run/Extension.ts"
import type { Facts } from "../../../src/domain/run/Facts.ts"
import type { Outline, Step } from "../../../src/domain/run/Step.ts"
import { outlineRegistry } from "../../../src/programs/flows.ts"
import {
  type Extended,
  type ExtensionBroken,
  type ExtensionFile,
  type ExtensionStepFailed,
  extend,
  extendAll,
  outlineOf,
  runnable
} from "../../../src/services/run/Extensions.ts"
import { type Registry, registerStep } from "../../../src/services/run/Registry.ts"
import { it } from "../../support/effect.ts"
import { emptyRegistry } from "../../support/emptyRegistry.ts"

const file = "/home/ada/.daydream/extensions/a.ts"
const exporting = (exports: Readonly<Record<string, unknown>>): ExtensionFile => ({
  file,
  exports: Result.succeed(exports)
})
const registering = (register: (registry: ExtensionRegistry) => unknown): ExtensionFile =>
  exporting({ DAYDREAM_EXT_API: 1, register })

const apply = (extension: ExtensionFile): Result.Result<Extended<Outline>, ExtensionBroken> =>
  extend(outlineRegistry, extension, outlineOf)
const extended = (register: (registry: ExtensionRegistry) => unknown): Extended<Outline> =>
  Result.getOrThrow(apply(registering(register)))
const broken = (extension: ExtensionFile): ExtensionBroken =>
  Result.match(apply(extension), {
    onFailure: (error) => error,
    onSuccess: () => {
      throw new Error("the extension is not broken")
    }
  })
const deep = (registry: Registry<Outline>) => registry.flows.get("deep")!.entries

const nothing: StepDefinition["run"] = () => undefined

describe("an extension", () => {
  test("adds a step at the requested position, and reports what it did", () => {
    const { registry, changes } = extended((r) => r.insertBefore("deep", "arbiter", { name: "scan", run: nothing }))
    expect(deep(registry).indexOf("scan")).toBe(deep(registry).indexOf("arbiter") - 1)
    expect(registry.steps.get("scan")).toMatchObject({ origin: file, phase: "scan", when: "" })
    expect(changes).toEqual(['adds the step "scan"', 'inserts "scan" before "arbiter" in the flow deep'])
  })

  test("removes, replaces, reorders, adds loop groups and defines flows", () => {
    const { registry } = extended((r) => {
      r.addStep({ name: "scan", run: nothing })
      r.addStep({ name: "rescan", run: nothing })
      r.insertAfter("deep", "intent", { name: "again", steps: ["scan", "rescan"], maxIterations: 2 })
      r.remove("deep", "commit")
      r.replace("deep", "alternatives", { name: "other-ways", run: nothing })
      r.move("deep", "exploration", { after: "intent" })
      r.defineFlow({ name: "quick", entries: ["exploration", "scan"] })
    })
    expect(deep(registry).slice(0, 4)).toEqual([
      "intent",
      "exploration",
      { name: "again", steps: ["scan", "rescan"], maxIterations: 2 },
      "other-ways"
    ])
    expect(deep(registry)).not.toContain("commit")
    expect(registry.flows.get("quick")?.entries).toEqual(["exploration", "scan"])
  })

  test("may bring a step that this build does not have", () => {
    const { registry } = extended((r) => r.replaceStep({ name: "verify", run: nothing }))
    expect(registry.steps.get("verify")).toMatchObject({ _tag: "Step", origin: file })
  })

  test("gets a flow as an immutable copy", () => {
    extended((r) => {
      r.remove("deep", "commit")
      const flow = r.flow("deep")
      expect(flow.entries).not.toContain("commit")
      expect(Object.isFrozen(flow.entries)).toBe(true)
    })
  })

  test("is refused with the API version it must be written for", () => {
    expect(broken(exporting({ register: nothing })).fix).toContain("DAYDREAM_EXT_API = 1")
    for (const version of [0, 2, 1.5, "1", null, true]) {
      expect(broken(exporting({ DAYDREAM_EXT_API: version, register: nothing })).reason).toContain("extension API")
    }
  })

  test("is refused if register is missing or asynchronous", () => {
    expect(broken(exporting({ DAYDREAM_EXT_API: 1 })).reason).toContain("register")
    expect(broken(exporting({ DAYDREAM_EXT_API: 1, register: "yes" })).reason).toContain("register")
    expect(broken(registering(() => Promise.resolve())).reason).toContain("promise")
  })

  test("is broken by an error of its own, and nothing of it stays", () => {
    const error = broken(
      registering((r) => {
        r.remove("deep", "commit")
        throw new Error("out of ideas")
      })
    )
    expect(error.message).toBe(
      `extension ${file}: register failed: out of ideas; to fix it: correct the error in the file`
    )
    expect(deep(outlineRegistry)).toContain("commit")
  })

  test("learns which name it got wrong", () => {
    expect(broken(registering((r) => r.remove("deep", "arbitre"))).reason).toContain('did you mean "arbiter"?')
    expect(broken(registering((r) => r.remove("depe", "arbiter"))).reason).toContain('did you mean "deep"?')
    expect(broken(registering((r) => r.remove("shallow", "parse"))).reason).toContain('loop group "iterate"')
    expect(broken(registering((r) => r.insertBefore("deep", "intent", "nowhere"))).reason).toContain("not registered")
    expect(broken(registering((r) => r.addStep({ name: "intent", run: nothing }))).reason).toContain("replace it")
  })

  test("learns which field of a definition is wrong", () => {
    const defining = (definition: unknown) =>
      broken(registering((r) => Reflect.apply(r.addStep, r, [definition]))).reason
    expect(defining({ name: "scan" })).toContain("run")
    expect(defining({ name: "Scan", run: nothing })).toContain("lower-case")
    expect(defining({ name: "scan", run: nothing, enabeld: () => true })).toContain("enabeld")
    expect(defining(null)).toContain("register failed")
  })

  test("cannot change the registry after its register has returned", () => {
    let kept: ExtensionRegistry | undefined
    const { registry } = extended((r) => {
      kept = r
    })
    expect(() => kept?.remove("deep", "commit")).toThrow("closed")
    expect(deep(registry)).toContain("commit")
  })

  test("sees what the ones before it did, and the first broken one is the answer", () => {
    const adds = registering((r) => r.addStep({ name: "scan", run: nothing }))
    const uses = registering((r) => r.insertBefore("deep", "arbiter", "scan"))
    expect(Result.isSuccess(extendAll(outlineRegistry, [adds, uses], outlineOf))).toBe(true)
    expect(Result.isFailure(extendAll(outlineRegistry, [uses, adds], outlineOf))).toBe(true)
  })

  it.effect("rewords a prompt, and is named when its words fail", () =>
    Effect.gen(function* () {
      const { registry } = extended((r) => {
        r.overridePrompt("intent", (text) => `${text} Be brief.`)
        Reflect.apply(r.overridePrompt, r, ["merge", () => 7])
      })
      expect(yield* registry.prompts.get("intent")!.render("Say why.", facts)).toBe("Say why. Be brief.")
      const exit = yield* Effect.exit(registry.prompts.get("merge")!.render("Say why.", facts))
      expect(Exit.isFailure(exit) && Cause.squash(exit.cause)).toMatchObject({ slot: "merge", origin: file })
    })
  )
})

const facts: Facts = {
  flow: "deep",
  step: "scan",
  iteration: null,
  change: { description: "", base: "empty", head: "worktree", branch: null, commits: [] },
  files: [
    { path: "a.py", old_path: null, status: "added", binary: false, added: [{ line: 1, text: "x" }], deleted: [] }
  ],
  stacks: [],
  intent: "",
  findings: []
}

describe("a step of an extension", () => {
  type State = ReadonlyArray<ReviewRecord>
  const toStep = runnable<State, ExtensionStepFailed>({
    facts: (_, step) => ({ ...facts, step }),
    add: (state, records) => [...state, ...records],
    stopped: (state) => state,
    failed: (failure) => failure
  })
  const stepOf = (definition: Omit<StepDefinition, "name">): Step<State, ExtensionStepFailed> => {
    const registered = extend(
      emptyRegistry<Step<State, ExtensionStepFailed>>(),
      registering((r) => r.addStep({ name: "scan", ...definition })),
      toStep
    )
    return Result.getOrThrow(registered).registry.steps.get("scan")!
  }
  const answering = (answer: unknown) => stepOf({ run: () => answer as ReturnType<StepDefinition["run"]> })
  const stated = { file: "a.py", line: 3, description: "It is wrong.", severity: "high" }
  const failure = <A>(exit: Exit.Exit<A, ExtensionStepFailed>) =>
    Exit.isFailure(exit) ? Cause.squash(exit.cause) : null

  it.effect("states findings that enter the state as claims like any other", () =>
    Effect.gen(function* () {
      const { _tag, state, summary } = yield* answering({ findings: [stated] }).run([])
      expect({ _tag, summary }).toEqual({ _tag: "Continue", summary: "1 finding" })
      expect(state).toMatchObject([
        { id: 1, file: "a.py", line: 3, rule: "ext/scan", evidence: "a.py:3", confidence: "MEDIUM" }
      ])
    })
  )

  it.effect("may wait, answer nothing, stop the flow or break its loop", () =>
    Effect.gen(function* () {
      expect(yield* answering(Promise.resolve({ findings: [stated] })).run([])).toMatchObject({ _tag: "Continue" })
      expect(yield* answering(undefined).run([])).toMatchObject({ _tag: "Continue", state: [] })
      expect(yield* answering({ stop: 3, summary: "enough" }).run([])).toMatchObject({
        _tag: "Stop",
        code: 3,
        summary: "enough"
      })
      expect(yield* answering({ breakLoop: true }).run([])).toMatchObject({ _tag: "BreakLoop" })
    })
  )

  it.effect("is not believed when its answer has another shape", () =>
    Effect.gen(function* () {
      const answers = [
        7,
        [],
        { findings: {} },
        { findings: [{ ...stated, severity: "fatal" }] },
        { findings: [{ ...stated, line: -1 }] },
        { findings: [{ ...stated, colour: "red" }] },
        { stop: 130 },
        { stop: 1, breakLoop: true },
        { finding: [stated] }
      ]
      for (const answer of answers) {
        const exit = yield* Effect.exit(answering(answer).run([]))
        expect({ answer, failed: failure(exit) }).toMatchObject({ answer, failed: { _tag: "ExtensionStepFailed" } })
      }
    })
  )

  it.effect("fails by name and file when it throws or rejects", () =>
    Effect.gen(function* () {
      const throwing = stepOf({
        run: () => {
          throw new Error("no such table")
        }
      })
      const expected = { _tag: "ExtensionStepFailed", file, step: "scan" }
      const threw = failure(yield* Effect.exit(throwing.run([])))
      expect(threw).toMatchObject(expected)
      expect(String(threw)).toContain("no such table")
      const rejecting = stepOf({ run: () => Promise.reject(new Error("no")) })
      expect(failure(yield* Effect.exit(rejecting.run([])))).toMatchObject(expected)
    })
  )

  it.effect("fails by name and file, its signal raised, when it returns nothing for ten minutes", () =>
    Effect.gen(function* () {
      let raised = false
      const waiting = stepOf({
        run: (_, { signal }) =>
          new Promise(() => {
            signal.addEventListener("abort", () => {
              raised = true
            })
          })
      })
      const running = yield* Effect.forkChild(Effect.exit(waiting.run([])))
      yield* TestClock.adjust("10 minutes")
      const failed = failure(yield* Fiber.join(running))
      expect(failed).toMatchObject({ _tag: "ExtensionStepFailed", file, step: "scan" })
      expect(String(failed)).toContain("did not finish within 10m")
      expect(raised).toBe(true)
    })
  )

  it.effect("fails by name and file when its condition throws or does not answer at once", () =>
    Effect.gen(function* () {
      for (const enabled of [
        () => Promise.resolve(false),
        () => undefined,
        () => Reflect.get(Object(undefined), "x").y
      ]) {
        const conditional = stepOf({ enabled: enabled as () => boolean, run: nothing })
        expect(conditional.enabled?.([])).toBe(true)
        expect(failure(yield* Effect.exit(conditional.run([])))).toMatchObject({ _tag: "ExtensionStepFailed" })
      }
    })
  )

  test("runs if its condition is true for the facts", () => {
    const conditional = stepOf({ enabled: ({ files }) => files.length > 1, run: nothing })
    expect(conditional.enabled?.([])).toBe(false)
    expect(conditional.when).toBe("if its extension enables it")
  })

  it.effect("cannot change its facts", () =>
    Effect.gen(function* () {
      const told: Array<Facts> = []
      const meddling = stepOf({
        run: (facts) => {
          told.push(facts)
          Reflect.apply(Array.prototype.push, facts.files, [{}])
          return undefined
        }
      })
      expect(failure(yield* Effect.exit(meddling.run([])))).toMatchObject({ _tag: "ExtensionStepFailed" })
      expect(told).toEqual([facts])
      expect(Object.isFrozen(told[0]?.files[0]?.added[0])).toBe(true)
      expect(Object.isFrozen(facts.files)).toBe(false)
    })
  )

  it.effect("gets a signal when the user interrupts", () =>
    Effect.gen(function* () {
      let raised = false
      const waiting = stepOf({
        run: (_, { signal }) =>
          new Promise(() => {
            signal.addEventListener("abort", () => {
              raised = true
            })
          })
      })
      const fiber = yield* Effect.forkChild(waiting.run([]), { startImmediately: true })
      yield* Fiber.interrupt(fiber)
      expect(raised).toBe(true)
    })
  )

  test("keeps its name from another", () => {
    const one = registerStep(emptyRegistry<Outline>(), {
      _tag: "Step",
      name: "scan",
      phase: "scan",
      when: "",
      origin: "dd"
    })
    const two = extend(
      Result.getOrThrow(one),
      registering((r) => r.addStep({ name: "scan", run: nothing })),
      outlineOf
    )
    expect(Result.isFailure(two)).toBe(true)
  })
})
