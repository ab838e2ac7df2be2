/**
 * Runs a flow: every name is resolved before anything happens; then the steps run in order, each with the state that
 * the previous one returned. A step may work beside the next one.
 *
 * Each step runs in a span, between a `StepStarted` and a `StepEnded` event; one that does not run leaves a
 * `StepSkipped` with the reason. A failure, a defect or an interruption of a step ends the flow unchanged.
 */
import { Context, Effect, Exit, Layer, Result, Schema } from "effect"
import { type Flow, type FlowEntry, type LoopGroup, stepNames } from "../../domain/run/Flow.ts"
import { RunEvent } from "../../domain/run/RunEvent.ts"
import {
  type Advance,
  isEnabled,
  type PartedBody,
  proceed,
  type Step,
  type StepOutline,
  type Unavailable
} from "../../domain/run/Step.ts"
import { didYouMean, nearest } from "../../domain/text/Suggestion.ts"
import { FailPolicy } from "./FailPolicy.ts"
import { Recorder } from "./Recorder.ts"
import { runSideBySide } from "./sideBySide.ts"

export class FlowStepUnknown extends Schema.TaggedError<FlowStepUnknown>()("FlowStepUnknown", {
  flow: Schema.String,
  step: Schema.String,
  suggestion: Schema.NullOr(Schema.String)
}) {
  override get message() {
    return `flow "${this.flow}" names the step "${this.step}", which is not registered${didYouMean(this.suggestion)}`
  }
}

/** A flow without any step that can run is not started, because its result would look like a review. */
export class FlowUnavailable extends Schema.TaggedError<FlowUnavailable>()("FlowUnavailable", {
  flow: Schema.String,
  reasons: Schema.Array(Schema.String)
}) {
  override get message() {
    return `flow "${this.flow}" cannot run, because none of its steps is in this build: ${this.reasons.join("; ")}; see \`dd flow show ${this.flow}\``
  }
}

export interface FlowRun<S, E, R> {
  readonly flow: Flow
  readonly steps: ReadonlyMap<string, Step<S, E, R> | Unavailable>
  readonly state: S
  /** The pass of `--loop`, as which a group whose count is "loop" runs once. Default 1. */
  readonly pass?: number
  /** Sets the pass of a loop group in the state, from 1, and null after the last. */
  readonly atIteration?: (state: S, iteration: number | null) => S
}

export interface FlowOutcome<S> {
  readonly state: S
  /** The code of the step that stopped the flow; 0 if it ran to the end. */
  readonly code: number
}

export class FlowEngine extends Context.Service<
  FlowEngine,
  {
    readonly run: <S, E, R>(run: FlowRun<S, E, R>) => Effect.Effect<FlowOutcome<S>, E | FlowStepUnknown, R>
  }
>()("dd/services/run/FlowEngine") {
  static readonly layer = Layer.effect(
    FlowEngine,
    Effect.gen(function* () {
      const recorder = yield* Recorder
      const onFailure = yield* FailPolicy

      const recorded =
        (flow: string) =>
        <S, E, R>({ name, phase }: StepOutline, run: Effect.Effect<Advance<S>, E, R>) =>
          recorder.record(RunEvent.make({ _tag: "StepStarted", step: name })).pipe(
            Effect.andThen(run),
            Effect.onExit((exit) => recorder.record(stepEnded(name, exit))),
            Effect.withSpan(`step.${name}`, { attributes: { flow, phase } })
          )

      const runStep = <S, E, R>(flow: string, step: Step<S, E, R>, state: S): Effect.Effect<Advance<S>, E, R> =>
        recorded(flow)(
          step,
          Effect.suspend(() => step.run(state))
        )

      const reach = <S, E, R>(flow: string, step: Step<S, E, R> | Unavailable, state: S) => {
        const reason = skipReason(step, state)
        if (reason === null && step._tag === "Step") return runStep(flow, step, state)
        return Effect.as(
          recorder.record(
            RunEvent.make({
              _tag: "StepSkipped",
              step: step.name,
              reason: reason ?? "",
              ...(step._tag === "Step" ? { planned: true } : {})
            })
          ),
          proceed(state)
        )
      }

      const runGroup = Effect.fnUntraced(function* <S, E, R>(
        run: FlowRun<S, E, R>,
        group: ResolvedGroup<S, E, R>,
        given: S
      ) {
        const at = run.atIteration ?? ((state: S) => state)
        const [first, last] = group.maxIterations === "loop" ? [run.pass ?? 1, run.pass ?? 1] : [1, group.maxIterations]
        let state = given
        for (let iteration = first; iteration <= last; iteration++) {
          state = at(state, iteration)
          for (const step of group.steps) {
            const advance = yield* reach(run.flow.name, step, state)
            state = advance.state
            if (advance._tag === "Stop") return advance
            if (advance._tag === "BreakLoop") return proceed(at(state, null))
          }
        }
        return proceed(at(state, null))
      })

      const run = Effect.fn("FlowEngine.run")(function* <S, E, R>(
        run: FlowRun<S, E, R>
      ): Effect.fn.Return<FlowOutcome<S>, E | FlowStepUnknown, R> {
        const entries = yield* Effect.fromResult(resolve(run.flow, run.steps))
        const { name } = run.flow
        let state = run.state
        for (let at = 0; at < entries.length; at++) {
          const entry = entries[at]!
          const pair = pairOf(entry, entries[at + 1], state)
          if (pair !== null) at++
          const advance = yield* pair !== null
            ? runSideBySide(onFailure, pair, state, recorded(name))
            : "steps" in entry
              ? runGroup(run, entry, state)
              : reach(name, entry, state)
          state = advance.state
          if (advance._tag === "Stop") return { state, code: advance.code }
        }
        return { state, code: 0 }
      })

      return FlowEngine.of({ run })
    })
  )
}

type Runs<S, E, R> = Step<S, E, R> & PartedBody<S, E, R>

/** Two steps in sequence that can work side by side; null: they run one after the other. */
const pairOf = <S, E, R>(first: Resolved<S, E, R>, second: Resolved<S, E, R> | undefined, state: S) => {
  const runs = (entry: Resolved<S, E, R>): entry is Runs<S, E, R> =>
    "_tag" in entry && entry._tag === "Step" && entry.work !== undefined && isEnabled(entry, state)
  const isPair = second !== undefined && runs(first) && runs(second) && first.beside === second.name
  return isPair ? ([first, second] as const) : null
}

type Resolved<S, E, R> = Step<S, E, R> | Unavailable | ResolvedGroup<S, E, R>

interface ResolvedGroup<S, E, R> extends Omit<LoopGroup, "steps"> {
  readonly steps: ReadonlyArray<Step<S, E, R> | Unavailable>
}

/** The first unregistered step that the flow names, or null. */
export const unknownStep = (flow: Flow, known: ReadonlyMap<string, unknown>): FlowStepUnknown | null => {
  const step = stepNames(flow).find((name) => !known.has(name))
  if (step === undefined) return null
  return new FlowStepUnknown({ flow: flow.name, step, suggestion: nearest(step, known.keys()) })
}

/** Null if at least one step of the flow can run. */
export const unavailable = (
  flow: Flow,
  known: ReadonlyMap<string, Pick<Step<never>, "_tag"> | Unavailable>
): FlowUnavailable | null => {
  const reasons = new Set<string>()
  for (const name of stepNames(flow)) {
    const step = known.get(name)
    if (step?._tag !== "Unavailable") return null
    reasons.add(step.reason)
  }
  return reasons.size === 0 ? null : new FlowUnavailable({ flow: flow.name, reasons: [...reasons] })
}

/** Null if the step runs. */
export const skipReason = <S, E, R>(step: Step<S, E, R> | Unavailable, state: S): string | null => {
  if (step._tag === "Unavailable") return `not in this build: ${step.reason}`
  if (isEnabled(step, state)) return null
  return step.when === "" ? "not requested" : `runs ${step.when}`
}

const resolve = <S, E, R>(flow: Flow, steps: ReadonlyMap<string, Step<S, E, R> | Unavailable>) => {
  const unknown = unknownStep(flow, steps)
  if (unknown !== null) return Result.fail(unknown)
  const found = (name: string) => steps.get(name)!
  const resolved = (entry: FlowEntry) =>
    typeof entry === "string" ? found(entry) : { ...entry, steps: entry.steps.map(found) }
  return Result.succeed(flow.entries.map(resolved))
}

const stepEnded = <S, E>(step: string, exit: Exit.Exit<Advance<S>, E>): RunEvent =>
  Exit.isSuccess(exit)
    ? RunEvent.make({ _tag: "StepEnded", step, summary: exit.value.summary })
    : Exit.hasInterrupts(exit)
      ? RunEvent.make({ _tag: "StepEnded", step, summary: "interrupted", outcome: "interrupted" })
      : RunEvent.make({ _tag: "StepEnded", step, summary: "failed", outcome: "failed" })
