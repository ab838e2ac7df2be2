/**
 * The quality of a run, computed from its files without a model: `evaluation.json`.
 *
 * Unknown values are null: a run without findings has no grounding rate. Coverage is taken from the ledger, as in the
 * result.
 */
import { Schema } from "effect"
import type { RunCost } from "../agent/RunCost.ts"
import { isReadTool, isWriteTool } from "../agent/toolKind.ts"
import type { FileCoverage } from "../change/Coverage.ts"
import type { ReviewRecord } from "../finding/Finding.ts"
import { hasRead, pathsRead, pathsShown } from "../record/agentReads.ts"
import { contentText } from "./chatMessages.ts"
import type { StackRecords } from "./recordsOfFindings.ts"
import { Reward, rewardOf, rounded } from "./reward.ts"
import type { Trajectory, TrajectoryStep } from "./Trajectory.ts"

const count = Schema.Int
const number = Schema.NullOr(Schema.Finite)
const Counts = Schema.Record(Schema.String, count)

export const Evaluation = Schema.Struct({
  session_id: Schema.String,
  agent: Schema.String,
  daydream_dir: Schema.NullOr(Schema.String),
  trajectory_count: count,
  cost: Schema.Struct({
    total_cost_usd: number,
    total_prompt_tokens: Schema.NullOr(count),
    total_completion_tokens: Schema.NullOr(count),
    total_cached_tokens: Schema.NullOr(count),
    cache_hit_rate: number
  }),
  timing: Schema.Struct({ total_wall_clock_seconds: number }),
  tools: Schema.Struct({
    total_calls: count,
    by_type: Counts,
    by_agent: Counts,
    write_ratio: number,
    redundant_reads: count
  }),
  coverage: Schema.Struct({ diff_files: count, files_read: count, coverage_ratio: Schema.Finite }),
  findings: Schema.Struct({
    total_findings: Schema.NullOr(count),
    by_confidence: Counts,
    stacks: Schema.Array(Schema.Struct({ name: Schema.String, finding_count: count })),
    dedup: Schema.NullOr(
      Schema.Struct({ record_alt_overlaps: count, record_duplicates: count, avg_overlap_similarity: number })
    ),
    merged_review: Schema.Struct({ merged_finding_count: count })
  }),
  grounding: Schema.Struct({ grounded: count, total: count, grounding_rate: number }),
  exploration_utilization: Schema.Struct({ utilization_rate: number }),
  training_signals: Schema.Array(
    Schema.Struct({
      agent: Schema.String,
      steps: count,
      has_reasoning: Schema.Boolean,
      tool_calls: count,
      reasoning_fraction: Schema.Finite,
      noise_flags: Schema.Array(Schema.String),
      quality: Schema.Literals(["clean", "review"])
    })
  ),
  derived: Schema.Struct({ cost_per_finding_usd: number, reward: Reward })
})
export type Evaluation = typeof Evaluation.Type

export interface EvaluationInput {
  readonly sessionId: string
  /** Of the artifacts; null if none were kept. */
  readonly directory: string | null
  /** Whether the static rules reviewed, which read files without tools. */
  readonly isStatic: boolean
  readonly root: Trajectory
  /** By descriptor: `deep-python`. */
  readonly siblings: ReadonlyMap<string, Trajectory>
  readonly cost: RunCost
  readonly diffFiles: ReadonlyArray<string>
  readonly ledger: ReadonlyArray<FileCoverage>
  readonly records: ReadonlyArray<StackRecords>
  /** Pairs of possible duplicates; null if the run did not search for them. */
  readonly dedup: Pairs | null
  /** In the result; null without one. */
  readonly findings: number | null
  readonly report: string | null
  readonly verdicts: ReadonlyArray<string> | null
  readonly formatValid: boolean
}

interface Pairs {
  readonly record_alt_pairs: ReadonlyArray<{ readonly similarity: number }>
  readonly record_duplicate_pairs: ReadonlyArray<unknown>
}

/**
 * Did a reviewer answer? There is nothing to evaluate in a run that failed before its reviews, whose reviewers all failed,
 * or that resumed the reviews of another run.
 */
export const hasReview = ({ root, siblings }: Pick<EvaluationInput, "root" | "siblings">): boolean =>
  [...siblings].some(([name, trajectory]) => isReviewer(name) && hasAnswer(trajectory)) ||
  root.steps.some(
    (step) =>
      isAnswer(step) &&
      step.extra?.daydream_phase === "deep" &&
      (step.extra.daydream_step ?? "per-stack-reviews") === "per-stack-reviews"
  )

const isReviewer = (name: string): boolean => name.startsWith("deep-")

const hasAnswer = ({ steps }: Trajectory): boolean => steps.some(isAnswer)

/** Some backends return the error of their service as text, so a failed step needs more than text. */
const isAnswer = ({ extra, message, reasoning_content, source, tool_calls }: TrajectoryStep): boolean =>
  source === "agent" &&
  extra?.daydream_call !== undefined &&
  ((contentText(message) !== "" && extra.error_subtype !== "BackendFailed") ||
    (reasoning_content ?? "") !== "" ||
    (tool_calls ?? []).length > 0 ||
    extra.structured_output !== undefined)

export const evaluate = (input: EvaluationInput): Evaluation => {
  const { cost, diffFiles, findings, report, root, siblings } = input
  const agents = [["main", root] as const, ...siblings]
  const covered = diffFiles.filter((file) => isReviewed(input, file)).length
  const grounding = groundingOf(input)
  const reward = rewardOf({
    verdicts: input.verdicts,
    groundingRate: grounding.grounding_rate,
    reportLength: report === null ? null : report.length,
    formatValid: input.formatValid
  })
  const confidences = input.records.flatMap(({ records }) => records.map(({ confidence }) => confidence))
  const answered = [...siblings].filter(([, trajectory]) => hasAnswer(trajectory))
  const reviewers = answered.filter(([name]) => isReviewer(name))
  return {
    session_id: input.sessionId,
    agent: "main",
    daydream_dir: input.directory,
    trajectory_count: agents.length,
    cost: {
      total_cost_usd: cost.usd === null ? null : rounded(cost.usd, 4),
      total_prompt_tokens: cost.promptTokens,
      total_completion_tokens: cost.completionTokens,
      total_cached_tokens: cost.cachedTokens,
      cache_hit_rate: cacheHitRate(cost)
    },
    timing: { total_wall_clock_seconds: wallClock(agents.map(([, { steps }]) => steps)) },
    tools: toolsOf(agents),
    coverage: {
      diff_files: diffFiles.length,
      files_read: covered,
      coverage_ratio: diffFiles.length === 0 ? 1 : rounded(covered / diffFiles.length, 4)
    },
    findings: {
      total_findings: findings,
      by_confidence: tally(confidences),
      stacks: input.records.map(({ records, stack }) => ({ name: stack, finding_count: records.length })),
      dedup: input.dedup === null ? null : dedupOf(input.dedup),
      merged_review: { merged_finding_count: report === null ? (findings ?? 0) : (report.match(itemLine)?.length ?? 0) }
    },
    grounding,
    exploration_utilization: {
      utilization_rate:
        reviewers.length === 0
          ? null
          : rounded(
              reviewers.filter(([, { steps }]) => [...pathsRead(steps)].some((path) => path.includes("/exploration/")))
                .length / reviewers.length,
              4
            )
    },
    training_signals: answered.map(([name, trajectory]) => signalOf(name, trajectory, input)),
    derived: {
      cost_per_finding_usd:
        cost.usd === null || findings === null || findings === 0 ? null : rounded(cost.usd / findings, 4),
      reward
    }
  }
}

const itemLine = /^\d+\. (?:\[cross-stack\] )?\[/gm

const dedupOf = ({ record_alt_pairs, record_duplicate_pairs }: Pairs) => {
  const sum = record_alt_pairs.reduce((sum, { similarity }) => sum + similarity, 0)
  return {
    record_alt_overlaps: record_alt_pairs.length,
    record_duplicates: record_duplicate_pairs.length,
    avg_overlap_similarity: record_alt_pairs.length === 0 ? null : rounded(sum / record_alt_pairs.length, 4)
  }
}

const forkOf = (stack: string): string => `deep-${stack}`

const isReviewed = ({ ledger }: EvaluationInput, file: string): boolean =>
  ledger.some(({ path, status }) => path === file && status === "reviewed")

/**
 * A finding is grounded if its agent has seen, in its prompt or by a tool, the file of the finding and every file that
 * its rationale names. A rule's finding is always grounded.
 */
const groundedIn = (input: EvaluationInput, stack: string) => {
  if (input.isStatic) {
    // The rules parsed the files outside of the diff, too; the ledger has the files of the diff that were not reviewed.
    const unseen = new Set(input.ledger.filter(({ status }) => status !== "reviewed").map(({ path }) => path))
    return ({ file }: ReviewRecord) => !unseen.has(file)
  }
  const steps = input.siblings.get(forkOf(stack))?.steps ?? input.root.steps
  const read = new Set([...pathsShown(steps), ...pathsRead(steps)])
  return ({ file, rationale, rule }: ReviewRecord) =>
    rule !== undefined ||
    (hasRead(read, file) && (rationale.match(fileName) ?? []).every((name) => hasRead(read, name)))
}

const fileName = /[\w/.:-]+\.(?:md|json|py|tsx?|js|txt|ya?ml|in|toml|cfg)\b/g

const groundingOf = (input: EvaluationInput): Evaluation["grounding"] => {
  let grounded = 0
  let total = 0
  for (const { records, stack } of input.records) {
    const isGrounded = groundedIn(input, stack)
    total += records.length
    grounded += records.filter(isGrounded).length
  }
  return { grounded, total, grounding_rate: total === 0 ? null : rounded(grounded / total, 4) }
}

const cacheHitRate = ({ cachedTokens, promptTokens }: RunCost): number | null => {
  if (cachedTokens === null || promptTokens === null || promptTokens + cachedTokens === 0) return null
  // Some backends do not include cached tokens in the prompt tokens.
  return rounded(cachedTokens / (cachedTokens > promptTokens ? promptTokens + cachedTokens : promptTokens), 4)
}

const wallClock = (all: ReadonlyArray<ReadonlyArray<TrajectoryStep>>): number | null => {
  const times = all.flat().flatMap(({ timestamp }) => {
    const time = Date.parse(timestamp ?? "")
    return Number.isNaN(time) ? [] : [time]
  })
  const [first, last] = [times.reduce(earlier, Infinity), times.reduce(later, -Infinity)]
  return last < first ? null : rounded((last - first) / 1000, 1)
}

const earlier = (a: number, b: number): number => Math.min(a, b)
const later = (a: number, b: number): number => Math.max(a, b)

const tally = (words: ReadonlyArray<string>): Readonly<Record<string, number>> => {
  const groups = [...Map.groupBy(words, (word) => word)].sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(groups.map(([word, each]) => [word, each.length]))
}

const toolsOf = (agents: ReadonlyArray<readonly [string, Trajectory]>): Evaluation["tools"] => {
  const calls = agents.flatMap(([agent, { steps }]) =>
    steps.flatMap(({ tool_calls }) => (tool_calls ?? []).map((call) => ({ agent, ...call })))
  )
  const reads = tally(
    calls.flatMap(({ agent, arguments: given, function_name }) => {
      const path = given.file_path ?? given.path
      // A read with other arguments, such as another page, is not redundant.
      return isReadTool(function_name) && typeof path === "string"
        ? [`${agent}\n${function_name}\n${path}\n${JSON.stringify(given)}`]
        : []
    })
  )
  const writes = calls.filter(({ function_name }) => isWriteTool(function_name)).length
  return {
    total_calls: calls.length,
    by_type: tally(calls.map(({ function_name }) => function_name)),
    by_agent: tally(calls.map(({ agent }) => agent)),
    write_ratio: calls.length === 0 ? null : rounded(writes / calls.length, 4),
    redundant_reads: Object.values(reads).reduce((sum, times) => sum + times - 1, 0)
  }
}

const signalOf = (
  agent: string,
  { steps }: Trajectory,
  input: EvaluationInput
): Evaluation["training_signals"][number] => {
  const own = steps.filter(({ source }) => source === "agent")
  const reasoning = own.reduce((sum, { reasoning_content }) => sum + (reasoning_content?.length ?? 0), 0)
  const text = own.reduce((sum, { message }) => sum + contentText(message).length, 0)
  const isEmpty = own.some(({ observation }) =>
    (observation?.results ?? []).some(
      ({ content, source_call_id }) => source_call_id && contentText(content ?? "") === ""
    )
  )
  const ungrounded = input.records
    .filter(({ stack }) => forkOf(stack) === agent)
    .reduce((sum, { records, stack }) => sum + records.length - records.filter(groundedIn(input, stack)).length, 0)
  const flags = [
    ...(isEmpty ? ["empty_tool_result"] : []),
    ...(ungrounded > 0 ? [`ungrounded_findings:${ungrounded}`] : [])
  ]
  return {
    agent,
    steps: steps.length,
    has_reasoning: reasoning > 0,
    tool_calls: own.reduce((sum, { tool_calls }) => sum + (tool_calls?.length ?? 0), 0),
    reasoning_fraction: reasoning + text === 0 ? 0 : rounded(reasoning / (reasoning + text), 4),
    noise_flags: flags,
    quality: flags.length === 0 ? "clean" : "review"
  }
}
