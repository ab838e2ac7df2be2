/** What the fix half did, as reports in JSON and the archive have it. */
import { Schema } from "effect"
import { type FixReport, PatchState } from "./FixReport.ts"
import { Outcome } from "./Outcome.ts"
import { QualityWarning } from "./quality.ts"
import { commandText } from "./TestCommand.ts"

const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const TestOutcome = Schema.Literals(["passed", "failed", "timed-out", "not-run", "environment"])

export const FixJson = Schema.Struct({
  outcomes: Schema.Array(Outcome).annotate({ description: "Of each finding that was considered." }),
  rounds: count,
  patch: PatchState.annotate({
    description: "recommended: in .daydream/recommended.patch only; applied: also in the working tree."
  }),
  files: Schema.Array(Schema.String).annotate({ description: "Files that the patch changes." }),
  detail: Schema.String.annotate({ description: "Why the fixes are where they are." }),
  commit: Schema.NullOr(Schema.String),
  outside: Schema.Array(Schema.String).annotate({
    description: "Files that agents changed beside those to fix; the changes were not taken."
  }),
  quality: Schema.Array(QualityWarning).annotate({
    description: "Files to which the fixes add more complexity or more lines than fixes usually do."
  }),
  tests: Schema.NullOr(
    Schema.Struct({
      command: Schema.NullOr(Schema.String),
      from: Schema.NullOr(Schema.String).annotate({ description: "What named the command." }),
      before: Schema.NullOr(TestOutcome),
      after: Schema.NullOr(TestOutcome),
      failing: Schema.NullOr(Schema.Array(Schema.String)),
      comparison: Schema.Literals(["green", "not-worse", "worse", "environment", "unknown"]),
      heals: count,
      reason: Schema.String
    })
  )
}).annotate({ identifier: "Fix" })

export type FixJson = typeof FixJson.Type

export const fixJsonOf = (fix: FixReport | null): FixJson | null =>
  fix === null
    ? null
    : {
        outcomes: fix.outcomes,
        rounds: fix.rounds,
        patch: fix.patch,
        files: fix.files,
        detail: fix.detail,
        commit: fix.commit,
        outside: fix.outside,
        quality: fix.quality,
        tests:
          fix.tests === null
            ? null
            : {
                command: fix.tests.command === null ? null : commandText(fix.tests.command),
                from: fix.tests.command?.from ?? null,
                before: fix.tests.baseline?.outcome ?? null,
                after: fix.tests.after?.outcome ?? null,
                failing: fix.tests.after?.failing ?? null,
                comparison: fix.tests.comparison,
                heals: fix.tests.heals,
                reason: fix.tests.reason
              }
      }
