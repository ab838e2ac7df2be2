/**
 * Applies proposals to a generation, ten at a time. Each is first tried on the newest labels of the build set, on top of those
 * before it: what hurts there is dropped, for the caller to remember. The draft is sorted, bounded, and the same for the same
 * input.
 */
import { atLeast } from "../finding/Finding.ts"
import { hides, type LearnedSuppression } from "../finding/LearnedSuppression.ts"
import { compareText } from "../text/compareText.ts"
import { foldersAbove, isInFolder } from "../text/foldersAbove.ts"
import { bounded, calibrationBound, conventionBound, playbookBound, suppressionBound } from "./evidence/bounds.ts"
import { compareRefs, judgementsOf, type Opinion, refKey } from "./evidence/opinions.ts"
import { ninetyDays } from "./evidence/supported.ts"
import { Generation, type LearnedConvention } from "./Generation.ts"
import type { LabelledReview } from "./LabelledReview.ts"
import type { Learned, Proposal } from "./Proposal.ts"
import { mean, squaredError } from "./statistics.ts"

const batchSize = 10

/** Those that correct are one batch, however many: no draft has evidence that no longer resolves. */
export const batchesOf = (proposals: ReadonlyArray<Proposal>): ReadonlyArray<ReadonlyArray<Proposal>> => {
  const correcting = proposals.filter(({ corrects }) => corrects)
  const adding = proposals.filter(({ corrects }) => !corrects)
  const batches = correcting.length === 0 ? [] : [correcting]
  for (let at = 0; at < adding.length; at += batchSize) batches.push(adding.slice(at, at + batchSize))
  return batches
}

/** What makes the draft. */
export interface Maker {
  readonly run: string
  readonly iteration: number
  /** Milliseconds since 1970. */
  readonly now: number
}

export interface Reduced {
  readonly draft: Generation
  readonly kept: ReadonlyArray<Proposal>
  /** They hurt on the build set. */
  readonly dropped: ReadonlyArray<Proposal>
  /** Items that were merged into others. */
  readonly merged: number
}

/** The labels of the build set are prepared once for all batches. */
export const reducerOn = (build: ReadonlyArray<LabelledReview>) => {
  const recent = recentOf(build)
  return (base: Generation, batch: ReadonlyArray<Proposal>, maker: Maker): Reduced => {
    const kept: Array<Proposal> = []
    const dropped: Array<Proposal> = []
    let learned: Learned = base
    for (const proposal of batch) {
      const next = withProposal(learned, proposal)
      const isDropped = !proposal.corrects && hurts(proposal, learned, next, recent, maker.now)
      ;(isDropped ? dropped : kept).push(proposal)
      if (!isDropped) learned = next
    }
    const merged = sizeOf(learned) - sizeOf(withoutNested(learned))
    return { draft: draftOf(base, learned, maker), kept, dropped, merged }
  }
}

/** A batch without the try. */
export const applied = (base: Generation, batch: ReadonlyArray<Proposal>, maker: Maker): Generation =>
  draftOf(base, batch.reduce<Learned>(withProposal, base), maker)

const draftOf = (base: Generation, learned: Learned, { iteration, now, run }: Maker): Generation => {
  const { calibration, conventions, playbooks, suppressions } = withoutNested(learned)
  return Generation.make({
    v: 1,
    project: base.project,
    number: base.number + 1,
    base: base.number,
    at: now,
    run,
    iteration,
    suppressions: bounded(suppressionBound, suppressions),
    conventions: bounded(conventionBound, conventions),
    playbooks: bounded(playbookBound, playbooks),
    calibration: bounded(calibrationBound, calibration),
    ...(base.rolledBack !== undefined && { rolledBack: base.rolledBack })
  })
}

const sizeOf = ({ conventions, suppressions }: Learned): number => conventions.length + suppressions.length

const withProposal = (learned: Learned, { end, put }: Proposal): Learned => {
  const ended = new Set(end)
  const replaced = <A extends { readonly id: string }>(items: ReadonlyArray<A>, added: ReadonlyArray<A> = []) => {
    const ids = new Set(added.map(({ id }) => id))
    return [...items.filter(({ id }) => !ended.has(id) && !ids.has(id)), ...added]
  }
  return {
    suppressions: replaced(learned.suppressions, put.suppressions),
    conventions: replaced(learned.conventions, put.conventions),
    playbooks: replaced(learned.playbooks, put.playbooks),
    calibration: put.calibration ?? learned.calibration
  }
}

/** An item in a folder below that of another of its rule is merged into it, with its evidence. */
const withoutNested = (learned: Learned): Learned => ({
  ...learned,
  suppressions: merging(learned.suppressions, (outer, inner): LearnedSuppression => {
    const evidence = union(outer, inner)
    const [since, expires] = [Math.min(outer.since, inner.since), Math.max(outer.expires, inner.expires)]
    const accepted = Math.max(outer.accepted, inner.accepted)
    const merged = { ...outer, rejected: evidence.length, accepted, evidence, since, expires }
    if (outer.severity === undefined || inner.severity === undefined) return merged
    return { ...merged, severity: atLeast(outer.severity, inner.severity) ? outer.severity : inner.severity }
  }),
  conventions: merging(learned.conventions, (outer, inner): LearnedConvention => {
    // The next night counts again.
    const accepted = Math.max(outer.accepted, inner.accepted)
    return { ...outer, accepted, rejected: Math.max(outer.rejected, inner.rejected), evidence: union(outer, inner) }
  })
})

const union = (a: Pick<LearnedSuppression, "evidence">, b: Pick<LearnedSuppression, "evidence">) =>
  [...new Map([...a.evidence, ...b.evidence].map((ref) => [refKey(ref), ref])).values()].sort(compareRefs)

const merging = <A extends { readonly rule: string; readonly folder: string }>(
  items: ReadonlyArray<A>,
  merge: (outer: A, inner: A) => A
): ReadonlyArray<A> => {
  const placeOf = (rule: string, folder: string): string => `${rule}\n${folder}`
  const kept = new Map<string, A>()
  // A folder comes before those below it.
  for (const item of items.toSorted((a, b) => compareText(a.folder, b.folder))) {
    const outer = foldersAbove(item.folder)
      .map((folder) => placeOf(item.rule, folder))
      .find((place) => kept.has(place))
    if (outer === undefined) kept.set(placeOf(item.rule, item.folder), item)
    else kept.set(outer, merge(kept.get(outer)!, item))
  }
  return [...kept.values()]
}

type ByRule = ReadonlyMap<string, ReadonlyArray<Opinion>>

/** The judgements of the last 90 days of the build set, in which people may have changed their mind. */
const recentOf = (build: ReadonlyArray<LabelledReview>): ByRule => {
  const judgements = judgementsOf(build)
  const newest = judgements.reduce((latest, { at }) => Math.max(latest, at), 0)
  return Map.groupBy(
    judgements.filter(({ at }) => at > newest - ninetyDays),
    ({ rule }) => rule
  )
}

const hurts = ({ put }: Proposal, before: Learned, after: Learned, recent: ByRule, now: number): boolean =>
  (put.suppressions ?? []).some(({ folder, rule }) => {
    // What it replaces is in a folder below.
    const labels = (recent.get(rule) ?? []).filter(({ file }) => isInFolder(file, folder))
    return worthOf(rule, after, labels, now) < worthOf(rule, before, labels, now)
  }) ||
  (put.conventions ?? []).some((convention) => isOutvoted(convention, recent)) ||
  (put.calibration !== undefined && errorOf(after, recent) > errorOf(before, recent))

/** A hidden finding that somebody accepts costs as much as two rejected ones are worth. */
const acceptedCost = 2

const worthOf = (rule: string, { suppressions }: Learned, labels: ReadonlyArray<Opinion>, now: number): number => {
  const own = suppressions.filter((each) => each.rule === rule)
  return labels
    .filter((label) => own.some((each) => hides(each, label, now)))
    .reduce((sum, { value }) => sum + (value === "rejected" ? 1 : -acceptedCost), 0)
}

const isOutvoted = ({ folder, maturity, rule }: LearnedConvention, recent: ByRule): boolean => {
  const labels = (recent.get(rule) ?? []).filter(({ file }) => isInFolder(file, folder))
  const accepted = labels.filter(({ value }) => value === "accepted").length
  return maturity !== "contested" && 2 * accepted < labels.length
}

/** The mean squared error of the table; a rule that it does not have is predicted by the share of all labels. */
const errorOf = ({ calibration }: Learned, recent: ByRule): number => {
  const labels = [...recent.values()].flat().filter(({ value }) => value !== "contested")
  const base = labels.filter(({ value }) => value === "accepted").length / labels.length
  const table = new Map(calibration.map(({ by, probability, rule }) => [JSON.stringify([rule, by]), probability]))
  return mean(
    labels.map(({ by, rule, value }) =>
      squaredError({ probability: table.get(JSON.stringify([rule, by])) ?? base, accepted: value === "accepted" })
    )
  )
}
