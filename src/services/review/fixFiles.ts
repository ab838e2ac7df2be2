/**
 * The artifacts of the fix half. A file that cannot be written is degraded.
 *
 * `recommended.patch` and partial fixes stay as they are, so that they apply; what is archived of them is redacted.
 */
import { Effect } from "effect"
import type { Finding } from "../../domain/finding/Finding.ts"
import { type Verdicts, verdictsOn } from "../../domain/finding/Verdict.ts"
import { failedFixes, type Outcome } from "../../domain/fix/Outcome.ts"
import { slugOf } from "../../domain/fix/slugOf.ts"
import { failsOpen } from "../run/FailPolicy.ts"
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

const put = (name: string, content: string | Uint8Array) =>
  Artifacts.use(({ write }) => write(name, content)).pipe(failsOpen("artifacts", undefined))

const putJson = (name: string, value: unknown) =>
  Redactor.use((redactor) => put(name, `${JSON.stringify(redactor.value(value), null, 2)}\n`))

/** Removes what the fix half of an earlier run left. */
export const clearFixes = () =>
  Effect.forEach(
    [...fixFileNames, ...deepNames],
    (name) => Artifacts.use(({ remove }) => remove(name)).pipe(failsOpen("artifacts", undefined)),
    { discard: true }
  )

export const putVerdicts = (findings: ReadonlyArray<Finding>, verdicts: Verdicts) =>
  putJson(verdictsName, {
    verdicts: verdictsOn(findings, verdicts).map(({ fingerprint, verdict }) => ({ ...verdict, fingerprint }))
  })

/** Whether the patch was written. */
export const putFixes = Effect.fnUntraced(function* ({ outcomes, outside, partial, patch }: MadeFixes) {
  const artifacts = yield* Artifacts
  const isStored = yield* artifacts
    .write(recommendedPatch, patch)
    .pipe(Effect.as(artifacts.directory !== null), failsOpen("artifacts", false))
  for (const [path, bytes] of partial) yield* put(`${partialFixes}/${slugOf(path)}.patch`, bytes)
  const failures = failedFixes(outcomes)
  if (Object.keys(failures).length > 0) yield* putJson(failuresName, failures)
  yield* putJson(leftoverName, outside)
  return isStored
})

/** What the next person has to know where tests stopped the run. */
export const putHandoff = (text: string) => Redactor.use((redactor) => put(handoff, redactor.text(text)))

export const recommendedPatch = "recommended.patch"
export const partialFixes = "partial-fixes"
export const handoff = "handoff.md"
export const verdictsName = "deep/recommendation-verdicts.json"
const failuresName = "deep/fix-failures.json"
const leftoverName = "deep/fix-leftover-untracked.json"
const deepNames = [verdictsName, failuresName, leftoverName]

/** Files of the fix half that an earlier run may have left. */
export const fixFileNames: ReadonlyArray<string> = [recommendedPatch, partialFixes, handoff]
