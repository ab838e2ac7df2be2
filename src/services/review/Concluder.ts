/**
 * Turns the remaining items into the reported findings: numbered, fingerprinted, without those the user suppressed, and
 * with those of the baseline marked. Claims of models that their verdict contradicts are dropped.
 */
import { Context, Effect, Layer } from "effect"
import { markKnown } from "../../domain/finding/Baseline.ts"
import { type Dropped, Finding, type ReviewRecord, type Suppressed } from "../../domain/finding/Finding.ts"
import { type MergedItem, structureStack } from "../../domain/finding/MergedItem.ts"
import type { Verdict } from "../../domain/finding/Verdict.ts"
import { recordOfFinding } from "../../domain/fix/recordOfFinding.ts"
import type { RunState } from "../../domain/review/RunState.ts"
import { Fingerprinter } from "./Fingerprinter.ts"
import { type IgnoreFileInvalid, Suppressor } from "./Suppressor.ts"

export interface Conclusion {
  /** The most important first, numbered from 1. */
  readonly findings: ReadonlyArray<Finding>
  readonly suppressed: ReadonlyArray<Suppressed>
  /** Claims of models that their verdict contradicts. */
  readonly contradicted: ReadonlyArray<Dropped>
  readonly notes: ReadonlyArray<string>
}

export class Concluder extends Context.Service<
  Concluder,
  {
    readonly conclude: (state: Concluded) => Effect.Effect<Conclusion, IgnoreFileInvalid>
  }
>()("dd/services/review/Concluder") {
  static readonly layer = Layer.effect(
    Concluder,
    Effect.gen(function* () {
      const fingerprinter = yield* Fingerprinter
      const suppressor = yield* Suppressor

      const conclude = Effect.fn("Concluder.conclude")(function* ({
        items,
        change,
        coverage,
        known,
        verdicts
      }: Concluded) {
        const unused = yield* suppressor.unused(items, change, coverage)
        const last = items.reduce((highest, { id }) => Math.max(highest, id), 0)
        const more = unused.records.map((record, at) => itemOf(record, last + at + 1))
        const all = markKnown(yield* fingerprinter.findings([...items, ...more], change), known)
        const { kept, suppressed, notes } = yield* suppressor.apply(all, change)
        const contradicted: Array<Dropped> = []
        const findings: Array<Finding> = []
        for (const finding of kept) {
          const verdict = verdicts.get(finding.fingerprint)
          if (finding.source === "model" && verdict?.verdict === "contradicts") {
            contradicted.push(droppedBy(finding, verdict))
          } else findings.push(Finding.make({ ...finding, id: findings.length + 1, verdict: verdict?.verdict ?? null }))
        }
        return { findings, suppressed, contradicted, notes: [...notes, ...unused.notes] }
      })

      return Concluder.of({ conclude })
    })
  )
}

type Concluded = Pick<RunState, "items" | "change" | "known" | "coverage" | "verdicts">

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
  related: []
})
