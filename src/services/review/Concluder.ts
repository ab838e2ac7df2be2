/**
 * Turns the remaining items into the reported findings: numbered, fingerprinted, without those the user suppressed, and
 * with those of the baseline marked.
 */
import { Context, Effect, Layer } from "effect"
import { markKnown } from "../../domain/finding/Baseline.ts"
import { Finding, type ReviewRecord, type Suppressed } from "../../domain/finding/Finding.ts"
import { type MergedItem, structureStack } from "../../domain/finding/MergedItem.ts"
import type { RunState } from "../../domain/review/RunState.ts"
import { Fingerprinter } from "./Fingerprinter.ts"
import { type IgnoreFileInvalid, Suppressor } from "./Suppressor.ts"

export interface Conclusion {
  /** The most important first, numbered from 1. */
  readonly findings: ReadonlyArray<Finding>
  readonly suppressed: ReadonlyArray<Suppressed>
  readonly notes: ReadonlyArray<string>
}

export class Concluder extends Context.Service<
  Concluder,
  {
    readonly conclude: (
      state: Pick<RunState, "items" | "change" | "known" | "coverage">
    ) => Effect.Effect<Conclusion, IgnoreFileInvalid>
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
        known
      }: Pick<RunState, "items" | "change" | "known" | "coverage">) {
        const unused = yield* suppressor.unused(items, change, coverage)
        const last = items.reduce((highest, { id }) => Math.max(highest, id), 0)
        const more = unused.records.map((record, at) => itemOf(record, last + at + 1))
        const all = markKnown(yield* fingerprinter.findings([...items, ...more], change), known)
        const { kept, suppressed, notes } = yield* suppressor.apply(all, change)
        const numbered = kept.map((finding, index) => Finding.make({ ...finding, id: index + 1 }))
        return { findings: numbered, suppressed, notes: [...notes, ...unused.notes] }
      })

      return Concluder.of({ conclude })
    })
  )
}

/** A finding of dd itself, which is not merged with others. */
const itemOf = (record: ReviewRecord, id: number): MergedItem => ({
  id,
  record,
  stacks: [structureStack],
  lens: "structural",
  related: []
})
