/**
 * The artifacts of the fix half. A file that cannot be written is degraded.
 *
 * `recommended.patch` and partial fixes stay as they are, so that they apply; what is archived of them is redacted.
 */
import { Context, Effect, Layer } from "effect"
import type { Finding } from "../../domain/finding/Finding.ts"
import { type Verdicts, verdictsOn } from "../../domain/finding/Verdict.ts"
import { failedFixes, type Outcome } from "../../domain/fix/Outcome.ts"
import { slugOf } from "../../domain/fix/slugOf.ts"
import { FailPolicy } from "../run/FailPolicy.ts"
import { Redactor } from "../secret/Redactor.ts"
import { Artifacts } from "./Artifacts.ts"

export interface MadeFixes {
  readonly patch: Uint8Array
  readonly outcomes: ReadonlyArray<Outcome>
  /** The edits of groups that failed, by path. */
  readonly partial: ReadonlyMap<string, Uint8Array>
  /** Files that were changed beside those to fix, and were taken back. */
  readonly outside: ReadonlyArray<string>
}

export class FixFiles extends Context.Service<
  FixFiles,
  {
    /** Removes what the fix half of an earlier run left. */
    readonly begin: Effect.Effect<void>
    readonly verdicts: (findings: ReadonlyArray<Finding>, verdicts: Verdicts) => Effect.Effect<void>
    /** Whether the patch was written. */
    readonly fixes: (made: MadeFixes) => Effect.Effect<boolean>
    /** What the next person has to know where tests stopped the run. */
    readonly handoff: (text: string) => Effect.Effect<void>
  }
>()("dd/services/review/FixFiles") {
  static readonly layer = Layer.effect(
    FixFiles,
    Effect.gen(function* () {
      const artifacts = yield* Artifacts
      const onFailure = yield* FailPolicy
      const redactor = yield* Redactor

      const put = (name: string, content: string | Uint8Array) =>
        artifacts.write(name, content).pipe(onFailure.open("artifacts", undefined))
      const remove = (name: string) => artifacts.remove(name).pipe(onFailure.open("artifacts", undefined))
      const putJson = (name: string, value: unknown) => put(name, `${JSON.stringify(redactor.value(value), null, 2)}\n`)

      return FixFiles.of({
        begin: Effect.forEach([...fixFileNames, ...deepNames], remove, { discard: true }),
        verdicts: (findings, verdicts) =>
          putJson(verdictsName, {
            verdicts: verdictsOn(findings, verdicts).map(({ fingerprint, verdict }) => ({ ...verdict, fingerprint }))
          }),
        fixes: Effect.fnUntraced(function* ({ outcomes, outside, partial, patch }) {
          const isStored = yield* artifacts
            .write(recommendedPatch, patch)
            .pipe(Effect.as(artifacts.directory !== null), onFailure.open("artifacts", false))
          for (const [path, bytes] of partial) yield* put(`${partialFixes}/${slugOf(path)}.patch`, bytes)
          const failures = failedFixes(outcomes)
          if (Object.keys(failures).length > 0) yield* putJson(failuresName, failures)
          yield* putJson(leftoverName, outside)
          return isStored
        }),
        handoff: (text) => put(handoff, redactor.text(text))
      })
    })
  )
}

export const recommendedPatch = "recommended.patch"
export const partialFixes = "partial-fixes"
export const handoff = "handoff.md"
export const verdictsName = "deep/recommendation-verdicts.json"
const failuresName = "deep/fix-failures.json"
const leftoverName = "deep/fix-leftover-untracked.json"
const deepNames = [verdictsName, failuresName, leftoverName]

/** Files of the fix half that an earlier run may have left. */
export const fixFileNames: ReadonlyArray<string> = [recommendedPatch, partialFixes, handoff]
