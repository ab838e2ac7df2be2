/**
 * The parts of one run: the steps by name, the flows that order them, and the prompts and stack rules that replace dd's
 * own.
 *
 * An immutable value: an operation returns the changed registry or a refusal with the reason, so an extension is never
 * applied halfway. `T` is a step that a run can execute, or only its outline for listings.
 */
import { type Effect, Result, Schema } from "effect"
import type { StackRule } from "../../domain/code/Stack.ts"
import type { Facts } from "../../domain/run/Facts.ts"
import * as Flow from "../../domain/run/Flow.ts"
import type { StepOutline } from "../../domain/run/Step.ts"
import { didYouMean, nearest } from "../../domain/text/Suggestion.ts"
import { type FlowStepUnknown, unknownStep } from "./FlowEngine.ts"

/** The prompts that an extension may replace; parse, test and commit prompts are excluded. */
export const promptSlots = [
  "review",
  "intent",
  "alternatives",
  "fix",
  "per-stack",
  "structural",
  "generic-fallback",
  "arbiter",
  "merge",
  "verify"
] as const
export type PromptSlot = (typeof promptSlots)[number]

export class PromptOverrideFailed extends Schema.TaggedError<PromptOverrideFailed>()("PromptOverrideFailed", {
  slot: Schema.String,
  origin: Schema.String,
  cause: Schema.Defect()
}) {
  override get message() {
    return `the prompt "${this.slot}" of ${this.origin} could not be rendered`
  }
}

export interface PromptOverride {
  readonly origin: string
  /** The text to send, computed from the text that dd would have sent and the facts of the run. */
  readonly render: (rendered: string, facts: Facts) => Effect.Effect<string, PromptOverrideFailed>
}

/** A stack rule as an extension registered it. */
export interface AddedStackRule extends StackRule {
  /** Instructions for the model that reviews this stack. */
  readonly profile: string | null
  readonly origin: string
}

export interface Registry<T extends StepOutline> {
  readonly steps: ReadonlyMap<string, T>
  readonly flows: ReadonlyMap<string, Flow.Flow>
  readonly prompts: ReadonlyMap<PromptSlot, PromptOverride>
  /** In the order of their registration; the first that matches a path is used. */
  readonly stackRules: ReadonlyArray<AddedStackRule>
}

export class RegistrationRefused extends Schema.TaggedError<RegistrationRefused>()("RegistrationRefused", {
  kind: Schema.Literals(["step", "flow", "prompt", "stack rule"]),
  name: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.kind} "${this.name}": ${this.reason}`
  }
}

export type RegistryError = RegistrationRefused | Flow.FlowEditRefused | Flow.FlowInvalid | FlowStepUnknown

/** An existing name is refused without `replace`. */
export const registerStep = <T extends StepOutline>(
  registry: Registry<T>,
  step: T,
  options?: { readonly replace?: boolean }
): Result.Result<Registry<T>, RegistrationRefused> => {
  const refuse = (reason: string) => Result.fail(new RegistrationRefused({ kind: "step", name: step.name, reason }))
  if (!Schema.is(Flow.FlowName)(step.name)) return refuse("its name is not lower-case words joined by hyphens")
  const taken = registry.steps.get(step.name)
  if (taken !== undefined && options?.replace !== true) {
    return refuse(`${taken.origin} registered a step of this name; to replace it, pass replace`)
  }
  if (taken === undefined && options?.replace === true) {
    return refuse(`there is no such step to replace${didYouMean(nearest(step.name, registry.steps.keys()))}`)
  }
  return Result.succeed({ ...registry, steps: new Map(registry.steps).set(step.name, step) })
}

/** Adds a flow, or replaces the one of the same name: this is how a flow is reordered. */
export const defineFlow = <T extends StepOutline>(
  registry: Registry<T>,
  flow: Flow.Flow
): Result.Result<Registry<T>, Flow.FlowInvalid> =>
  Result.map(Flow.define(flow), (defined) => ({
    ...registry,
    flows: new Map(registry.flows).set(defined.name, defined)
  }))

export const getFlow = <T extends StepOutline>(
  registry: Registry<T>,
  name: string
): Result.Result<Flow.Flow, RegistrationRefused> => {
  const flow = registry.flows.get(name)
  if (flow !== undefined) return Result.succeed(flow)
  const reason = `there is no such flow${didYouMean(nearest(name, registry.flows.keys()))}; known: ${[...registry.flows.keys()].join(", ")}`
  return Result.fail(new RegistrationRefused({ kind: "flow", name, reason }))
}

/** Applies one of the edits of `domain/run/Flow.ts` to the flow of this name. */
export const editFlow = <T extends StepOutline>(
  registry: Registry<T>,
  name: string,
  edit: (flow: Flow.Flow) => Result.Result<Flow.Flow, Flow.FlowEditRefused>
): Result.Result<Registry<T>, RegistrationRefused | Flow.FlowEditRefused> =>
  Result.gen(function* () {
    const edited = yield* edit(yield* getFlow(registry, name))
    return { ...registry, flows: new Map(registry.flows).set(name, edited) }
  })

/** The last override of a slot is used. */
export const overridePrompt = <T extends StepOutline>(
  registry: Registry<T>,
  slot: string,
  override: PromptOverride
): Result.Result<Registry<T>, RegistrationRefused> => {
  const known = promptSlots.find((name) => name === slot)
  if (known !== undefined) {
    return Result.succeed({ ...registry, prompts: new Map(registry.prompts).set(known, override) })
  }
  const reason = `there is no such prompt to override${didYouMean(nearest(slot, promptSlots))}; known: ${promptSlots.join(", ")}`
  return Result.fail(new RegistrationRefused({ kind: "prompt", name: slot, reason }))
}

export const addStackRule = <T extends StepOutline>(
  registry: Registry<T>,
  rule: AddedStackRule
): Result.Result<Registry<T>, RegistrationRefused> => {
  const refuse = (reason: string) =>
    Result.fail(new RegistrationRefused({ kind: "stack rule", name: rule.name, reason }))
  if (!Schema.is(Flow.FlowName)(rule.name)) return refuse("its name is not lower-case words joined by hyphens")
  if (rule.patterns.length === 0) return refuse("it has no patterns")
  if (rule.patterns.some((pattern) => pattern.trim() === "")) return refuse("one of its patterns is empty")
  if (rule.name === "structure" || rule.name === "generic") return refuse("this stack is dd's own")
  const taken = registry.stackRules.find((known) => known.name === rule.name)
  if (taken !== undefined) return refuse(`${taken.origin} added a stack rule of this name`)
  return Result.succeed({ ...registry, stackRules: [...registry.stackRules, rule] })
}

/** The first flow that names an unregistered step, as the error of the run; null if all are known. */
export const firstUnknownStep = <T extends StepOutline>(registry: Registry<T>): FlowStepUnknown | null => {
  for (const flow of registry.flows.values()) {
    const unknown = unknownStep(flow, registry.steps)
    if (unknown !== null) return unknown
  }
  return null
}
