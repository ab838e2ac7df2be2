/** A pass of `--loop`: a run of its own. */
import { Schema } from "effect"

const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** What a pass did, as in the JSON report. */
export const PassJson = Schema.Struct({
  session_id: Schema.String,
  findings: count.annotate({ description: "New findings of this pass." }),
  fixed: count.annotate({ description: "Those that it fixed and applied." }),
  commit: Schema.NullOr(Schema.String),
  tests: Schema.NullOr(Schema.String).annotate({
    description: "What the tests did after its fixes, as in fix.tests; null if they did not run."
  }),
  usd: Schema.NullOr(Schema.Finite).annotate({ description: "The cost of this pass; null if unknown." })
}).annotate({ identifier: "Pass", description: "A pass of --loop: a run of its own." })

export interface Pass {
  readonly sessionId: string
  readonly findings: number
  readonly fixed: number
  readonly commit: string | null
  /** The outcome of the tests after its fixes; null if they did not run. */
  readonly tests: string | null
  readonly usd: number | null
}
