/**
 * The only way to a backend.
 *
 * An invocation has one deadline, is recorded event by event, and returns a decoded reply or one typed error. An answer
 * that does not fit the schema is sent back once for repair, which is recorded as a separate call. If only entries of
 * lists still do not fit, they are in `degraded` and the others are used. Only a stack review may be prose, which the
 * parse agent reads.
 */
import { Context, Deferred, Effect, identity, Layer, Result, Semaphore } from "effect"
import { decodeReply } from "../../domain/agent/ModelReply.ts"
import type { Cost } from "../../domain/agent/RunCost.ts"
import { SeenCollector } from "../../domain/agent/SeenCollector.ts"
import { label, phaseOf, type Reply, type Task } from "../../domain/agent/Task.ts"
import type { SeenLines } from "../../domain/change/SeenLines.ts"
import type { Phase } from "../../domain/run/BackendChoice.ts"
import { FailPolicy } from "../run/FailPolicy.ts"
import { monotonicMillis } from "../system/monotonicMillis.ts"
import { type AgentTimedOut, type AnswerScope, type CallScope, makeAgentCalls } from "./AgentCalls.ts"
import type { AgentRefused, AgentReplyCutOff, AgentReplyInvalid } from "./agentReply.ts"
import { Backend, type BackendError, type BackendRefused, NoModel } from "./Backend.ts"
import { Budget } from "./Budget.ts"
import { ResumedRun, unusedIn } from "./ResumedRun.ts"

export interface ReviewAnswer {
  readonly reply: Reply<"StackReview">
  readonly seen: ReadonlyArray<SeenLines>
  readonly by: string
}

type StackReview = Extract<Task, { readonly _tag: "StackReview" }>

export type AgentError = BackendError | AgentReplyInvalid | AgentReplyCutOff | AgentRefused | AgentTimedOut

/** The time limit of one invocation, including its retries and pauses; a fix has it once for each finding. */
export const AgentDeadline = Context.Reference<number>("dd/services/Agent/AgentDeadline", {
  defaultValue: () => 300
})

export class Agent extends Context.Service<
  Agent,
  {
    /** The name of the backend of the stack reviews. */
    readonly name: string
    readonly hasModel: (phase: Phase) => boolean
    /** `withoutModel`: dd's own answer, used if no model answers. */
    readonly invoke: <T extends Task>(
      task: T,
      scope: CallScope,
      withoutModel: Reply<T["_tag"]>
    ) => Effect.Effect<Reply<T["_tag"]>, AgentError>
    /** Runs a reviewer. The answer includes the lines of the change that it has seen and the name of the backend. */
    readonly review: (task: StackReview, scope: CallScope) => Effect.Effect<ReviewAnswer, AgentError | NoModel>
    /** An answer that dd computes instead of a model. It is recorded as a call, with `replyOf` as its result. */
    readonly withoutModel: <T extends Task, A, E>(
      task: T,
      scope: CallScope,
      work: Effect.Effect<A, E>,
      replyOf: (found: A) => Reply<T["_tag"]>
    ) => Effect.Effect<A, E | AgentTimedOut>
    /**
     * Fails as soon as a backend refuses to review; the refused invocation then never ends. The steps are raced against
     * this.
     */
    readonly refused: Effect.Effect<never, BackendRefused>
    /** Adds the agents of a resumed run whose answers were not taken: they have cost something, too. */
    readonly countUnused: Effect.Effect<void>
    /** The cost of all calls so far, including failed and interrupted ones. */
    readonly spent: Effect.Effect<Cost>
  }
>()("dd/services/agent/Agent") {
  static readonly layer = Layer.effect(
    Agent,
    Effect.gen(function* () {
      const backend = yield* Backend
      const onFailure = yield* FailPolicy
      const resumed = yield* ResumedRun
      const calls = yield* makeAgentCalls(yield* AgentDeadline)
      const refusal = yield* Deferred.make<never, BackendRefused>()
      const turns = yield* Semaphore.make(Math.max(1, backend.fanout))
      const budget = yield* Budget
      /** An agent that waits for its turn counts as one that will answer. */
      const inTurn = <A, E, R>(work: Effect.Effect<A, E, R>) =>
        Effect.scoped(Effect.andThen(budget.join, turns.withPermits(1)(work)))

      /** Before the reviews have begun, a refusal ends the run; later it is an ordinary failure. */
      const firstAnswer = <T extends Task>(task: T, scope: AnswerScope) =>
        calls
          .answered(task, scope, null)
          .pipe(
            Effect.catchTag("BackendRefused", (refused) =>
              beforeReviews.has(phaseOf[task._tag])
                ? Effect.andThen(Deferred.fail(refusal, refused), Effect.never)
                : Effect.fail(refused)
            )
          )

      const hasModel = (phase: Phase) => backend.phases?.has(phase) ?? true

      const ask = Effect.fn("Agent.ask")(function* <T extends Task>(
        task: T,
        callScope: CallScope,
        seen: SeenCollector | null = null
      ) {
        if (!hasModel(phaseOf[task._tag])) return yield* new NoModel({ task: label(task) })
        const scope = { ...callScope, seen, endsAt: (yield* monotonicMillis) + calls.secondsFor(task) * 1000 }
        const first = yield* Effect.result(firstAnswer(task, scope))
        if (Result.isSuccess(first)) return first.success
        const { failure } = first
        if (failure._tag !== "ReplyUnusable") return yield* failure
        const seenBefore = seen?.seen ?? []
        const second = yield* Effect.result(calls.answered(task, scope, failure.repair))
        // A repaired answer also counts the lines seen before the repair.
        seen?.add(seenBefore)
        if (Result.isSuccess(second)) return second.success
        const last = second.failure
        const rest = (last._tag === "ReplyUnusable" ? last.rest : null) ?? failure.rest
        if (rest !== null) {
          yield* onFailure.degrade({ step: callScope.phase, error: "EntriesRefused", detail: rest.missing })
          return yield* Effect.orDie(decodeReply<T["_tag"]>(task._tag, rest.given))
        }
        const prose = failure.prose ?? (last._tag === "ReplyUnusable" ? last.prose : null)
        // The parse agent reads a review in prose.
        if (task._tag === "StackReview" && prose !== null) {
          return yield* Effect.orDie(decodeReply<T["_tag"]>(task._tag, { review: prose }))
        }
        return yield* last._tag === "ReplyUnusable" ? last.error : last
      })

      const review: Agent["Service"]["review"] = Effect.fnUntraced(function* (task, scope) {
        const collector = new SeenCollector(task.change.diff.files)
        const reply = yield* inTurn(ask(task, scope, collector))
        return { reply, seen: collector.seen, by: backend.answererOf?.(task) ?? backend.name }
      })

      const withoutModel: Agent["Service"]["withoutModel"] = (...call) =>
        turns.withPermits(1)(calls.withoutModel(...call))

      const invoke: Agent["Service"]["invoke"] = (task, scope, own) =>
        inTurn(ask(task, scope)).pipe(
          Effect.catchTag("NoModel", () => withoutModel(task, scope, Effect.succeed(own), identity))
        )

      return Agent.of({
        name: backend.name,
        hasModel,
        refused: Deferred.await(refusal),
        review,
        withoutModel,
        invoke,
        countUnused:
          resumed === null
            ? Effect.void
            : Effect.suspend(() =>
                Effect.forEach(unusedIn(resumed), ([context, events]) => calls.unused(context, events), {
                  discard: true
                })
              ),
        spent: calls.spent
      })
    })
  )
}

const beforeReviews: ReadonlySet<Phase> = new Set(["intent", "alternatives", "per-stack-reviews"])
