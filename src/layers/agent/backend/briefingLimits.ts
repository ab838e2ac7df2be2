import { Effect, Layer } from "effect"
import { BriefingLimits } from "../../../services/agent/Briefing.ts"

/** With a context of this size or more, prompts have their default limits. */
const ampleContext = 100_000

/** Smaller prompts for a model with a small context, which leaves room for tools and the answer. */
export const briefingLimits = (contextTokens: number) => {
  const share = Math.min(1, contextTokens / ampleContext)
  if (share === 1) return Layer.empty
  const part = (tokens: number) => Math.floor(tokens * share)
  return Layer.effect(
    BriefingLimits,
    Effect.map(BriefingLimits, (limits) => ({
      ...limits,
      diff: part(limits.diff),
      overview: part(limits.overview),
      guidance: part(limits.guidance),
      note: part(limits.note)
    }))
  )
}
