/** The forge of `dd feedback`, with its credentials; null in a review, which has none. */
import { Context } from "effect"
import type { Forge } from "./Forge.ts"

export const FeedbackForge = Context.Reference<Forge["Service"] | null>("dd/services/forge/FeedbackForge", {
  defaultValue: () => null
})
