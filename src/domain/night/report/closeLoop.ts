/** What a night did to the corpus: the object `close_loop` of the summary. */
import { calibrated } from "../../finding/Calibration.ts"
import { folderWords, type LabelRef } from "../../finding/LearnedSuppression.ts"
import { oneLine } from "../../text/Printable.ts"
import { plural } from "../../text/plural.ts"
import { refKey } from "../evidence/opinions.ts"
import type { Generation } from "../Generation.ts"
import type { Split } from "../LabelledReview.ts"
import type { ProposalKind } from "../Proposal.ts"
import type { IterationSummary } from "../Summary.ts"
import { dayOf } from "./conditions.ts"

export const closeLoopOf = (night: {
  readonly before: Generation
  readonly after: Generation
  readonly reviews: number
  /** Labels of people, and those of them that the night before did not know. */
  readonly labels: number
  readonly newLabels: number
}) => {
  const { after, before, labels, newLabels, reviews } = night
  const [old, now] = [itemsOf(before), itemsOf(after)]
  const added = [...now].filter(([id]) => !old.has(id)).map(([, item]) => wordsOf(item))
  const removed = [...old].filter(([id]) => !now.has(id)).map(([, item]) => wordsOf(item))
  const changed = [...now].flatMap(([id, item]) => changeWords(old.get(id) ?? item, item))
  const promoted = added.length
  return {
    source: "dd",
    generation_before: before.number,
    generation_after: after.number,
    reviews,
    ingested: labels,
    promoted,
    expired: removed.length,
    updated: changed.length,
    contested: after.conventions.filter(({ maturity }) => maturity === "contested").length,
    suppressions: after.suppressions.length,
    conventions: after.conventions.length,
    playbooks: after.playbooks.length,
    calibrated_rules: after.calibration.length,
    throughput_stalled: isStalled(newLabels, promoted + changed.length),
    /** In words. */
    added,
    removed,
    changed
  }
}

/** Why labels that are new since the generation that counts taught nothing; null: there are none. */
export const freshLabelsNote = ({ build, gate, sealed }: Split, since: number, isRefused: boolean): string | null => {
  const fresh = (set: Split["build"]) =>
    set.flatMap(({ findings }) => findings).filter(({ judgedAt }) => judgedAt !== null && judgedAt > since).length
  const [learned, deciding, kept] = [fresh(build), fresh(gate), fresh(sealed)]
  if (learned + deciding + kept === 0) return null
  const later = `${deciding} are of newer reviews, which decide, and ${kept} of the newest, which are sealed: they are learned from when reviews after them have labels`
  const why = isRefused
    ? "what they suggest was not kept, as the iterations say"
    : "are too few, or too divided, to change anything"
  const now = `${learned} are of reviews that are learned from, and ${why}`
  return `${plural(learned + deciding + kept, "label is", "labels are")} new, and nothing was learned from them: ${[
    ...(learned === 0 ? [] : [now]),
    ...(deciding + kept === 0 ? [] : [later])
  ].join("; ")}.`
}

const nouns: Readonly<Record<ProposalKind, string>> = {
  ...{ suppress: "new suppression", widen: "wider suppression", narrow: "narrower suppression" },
  ...{ renew: "renewed suppression", expire: "ended suppression", calibrate: "calibration" },
  ...{ convention: "convention", demote: "less certain convention", playbook: "playbook", retire: "ended item" }
}

/** What the gate refused and so ended the night, by kind; null: nothing. */
export const refusalNote = (iterations: ReadonlyArray<IterationSummary>): string | null => {
  const halted = iterations.at(-1)
  if (halted?.status !== "halted-on-regression-pre-commit") return null
  const batch = Object.entries(nouns).flatMap(([kind, noun]) => {
    const count = halted.reduce?.[kind]
    return typeof count === "number" && count > 0 ? [plural(count, noun)] : []
  })
  return `Iteration ${halted.index} was not kept, and ended the night: ${batch.join(", ")}. Proposals after it, and those of it that were not refused themselves, are tried by the next night.`
}

/** Labels come in, and nothing is learned from them. */
export const isStalled = (ingested: number, promoted: number): boolean => ingested > 0 && promoted === 0

const mostNamed = 20

/** For the summary: the first ones of what was added, removed and changed. */
export const closeLoopInShort = (closed: ReturnType<typeof closeLoopOf>) => ({
  ...closed,
  added: closed.added.slice(0, mostNamed),
  removed: closed.removed.slice(0, mostNamed),
  changed: closed.changed.slice(0, mostNamed)
})

interface Item {
  readonly what: string
  readonly counts: string
  /** What else a night may change of it. */
  readonly details: ReadonlyArray<string>
  readonly evidence: string
}

/** Each learned item by its id. */
const itemsOf = ({ calibration, conventions, playbooks, suppressions }: Generation): ReadonlyMap<string, Item> =>
  new Map([
    ...suppressions.map((each) => {
      const { accepted, expires, folder, id, rejected, rule, severity = "high" } = each
      return itemOf(id, each, {
        what: `Findings of ${oneLine(rule)} in ${place(folder)} are hidden`,
        counts: `people rejected ${rejected} of ${rejected + accepted}`,
        details: [`until ${dayOf(expires)}`, `up to severity ${severity}`]
      })
    }),
    ...conventions.map((each) => {
      const { accepted, folder, id, maturity, rejected, rule } = each
      return itemOf(id, each, {
        what: `A ${maturity === "contested" ? "contested convention" : "convention"} on ${oneLine(rule)} in ${place(folder)}`,
        counts: `people accepted ${accepted} of ${rejected + accepted}`,
        details: [maturity]
      })
    }),
    ...playbooks.map((each) => {
      const { check, failed, id, passed, rule } = each
      return itemOf(id, each, {
        what: `How to fix ${oneLine(rule)}`,
        counts: `${passed} of ${plural(passed + failed, "fix", "fixes")} passed`,
        details: [check === null ? "no check" : `the check ${oneLine(check)}`]
      })
    }),
    ...calibration.map((each) => {
      const { accepted, by, id = `${each.rule} ${by}`, rejected, rule } = each
      // LOW is no confidence of a finding: it comes back if the labels change nothing.
      const level = calibrated("LOW", each)
      return itemOf(id, each, {
        what: `The confidence of ${oneLine(rule)}${by === "static" ? "" : ` by ${oneLine(by)}`}`,
        counts: `${level === "LOW" ? "as reported" : level}, people accepted ${accepted} of ${rejected + accepted}`,
        details: []
      })
    })
  ])

const itemOf = (
  id: string,
  { evidence = [] }: { readonly evidence?: ReadonlyArray<LabelRef> },
  words: Omit<Item, "evidence">
) => [id, { ...words, evidence: evidence.map(refKey).join(" ") }] as const

const wordsOf = ({ counts, what }: Item): string => `${what}: ${counts}`

/** Nothing for an item that stayed as it was. */
const changeWords = (old: Item, now: Item): ReadonlyArray<string> => {
  const [was, is] = [factsOf(old), factsOf(now)]
  const before = was.filter((fact) => !is.includes(fact))
  const after = is.filter((fact) => !was.includes(fact))
  if (before.length > 0) return [`${now.what}: ${after.join(", ")} (before: ${before.join(", ")})`]
  return old.evidence === now.evidence ? [] : [`${wordsOf(now)}, with other labels as evidence`]
}

const factsOf = ({ counts, details }: Item): ReadonlyArray<string> => [counts, ...details]

const place = (folder: string): string => oneLine(folderWords(folder))
