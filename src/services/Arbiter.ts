/**
 * A second opinion on the records that can hurt: the high ones and the ones two stacks contest.
 *
 * Fails open. A record is dropped only by an explicit `keep: false`; no verdict, or no arbiter at all,
 * leaves it as it was. Source: seed 000 step 6, reference §3.8.
 */
import { Context, Effect, Layer } from "effect"
import type { Change } from "../domain/Change.ts"
import { type Dropped, ReviewRecord } from "../domain/Finding.ts"
import type { ArbiterVerdict, Contested, StackRecords } from "../domain/Task.ts"
import { Agent } from "./Agent.ts"
import { FailPolicy } from "./FailPolicy.ts"

export interface Arbitration {
  /** The same stacks in the same order; a stack may be left with no records. */
  readonly records: ReadonlyArray<StackRecords>
  readonly dropped: ReadonlyArray<Dropped>
}

export class Arbiter extends Context.Service<
  Arbiter,
  {
    readonly arbitrate: (
      change: Change,
      intent: string,
      records: ReadonlyArray<StackRecords>
    ) => Effect.Effect<Arbitration>
  }
>()("dd/services/Arbiter") {
  static readonly layer = Layer.effect(
    Arbiter,
    Effect.gen(function* () {
      const agent = yield* Agent
      const onFailure = yield* FailPolicy

      const arbitrate = Effect.fn("Arbiter.arbitrate")(
        function* (change: Change, intent: string, records: ReadonlyArray<StackRecords>) {
          const contested = needSecondOpinion(records)
          if (contested.length === 0) return { records, dropped: [] }
          const reply = yield* agent.invoke({ _tag: "Arbitrate", change, intent, contested }, { phase: "arbiter" })
          for (const { arbId, record } of unanswered(contested, reply.findings)) {
            yield* Effect.logWarning(
              `arbiter: no verdict on ${record.file}:${record.line} (#${arbId}); it stands as it was`
            )
          }
          return applyVerdicts(records, contested, reply.findings)
        },
        (self, _change, _intent, records) => self.pipe(onFailure.open<Arbitration>("arbiter", { records, dropped: [] }))
      )

      return Arbiter.of({ arbitrate })
    })
  )
}

/** `structure` speaks of the whole change; the arbiter weighs the language stacks. */
const isLanguage = ({ stack }: StackRecords): boolean => stack.name !== "structure"

/**
 * High severity, or a place at which two stacks report different severities. Numbered from 1 in the order
 * of the records.
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
      const place = places.get(placeOf(record))!
      if (record.severity === "high" || (place.stacks.size >= 2 && place.severities.size >= 2)) {
        contested.push({ arbId: contested.length + 1, stack: stack.name, record })
      }
    }
  }
  return contested
}

/**
 * Pure, total, order-preserving. A verdict may revise how bad a record is and its words, never where it
 * points; a record without a verdict passes through.
 */
export const applyVerdicts = (
  all: ReadonlyArray<StackRecords>,
  contested: ReadonlyArray<Contested>,
  verdicts: ReadonlyArray<ArbiterVerdict>
): Arbitration => {
  const verdictOf = new Map(verdicts.map((verdict) => [verdict.arb_id, verdict]))
  const answered = new Map(contested.map((each) => [each.record, verdictOf.get(each.arbId)]))
  const dropped: Array<Dropped> = []
  const records = all.map(({ stack, records }) => ({
    stack,
    records: records.flatMap((record) => {
      const verdict = answered.get(record)
      if (verdict === undefined) return [record]
      if (verdict.keep === false) {
        const why = verdict.rationale ?? verdict.evidence ?? ""
        dropped.push({ reason: `the arbiter dropped it${why === "" ? "" : `: ${why}`}`, record, stack: stack.name })
        return []
      }
      return [revise(record, verdict)]
    })
  }))
  return { records, dropped }
}

const revise = (record: ReviewRecord, verdict: ArbiterVerdict): ReviewRecord =>
  ReviewRecord.make({
    ...record,
    severity: verdict.severity ?? record.severity,
    confidence: verdict.confidence ?? record.confidence,
    description: verdict.description || record.description,
    rationale: verdict.rationale ?? record.rationale,
    evidence: verdict.evidence ?? record.evidence
  })

const unanswered = (contested: ReadonlyArray<Contested>, verdicts: ReadonlyArray<ArbiterVerdict>) => {
  const known = new Set(verdicts.map((verdict) => verdict.arb_id))
  return contested.filter(({ arbId }) => !known.has(arbId))
}
