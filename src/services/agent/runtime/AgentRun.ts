/**
 * One run of a context: steps until there is nothing left to send to the model.
 *
 * A step sends all pending messages, starts calls while the model writes, awaits them, and saves. Nothing that a step
 * starts outlives it. The last permitted step accepts only an answer, as does the step after an agent made no progress.
 * Answers in several calls are joined, and a run goes on if one of them was refused.
 */
import { Effect, Fiber } from "effect"
import { joinedAnswers } from "../../../domain/agent/ModelReply.ts"
import { longerAnswer, type ModelRoom } from "../../../domain/pack/ModelRoom.ts"
import { leftOut, type ModelError, overBudget } from "../Model.ts"
import type { AgentSession, HookFault, Prepared, RunEnd } from "./AgentContext.ts"
import { makeModelTurns, type TurnOptions } from "./ModelTurns.ts"
import { Progress } from "./Progress.ts"
import { HookFailed, type ModelRefused, NoProgress, type RunFailure } from "./RunFailure.ts"
import { callKey, type TurnListener } from "./TurnListener.ts"
import { changesNothingIn, isTerminal, messageTokens, RunTokens, requestOf } from "./turnRequest.ts"

export interface RunOptions extends TurnOptions {
  readonly session: AgentSession
}

/** Turns in which a model may submit an invalid answer. */
const maxInvalidAnswers = 3

export const runSteps = (options: RunOptions) => {
  const { ledger, model, session } = options
  const { memory } = ledger
  const tokens = new RunTokens(session.budgetTokens, memory)
  const takeTurn = makeModelTurns(options, tokens)
  const progress = new Progress()
  const submissions = new Progress()
  let step = 0
  let invalidAnswers = 0
  let isStuck = false
  /** What was wrong with the turn of the last step. It is repeated once, even if no step is left. */
  let fault: ReturnType<typeof faultOf> = null
  /** The length of the last answer, in tokens. A limit of the cost can allow less than was asked for. */
  let written = 0
  let text = ""
  let answer: RunEnd["answer"] = null

  const endOf = (stopReason: RunEnd["stopReason"]): RunEnd => ({
    stopReason,
    chain: ledger.chain,
    steps: step,
    text,
    answer
  })

  const save = Effect.andThen(hook("save", session.save), ledger.flush)

  const oneStep = Effect.fnUntraced(function* (prepared: Prepared, isLast: boolean) {
    ledger.note("Step", { step, shows: memory.pending, last: isLast })
    yield* ledger.flush
    const listener = yield* takeTurn(prepared, isLast)
    const answers = yield* Effect.forEach(listener.calls, ({ fiber }) => Fiber.join(fiber))
    yield* Effect.forEach(listener.handlers, (fiber) => Fiber.join(fiber), { discard: true })
    text = listener.text
    const changesNothing = changesNothingIn(prepared)
    const outcomes = listener.calls.map(({ call }, at) => {
      const { isError = true, submitted = null, text = "" } = answers[at] ?? {}
      if (submitted?.isTerminal === true) {
        const { name, value } = submitted
        answer = { name, value: joinedAnswers(answer === null ? [value] : [answer.value, value]) }
      }
      const isAnswer = isTerminal(prepared, call.name)
      // No two answers have the same words, so their faults are compared.
      const key = isAnswer ? call.name : callKey(call)
      return { key, text, isError, isAnswer, changesThings: !changesNothing(call.name) }
    })
    const given = outcomes.filter(({ isAnswer }) => isAnswer)
    const isRefused = given.some(({ isError }) => isError)
    if (isRefused) invalidAnswers++
    isStuck = progress.take(outcomes.filter(({ isAnswer }) => !isAnswer))
    const isRefusedAgain = submissions.take(given)
    const { completionTokens = 0 } = listener.usage ?? {}
    written = completionTokens > 0 ? completionTokens : prepared.maxTokens
    const [earlier, reason] = [fault, faultOf(listener)]
    fault = earlier === null ? reason : null
    const stuck = earlier !== null ? reason : null
    const why = stuck ?? (isRefusedAgain && answer === null ? "same failing call" : null)
    if (why !== null) return yield* new NoProgress({ model: listener.model, reason: why, maxTokens: written })
    if (reason !== null) ledger.note("Event", { name: reason, text: notices[reason], isSent: true })
    return given.length > 0 && !isRefused
  }, Effect.scoped)

  /** Steps until nothing is pending or no step is left. */
  const steps = Effect.fnUntraced(function* () {
    let failed: ModelError | ModelRefused | NoProgress | null = null
    let limit: RunEnd["stopReason"] = "step limit"
    let isOver = false
    for (;;) {
      if (!memory.hasPending) {
        const more = yield* hook("shouldContinue", session.shouldContinue)
        if (more === null || more === undefined) return "done"
        ledger.note("Event", { name: "go on", text: more, isSent: true })
      }
      if (fault === null && (isOver || step >= session.maxSteps)) return failed === null ? limit : yield* failed
      const usual = yield* session.prepare
      const prepared = fault === "cut off" ? longer(usual, model.room, written) : usual
      memory.fit(messageTokens(prepared, model.room))
      if (!tokens.isEnoughFor(prepared)) return "budget"
      step++
      // The budget may not be enough for another turn after this one.
      if (!tokens.isEnoughFor(prepared, 2)) limit = "budget"
      else if (isStuck) limit = "no progress"
      else if (model.mustAnswer !== undefined && (yield* model.mustAnswer(requestOf(prepared, false, memory)))) {
        if (step === 1 && session.isOptional === true) return yield* overBudget(model, prepared.model, leftOut)
        limit = "budget"
      }
      isOver = limit !== "step limit" || step >= session.maxSteps
      const outcome = yield* Effect.result(oneStep(prepared, isOver))
      failed = outcome._tag === "Failure" ? outcome.failure : null
      if (failed !== null && (session.onError === undefined || (yield* session.onError(failed)) === "fail")) {
        return yield* failed
      }
      yield* save
      yield* hook("onStep", session.onStep?.(step))
      yield* save
      if (outcome._tag === "Success" && outcome.success) return "done"
      if (invalidAnswers >= maxInvalidAnswers) return "step limit"
    }
  })

  // Continues if an input arrived while the run was ending.
  return Effect.gen(function* () {
    for (;;) {
      const stopReason = yield* steps()
      yield* hook("onRun", session.onRun?.(endOf(stopReason)))
      yield* save
      if (stopReason !== "done" || !memory.hasWords || step >= session.maxSteps) return endOf(stopReason)
    }
  }).pipe(Effect.scoped) satisfies Effect.Effect<RunEnd, RunFailure>
}

/** For an answer that was cut off: more than it got, or no further turn. */
const longer = (usual: Prepared, room: ModelRoom, written: number): Prepared => {
  const maxTokens = longerAnswer(room, usual.maxTokens)
  return { ...usual, maxTokens, leastTokens: Math.min(maxTokens, 2 * written) }
}

const notices: Record<NonNullable<ReturnType<typeof faultOf>>, string> = {
  "cut off": "[dd: your answer was cut off at the maximum length. Give all of it again, in fewer words.]",
  empty: "[dd: your last turn was empty. Go on with the task, or submit your answer.]"
}

/** Cut off before a call was complete, or without any; without text and calls. */
const faultOf = ({ calls, ended, parts }: TurnListener): "cut off" | "empty" | null => {
  if (ended?.reason === "length" && calls.at(-1)?.call.truncated !== false) return "cut off"
  return parts.length === 0 ? "empty" : null
}

const hook = <A>(name: HookFailed["hook"], run: Effect.Effect<A, HookFault> | undefined) =>
  run === undefined ? Effect.void : Effect.mapError(run, (cause) => new HookFailed({ hook: name, cause }))
