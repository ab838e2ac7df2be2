/** What became of a finding in the fix half of a review. */
import { Schema } from "effect"

/**
 * `resolved`: the rule no longer reports it, or the verifier no longer agrees with it. `changed`: its code was changed, and
 * nothing proves the result. `wrong-target`: other files were changed, its own was not. `regressed`: the fix causes another
 * finding, and was taken back. `blocked`: the verdict contradicts it. `off-limits`: its file may not be edited.
 */
export const FixStatus = Schema.Literals([
  "resolved",
  "changed",
  "unresolved",
  "wrong-target",
  "regressed",
  "blocked",
  "off-limits",
  "no-fix",
  "failed"
])
export type FixStatus = typeof FixStatus.Type

export const Outcome = Schema.Struct({
  /** The number of the finding. */
  id: Schema.Int,
  fingerprint: Schema.String,
  path: Schema.String,
  status: FixStatus,
  /** For people; "" if there is nothing to add. */
  detail: Schema.String
})
export type Outcome = typeof Outcome.Type

export const isFixed = ({ status }: Outcome): boolean => status === "resolved" || status === "changed"

export const isFailed = ({ status }: Outcome): boolean => status === "failed"

/** Why fixes failed, by path. */
export const failedFixes = (outcomes: ReadonlyArray<Outcome>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    outcomes
      .filter(isFailed)
      .map(({ detail, path }) => [path, detail])
      .sort(([a = ""], [b = ""]) => (a < b ? -1 : 1))
  )

/** One more round can help. */
export const isOpen = ({ status }: Outcome): boolean =>
  status === "unresolved" || status === "wrong-target" || status === "regressed"
