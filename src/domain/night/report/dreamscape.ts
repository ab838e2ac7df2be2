/** The night in five words, for readers of the contract. */
import { Schema } from "effect"
import type { CouncilSummary } from "./council.ts"

export const Dreamscape = Schema.Struct({
  weather: Schema.Literals(["steady", "fog", "storm-front"]),
  visibility: Schema.Literals(["clear", "limited"]),
  council: Schema.Literals(["single-voice", "aligned", "mixed"]),
  tension: Schema.optionalKey(Schema.String),
  first_move: Schema.String
})
export type Dreamscape = typeof Dreamscape.Type

export interface Sky {
  /** The share of recent changes for which something was retrieved; null: unknown. */
  readonly coverage: number | null
  /** Does learned knowledge raise the rate of accepted findings? Null: unknown. */
  readonly escapeVelocity: boolean | null
  /** Of the composite fitness; null: not measured. */
  readonly trend: number | null
  /** Changes that were vetoed, or not kept because they make reviews worse. */
  readonly refused: number
  /** Changes that made reviews worse and were kept under warn-only. */
  readonly worse: number
  /** The share of the metrics that could be measured; null: nothing was measured. */
  readonly measurable: number | null
}

/** `storm-front` if something got worse or was refused. */
export const weatherOf = ({ coverage, escapeVelocity, refused, trend, worse }: Sky): Dreamscape["weather"] => {
  if (escapeVelocity === false || refused + worse > 0 || (trend !== null && trend < 0)) return "storm-front"
  return coverage !== null && coverage < 0.5 ? "fog" : "steady"
}

export const visibilityOf = ({ coverage, measurable }: Sky): Dreamscape["visibility"] =>
  (coverage !== null && coverage < 0.5) || (measurable !== null && measurable < 0.5) ? "limited" : "clear"

export const councilWord = (council: CouncilSummary | null): Dreamscape["council"] => {
  if ((council?.disagreements?.length ?? 0) > 0) return "mixed"
  return (council?.completed_runners?.length ?? 0) > 1 ? "aligned" : "single-voice"
}

export const dreamscapeOf = (night: {
  readonly sky: Sky
  readonly council: CouncilSummary | null
  readonly degraded: ReadonlyArray<string>
  /** Of the night before: what is not new is no tension. */
  readonly degradedBefore: ReadonlyArray<string>
  /** The title of the first packet on a contested rule; null: none. */
  readonly contested: string | null
  readonly firstMove: string
}): Dreamscape => {
  const { contested, council, degraded, degradedBefore, firstMove, sky } = night
  const tension =
    council?.disagreements?.[0] ?? degraded.find((line) => !degradedBefore.includes(line)) ?? contested ?? undefined
  return {
    weather: weatherOf(sky),
    visibility: visibilityOf(sky),
    council: councilWord(council),
    ...(tension === undefined ? {} : { tension }),
    first_move: firstMove
  }
}
