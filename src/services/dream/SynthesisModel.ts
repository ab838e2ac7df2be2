/**
 * The model that the user configured for summaries of artifacts, and what was spent on it. A port, because settings, keys and
 * files depend on the platform.
 */
import { Context, type Effect, Schema, type Scope } from "effect"
import type { PriceList } from "../agent/PriceList.ts"
import type { Respondent } from "../agent/Respondent.ts"

export interface SynthesisSettings {
  readonly backend: string
  /** In US dollars, for one pass and for one day (UTC). */
  readonly maxCost: number
  readonly maxCostDay: number
}

/** The model cannot be asked; nothing was sent. */
export class SynthesisNotReady extends Schema.TaggedError<SynthesisNotReady>()("SynthesisNotReady", {
  reason: Schema.String
}) {
  override get message() {
    return this.reason
  }
}

export class SynthesisModel extends Context.Service<
  SynthesisModel,
  {
    /** Null: none is configured. Read anew each time. */
    readonly settings: Effect.Effect<SynthesisSettings | null, SynthesisNotReady>
    /** The model with a limit of cost in US dollars, and the prices that it is computed from. */
    readonly open: (
      usd: number
    ) => Effect.Effect<
      { readonly respondent: Respondent["Service"]; readonly prices: PriceList },
      SynthesisNotReady,
      Scope.Scope
    >
    /** In US dollars. `day`: since 1970. */
    readonly spentOn: (day: number) => Effect.Effect<number, SynthesisNotReady>
    readonly spend: (day: number, usd: number) => Effect.Effect<void, SynthesisNotReady>
  }
>()("dd/services/dream/SynthesisModel") {}
