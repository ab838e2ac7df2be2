/**
 * The turns of one run: a turn that failed is sent again, and one that paused goes on.
 */
import { Effect, type Fiber, Schedule, type Semaphore, Stream } from "effect"
import { type ModelEvent, type ModelRequest, noUsage } from "../../../domain/agent/ModelTurn.ts"
import { type Model, ModelError, mayHaveCost } from "../Model.ts"
import { maxTries, turnRetries } from "../turnRetries.ts"
import type { AgentSession, Prepared } from "./AgentContext.ts"
import type { CallExecutor, CallResult } from "./CallExecutor.ts"
import type { Ledger } from "./Ledger.ts"
import { ModelRefused } from "./RunFailure.ts"
import type { SharedBeginnings } from "./SharedBeginnings.ts"
import { callKey, isRepeatable, TurnListener } from "./TurnListener.ts"
import { changesNothingIn, type RunTokens, requestOf } from "./turnRequest.ts"

export interface TurnOptions {
  readonly ledger: Ledger
  readonly session: Pick<AgentSession, "onText">
  readonly executor: CallExecutor
  readonly model: Model["Service"]
  /** Whether arguments may refer to results of earlier calls. */
  readonly references: boolean
  /** Limits concurrent turns of all contexts. */
  readonly turns: Semaphore.Semaphore
  /** Null: the provider's cache does not make a shared beginning cheaper. */
  readonly beginnings: SharedBeginnings | null
}

/** Consecutive pauses after which a turn counts as ended. */
const maxPauses = 8

/** `isLast`: only an answer is accepted. What a turn started ends with its scope. */
export const makeModelTurns = (options: TurnOptions, tokens: RunTokens) => {
  const { beginnings, executor, ledger, model, references, session, turns } = options
  const { memory } = ledger
  let reportedSystem: string | null = null

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

  /** One request, until the end of its answer. */
  const request = (listener: TurnListener, request: ModelRequest) =>
    Effect.gen(function* () {
      const arrived = beginnings === null ? null : yield* beginnings.wait(request)
      return yield* Effect.suspend(() => {
        ledger.used("", model.model, null)
        return Stream.runForEachArray(model.converse(request), listening(listener, arrived))
      }).pipe(turns.withPermits(1))
    }).pipe(
      Effect.scoped,
      Effect.andThen(Effect.suspend(() => (listener.ended === null ? Effect.fail(withoutEnd(model)) : Effect.void))),
      Effect.ensuring(Effect.sync(() => tokens.spend(listener.usage))),
      Effect.tapError((error) =>
        Effect.sync(
          () =>
            mayHaveCost(listener.messageId !== "", error) || ledger.used("", model.model, { ...noUsage, costUsd: 0 })
        )
      )
    )

  const withRetries = Effect.fnUntraced(function* (prepared: Prepared, isLast: boolean) {
    const scope = yield* Effect.scope
    const scene = { executor, isLast, ledger, onText: session.onText, prepared, references, scope }
    const changesNothing = changesNothingIn(prepared)
    const earlierCalls = new Map<string, Fiber.Fiber<CallResult>>()
    let listener = new TurnListener({ ...scene, earlierCalls })
    let hasDroppedTurns = false
    reportSent(requestOf(prepared, isLast, memory))

    const once = Effect.suspend(() => {
      for (const { call, fiber } of listener.calls) {
        if (isRepeatable(call, references)) earlierCalls.set(callKey(call), fiber)
      }
      listener = new TurnListener({ ...scene, earlierCalls })
      return request(listener, requestOf(prepared, isLast, memory))
    })
    /** A call with side effects must not run twice. */
    const canRetry = () => listener.calls.every(({ call }) => changesNothing(call.name))
    const shortened: typeof once = Effect.catchIf(
      once,
      (error) => error.kind === "context-too-long" && !hasDroppedTurns && canRetry() && memory.fit(memory.tokens / 2),
      () => {
        hasDroppedTurns = true
        return once
      }
    )
    const schedule = turnRetries.pipe(
      Schedule.while(() => canRetry() && tokens.isEnoughFor(prepared)),
      Schedule.tap(({ attempt, input: error }) => {
        const text = `${error.message} (try ${attempt} of ${maxTries(error)})`
        ledger.note("Event", { name: "retry", text, isSent: false })
        return ledger.flush
      })
    )
    yield* Effect.retry(shortened, schedule)
    return listener
  })

  return Effect.fnUntraced(function* (prepared: Prepared, isLast: boolean) {
    for (let pauses = 0; ; pauses++) {
      const listener = yield* withRetries(prepared, isLast)
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
      yield* ledger.flush
      const continues = reason === "pause" && listener.calls.length === 0 && pauses < maxPauses
      if (!continues || !tokens.isEnoughFor(prepared)) return listener
    }
  })
}

const listening = (listener: TurnListener, arrived: ((event: ModelEvent) => void) | null) =>
  Effect.fnUntraced(function* (events: ReadonlyArray<ModelEvent>) {
    for (const event of events) {
      arrived?.(event)
      const toDo = listener.take(event)
      if (toDo !== null) yield* toDo
    }
  })

const withoutEnd = ({ model, provider }: Model["Service"]): ModelError =>
  new ModelError({
    provider,
    model,
    kind: "malformed",
    status: null,
    retryAfterMillis: null,
    detail: "the turn did not end"
  })
