/**
 * The extension interface, API version 1: the exports of an extension file, its inputs, and the results of its steps.
 * `docs/extensions.md` describes it for authors.
 */
import { Schema } from "effect"
import { Confidence, ReviewRecord, Severity } from "../finding/Finding.ts"
import type { Facts } from "./Facts.ts"
import { type Flow, type FlowEntry, FlowName, type LoopGroup } from "./Flow.ts"

export const apiVersion = 1

/** A finding of an extension, with the names of dd's JSON output. */
export const StatedFinding = Schema.Struct({
  file: Schema.NonEmptyString,
  /** From 1 on the head side; 0 means the file as a whole. */
  line: Schema.Int.check(Schema.isGreaterThanOrEqualTo(0)),
  description: Schema.NonEmptyString,
  severity: Severity,
  end_line: Schema.optionalKey(Schema.Int),
  title: Schema.optionalKey(Schema.NonEmptyString),
  /** By default `ext/<step>`. */
  rule: Schema.optionalKey(Schema.NonEmptyString),
  /** By default `MEDIUM`. */
  confidence: Schema.optionalKey(Confidence),
  rationale: Schema.optionalKey(Schema.String),
  /** By default `<file>:<line>`. */
  evidence: Schema.optionalKey(Schema.String),
  /** The text at `line`; the evidence gate searches for it. */
  quote: Schema.optionalKey(Schema.String),
  suggestion: Schema.optionalKey(Schema.String)
})
export type StatedFinding = typeof StatedFinding.Type

/** The result of a step's `run`; no result is an empty answer. */
export const StepAnswer = Schema.Struct({
  findings: Schema.optionalKey(Schema.Array(StatedFinding)),
  /** Ends the flow with this exit code of dd. */
  stop: Schema.optionalKey(Schema.Literals([0, 1, 2, 3, 4])),
  breakLoop: Schema.optionalKey(Schema.Literal(true)),
  /** A short phrase for the progress line. */
  summary: Schema.optionalKey(Schema.String)
}).check(
  Schema.makeFilter((answer) =>
    answer.stop !== undefined && answer.breakLoop !== undefined ? "stop and breakLoop exclude each other" : undefined
  )
)
export type StepAnswer = typeof StepAnswer.Type

/** A step that ended the flow; `reason` is "" if it gave none. */
export interface ExtensionStop {
  readonly step: string
  readonly code: number
  readonly reason: string
}

/** A step as an extension defines it. */
export interface StepDefinition {
  readonly name: string
  readonly phase?: string
  /** The condition, as words that follow "runs". */
  readonly when?: string
  readonly enabled?: (facts: Facts) => boolean
  /** The signal aborts when the user interrupts the run. */
  readonly run: (
    facts: Facts,
    context: { readonly signal: AbortSignal }
  ) => StepAnswer | undefined | Promise<StepAnswer | undefined>
}

const callable = <F>() =>
  Schema.declare((value: unknown): value is F => typeof value === "function", { expected: "a function of the facts" })

/** Checks the type of a definition. */
export const StepShape = Schema.Struct({
  name: FlowName,
  phase: Schema.optionalKey(Schema.NonEmptyString),
  when: Schema.optionalKey(Schema.String),
  enabled: Schema.optionalKey(callable<NonNullable<StepDefinition["enabled"]>>()),
  run: callable<StepDefinition["run"]>()
})

export const GroupShape = Schema.Struct({
  name: FlowName,
  steps: Schema.Array(FlowName).check(Schema.isMinLength(1)),
  maxIterations: Schema.Union([Schema.Int.check(Schema.isGreaterThan(0)), Schema.Literal("loop")])
})

export const FlowShape = Schema.Struct({
  name: FlowName,
  description: Schema.optionalKey(Schema.String),
  entries: Schema.Array(Schema.Union([FlowName, GroupShape]))
})

export const StackRuleShape = Schema.Struct({
  name: FlowName,
  patterns: Schema.Array(Schema.NonEmptyString),
  profile: Schema.optionalKey(Schema.String)
})

/** A step by name, a new step (which is also registered), or a loop group. */
export type EntryDefinition = string | StepDefinition | LoopGroup

export type PromptRenderer = (rendered: string, facts: Facts) => string

/**
 * The argument of `register(registry)`. Every method takes effect at once and throws if the edit is refused. If `register`
 * throws, the extension is broken and the run does not start.
 */
export interface ExtensionRegistry {
  readonly api: typeof apiVersion
  readonly addStep: (step: StepDefinition) => void
  readonly replaceStep: (step: StepDefinition) => void
  readonly insertBefore: (flow: string, anchor: string, entry: EntryDefinition) => void
  readonly insertAfter: (flow: string, anchor: string, entry: EntryDefinition) => void
  readonly remove: (flow: string, name: string) => void
  readonly move: (flow: string, name: string, to: { readonly before: string } | { readonly after: string }) => void
  readonly replace: (flow: string, name: string, entry: EntryDefinition) => void
  readonly defineFlow: (flow: {
    readonly name: string
    readonly description?: string
    readonly entries: ReadonlyArray<FlowEntry>
  }) => void
  /** A copy of the current flow. */
  readonly flow: (name: string) => Flow
  readonly overridePrompt: (slot: string, render: PromptRenderer) => void
  readonly addStackRule: (rule: {
    readonly name: string
    readonly patterns: ReadonlyArray<string>
    readonly profile?: string
  }) => void
}

/** The record of an extension's finding, which is checked like any other record. */
export const toRecord = (stated: StatedFinding, id: number, step: string): ReviewRecord =>
  ReviewRecord.make({
    id,
    description: stated.description,
    file: stated.file,
    line: stated.line,
    confidence: stated.confidence ?? "MEDIUM",
    severity: stated.severity,
    rationale: stated.rationale ?? "",
    evidence: stated.evidence ?? `${stated.file}:${stated.line}`,
    rule: stated.rule ?? `ext/${step}`,
    ...(stated.title === undefined ? {} : { title: stated.title }),
    ...(stated.end_line === undefined ? {} : { endLine: stated.end_line }),
    ...(stated.quote === undefined ? {} : { quote: stated.quote }),
    ...(stated.suggestion === undefined ? {} : { suggestion: stated.suggestion })
  })
