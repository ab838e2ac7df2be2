/**
 * One run of a context: steps until there is nothing left to send to the model.
 *
 * A step sends all pending messages, starts calls while the model writes, awaits them, and saves. Nothing that a step
 * starts outlives it. The last permitted step accepts only an answer. Source: agent-lifecycle §2.4-2.12.
 */
import { Effect, Fiber, Random, type Semaphore, Stream } from "effect"
import { type ModelEvent, type ModelRequest, noUsage } from "../../../domain/agent/ModelTurn.ts"
import { requestTokens } from "../../../domain/text/ModelRoom.ts"
import { tokensAtMost } from "../../../domain/text/tokensAtMost.ts"
import { type Model, ModelError, mayHaveCost } from "../Model.ts"
import { maxTries, retryDelay } from "../retryDelay.ts"
import type { AgentSession, HookFault, Prepared, RunEnd } from "./AgentContext.ts"
import { type CallExecutor, type CallResult, toolsOf } from "./CallExecutor.ts"
import type { Ledger } from "./Ledger.ts"
import { HookFailed, ModelRefused, type RunFailure } from "./RunFailure.ts"
import { callKey, isRepeatable, TurnListener } from "./TurnListener.ts"

export interface RunOptions {
  readonly ledger: Ledger
  readonly session: AgentSession
  readonly executor: CallExecutor
  readonly model: Model["Service"]
  /** Whether arguments may refer to results of earlier calls. */
  readonly references: boolean
  /** Limits concurrent turns of all contexts. */
  readonly turns: Semaphore.Semaphore
}

/** Consecutive pauses after which a turn counts as ended. */
const maxPauses = 8
/** Turns in which a model may submit an invalid answer. */
const maxInvalidAnswers = 3
/** Consecutive turns that may be empty, or cut off before the first call. */
const maxEmptyTurns = 3
/** Share of the context size that is kept free for errors of the token estimate. */
const margin = 0.05

export const runSteps = ({ executor, ledger, model, references, session, turns }: RunOptions) => {
  const { memory } = ledger
  let step = 0
  let spent = 0
  let invalidAnswers = 0
  let emptyTurns = 0
  let text = ""
  let reportedSystem: string | null = null
  let answer: RunEnd["answer"] = null

  const endOf = (stopReason: RunEnd["stopReason"]): RunEnd => ({
    stopReason,
    chain: ledger.chain,
    steps: step,
    text,
    answer
  })

  /** Estimated tokens of a turn: its messages and the longest possible answer. */
  const costOf = (prepared: Prepared): number => memory.tokens + fixedTokens(prepared) + prepared.maxTokens
  const isAffordable = (prepared: Prepared): boolean => spent + costOf(prepared) <= session.budgetTokens

  /** Reports the system prompt once per run, and again when it changes. */
  const reportSent = (request: ModelRequest): void => {
    const system = model.systemOf?.(request) ?? request.system
    const isNew = system.join("\n") !== reportedSystem
    const last = request.messages.at(-1)
    const words = last?.role === "user" ? last.parts.flatMap((part) => (part._tag === "Text" ? [part.text] : [])) : []
    if (!isNew && words.length === 0) return
    ledger.sent({
      system: isNew ? system : [],
      words,
      continues: reportedSystem === null && request.messages.length > 1
    })
    reportedSystem = system.join("\n")
  }

  const save = Effect.andThen(hook("save", session.save), ledger.flush)

  /** Retries until the turn ends or a retry is useless. */
  const askModel = Effect.fnUntraced(function* (prepared: Prepared, isLast: boolean) {
    const scope = yield* Effect.scope
    const scene = { executor, isLast, ledger, onText: session.onText, prepared, references, scope }
    const known = new Map<string, Fiber.Fiber<CallResult>>()
    const changesNothing = changesNothingIn(prepared)
    let hasDroppedTurns = false
    for (let tries = 1; ; tries++) {
      const listener = new TurnListener({ ...scene, earlierCalls: known })
      const request = requestOf(prepared, isLast, ledger)
      if (tries === 1) reportSent(request)
      const outcome = yield* Effect.suspend(() => {
        ledger.used("", model.model, null)
        return Stream.runForEachArray(model.converse(request), listening(listener))
      }).pipe(
        turns.withPermits(1),
        Effect.andThen(Effect.suspend(() => (listener.ended === null ? Effect.fail(withoutEnd(model)) : Effect.void))),
        Effect.ensuring(Effect.sync(() => (spent += tokensOf(listener)))),
        Effect.tapError((error) =>
          Effect.sync(
            () =>
              mayHaveCost(listener.messageId !== "", error) || ledger.used("", model.model, { ...noUsage, costUsd: 0 })
          )
        ),
        Effect.result
      )
      if (outcome._tag === "Success") return listener
      const error = outcome.failure
      const isTooLong = error.kind === "context-too-long" && !hasDroppedTurns
      // A call with side effects must not run twice.
      const canRetry = listener.calls.every(({ call }) => changesNothing(call.name))
      if (isTooLong && canRetry && memory.fit(memory.tokens / 2)) hasDroppedTurns = true
      else {
        const delay = retryDelay(error, tries, yield* Random.next)
        if (delay === null || !canRetry || !isAffordable(prepared)) return yield* error
        ledger.note("Event", {
          name: "retry",
          text: `${error.message} (try ${tries} of ${maxTries(error)})`,
          isSent: false
        })
        yield* Effect.andThen(ledger.flush, Effect.sleep(delay))
      }
      for (const { call, fiber } of listener.calls) {
        if (isRepeatable(call, references)) known.set(callKey(call), fiber)
      }
    }
  })

  /** One turn, recorded; a paused model may continue. */
  const turn = Effect.fnUntraced(function* (prepared: Prepared, isLast: boolean) {
    for (let pauses = 0; ; pauses++) {
      const listener = yield* askModel(prepared, isLast)
      const { ended, messageId, parts, usage } = listener
      if (ended === null) return listener
      const { reason, stopReason, verbatim } = ended
      if (reason === "refusal" || reason === "filtered") {
        return yield* new ModelRefused({ model: listener.model, kind: reason, stopReason })
      }
      // A turn that was cut off before its first word cannot be sent back.
      if (parts.length > 0 || verbatim !== null) {
        ledger.note("Turn", { messageId, model: listener.model, stopReason, parts, verbatim, usage })
      }
      if (reason === "length" && listener.calls.length === 0) {
        ledger.note("Event", { name: "cut", text: `${cut} (${prepared.maxTokens} tokens)`, isSent: true })
      }
      yield* ledger.flush
      const continues = reason === "pause" && listener.calls.length === 0 && pauses < maxPauses
      if (!continues || !isAffordable(prepared)) return listener
    }
  })

  const oneStep = Effect.fnUntraced(function* (prepared: Prepared, isLast: boolean) {
    ledger.note("Step", { step, shows: memory.pending, last: isLast })
    yield* ledger.flush
    const listener = yield* turn(prepared, isLast)
    const answers = yield* Effect.forEach(listener.calls, ({ fiber }) => Fiber.join(fiber))
    yield* Effect.forEach(listener.handlers, (fiber) => Fiber.join(fiber), { discard: true })
    text = listener.text
    emptyTurns = isEmptyTurn(listener) ? emptyTurns + 1 : 0
    const submitted = answers.findLast((each) => each.submitted?.isTerminal === true)?.submitted ?? null
    if (submitted !== null) answer = { name: submitted.name, value: submitted.value }
    else if (listener.calls.some(({ call }) => isTerminal(prepared, call.name))) invalidAnswers++
    return submitted !== null
  }, Effect.scoped)

  /** Steps until nothing is pending or no step is left. */
  const steps = Effect.fnUntraced(function* () {
    let failed: ModelError | ModelRefused | null = null
    let limit: "step limit" | "budget" = "step limit"
    let isOver = false
    for (;;) {
      if (!memory.hasPending) {
        const more = yield* hook("shouldContinue", session.shouldContinue)
        if (more === null || more === undefined) return "done"
        ledger.note("Event", { name: "go on", text: more, isSent: true })
      }
      if (isOver || step >= session.maxSteps) return failed === null ? limit : yield* failed
      const prepared = yield* session.prepare
      memory.fit(requestTokens(model.room, prepared.maxTokens) * (1 - margin) - fixedTokens(prepared))
      if (!isAffordable(prepared)) return "budget"
      // The budget may not be enough for another turn after this one.
      const isLastAffordable = spent + 2 * costOf(prepared) > session.budgetTokens
      if (isLastAffordable) limit = "budget"
      step++
      isOver = isLastAffordable || step === session.maxSteps
      const outcome = yield* Effect.result(oneStep(prepared, isOver))
      failed = outcome._tag === "Failure" ? outcome.failure : null
      if (failed !== null && (session.onError === undefined || (yield* session.onError(failed)) === "fail")) {
        return yield* failed
      }
      yield* save
      yield* hook("onStep", session.onStep?.(step))
      yield* save
      if (outcome._tag === "Success" && outcome.success) return "done"
      if (invalidAnswers >= maxInvalidAnswers || emptyTurns >= maxEmptyTurns) return "step limit"
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
  }) satisfies Effect.Effect<RunEnd, RunFailure>
}

const cut = "[dd: your answer was cut off at the maximum length. Repeat it, shorter.]"

const isEmptyTurn = ({ calls, ended, parts }: TurnListener): boolean =>
  calls.length === 0 && (ended?.reason === "length" || (parts.length === 0 && ended?.verbatim === null))

const isTerminal = ({ outputs }: Prepared, called: string): boolean =>
  outputs.some(({ isTerminal, name }) => isTerminal && name === called)

const requestOf = (prepared: Prepared, isLast: boolean, { memory }: Ledger): ModelRequest => {
  const { answer, effort, maxTokens, model, outputs, system } = prepared
  const tools = toolsOf(prepared)
  const submit = outputs.find(({ isTerminal }) => isTerminal)
  const choice = !isLast || tools.length === 0 ? "auto" : submit === undefined ? "none" : { tool: submit.name }
  return { model, system, tools, messages: memory.messages, choice, answer, maxTokens, effort }
}

/** Whether the action or output of this name has no side effects. An unknown name has none. */
const changesNothingIn = ({ actions, outputs }: Prepared) => {
  const harmful = new Set([...actions, ...outputs].filter((each) => each.changesThings).map(({ name }) => name))
  return (name: string): boolean => !harmful.has(name)
}

const fixedTokens = (prepared: Prepared): number =>
  prepared.system.reduce((sum, text) => sum + tokensAtMost(text), 0) +
  toolsOf(prepared).reduce((sum, tool) => sum + tokensOfTool(tool.input) + tokensAtMost(tool.description), 0)

const toolTokens = new WeakMap<object, number>()
const tokensOfTool = (input: ModelRequest["tools"][number]["input"]): number => {
  const known = toolTokens.get(input) ?? tokensAtMost(JSON.stringify(input))
  toolTokens.set(input, known)
  return known
}

const listening = (listener: TurnListener) =>
  Effect.fnUntraced(function* (events: ReadonlyArray<ModelEvent>) {
    for (const event of events) {
      const toDo = listener.take(event)
      if (toDo !== null) yield* toDo
    }
  })

const tokensOf = ({ usage }: TurnListener): number => (usage === null ? 0 : usage.promptTokens + usage.completionTokens)

const withoutEnd = ({ model, provider }: Model["Service"]): ModelError =>
  new ModelError({
    provider,
    model,
    kind: "malformed",
    status: null,
    retryAfterMillis: null,
    detail: "the turn did not end"
  })

const hook = <A>(name: HookFailed["hook"], run: Effect.Effect<A, HookFault> | undefined) =>
  run === undefined ? Effect.void : Effect.mapError(run, (cause) => new HookFailed({ hook: name, cause }))
