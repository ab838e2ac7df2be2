/**
 * What the user's extensions say in place of dd's own prompts and profiles, as this run's registry has it.
 *
 * Told by `programs/review` when the registry is made, asked by `Briefing`. Before it is told there is nothing.
 */
import { Context, Effect, Layer, Ref } from "effect"
import type { Facts } from "../../domain/run/Facts.ts"
import type { AddedStackRule, PromptOverride, PromptSlot } from "./Registry.ts"

export interface Overrides {
  readonly prompts: ReadonlyMap<PromptSlot, PromptOverride>
  readonly stackRules: ReadonlyArray<AddedStackRule>
  /** Of the run as it begins; the step's own are put in its place. */
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
