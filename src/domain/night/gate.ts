/**
 * Decides on a staged generation from its measurement and that of the generation it was made from.
 *
 * - A veto that the earlier generation does not have halts, whatever the fitness, and is never rescued.
 * - A metric that can no longer be measured makes the iteration degraded, unless items that both measured are no worse: a generation
 *   that hides or has less may be committed.
 * - A regression is a drop, of the value or of its items, by more than the floor that a test of the same items confirms. A metric without an earlier value has
 *   regressed if that test finds items worse and its interval reaches below one half, or if it had no items, some are worse, and
 *   the whole interval is below one half: so the first suppressions are gated, too.
 * - If nothing could be compared by reviews, the iteration is degraded; under warn-only it is committed, with a warning.
 * - A plateau is as in `plateau.ts`, with an epsilon that one item alone cannot exceed. Iterations in which nothing could be compared
 *   are not counted.
 * - Under warn-only, a regression or a plateau is committed with a warning, as one rescue, as long as rescues are left.
 */
import { changeBetween, type Gauges, gauges, measurable, weighted } from "./composite.ts"
import { isOfReviews, type Measurement, type MetricName, type Metrics, metricNames } from "./Fitness.ts"
import { leastWindow, observed, type Plateau, rounding } from "./plateau.ts"
import { isWorse, mean } from "./statistics.ts"

export interface GateOptions extends Plateau {
  readonly warnOnly: boolean
  /** Rescues left. */
  readonly rescues: number
  /** What the decision before this one returned; 0 for the first. */
  readonly streak: number
  /** Of the bootstrap: from a digest of the generation and the gate set, so that the decision can be repeated. */
  readonly seed: number
}

export type Decision = {
  /** Of the composite, over what could be measured in both. */
  readonly delta: number
  /** For the next decision. */
  readonly streak: number
  /** What the report should mention and no decision follows from. */
  readonly notes: ReadonlyArray<string>
} /** `isUnmeasured`: nothing could be compared by reviews. */ & (
  | { readonly _tag: "Commit"; readonly isUnmeasured: boolean }
  /** Commit, with the reason as a warning, and count one rescue. */
  | { readonly _tag: "Rescue"; readonly kind: "regression" | "plateau"; readonly reason: string }
  | { readonly _tag: "Halt"; readonly kind: "regression" | "plateau"; readonly reason: string }
  | { readonly _tag: "Degraded"; readonly reason: string }
)

/** `before` is null if there is nothing to compare with. */
export const decide = (
  before: Measurement | null,
  after: Measurement,
  options: GateOptions,
  given: Gauges = gauges
): Decision => {
  const compared = before === null ? [] : measurable(before.metrics, after.metrics)
  const delta = before === null ? 0 : weighted(compared, changeBetween(before.metrics, after.metrics), given)
  const known = new Set(before?.vetoes.map(({ detail }) => detail))
  const vetoes = after.vetoes.filter(({ detail }) => !known.has(detail))
  const changes = before === null ? [] : changesOf(before, after, options.seed, given)
  const textsOf = (kind: Change["kind"]) => changes.filter((each) => each.kind === kind).map(({ text }) => text)
  const plateau = {
    window: options.window,
    epsilon: Math.max(options.epsilon, resolution(compared, after.metrics, given))
  }
  const { isPlateau, streak } =
    compared.length === 0 ? { isPlateau: false, streak: options.streak } : observed(options.streak, delta, plateau)
  const decision = {
    delta,
    streak,
    notes: [
      ...textsOf("note"),
      ...after.vetoes.filter(({ detail }) => known.has(detail)).map(({ detail }) => `as before: ${detail}`)
    ]
  }
  if (vetoes.length > 0) {
    const reason = vetoes.map(({ detail, kind }) => `veto ${kind}: ${detail}`).join("; ")
    return { ...decision, _tag: "Halt", kind: "regression", reason }
  }
  const lost = textsOf("lost")
  if (lost.length > 0) return { ...decision, streak: options.streak, _tag: "Degraded", reason: lost.join("; ") }
  const regressions = textsOf("regression")
  const isUnmeasured = before !== null && !compared.some(isOfReviews)
  if (regressions.length === 0 && isUnmeasured && !options.warnOnly) {
    return { ...decision, _tag: "Degraded", reason: unmeasured }
  }
  if (regressions.length === 0 && !isPlateau) return { ...decision, _tag: "Commit", isUnmeasured }
  const kind = regressions.length > 0 ? "regression" : "plateau"
  const reason = kind === "regression" ? regressions.join("; ") : plateauReason(plateau)
  if (!options.warnOnly) return { ...decision, _tag: "Halt", kind, reason }
  if (options.rescues > 0) return { ...decision, _tag: "Rescue", kind, reason }
  return { ...decision, _tag: "Halt", kind, reason: `${reason} (warn-only budget exhausted)` }
}

export const unmeasured = "no metric could be measured before and after: there are too few labels to decide by"

/** By how much the composite changes if one item of each metric does; 1/n if all have n items. */
const resolution = (names: ReadonlyArray<MetricName>, metrics: Metrics, given: Gauges): number =>
  weighted(names, (name) => 1 / metrics[name].n, given)

interface Change {
  readonly kind: "regression" | "lost" | "note"
  readonly text: string
}

const changesOf = (before: Measurement, after: Measurement, seed: number, given: Gauges): ReadonlyArray<Change> =>
  metricNames.toSorted().flatMap((name): ReadonlyArray<Change> => {
    const [earlier, later] = [before.metrics[name], after.metrics[name]]
    const differences = differencesOf(before, after, name)
    if (earlier.state === "ok" && later.state !== "ok") {
      const isKept = differences.length > 0 && differences.every((each) => each >= 0)
      const text = `${name} can no longer be measured (${later.state})`
      return [{ kind: isKept ? "note" : "lost", text }]
    }
    if (earlier.state === "ok" && later.state === "ok") {
      // A metric that is 0 already cannot drop, but its items can get worse.
      const ofValue = earlier.value - later.value
      const ofItems = differences.length === 0 ? 0 : -mean(differences)
      const { floor } = given[name]
      const limit = floor + rounding
      if (Math.max(ofValue, ofItems) <= limit) return []
      const text =
        ofValue > limit
          ? `${name} dropped ${figure(ofValue)} below floor ${figure(floor)}`
          : `${name} of the same items dropped ${figure(ofItems)} on average, below floor ${figure(floor)}`
      return isWorse(differences, seed)
        ? [{ kind: "regression", text }]
        : [{ kind: "note", text: `${text}; the same items do not confirm it` }]
    }
    const isPoor = later.lo < 0.5 && isWorse(differences, seed)
    const isPoorFromTheStart = earlier.n === 0 && later.hi < 0.5 && differences.some((each) => each < 0)
    return isPoor || isPoorFromTheStart
      ? [{ kind: "regression", text: `${name} begins at ${figure(later.lo)} and its items are worse than before` }]
      : []
  })

/** Of the items that both measured. */
const differencesOf = (before: Measurement, after: Measurement, name: MetricName): ReadonlyArray<number> => {
  const earlier = before.items[name]
  const differences: Array<number> = []
  for (const [item, score] of after.items[name] ?? []) {
    const was = earlier?.get(item)
    if (was !== undefined) differences.push(score - was)
  }
  return differences
}

const plateauReason = ({ epsilon, window }: Plateau): string =>
  `${Math.max(leastWindow, window)} consecutive iterations below epsilon ${figure(epsilon)}`

const figure = (value: number): string => String(Number(value.toFixed(4)))
