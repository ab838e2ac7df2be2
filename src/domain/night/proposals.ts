/**
 * The proposals of a night: the differences between what the labels of the build set support and what the current generation has.
 * So a second night on the same labels proposes nothing, and no label outside of the build set is evidence.
 *
 * In order: those that correct, then the best ratio of expected value to risk, then the id.
 */
import type { RuleCalibration } from "../finding/Calibration.ts"
import type { LearnedSuppression } from "../finding/LearnedSuppression.ts"
import { compareText } from "../text/compareText.ts"
import { isInFolder } from "../text/foldersAbove.ts"
import { bounded, calibrationBound } from "./evidence/bounds.ts"
import { type Opinion, refKey, refsOf } from "./evidence/opinions.ts"
import { basisOf, type Lesson, type Support, supported } from "./evidence/supported.ts"
import type { Generation, LearnedConvention, LearnedPlaybook, Maturity } from "./Generation.ts"
import type { Proposal, RefusedProposal } from "./Proposal.ts"
import { countingIn, heldIn } from "./rolledBack.ts"
import { wilson } from "./statistics.ts"

export const proposalsOf = (
  lesson: Lesson,
  current: Generation,
  refused: ReadonlyArray<RefusedProposal>
): ReadonlyArray<Proposal> => {
  const known = new Set(refused.map(({ basis, id }) => `${id} ${basis}`))
  const isRefused = (id: string, basis: string): boolean => known.has(`${id} ${basis}`)
  const has = new Set([...current.suppressions, ...current.conventions].map(({ id }) => id))
  const counts = countingIn(current)
  const support = supported(lesson, { has: (id) => has.has(id), isRefused, counts })
  const changes = new Changes(lesson, support, current)
  return [
    ...changes.ofSuppressions(current.suppressions),
    ...changes.ofCalibration(current.calibration),
    ...changes.ofConventions(current.conventions),
    ...changes.ofPlaybooks(current.playbooks)
  ]
    .filter(({ basis, corrects, id }) => corrects || !isRefused(id, basis))
    .sort((a, b) => Number(b.corrects) - Number(a.corrects) || worth(b) - worth(a) || compareText(a.id, b.id))
}

const worth = ({ expected, risk }: Proposal): number => expected / risk

/** It shows findings that were hidden, or removes advice. */
const leastRisk = 0.05

class Changes {
  private readonly lesson: Lesson
  private readonly support: Support
  private readonly judgements: ReadonlyMap<string, ReadonlyArray<Opinion>>
  private readonly isHeldBack: ReturnType<typeof heldIn>

  constructor(lesson: Lesson, support: Support, current: Generation) {
    this.lesson = lesson
    this.support = support
    this.judgements = Map.groupBy(support.judgements, ({ rule }) => rule)
    this.isHeldBack = heldIn(current, [...support.judgements, ...support.fixes])
  }

  ofSuppressions(current: ReadonlyArray<LearnedSuppression>): ReadonlyArray<Proposal> {
    const { now } = this.lesson
    const rejected = this.support.judgements.filter(({ value }) => value === "rejected")
    const isFree = this.freeOf(
      "suppression",
      current,
      rejected,
      ({ expires, folder, rule }) =>
        expires > now && !this.lesson.mustShow.some((each) => each.rule === rule && isInFolder(each.file, folder))
    )
    const { changed, ended } = differences(this.support.suppressions, current, overlaps, isFree)
    return [
      ...changed.flatMap(({ basis, item, known, replaced }): ReadonlyArray<Proposal> => {
        const isDue = known !== null && known.expires <= now
        if (known !== null && !isDue && isSame(item, { ...known, since: item.since, expires: item.expires })) return []
        const isNarrower = replaced.some(({ folder }) => item.folder.startsWith(folder))
        const kind = known !== null ? "renew" : isNarrower ? "narrow" : replaced.length > 0 ? "widen" : "suppress"
        const freed = replaced.reduce((sum, { accepted }) => sum + accepted, 1 - item.accepted)
        const put = { suppressions: [{ ...item, since: known?.since ?? item.since }] }
        const figures = isNarrower
          ? { expected: Math.max(1, freed), risk: leastRisk }
          : { expected: newLabels(item, known), risk: riskOf(item.rejected, item.accepted) }
        const corrects = isNarrower || lacksSome(item, known, replaced)
        return [{ kind, id: item.id, basis, evidence: item.evidence, ...figures, corrects, put, end: idsOf(replaced) }]
      }),
      ...ended.map((item) => this.end("expire", item, this.inFolder(item)))
    ]
  }

  ofConventions(current: ReadonlyArray<LearnedConvention>): ReadonlyArray<Proposal> {
    const decided = this.support.judgements.filter(({ value }) => value !== "contested")
    const isFree = this.freeOf("convention", current, decided)
    const { changed, ended } = differences(this.support.conventions, current, overlaps, isFree)
    return [
      ...changed.flatMap(({ basis, item, known, replaced }): ReadonlyArray<Proposal> => {
        if (known !== null && isSame(item, known)) return []
        const isDemoted = known !== null && certainty[item.maturity] < certainty[known.maturity]
        const risk = isDemoted ? leastRisk : riskOf(item.accepted, item.rejected)
        const figures = { expected: newLabels(item, known), risk }
        const corrects = isDemoted || lacksSome(item, known, replaced)
        const kind = isDemoted ? "demote" : "convention"
        const put = { conventions: [item] }
        return [{ kind, id: item.id, basis, evidence: item.evidence, ...figures, corrects, put, end: idsOf(replaced) }]
      }),
      ...ended.map((item) => this.end("retire", item, this.inFolder(item)))
    ]
  }

  ofPlaybooks(current: ReadonlyArray<LearnedPlaybook>): ReadonlyArray<Proposal> {
    const isFree = this.freeOf("playbook", current, this.support.fixes)
    const { changed, ended } = differences(this.support.playbooks, current, () => false, isFree)
    return [
      ...changed.flatMap(({ basis, item, known }): ReadonlyArray<Proposal> => {
        if (known !== null && isSame(item, known)) return []
        const figures = { expected: newLabels(item, known), risk: riskOf(item.passed, item.failed) }
        const put = { playbooks: [item] }
        const corrects = lacksSome(item, known, [])
        return [{ kind: "playbook", id: item.id, basis, evidence: item.evidence, ...figures, corrects, put, end: [] }]
      }),
      ...ended.map((item) =>
        this.end(
          "retire",
          item,
          this.support.fixes.filter(({ rule }) => rule === item.rule)
        )
      )
    ]
  }

  /** Rules that a rollback holds keep what they have. */
  ofCalibration(current: ReadonlyArray<RuleCalibration>): ReadonlyArray<Proposal> {
    const { basis, item: all } = this.support.calibration
    const isHeld = ({ rule }: RuleCalibration): boolean => this.isHeldBack("calibration", rule, "")
    const item = bounded(calibrationBound, [...all.filter((each) => !isHeld(each)), ...current.filter(isHeld)])
    if (isSame(item, current)) return []
    const labels = (table: ReadonlyArray<RuleCalibration>): number =>
      table.reduce((sum, { accepted, rejected }) => sum + accepted + rejected, 0)
    const expected = Math.max(1, Math.abs(labels(item) - labels(current)))
    const put = { calibration: item }
    const figures = { expected, risk: leastRisk, corrects: false }
    const evidence = item.flatMap((each) => each.evidence ?? [])
    return [{ kind: "calibrate", id: "calibration", basis, evidence, ...figures, put, end: [] }]
  }

  /** Neither held by a rollback, nor in place of what is. An item is held only while all its labels are `known`, and it `mayStay`. */
  private freeOf<A extends Item>(
    kind: "suppression" | "convention" | "playbook",
    current: ReadonlyArray<A>,
    known: ReadonlyArray<Opinion<string>>,
    mayStay: (item: A) => boolean = () => true
  ): (item: A) => boolean {
    const refs = new Set(known.map(({ ref }) => refKey(ref)))
    const held = current
      .filter(
        (item) =>
          this.isHeldBack(kind, item.rule, folderOf(item)) &&
          item.evidence.every((ref) => refs.has(refKey(ref))) &&
          mayStay(item)
      )
      .map((item) => ({ rule: item.rule, folder: folderOf(item) }))
    return (item) => !held.some((each) => overlaps(each, { rule: item.rule, folder: folderOf(item) }))
  }

  private inFolder({ folder, rule }: { readonly folder: string; readonly rule: string }): ReadonlyArray<Opinion> {
    return (this.judgements.get(rule) ?? []).filter(({ file }) => isInFolder(file, folder))
  }

  private end(kind: "expire" | "retire", { id }: Item, labels: ReadonlyArray<Opinion<string>>): Proposal {
    const basis = basisOf(labels, this.lesson.digest)
    const figures = { expected: labels.length + 1, risk: leastRisk, corrects: true }
    return { kind, id: `end-${id}`, basis, evidence: refsOf(labels), ...figures, put: {}, end: [id] }
  }
}

const certainty: Record<Maturity, number> = { contested: 0, candidate: 1, provisional: 2, established: 3 }

type Item = LearnedSuppression | LearnedConvention | LearnedPlaybook

/** Each supported item with the current one of its id and the current ones it replaces; and the current ones that end. */
const differences = <A extends Item>(
  all: ReadonlyArray<{ readonly item: A; readonly basis: string }>,
  now: ReadonlyArray<A>,
  replaces: (item: A, other: A) => boolean,
  isFree: (item: A) => boolean
) => {
  const support = all.filter(({ item }) => isFree(item))
  const current = now.filter(isFree)
  const stays = new Set(idsOf(support.map(({ item }) => item)))
  const byId = new Map(current.map((item) => [item.id, item]))
  const unsupported = current.filter(({ id }) => !stays.has(id))
  const replaced = new Set<A>()
  const changed = support.map(({ basis, item }) => {
    const own = unsupported.filter((other) => replaces(item, other))
    for (const other of own) replaced.add(other)
    return { basis, item, known: byId.get(item.id) ?? null, replaced: own }
  })
  return { changed, ended: unsupported.filter((item) => !replaced.has(item)) }
}

interface OfFolder {
  readonly folder: string
  readonly rule: string
}

const overlaps = (a: OfFolder, b: OfFolder): boolean =>
  a.rule === b.rule && (a.folder.startsWith(b.folder) || b.folder.startsWith(a.folder))

/** A playbook is of the whole repository. */
const folderOf = (item: Item): string => ("folder" in item ? item.folder : "")

const idsOf = (items: ReadonlyArray<Item>): ReadonlyArray<string> => items.map(({ id }) => id)

const isSame = (a: object, b: object): boolean => JSON.stringify(a) === JSON.stringify(b)

/** Labels of an item that the known one does not have; at least one. */
const newLabels = (item: Item, known: Item | null): number => {
  const had = new Set(known?.evidence.map(refKey))
  return Math.max(1, item.evidence.filter((ref) => !had.has(refKey(ref))).length)
}

/** Do the items that it replaces have labels that no longer hold? */
const lacksSome = (item: Item, known: Item | null, replaced: ReadonlyArray<Item>): boolean => {
  const has = new Set(item.evidence.map(refKey))
  return [...(known === null ? [] : [known]), ...replaced].some(({ evidence }) =>
    evidence.some((ref) => !has.has(refKey(ref)))
  )
}

/** The upper bound of the share that disagrees. */
const riskOf = (agreeing: number, others: number): number => 1 - wilson(agreeing, agreeing + others).lo
