/**
 * The second opinion on a night: what several coding CLIs recommend, and what they agree on. It changes no corpus; it may reorder
 * or annotate packets.
 *
 * Two reports disagree if they recommend different kinds of work, whatever their words. Without a consensus the kind is empty.
 */
import { Result, Schema } from "effect"
import { compareText } from "../../text/compareText.ts"

const text = Schema.String.check(Schema.isMaxLength(2_000))
const texts = Schema.Array(text).check(Schema.isMaxLength(20))

/** What a runner returns: these eight keys and no others. */
export const CouncilReport = Schema.Struct({
  runner: text,
  headline: text,
  recommended_kind: Schema.Literals(["research", "implement", "validate", "repair", "promote", "document"]),
  recommended_first_action: text,
  risks: texts,
  opportunities: texts,
  confidence: Schema.Literals(["low", "medium", "high"]),
  /** May be empty. */
  wildcard_idea: text
})
export type CouncilReport = typeof CouncilReport.Type

/** `majority`: more than half of the reports; `weighted`: more than half of the confidence (1, 2, 3); `plurality`: the most. */
export const ConsensusPolicy = Schema.Literals(["majority", "plurality", "unanimous", "weighted"])
export type ConsensusPolicy = typeof ConsensusPolicy.Type

export const CouncilSummary = Schema.Struct({
  requested_runners: Schema.Array(Schema.String),
  completed_runners: Schema.optionalKey(Schema.Array(Schema.String)),
  failed_runners: Schema.optionalKey(Schema.Array(Schema.String)),
  consensus_policy: Schema.String,
  /** Empty without a consensus. */
  consensus_kind: Schema.optionalKey(Schema.String),
  recommended_first_action: Schema.optionalKey(Schema.String),
  reports: Schema.optionalKey(Schema.Array(CouncilReport)),
  disagreements: Schema.optionalKey(Schema.Array(Schema.String)),
  wildcard_ideas: Schema.optionalKey(Schema.Array(Schema.String))
})
export type CouncilSummary = typeof CouncilSummary.Type

/** Lower case, without repetitions, in alphabetical order. */
export const requestedRunners = (given: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(given.map((name) => name.trim().toLowerCase()).filter((name) => name !== ""))].sort(compareText)

/** Does a report with this label come from the runner? Case, and `_` for `-`, do not matter, and neither does a suffix. */
export const isLabelOf = (runner: string, label: string): boolean => {
  const name = (given: string) => given.trim().toLowerCase().replaceAll("_", "-")
  return [name(runner), `${name(runner)}-dream-council`].includes(name(label))
}

const decodeReport = Schema.decodeUnknownResult(CouncilReport, { onExcessProperty: "error" })
const Envelope = Schema.Struct({ type: Schema.Literal("result"), structured_output: Schema.Unknown })
const isEnvelope = Schema.is(Envelope)

/** The report in the JSON that a runner returned, within an envelope or without; a failure is the reason. */
export const readReport = (runner: string, returned: unknown): Result.Result<CouncilReport, string> =>
  Result.flatMap(
    Result.mapError(decodeReport(isEnvelope(returned) ? returned.structured_output : returned), ({ message }) =>
      message.replaceAll(/\s*\n\s*/g, " ")
    ),
    (report) =>
      isLabelOf(runner, report.runner)
        ? Result.succeed({ ...report, runner })
        : Result.fail(`the report is by ${JSON.stringify(report.runner.slice(0, 60))}`)
  )

/** In the order of the reports. */
export const councilOf = (council: {
  readonly requested: ReadonlyArray<string>
  readonly reports: ReadonlyArray<CouncilReport>
  readonly failed: ReadonlyArray<string>
  readonly policy: ConsensusPolicy
}): CouncilSummary => {
  const { failed, policy, reports, requested } = council
  const kind = consensusOf(reports, policy)
  const chosen = reports.find(({ recommended_kind }) => recommended_kind === kind)
  return {
    requested_runners: requested,
    completed_runners: reports.map(({ runner }) => runner),
    failed_runners: failed,
    consensus_policy: policy,
    consensus_kind: kind,
    recommended_first_action: chosen?.recommended_first_action ?? "",
    reports,
    disagreements: reports
      .filter(({ recommended_kind }) => recommended_kind !== kind)
      .map((each) => `${each.runner} prefers ${each.recommended_kind}: ${each.recommended_first_action}`)
      .sort(compareText),
    wildcard_ideas: reports
      .filter(({ wildcard_idea }) => wildcard_idea.trim() !== "")
      .map(({ runner, wildcard_idea }) => `${runner}: ${wildcard_idea.trim()}`)
      .sort(compareText)
  }
}

const weights = { low: 1, medium: 2, high: 3 }

/** "" if there is none. Of several kinds with the most votes, `plurality` takes the first in alphabetical order. */
const consensusOf = (reports: ReadonlyArray<CouncilReport>, policy: ConsensusPolicy): string => {
  const votes = new Map<string, number>()
  for (const { confidence, recommended_kind } of reports) {
    const weight = policy === "weighted" ? weights[confidence] : 1
    votes.set(recommended_kind, (votes.get(recommended_kind) ?? 0) + weight)
  }
  const [first] = [...votes].sort(([a, n], [b, m]) => m - n || compareText(a, b))
  if (first === undefined) return ""
  const [kind, most] = first
  const all = [...votes.values()].reduce((sum, n) => sum + n, 0)
  const agreed = { majority: most > all / 2, weighted: most > all / 2, unanimous: most === all, plurality: true }
  return agreed[policy] ? kind : ""
}

/** How the council changed the first move. */
export const actionDelta = (before: string, action: string): "" | "new" | "unchanged" | "refined" => {
  const [old, next] = [before.trim().toLowerCase(), action.trim().toLowerCase()]
  if (next === "") return ""
  if (old === "") return "new"
  return old === next ? "unchanged" : "refined"
}
