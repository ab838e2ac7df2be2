/**
 * A second opinion on claims of models: those of high severity, and those on whose severity two stacks disagree.
 *
 * Fails open. A record is dropped only by an explicit `keep: false` and revised only by an explicit `keep: true`; no
 * verdict, an ambiguous one, or no arbiter at all leaves it unchanged.
 */
import { Effect } from "effect"
import type { ArbiterVerdict, Contested } from "../../domain/agent/Task.ts"
import type { Change } from "../../domain/change/Change.ts"
import { type Dropped, ReviewRecord } from "../../domain/finding/Finding.ts"
import type { StackRecords } from "../../domain/finding/StackReport.ts"
import { plural } from "../../domain/text/plural.ts"
import { Agent } from "../agent/Agent.ts"
import { FailPolicy, failsOpen } from "../run/FailPolicy.ts"

export interface Arbitration {
  /** The same stacks in the same order; a stack may be left with no records. */
  readonly records: ReadonlyArray<StackRecords>
  readonly dropped: ReadonlyArray<Dropped>
  /** Whether there is a clear verdict on every contested record. */
  readonly isComplete: boolean
}

export const arbitrate = Effect.fn("Arbiter.arbitrate")(
  function* (change: Change, intent: string, records: ReadonlyArray<StackRecords>) {
    const agent = yield* Agent
    const onFailure = yield* FailPolicy
    const contested = needSecondOpinion(records)
    if (contested.length === 0) return { records, dropped: [], isComplete: true }
    const reply = yield* agent.invoke(
      { _tag: "Arbitrate", change, intent, contested },
      { phase: "arbiter" },
      { findings: [] }
    )
    const { undecided, verdicts } = clearVerdicts(contested, reply.findings)
    if (undecided.length > 0) {
      const places = undecided.slice(0, mostNamed).map(({ record, why }) => `${record.file}:${record.line} (${why})`)
      const more = undecided.length > mostNamed ? ` and ${undecided.length - mostNamed} more` : ""
      const detail = `no clear verdict on ${undecided.length} of ${plural(contested.length, "claim")}, which stay as they were: ${places.join(", ")}${more}`
      yield* onFailure.degrade({ step: "arbiter", error: "ArbiterUndecided", detail })
    }
    return { ...applyVerdicts(records, contested, verdicts), isComplete: undecided.length === 0 }
  },
  (self, _change, _intent, records) =>
    self.pipe(failsOpen<Arbitration>("arbiter", { records, dropped: [], isComplete: false }))
)

/** `structure` covers the whole change; the arbiter judges only the language stacks. */
const isLanguage = ({ stack }: StackRecords): boolean => stack.name !== "structure"

/**
 * Claims of high severity, and those at places where two stacks report different severities; not findings of rules.
 * Numbered from 1 in the order of the records.
 */
export const needSecondOpinion = (all: ReadonlyArray<StackRecords>): ReadonlyArray<Contested> => {
  const places = new Map<string, { readonly stacks: Set<string>; readonly severities: Set<string> }>()
  const placeOf = (record: ReviewRecord) => `${record.file}\0${record.line}`
  for (const { stack, records } of all.filter(isLanguage)) {
    for (const record of records) {
      const place = places.get(placeOf(record)) ?? { stacks: new Set(), severities: new Set() }
      place.stacks.add(stack.name)
      place.severities.add(record.severity)
      places.set(placeOf(record), place)
    }
  }
  const contested: Array<Contested> = []
  for (const { stack, records } of all.filter(isLanguage)) {
    for (const record of records) {
      if (record.rule !== undefined) continue
      const place = places.get(placeOf(record))!
      if (record.severity === "high" || (place.stacks.size >= 2 && place.severities.size >= 2)) {
        contested.push({ arbId: contested.length + 1, stack: stack.name, record })
      }
    }
  }
  return contested
}

/** A degraded entry names at most this many places. */
const mostNamed = 5

/**
 * One verdict for each record. A record is `undecided` if its verdicts contradict each other or `keep` is neither true nor
 * false.
 */
export const clearVerdicts = (contested: ReadonlyArray<Contested>, verdicts: ReadonlyArray<ArbiterVerdict>) => {
  const byId = Map.groupBy(verdicts, (verdict) => verdict.arb_id)
  const clear = new Map<number, ArbiterVerdict>()
  const undecided: Array<{ readonly record: ReviewRecord; readonly why: string }> = []
  for (const { arbId, record } of contested) {
    const [first, ...others] = byId.get(arbId) ?? []
    const undecidable = (why: string) => undecided.push({ record, why })
    if (first === undefined) undecidable("no verdict")
    else if (others.some((other) => JSON.stringify(other) !== JSON.stringify(first))) {
      undecidable("contradictory verdicts")
    } else if (typeof first.keep !== "boolean") undecidable("keep is neither true nor false")
    else clear.set(arbId, first)
  }
  return { verdicts: clear, undecided }
}

/**
 * Pure, total, order-preserving. A verdict may revise severity, confidence and text, never the place; a record without a
 * verdict passes through.
 */
export const applyVerdicts = (
  all: ReadonlyArray<StackRecords>,
  contested: ReadonlyArray<Contested>,
  verdicts: ReadonlyMap<number, ArbiterVerdict>
): Pick<Arbitration, "records" | "dropped"> => {
  const verdictOn = new Map(contested.map((each) => [each.record, verdicts.get(each.arbId)]))
  const dropped: Array<Dropped> = []
  const records = all.map(({ stack, records }) => ({
    stack,
    records: records.flatMap((record) => {
      const verdict = verdictOn.get(record)
      if (verdict === undefined) return [record]
      if (verdict.keep === true) return [revise(record, verdict)]
      const why = verdict.rationale ?? verdict.evidence ?? ""
      dropped.push({ reason: `the arbiter dropped it${why === "" ? "" : `: ${why}`}`, record, stack: stack.name })
      return []
    })
  }))
  return { records, dropped }
}

/**
 * Makes a kept record pass the evidence gate: blank text changes nothing, LOW confidence becomes MEDIUM, and the record
 * keeps its own evidence. A new description removes the old title.
 */
const revise = ({ title, ...record }: ReviewRecord, verdict: ArbiterVerdict): ReviewRecord => {
  const description = verdict.description?.trim() || record.description
  const isReworded = description !== record.description
  const evidence = [verdict.evidence?.trim() ?? "", record.evidence].filter((text) => text !== "")
  const confidence = verdict.confidence ?? record.confidence
  return ReviewRecord.make({
    ...record,
    ...(isReworded || title === undefined ? {} : { title }),
    severity: verdict.severity ?? record.severity,
    confidence: verdict.confidence === "LOW" ? "MEDIUM" : confidence,
    description,
    rationale: verdict.rationale?.trim() || record.rationale,
    evidence: [...new Set(evidence)].join("; ")
  })
}
