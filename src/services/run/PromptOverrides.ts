/**
 * The prompts and profiles of the user's extensions that replace dd's own in this run.
 *
 * Set by `programs/review` when the registry is complete, read by `PromptBuilder`; null before that.
 */
import { Context, Effect, Layer, Ref } from "effect"
import type { Facts } from "../../domain/run/Facts.ts"
import type { AddedStackRule, PromptOverride, PromptSlot } from "./Registry.ts"

export interface Overrides {
  readonly prompts: ReadonlyMap<PromptSlot, PromptOverride>
  readonly stackRules: ReadonlyArray<AddedStackRule>
  /** Of the run at its start; a step replaces `step`. */
  readonly facts: Facts
}

export class PromptOverrides extends Context.Service<
  PromptOverrides,
  {
    readonly adopt: (overrides: Overrides) => Effect.Effect<void>
    readonly adopted: Effect.Effect<Overrides | null>
  }
>()("dd/services/run/PromptOverrides") {
  static readonly layer = Layer.effect(
    PromptOverrides,
    Effect.map(Ref.make<Overrides | null>(null), (overrides) =>
      PromptOverrides.of({ adopt: (given) => Ref.set(overrides, given), adopted: Ref.get(overrides) })
    )
  )
}
