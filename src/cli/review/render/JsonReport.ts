/**
 * The `json` format as a schema: what is printed, and what `dd review --print-schema` publishes.
 *
 * `schema_version` 1. Keys may be added; removing a key or changing its meaning raises the version.
 */
import { Schema, SchemaAST } from "effect"
import type { Cost } from "../../../domain/agent/RunCost.ts"
import { ReportedFile } from "../../../domain/agent/Task.ts"
import { Brief } from "../../../domain/brief/Brief.ts"
import { Confidence, type Finding, Lens, Severity, Source, type Suppressed } from "../../../domain/finding/Finding.ts"
import { FixJson, fixJsonOf } from "../../../domain/fix/FixJson.ts"
import { FeedbackJson, feedbackJsonOf } from "../../../domain/review/FeedbackJson.ts"
import { PassJson } from "../../../domain/review/Pass.ts"
import type { ReviewResult } from "../../../domain/review/ReviewResult.ts"
import { jsonDocument } from "../../text/plainJson.ts"
import { publishedSchema } from "../../text/publishedSchema.ts"
import type { Presentable } from "./Presentable.ts"
import type { RenderContext } from "./RenderContext.ts"

export const schemaVersion = 1

const count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))
const line = count.annotate({ description: "Line of the head side, from 1; 0 for the file as a whole." })
const position = Schema.NullOr(Schema.Int.check(Schema.isGreaterThan(0)))
const columns = {
  column: position.annotate({ description: "In UTF-16 units of line, from 1; null, as end_column, for whole lines." }),
  end_column: position.annotate({ description: "In end_line, or in line without one: the column after the last one." })
}

export const FindingJson = Schema.Struct({
  id: Schema.Int.check(Schema.isGreaterThan(0)),
  rule: Schema.String,
  title: Schema.String.annotate({ description: "The claim, in one sentence." }),
  description: Schema.String,
  file: Schema.String.annotate({ description: "Path from the root of the repository, with forward slashes." }),
  line,
  end_line: line,
  ...columns,
  label: Schema.NullOr(Schema.String).annotate({ description: "What is at the columns, in at most 60 characters." }),
  related: Schema.Array(
    Schema.Struct({
      file: Schema.String,
      line,
      ...columns,
      message: Schema.String.annotate({ description: "What is there, in a few words." }),
      deleted: Schema.NullOr(Schema.String).annotate({
        description:
          "The line that the change deleted, if the place is about it; its line and columns are those before the change."
      })
    })
  ).annotate({ description: "Other places that the claim is about: uses, definitions, copies." }),
  severity: Severity,
  confidence: Schema.Literals(["HIGH", "MEDIUM"]),
  lens: Lens,
  stack: Schema.String,
  source: Source,
  rationale: Schema.String,
  evidence: Schema.String,
  fingerprint: Schema.String.annotate({ description: "Unchanged when lines move or texts change." }),
  suggestion: Schema.NullOr(Schema.String).annotate({
    description: "The text that replaces the lines, without the last line break; an empty one deletes them."
  }),
  verdict: Schema.NullOr(Schema.Literals(["consistent", "uncertain", "contradicts"])),
  new: Schema.Boolean.annotate({ description: "Not in the baseline." })
}).annotate({ identifier: "Finding", description: "A claim that passed the evidence gate." })
export type FindingJson = typeof FindingJson.Type

const SuppressedJson = Schema.Struct({
  by: Schema.String.annotate({
    description:
      "In words: a.py:12 or .daydreamignore:3; or learned sup-ID: dd learned it from labels (dd dream why sup-ID)."
  }),
  place: Schema.NullOr(Schema.Struct({ file: Schema.String, line })).annotate({
    description: "Where the suppression is; null if dd learned it."
  }),
  reason: Schema.String,
  added_by_change: Schema.Boolean,
  finding: FindingJson
})

const ClaimJson = Schema.Struct({
  id: Schema.Int,
  rule: Schema.NullOr(Schema.String),
  title: Schema.NullOr(Schema.String),
  description: Schema.String,
  file: Schema.String,
  line: Schema.Int,
  end_line: Schema.Int,
  severity: Severity,
  confidence: Confidence,
  stack: Schema.String,
  rationale: Schema.String,
  evidence: Schema.String,
  suggestion: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Claim", description: "A claim before it was checked." })

export const JsonReport = Schema.Struct({
  schema_version: Schema.Literal(schemaVersion),
  tool: Schema.Struct({ name: Schema.Literal("dd"), version: Schema.String }),
  run: Schema.Struct({
    session_id: Schema.String,
    flow: Schema.String,
    backend: Schema.String.annotate({
      description: "The selected backend, whether or not it answered."
    }),
    reviewed_by: Schema.Array(Schema.String).annotate({
      description: "Backends that reviewed files, in this run or the one it continues; static: dd's own rules."
    }),
    base: Schema.String.annotate({ description: "A full commit id, or empty, index, worktree, unknown." }),
    head: Schema.String.annotate({ description: "A full commit id, or index, worktree, unknown." }),
    started_at: Schema.String.annotate({ description: "UTC, ISO 8601." }),
    duration_ms: Schema.Finite,
    description: Schema.String.annotate({
      description: "What was reviewed; for an empty change also why it is empty."
    })
  }),
  status: Schema.Literals(["complete", "partial", "inconclusive"]).annotate({
    description: "partial: a part could not be reviewed. inconclusive: no verdict is possible."
  }),
  findings: Schema.Array(FindingJson),
  dropped: Schema.Array(Schema.Struct({ reason: Schema.String, finding: ClaimJson })).annotate({
    description: "Claims that the evidence check or the arbiter dropped, each with its reason."
  }),
  suppressed: Schema.Array(SuppressedJson).annotate({
    description: "Numbered after the findings, so that dd archive label can name them."
  }),
  fix: Schema.NullOr(FixJson).annotate({ description: "What was done about the findings; null without --fix." }),
  passes: Schema.Array(PassJson).annotate({
    description: "The passes of --loop, in order; findings, fix and cost are those of the last. Empty without --loop."
  }),
  feedback: Schema.NullOr(FeedbackJson).annotate({ description: "Of dd feedback; null in a review." }),
  degraded: Schema.Array(Schema.Struct({ step: Schema.String, error: Schema.String, detail: Schema.String })).annotate({
    description: "Incomplete steps."
  }),
  coverage: Schema.Struct({
    files_in_diff: count,
    files_reviewed: count,
    files: Schema.Array(ReportedFile)
  }),
  brief: Schema.NullOr(Brief),
  stacks: Schema.Array(Schema.String),
  agents_planned: count,
  cost: Schema.Struct({
    usd: Schema.NullOr(Schema.Finite),
    source: Schema.Literals(["none", "reported", "computed", "unknown"]).annotate({
      description: "none: no model was used; computed: at least in part from tokens and prices."
    }),
    prompt_tokens: Schema.NullOr(count),
    completion_tokens: Schema.NullOr(count),
    cached_tokens: Schema.NullOr(count),
    limit_usd: Schema.NullOr(Schema.Finite).annotate({
      description: "The most that the run may cost; null without a model and without a limit."
    })
  }),
  notes: Schema.Array(Schema.String).annotate({ description: "Remarks on the review." })
}).annotate({ identifier: "Report", title: "dd review", description: "The result of one review." })
export type JsonReport = typeof JsonReport.Type

export const renderJson = (review: Presentable, context: RenderContext): string =>
  jsonDocument(reportOf(review.exact(), context))

/** For `--print-schema`. */
export const printedSchema = (): string => publishedSchema(JsonReport)

const reportOf = (result: ReviewResult, { version }: Pick<RenderContext, "version">): JsonReport => ({
  ...jsonShape(JsonReport, {
    ...result,
    schemaVersion,
    tool: { name: "dd", version },
    dropped: result.dropped.map(({ reason, record, stack }) => ({
      reason,
      finding: { ...record, endLine: record.endLine ?? record.line, stack }
    })),
    cost: { ...withTokens(result.cost), limitUsd: result.limit?.usd ?? null },
    fix: fixJsonOf(result.fix),
    feedback: null
  }),
  feedback: feedbackJsonOf(result.feedback, result.findings)
})

/** Without a model the token counts are 0, not unknown. */
const withTokens = (cost: Cost): Cost => {
  const none = cost.source === "none" ? 0 : null
  const { cachedTokens, completionTokens, promptTokens } = cost
  return {
    ...cost,
    promptTokens: promptTokens ?? none,
    completionTokens: completionTokens ?? none,
    cachedTokens: cachedTokens ?? none
  }
}

export const findingJson = (finding: Finding): FindingJson => jsonShape(FindingJson, finding)

export const suppressedJson = (suppressed: Suppressed): typeof SuppressedJson.Type =>
  jsonShape(SuppressedJson, suppressed)

/** Gives a value the shape of a published JSON schema: only its keys, in their order. */
type CamelCase<Key> = Key extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<CamelCase<Rest>>}` : Key

type OptionalKeys<Json> = { [Key in keyof Json]-?: object extends Pick<Json, Key> ? Key : never }[keyof Json]

type NullableKeys<Json> = { [Key in keyof Json]: null extends Json[Key] ? Key : never }[keyof Json]

/** The value behind a JSON value: keys in camel case; a nullable field may also be absent, and becomes null. */
type JsonSource<Json> =
  Json extends ReadonlyArray<infer Item>
    ? ReadonlyArray<JsonSource<Item>>
    : Json extends object
      ? {
          readonly [Key in Exclude<keyof Json, NullableKeys<Json> | OptionalKeys<Json>> as CamelCase<Key>]: JsonSource<
            Json[Key]
          >
        } & {
          readonly [Key in NullableKeys<Json> as CamelCase<Key>]?: JsonSource<Json[Key]> | undefined
        } & {
          readonly [Key in OptionalKeys<Json> as CamelCase<Key>]?: JsonSource<Exclude<Json[Key], undefined>>
        }
      : Json

const jsonShape = <Json>(schema: Schema.Schema<Json>, value: JsonSource<Json>): Json =>
  shaped(schema.ast, value) as Json

const shaped = (ast: SchemaAST.AST, value: unknown): unknown => {
  if (SchemaAST.isArrays(ast) && Array.isArray(value)) {
    const [item] = ast.rest
    return item === undefined ? value : value.map((each) => shaped(item, each))
  }
  if (!SchemaAST.isObjects(ast)) return value ?? null
  const from = new Map(Object.entries(value ?? {}))
  return Object.fromEntries(
    ast.propertySignatures.flatMap(({ name, type }) => {
      const given = from.get(camelCase(String(name)))
      return given === undefined && SchemaAST.isOptional(type) ? [] : [[name, shaped(type, given)]]
    })
  )
}

const camelCase = (key: string): string => key.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
