/**
 * One run of a context: steps until nothing is left to show the model, and why it stopped.
 *
 * A step prepares, shows the model everything that waited, begins calls while it speaks, waits for all of them, saves and
 * decides. Nothing a step began outlives it. The last permitted step takes only an answer. Source: reference
 * agent-lifecycle §2.4-2.12.
 */
import { Effect, Fiber, Random, type Semaphore, Stream } from "effect"
import type { ModelEvent, ModelRequest, ModelUsage } from "../../../domain/agent/ModelTurn.ts"
import { tokensAtMost } from "../../../domain/text/tokensAtMost.ts"
import { type Model, ModelError } from "../Model.ts"
import type { AgentSession, HookFault, Prepared, RunEnd } from "./AgentContext.ts"
import { type CallExecutor, type CallResult, toolsOf } from "./CallExecutor.ts"
import type { Ledger } from "./Ledger.ts"
import { HookFailed, ModelRefused, type RunFailure } from "./RunFailure.ts"
import { maxTries, retryDelay } from "./retryDelay.ts"
import { callKey, isRepeatable, TurnListener } from "./TurnListener.ts"

export interface RunOptions {
  readonly ledger: Ledger
  readonly session: AgentSession
  readonly desk: CallExecutor
  readonly model: Model["Service"]
  /** May arguments refer to results of earlier calls? */
  readonly references: boolean
  /** Places of models that speak, for all contexts together. */
  readonly turns: Semaphore.Semaphore
}

/** How often in a row a model may pause before it counts as done. */
const maxPauses = 8
/** In how many turns a model may hand in what does not fit: once, and mended twice. */
const maxInvalidAnswers = 3
/** How many turns in a row may say nothing, or be cut off before they have called anything. */
const maxEmptyTurns = 3
/** Of the context's size, for what an estimate of tokens misses. */
const margin = 0.05

export const runSteps = ({ desk, ledger, model, references, session, turns }: RunOptions) => {
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

  /** About what a turn takes: all that is sent, and as much as may be said. */
  const costOf = (prepared: Prepared): number => memory.tokens + fixedTokens(prepared) + prepared.maxTokens
  const isAffordable = (prepared: Prepared): boolean => spent + costOf(prepared) <= session.budgetTokens

  /** Reports the system prompt once for each run, and again when it changes. */
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

  /** Asks until the turn has ended, or is not worth asking again. */
  const askModel = Effect.fnUntraced(function* (prepared: Prepared, isLast: boolean) {
    const scope = yield* Effect.scope
    const scene = { desk, isLast, ledger, onText: session.onText, prepared, references, scope }
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
          Effect.sync(() => mayHaveCost(listener, error) || ledger.used("", model.model, noUsage))
        ),
        Effect.result
      )
      if (outcome._tag === "Success") return listener
      const error = outcome.failure
      const isTooLong = error.kind === "context-too-long" && !hasDroppedTurns
      // What changed something would be changed twice.
      const canRetry = listener.calls.every(({ call }) => changesNothing(call.name))
      if (isTooLong && canRetry && memory.fit(memory.tokens / 2)) hasDroppedTurns = true
      else {
        const delay = retryDelay(error, tries, yield* Random.next)
        if (delay === null || !canRetry || !isAffordable(prepared)) return yield* error
        ledger.note("Event", {
          name: "retry",
          text: `${error.message} (try ${tries} of ${maxTries(error)})`,
          told: false
        })
        yield* Effect.andThen(ledger.flush, Effect.sleep(delay))
      }
      for (const { call, fiber } of listener.calls) {
        if (isRepeatable(call, references)) known.set(callKey(call), fiber)
      }
    }
  })

  /** One turn that has ended, heard and kept; a model that paused is let go on. */
  const turn = Effect.fnUntraced(function* (prepared: Prepared, isLast: boolean) {
    for (let pauses = 0; ; pauses++) {
      const listener = yield* askModel(prepared, isLast)
      const { ended, messageId, parts, usage } = listener
      if (ended === null) return listener
      const { reason, stopReason, verbatim } = ended
      if (reason === "refusal" || reason === "filtered") {
        return yield* new ModelRefused({ model: listener.model, kind: reason, stopReason })
      }
      // A turn that was cut before its first word says nothing that can be sent back.
      if (parts.length > 0 || verbatim !== null) {
        ledger.note("Turn", { messageId, model: listener.model, stopReason, parts, verbatim, usage })
      }
      if (reason === "length" && listener.calls.length === 0) {
        ledger.note("Event", { name: "cut", text: `${cut} (${prepared.maxTokens} tokens)`, told: true })
      }
      yield* ledger.flush
      const goesOn = reason === "pause" && listener.calls.length === 0 && pauses < maxPauses
      if (!goesOn || !isAffordable(prepared)) return listener
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
    const handedIn = answers.findLast((each) => each.submitted?.isTerminal === true)?.submitted ?? null
    if (handedIn !== null) answer = { name: handedIn.name, value: handedIn.value }
    else if (listener.calls.some(({ call }) => isTerminal(prepared, call.name))) invalidAnswers++
    return handedIn !== null
  }, Effect.scoped)

  /** Steps until nothing waits, or no step is left. */
  const steps = Effect.fnUntraced(function* () {
    let failed: ModelError | ModelRefused | null = null
    let limit: "step limit" | "budget" = "step limit"
    let isOver = false
    for (;;) {
      if (!memory.waits) {
        const more = yield* hook("shouldContinue", session.shouldContinue)
        if (more === null || more === undefined) return "done"
        ledger.note("Event", { name: "go on", text: more, told: true })
      }
      if (isOver || step >= session.maxSteps) return failed === null ? limit : yield* failed
      const prepared = yield* session.prepare
      memory.fit(model.contextTokens * (1 - margin) - fixedTokens(prepared) - prepared.maxTokens)
      if (!isAffordable(prepared)) return "budget"
      // Enough for this turn and for none after it.
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
      // What came in meanwhile is seen to where the end is made.
      if (outcome._tag === "Success" && outcome.success) return "done"
      if (invalidAnswers >= maxInvalidAnswers || emptyTurns >= maxEmptyTurns) return "step limit"
    }
  })

  /** To the end, and on where something came in while the end was being made. */
  return Effect.gen(function* () {
    for (;;) {
      const stopReason = yield* steps()
      yield* hook("onRun", session.onRun?.(endOf(stopReason)))
      yield* save
      if (stopReason !== "done" || !memory.hasWords || step >= session.maxSteps) return endOf(stopReason)
    }
  }) satisfies Effect.Effect<RunEnd, RunFailure>
}

const cut = "[dd: your answer was cut off at its longest. Say it again, shorter.]"

/** It would be asked the same again, or to say it shorter, and so on to the last step. */
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

/** Does an action or output of this name change nothing? A name nobody knows does nothing at all. */
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

/** One after another; most of what is heard asks for nothing. */
const listening = (listener: TurnListener) =>
  Effect.fnUntraced(function* (events: ReadonlyArray<ModelEvent>) {
    for (const event of events) {
      const toDo = listener.take(event)
      if (toDo !== null) yield* toDo
    }
  })

const tokensOf = ({ usage }: TurnListener): number => (usage === null ? 0 : usage.promptTokens + usage.completionTokens)

/** Can the request have cost anything? Not where the provider refused it or was not reached. */
const mayHaveCost = ({ messageId }: TurnListener, { kind }: ModelError): boolean =>
  messageId !== "" || kind === "stalled" || kind === "malformed" || kind === "too-much"

const noUsage: ModelUsage = {
  promptTokens: 0,
  cachedTokens: null,
  completionTokens: 0,
  reasoningTokens: null,
  costUsd: 0
}

const withoutEnd = ({ model, provider }: Model["Service"]): ModelError =>
  new ModelError({
    provider,
    model,
    kind: "malformed",
    status: null,
    retryAfterMillis: null,
    detail: "the turn has no end"
  })

const hook = <A>(name: HookFailed["hook"], run: Effect.Effect<A, HookFault> | undefined) =>
  run === undefined ? Effect.void : Effect.mapError(run, (cause) => new HookFailed({ hook: name, cause }))
