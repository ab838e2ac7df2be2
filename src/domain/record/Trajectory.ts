/**
 * One agent's work as a trajectory: ATIF v1.6, the Agent Trajectory Interchange Format.
 *
 * The field names are the format's own. These classes define the type of each field; what holds between fields (step ids
 * 1..n, references that resolve, totals that add up) is `trajectoryViolations`. An absent field is left out, never
 * null; no other field is ever written.
 */
import { Schema } from "effect"

export const atifVersion = "ATIF-v1.6"

/** Every version this reader takes; dd writes the last one. */
const versions = ["ATIF-v1.0", "ATIF-v1.1", "ATIF-v1.2", "ATIF-v1.3", "ATIF-v1.4", "ATIF-v1.5", atifVersion] as const

const text = Schema.String
const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const dollars = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))
const Extra = Schema.Record(Schema.String, Schema.Json)

/** The format's optional fields may be null when they are read; dd leaves them out. */
const maybe = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

export class ImageSource extends Schema.Class<ImageSource>("dd/trajectory/ImageSource")({
  media_type: Schema.Literals(["image/jpeg", "image/png", "image/gif", "image/webp"]),
  /** A URL, or a file: absolute or relative to the trajectory. */
  path: text
}) {}

export class ContentPart extends Schema.Class<ContentPart>("dd/trajectory/ContentPart")({
  type: Schema.Literals(["text", "image"]),
  /** Of a text part, and of no other. */
  text: maybe(text),
  /** Of an image part, and of no other. */
  source: maybe(ImageSource)
}) {}

const Content = Schema.Union([text, Schema.Array(ContentPart)])
export type Content = typeof Content.Type

/** Another trajectory that a step started; `trajectory_path` is relative to the file that refers to it. */
export class SubagentReference extends Schema.Class<SubagentReference>("dd/trajectory/SubagentReference")({
  session_id: text,
  trajectory_path: maybe(text),
  extra: maybe(Extra)
}) {}

export class ToolCall extends Schema.Class<ToolCall>("dd/trajectory/ToolCall")({
  tool_call_id: text,
  function_name: text,
  arguments: Extra
}) {}

export class ObservationResult extends Schema.Class<ObservationResult>("dd/trajectory/ObservationResult")({
  /** A tool call of the same step; absent when no tool call led to the result. */
  source_call_id: maybe(text),
  content: maybe(Content),
  subagent_trajectory_ref: maybe(Schema.Array(SubagentReference))
}) {}

export class Observation extends Schema.Class<Observation>("dd/trajectory/Observation")({
  results: Schema.Array(ObservationResult)
}) {}

/** What one step cost. Prompt tokens include the cached ones. Absent: not known, which is not zero. */
export class StepMetrics extends Schema.Class<StepMetrics>("dd/trajectory/StepMetrics")({
  prompt_tokens: maybe(count),
  completion_tokens: maybe(count),
  cached_tokens: maybe(count),
  /** US dollars. */
  cost_usd: maybe(dollars),
  prompt_token_ids: maybe(Schema.Array(Schema.Int)),
  completion_token_ids: maybe(Schema.Array(Schema.Int)),
  logprobs: maybe(Schema.Array(Schema.Finite)),
  /** `reasoning_tokens`: a part of the completion tokens. `cache_written_tokens`: of the prompt's, besides the cached. */
  extra: maybe(Extra)
}) {}

export class TrajectoryStep extends Schema.Class<TrajectoryStep>("dd/trajectory/TrajectoryStep")({
  step_id: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)),
  /** ISO 8601, with `Z` or an offset; dd writes UTC. */
  timestamp: maybe(text),
  source: Schema.Literals(["system", "user", "agent"]),
  model_name: maybe(text),
  reasoning_effort: maybe(Schema.Union([text, Schema.Finite])),
  message: Content,
  reasoning_content: maybe(text),
  tool_calls: maybe(Schema.Array(ToolCall)),
  observation: maybe(Observation),
  metrics: maybe(StepMetrics),
  is_copied_context: maybe(Schema.Boolean),
  extra: maybe(Extra)
}) {}

/** Ids of the failed tool calls of a step. */
export const failedToolCalls = ({ extra }: TrajectoryStep): ReadonlySet<unknown> =>
  new Set(Array.isArray(extra?.failed_tool_calls) ? extra.failed_tool_calls : [])

/** Fields of an agent's turn that no other step may have. */
export const agentOnly = ["model_name", "reasoning_effort", "reasoning_content", "tool_calls", "metrics"] as const

/** The sums over the steps. Absent: not known of any step. */
export class FinalMetrics extends Schema.Class<FinalMetrics>("dd/trajectory/FinalMetrics")({
  total_prompt_tokens: maybe(count),
  total_completion_tokens: maybe(count),
  total_cached_tokens: maybe(count),
  total_cost_usd: maybe(dollars),
  /** The steps of this file. */
  total_steps: maybe(count),
  extra: maybe(Extra)
}) {}

export class TrajectoryAgent extends Schema.Class<TrajectoryAgent>("dd/trajectory/TrajectoryAgent")({
  name: text,
  version: text,
  model_name: maybe(text),
  tool_definitions: maybe(Schema.Array(Extra)),
  extra: maybe(Extra)
}) {}

export class Trajectory extends Schema.Class<Trajectory>("dd/trajectory/Trajectory")({
  schema_version: Schema.Literals(versions),
  session_id: text,
  agent: TrajectoryAgent,
  steps: Schema.NonEmptyArray(TrajectoryStep),
  notes: maybe(text),
  final_metrics: maybe(FinalMetrics),
  continued_trajectory_ref: maybe(text),
  extra: maybe(Extra)
}) {}

/** `final_metrics.extra.daydream_metric_scope` of a trajectory whose totals count those it refers to as well. */
export const wholeRun = "whole_run_including_forks"

/** The name of a sibling. */
export const descriptorOf = ({ extra }: Trajectory): string | null =>
  typeof extra?.descriptor === "string" ? extra.descriptor : null

/** Paths of the siblings that a step refers to. */
export const siblingPathsIn = ({ observation }: TrajectoryStep): ReadonlyArray<string> =>
  (observation?.results ?? []).flatMap(({ subagent_trajectory_ref: refs }) =>
    (refs ?? []).flatMap(({ trajectory_path }) => trajectory_path ?? [])
  )
