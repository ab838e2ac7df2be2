/**
 * Turns the remaining items into the reported findings: numbered, fingerprinted, without those the user suppressed, and
 * with those of the baseline marked and their confidence as labels support it. Claims of models that their verdict contradicts are dropped, and so is suggested code that
 * it found wrong. A finding on a line where one was rejected before is named in the notes.
 */
import { Effect } from "effect"
import { markKnown } from "../../domain/finding/Baseline.ts"
import { type Dropped, Finding, type ReviewRecord, type Suppressed } from "../../domain/finding/Finding.ts"
import { type MergedItem, structureStack } from "../../domain/finding/MergedItem.ts"
import type { Verdict } from "../../domain/finding/Verdict.ts"
import { recordOfFinding } from "../../domain/fix/recordOfFinding.ts"
import type { RunState } from "../../domain/review/RunState.ts"
import { type Dismissal, Dismissals, rejectedText } from "../agent/Dismissals.ts"
import { Learned } from "../finding/Learned.ts"
import { calibratedFindings } from "./calibratedFindings.ts"
import { fingerprintedFindings } from "./fingerprintedFindings.ts"
import { suppress, unusedSuppressions } from "./suppress.ts"

export interface Conclusion {
  /** The most important first, numbered from 1. */
  readonly findings: ReadonlyArray<Finding>
  /** Numbered after the findings, so that hiding one changes no number. */
  readonly suppressed: ReadonlyArray<Suppressed>
  /** Claims of models that their verdict contradicts. */
  readonly contradicted: ReadonlyArray<Dropped>
  readonly notes: ReadonlyArray<string>
}

/** For findings of models: rules are suppressed by other means. */
const rejectedBefore = Effect.fnUntraced(function* (findings: ReadonlyArray<Finding>) {
  const dismissals = yield* Dismissals
  const byModel = new Map(
    findings.flatMap((finding) => (finding.source === "model" ? [[finding.fingerprint, finding] as const] : []))
  )
  const found = yield* dismissals(({ fingerprint }) => byModel.has(fingerprint), byModel.size)
  return found.flatMap((each) => {
    const finding = byModel.get(each.fingerprint)
    return finding === undefined ? [] : [rejectedNote(finding, each)]
  })
})

export const conclude = Effect.fn("Concluder.conclude")(function* ({
  items,
  change,
  coverage,
  known,
  reviewers,
  verdicts
}: Concluded) {
  const unused = yield* unusedSuppressions(items, change, coverage)
  const last = items.reduce((highest, { id }) => Math.max(highest, id), 0)
  const more = unused.records.map((record, at) => itemOf(record, last + at + 1))
  const all = markKnown(yield* fingerprintedFindings([...items, ...more], change), known)
  const { calibration } = yield* yield* Learned
  const shown = yield* suppress(all, change)
  const { kept, notes } = calibratedFindings(shown.kept, calibration, reviewers)
  const contradicted: Array<Dropped> = []
  const findings: Array<Finding> = []
  const faults: Array<string> = []
  for (const finding of kept) {
    const verdict = verdicts.get(finding.fingerprint)
    if (finding.source === "model" && verdict?.verdict === "contradicts") {
      contradicted.push(droppedBy(finding, verdict))
      continue
    }
    const fault = suggestionFault(finding, verdict)
    if (fault !== null) faults.push(`${finding.file}:${finding.line}: its suggested code is left out: ${fault}`)
    const suggestion = fault === null ? finding.suggestion : null
    findings.push(Finding.make({ ...finding, suggestion, id: findings.length + 1, verdict: verdict?.verdict ?? null }))
  }
  const rejected = yield* rejectedBefore(findings)
  return {
    findings,
    suppressed: shown.suppressed.map((each, at) => ({
      ...each,
      finding: Finding.make({ ...each.finding, id: findings.length + at + 1 })
    })),
    contradicted,
    notes: [...shown.notes, ...notes, ...unused.notes, ...faults, ...rejected]
  }
})

type Concluded = Pick<RunState, "items" | "change" | "known" | "coverage" | "reviewers" | "verdicts">

const suggestionFault = ({ source, suggestion }: Finding, verdict: Verdict | undefined): string | null => {
  const fault = verdict?.suggestion_fault?.trim() ?? ""
  return source === "model" && suggestion !== null && fault !== "" ? fault : null
}

const rejectedNote = ({ file, id, line }: Finding, before: Dismissal): string =>
  `Finding ${id} (${file}:${line}) is on a line where an earlier review had a rejected finding: ${rejectedText(before)}`

const droppedBy = (finding: Finding, { evidence }: Verdict): Dropped => ({
  reason: `the code contradicts it: ${evidence}`,
  record: recordOfFinding(finding),
  stack: finding.stack
})

/** A finding of dd itself, which is not merged with others. */
const itemOf = (record: ReviewRecord, id: number): MergedItem => ({
  id,
  record,
  stacks: [structureStack],
  lens: "structural",
  merged: []
})
