/** What must hold of a draft, whatever it is worth: its evidence resolves, none is lost, and none is from held-out reviews. */
import type { LabelRef } from "../finding/LearnedSuppression.ts"
import { fixesOf, judgementsOf, type Opinion, refKey } from "./evidence/opinions.ts"
import type { Generation } from "./Generation.ts"
import type { Split } from "./LabelledReview.ts"

export interface IntegrityFault {
  readonly kind: "duplicate-id" | "holdout-leak" | "lost-evidence" | "lost-label" | "unresolved-evidence"
  /** The item of the corpus, and the label. */
  readonly detail: string
}

/** Digests of the label log, before and after the draft was made. */
export interface LabelLog {
  readonly before: string
  readonly after: string
}

export const integrityFaults = (
  base: Generation,
  draft: Generation,
  split: Split,
  log: LabelLog
): ReadonlyArray<IntegrityFault> => {
  const heldOut = new Set([...split.gate, ...split.sealed].map(({ session }) => session))
  const judgements = judgementsOf(split.build)
  const rejected = keysOf(judgements.filter(({ value }) => value === "rejected"))
  const decided = keysOf(judgements.filter(({ value }) => value !== "contested"))
  const fixes = keysOf(fixesOf(split.build))
  return [
    ...(log.before === log.after ? [] : [fault("lost-label", "the log of labels", "changed during the night")]),
    ...faultsOf(base.suppressions, draft.suppressions, rejected, heldOut),
    ...faultsOf(base.conventions, draft.conventions, decided, heldOut),
    ...faultsOf(base.playbooks, draft.playbooks, fixes, heldOut)
  ]
}

const keysOf = (opinions: ReadonlyArray<Opinion<string>>): ReadonlySet<string> =>
  new Set(opinions.map(({ ref }) => refKey(ref)))

const fault = (kind: IntegrityFault["kind"], item: string, what: string): IntegrityFault => ({
  kind,
  detail: `${item}: ${what}`
})

interface Evidenced {
  readonly id: string
  readonly rule: string
  /** Absent: the item is about the whole repository. */
  readonly folder?: string
  readonly evidence: ReadonlyArray<LabelRef>
}

/** `resolving`: the labels of the build set that may be evidence of these items. */
const faultsOf = (
  before: ReadonlyArray<Evidenced>,
  after: ReadonlyArray<Evidenced>,
  resolving: ReadonlySet<string>,
  heldOut: ReadonlySet<string>
): ReadonlyArray<IntegrityFault> => {
  const ids = new Set<string>()
  const faults = after.flatMap(({ evidence, id }) => {
    const repeated = ids.has(id) ? [fault("duplicate-id", id, "is there twice")] : []
    ids.add(id)
    const wrong = evidence.flatMap((ref) => {
      if (heldOut.has(ref.session)) return [fault("holdout-leak", id, refKey(ref))]
      return resolving.has(refKey(ref)) ? [] : [fault("unresolved-evidence", id, refKey(ref))]
    })
    return [...repeated, ...wrong]
  })
  const byRule = Map.groupBy(after, ({ rule }) => rule)
  const lost = before.flatMap((item) => {
    const heirs = (byRule.get(item.rule) ?? []).filter((each) => (item.folder ?? "").startsWith(each.folder ?? ""))
    if (heirs.length === 0) return []
    const kept = new Set(heirs.flatMap(({ evidence }) => evidence.map(refKey)))
    const missing = item.evidence.map(refKey).filter((key) => resolving.has(key) && !kept.has(key))
    return missing.map((key) => fault("lost-evidence", item.id, key))
  })
  return [...faults, ...lost]
}
