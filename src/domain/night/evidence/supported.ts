/**
 * What the labels of the build set support: the suppressions, conventions, playbooks and the calibration of a corpus that is made
 * from them alone. Pure; the order of reviews does not matter.
 */

import type { Digest } from "../../dream/artifacts/ArtifactBase.ts"
import type { RuleCalibration } from "../../finding/Calibration.ts"
import { atLeast, type Severity } from "../../finding/Finding.ts"
import { folderWords, type LearnedSuppression } from "../../finding/LearnedSuppression.ts"
import { compareText } from "../../text/compareText.ts"
import { isInFolder } from "../../text/foldersAbove.ts"
import type { LearnedConvention, LearnedPlaybook, Maturity } from "../Generation.ts"
import type { LabelledReview } from "../LabelledReview.ts"
import type { MustShow } from "../mustShow.ts"
import { wilson } from "../statistics.ts"
import { type Bound, bounded, calibrationBound, conventionBound, playbookBound, suppressionBound } from "./bounds.ts"
import { fixesOf, judgementsOf, type Opinion, refsOf } from "./opinions.ts"
import { type LabelledRegion, type Region, regionsOf, widest } from "./regions.ts"

/** What a night learns from. */
export interface Lesson {
  readonly build: ReadonlyArray<LabelledReview>
  /** The gate and sealed sets. Never evidence: their newest labels only end, or prevent, what they contradict. */
  readonly later: ReadonlyArray<LabelledReview>
  /** The time of the newest review or judgement of all sets. */
  readonly newest: number
  /** Milliseconds since 1970. */
  readonly now: number
  readonly digest: Digest
  /** Of all sets: no suppression hides one, however new its label is. */
  readonly mustShow: ReadonlyArray<Pick<MustShow, "file" | "rule">>
  /** Rules that no suppression is learned for. */
  readonly isProtected: (rule: string) => boolean
}

export interface Memory {
  /** Has the corpus an item of this id? */
  readonly has: (id: string) => boolean
  /** Was it refused on an earlier night, with the same labels? */
  readonly isRefused: (id: string, basis: string) => boolean
  /** False for labels before a rollback, for what it took back. */
  readonly counts: (kind: "suppression" | "convention" | "playbook", opinion: Opinion<string>) => boolean
}

/** An item with what it was computed from: a digest of the labels for and against it. */
export interface Supported<A> {
  readonly item: A
  readonly basis: string
}

export interface Support {
  readonly suppressions: ReadonlyArray<Supported<LearnedSuppression>>
  readonly conventions: ReadonlyArray<Supported<LearnedConvention>>
  readonly playbooks: ReadonlyArray<Supported<LearnedPlaybook>>
  readonly calibration: Supported<ReadonlyArray<RuleCalibration>>
  /** What all of it was computed from. */
  readonly judgements: ReadonlyArray<Opinion>
  readonly fixes: ReadonlyArray<Opinion<"passed" | "failed">>
}

export const supported = (lesson: Lesson, memory: Memory): Support => {
  const judgements = judgementsOf(lesson.build)
  const fixes = fixesOf(lesson.build)
  const rules = byRule(judgements)
  const newest = Map.groupBy(judgementsOf([...lesson.build, ...lesson.later]), ({ rule }) => rule)
  const horizon = judgements.reduce((newest, { at }) => Math.max(newest, at), 0)
  const lag = Math.max(0, lesson.newest - horizon)
  const counted = <Value extends string>(
    kind: Parameters<Memory["counts"]>[0],
    agreeing: NoInfer<Value>,
    own: ReadonlyArray<Opinion<Value>>
  ) => own.filter((each) => each.value !== agreeing || memory.counts(kind, each))
  return {
    suppressions: strongest(
      suppressionBound,
      rules.flatMap(([rule, own]) =>
        lesson.isProtected(rule)
          ? []
          : suppressionsOf(
              rule,
              { own: counted("suppression", "rejected", own), newest: newest.get(rule) ?? [], lag },
              lesson,
              memory
            )
      )
    ),
    conventions: strongest(
      conventionBound,
      rules.flatMap(([rule, own]) =>
        conventionsOf(
          rule,
          { own: counted("convention", "accepted", own), newest: newest.get(rule) ?? [] },
          lesson,
          memory
        )
      )
    ),
    playbooks: strongest(
      playbookBound,
      byRule(fixes).flatMap(([rule, own]) => playbookOf(rule, counted("playbook", "passed", own), lesson))
    ),
    calibration: calibrationOf(judgements, lesson),
    judgements,
    fixes
  }
}

/** The claims of models have no rule that tells what they report. */
const byRule = <A extends { readonly rule: string }>(opinions: ReadonlyArray<A>) =>
  [...Map.groupBy(opinions, ({ rule }) => rule)].filter(([rule]) => !rule.startsWith("model/"))

const strongest = <A>({ key, labels, most }: Bound<A>, found: ReadonlyArray<Supported<A>>) =>
  bounded({ most, key: (each: Supported<A>) => key(each.item), labels: (each) => labels(each.item) }, found)

/** Labels that agree, and the reviews they are from. */
const least = { findings: 3, reviews: 2 }
const leastForHigh = { findings: 5, reviews: 3 }
const day = 86_400_000
/** Without a rejection for this long, a suppression ends. */
export const ninetyDays = 90 * day

/** Of the labels of a suppression, those that reject are nearly all. */
const mostOthers = 0.2
/** People may have changed their mind: half of so many newest labels end what they contradict. */
const newestLabels = 8

/** `newest`: labels of all sets, the oldest first. */
const isDoubted = (newest: ReadonlyArray<Opinion>, folder: string, agreeing: Opinion["value"]): boolean => {
  const own = newest.filter(({ file }) => isInFolder(file, folder)).slice(-newestLabels)
  return 2 * own.filter(({ value }) => value !== agreeing).length >= own.length
}

/** Of one rule. */
interface Labels {
  readonly own: ReadonlyArray<Opinion>
  /** Of all sets, the oldest first. */
  readonly newest: ReadonlyArray<Opinion>
}

/**
 * The labels of the build set end some time before the newest review. This `lag` is no age: a suppression ages by what came
 * since, as if the labels of all sets were known.
 */
const suppressionsOf = (
  rule: string,
  { lag, newest, own }: Labels & { readonly lag: number },
  { digest, mustShow, now }: Lesson,
  memory: Memory
) => {
  const ownMustShow = mustShow.filter((each) => each.rule === rule)
  const expiry = ({ last }: Region): number => last + lag + ninetyDays
  const isSupported = (region: Region): boolean =>
    !region.hasOtherHigh &&
    !ownMustShow.some(({ file }) => isInFolder(file, region.folder)) &&
    isEnough(region, region.hasHigh ? leastForHigh : least) &&
    wilson(region.agreeing, region.agreeing + region.others).lo >= 0.5 &&
    region.others < mostOthers * (region.agreeing + region.others) &&
    expiry(region) > now
  const itemOf = (region: LabelledRegion): Supported<LearnedSuppression> => {
    const id = `sup-${digest(`${rule}\n${region.folder}`).slice(0, 16)}`
    const rejected = region.labels.filter(({ value }) => value === "rejected")
    const item: LearnedSuppression = {
      id,
      rule,
      folder: region.folder,
      rejected: rejected.length,
      accepted: region.labels.filter(({ value }) => value === "accepted").length,
      evidence: refsOf(rejected),
      since: now,
      expires: expiry(region),
      severity: highestOf(rejected)
    }
    return { item, basis: basisOf(region.labels, digest) }
  }
  const doubted = ({ folder }: Region): boolean => isDoubted(newest, folder, "rejected")
  return inWidest(regionsOf(own, "rejected", isSupported), itemOf, memory, doubted)
}

const highestOf = (labels: ReadonlyArray<Opinion>): Severity =>
  labels.reduce<Severity>((highest, { severity }) => (atLeast(severity, highest) ? severity : highest), "low")

const inWidest = <A extends { readonly id: string }>(
  regions: ReadonlyArray<LabelledRegion>,
  itemOf: (region: LabelledRegion) => Supported<A>,
  { has, isRefused }: Memory,
  isDoubted: (region: LabelledRegion) => boolean
): ReadonlyArray<Supported<A>> =>
  widest(
    regions,
    itemOf,
    ({ basis, item }) => isRefused(item.id, basis),
    ({ item }) => has(item.id),
    isDoubted
  )

const isEnough = ({ agreeing, reviews }: Region, { findings, reviews: from }: typeof least): boolean =>
  agreeing >= findings && reviews >= from

const conventionsOf = (rule: string, { newest, own }: Labels, { digest }: Lesson, memory: Memory) => {
  const isSupported = (region: Region): boolean =>
    isEnough(region, least) && wilson(region.agreeing, region.agreeing + region.others).hi >= 0.5
  const itemOf = (region: LabelledRegion): Supported<LearnedConvention> => {
    const { folder, labels } = region
    const id = `con-${digest(`${rule}\n${folder}`).slice(0, 16)}`
    const counted = labels.filter(({ value }) => value !== "contested")
    const maturity = maturityOf(region.agreeing, region.others)
    const words = wordsOf(maturity, `what ${rule} reports (${commonTitle(labels)})`)
    const item: LearnedConvention = {
      id,
      rule,
      folder,
      text:
        folder === "" ? `${words.slice(0, 1).toUpperCase()}${words.slice(1)}` : `In ${folderWords(folder)}, ${words}`,
      maturity,
      accepted: region.agreeing,
      rejected: counted.length - region.agreeing,
      evidence: refsOf(counted)
    }
    return { item, basis: basisOf(labels, digest) }
  }
  // A contested one advises nothing.
  const doubted = ({ agreeing, folder, others }: Region): boolean =>
    maturityOf(agreeing, others) !== "contested" && isDoubted(newest, folder, "accepted")
  return inWidest(regionsOf(own, "accepted", isSupported), itemOf, memory, doubted)
}

/** By the lower bound of the share that agrees: six of six are provisional, sixteen of sixteen established. */
const maturityOf = (agreeing: number, others: number): Maturity => {
  const { lo } = wilson(agreeing, agreeing + others)
  if (others > 0 && lo < 0.5) return "contested"
  return lo >= 0.8 ? "established" : lo >= 0.6 ? "provisional" : "candidate"
}

/** Only what people agree on reads like a rule. */
const wordsOf = (maturity: Maturity, reported: string): string => {
  switch (maturity) {
    case "contested":
      return `people disagree on ${reported}: it is no rule here`
    case "candidate":
      return `consider avoiding ${reported}: people tend to accept its findings here`
    case "provisional":
      return `avoid ${reported}: people mostly accept its findings here`
    case "established":
      return `avoid ${reported}: people accept its findings here`
  }
}

const playbookOf = (
  rule: string,
  own: ReadonlyArray<Opinion<"passed" | "failed">>,
  { digest }: Lesson
): ReadonlyArray<Supported<LearnedPlaybook>> => {
  const passed = own.filter(({ value }) => value === "passed")
  const reviews = new Set(passed.map(({ ref }) => ref.session)).size
  const isKept = passed.length >= least.findings && reviews >= least.reviews && 2 * passed.length > own.length
  if (!isKept) return []
  const check = mostFrequent(passed.flatMap(({ check }) => check ?? []))
  const item: LearnedPlaybook = {
    id: `pbk-${digest(rule).slice(0, 16)}`,
    rule,
    text: `Fix what ${rule} reports (${commonTitle(own)})${check === null ? "" : `, then run ${check}`}`,
    check,
    passed: passed.length,
    failed: own.length - passed.length,
    evidence: refsOf(own)
  }
  return [{ item, basis: basisOf(own, digest) }]
}

/** The weight of the base rate, in labels. */
const baseWeight = 4

const calibrationOf = (
  judgements: ReadonlyArray<Opinion>,
  { digest }: Lesson
): Supported<ReadonlyArray<RuleCalibration>> => {
  const decided = judgements.filter(({ value }) => value !== "contested")
  const acceptedOf = (some: ReadonlyArray<Opinion>) => some.filter(({ value }) => value === "accepted").length
  const base = acceptedOf(decided) / decided.length
  const rows = [...Map.groupBy(decided, ({ by, rule }) => JSON.stringify([rule, by])).values()].map((own) => {
    const accepted = acceptedOf(own)
    const probability = (accepted + baseWeight * base) / (own.length + baseWeight)
    const { by, rule } = own[0]!
    const id = `cal-${digest(`${rule}\n${by}`).slice(0, 16)}`
    return { id, rule, by, accepted, rejected: own.length - accepted, probability, evidence: refsOf(own) }
  })
  return { item: bounded(calibrationBound, rows), basis: basisOf(decided, digest) }
}

export const basisOf = (opinions: ReadonlyArray<Opinion<string>>, digest: Digest): string => {
  const rows = opinions.map(({ ref, value }) => JSON.stringify([ref.session, ref.finding, value]))
  return digest(rows.sort().join("\n")).slice(0, 16)
}

const commonTitle = (opinions: ReadonlyArray<Opinion<string>>): string =>
  (mostFrequent(opinions.map(({ title }) => title)) ?? "").slice(0, 160)

/** Of those that are equally frequent, the first in code-unit order. */
const mostFrequent = (values: ReadonlyArray<string>): string | null => {
  const groups = [...Map.groupBy(values, (value) => value)]
  groups.sort(([a, as], [b, bs]) => bs.length - as.length || compareText(a, b))
  return groups[0]?.[0] ?? null
}
