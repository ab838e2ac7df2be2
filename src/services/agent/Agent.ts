/**
 * The only way to a backend.
 *
 * An invocation has one deadline, is recorded event by event, and returns a decoded reply or one typed error. An answer
 * that does not fit the schema is sent back once for repair, which is recorded as a separate call. Only a stack review may be prose, which the parse agent reads.
 */
import {
  Cause,
  Context,
  DateTime,
  Deferred,
  Effect,
  Exit,
  identity,
  Layer,
  Ref,
  Result,
  Schema,
  Semaphore,
  Stream
} from "effect"
import { decodeReply } from "../../domain/agent/ModelReply.ts"
import type { Cost } from "../../domain/agent/RunCost.ts"
import { SeenCollector, shownEvents } from "../../domain/agent/SeenCollector.ts"
import { budgetShare, label, phaseOf, type Reply, replies, type Task, taskText } from "../../domain/agent/Task.ts"
import { allLines, type SeenLines } from "../../domain/change/SeenLines.ts"
import { AgentEvent, promptedOf } from "../../domain/run/AgentEvent.ts"
import type { Phase } from "../../domain/run/BackendChoice.ts"
import { RunEvent } from "../../domain/run/RunEvent.ts"
import { Recorder } from "../run/Recorder.ts"
import { monotonicMillis } from "../system/monotonicMillis.ts"
import { makeAgentCosts } from "./AgentCosts.ts"
import {
  type AgentRefused,
  type AgentReplyCutOff,
  type AgentReplyInvalid,
  CallAnswer,
  ReplyUnusable,
  replyIn
} from "./agentReply.ts"
import { Backend, type BackendError, type BackendRefused, NoModel, type Repair } from "./Backend.ts"

export class AgentTimedOut extends Schema.TaggedError<AgentTimedOut>()("AgentTimedOut", {
  backend: Schema.String,
  task: Schema.String,
  seconds: Schema.Finite
}) {
  override get message() {
    return `${this.backend} did not finish ${this.task} within ${this.seconds} s`
  }
}

export interface ReviewAnswer {
  readonly reply: Reply<"StackReview">
  readonly seen: ReadonlyArray<SeenLines>
  readonly by: string
}

type StackReview = Extract<Task, { readonly _tag: "StackReview" }>

/** `phase` names the step; `fork` is set inside a parallel fan-out. */
interface CallScope {
  readonly phase: string
  readonly fork?: string
}

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
    /** The cost of all calls so far, including failed and interrupted ones. */
    readonly spent: Effect.Effect<Cost>
  }
>()("dd/services/agent/Agent") {
  static readonly layer = Layer.effect(
    Agent,
    Effect.gen(function* () {
      const backend = yield* Backend
      const isWithModel = backend.phases?.size !== 0
      const recorder = yield* Recorder
      const usualSeconds = yield* AgentDeadline
      const secondsFor = (task: Task) => usualSeconds * budgetShare(task)
      const costs = yield* makeAgentCosts
      const calls = yield* Ref.make(0)
      const refusal = yield* Deferred.make<never, BackendRefused>()
      const turns = yield* Semaphore.make(Math.max(1, backend.fanout))

      const listen = (
        task: Task,
        call: number,
        answer: CallAnswer,
        seen: SeenCollector | null,
        repair: Repair | null
      ) =>
        (repair === null ? backend.execute(task) : backend.execute(task, repair)).pipe(
          Stream.runForEach((given) =>
            Effect.flatMap(costs.priced(answer, given, backend.model), (event) => {
              answer.take(event)
              seen?.take(event)
              return recorder.record(RunEvent.make({ _tag: "Agent", call, event }))
            })
          )
        )

      const attempt = Effect.fnUntraced(function* <T extends Task>(task: T, scope: Scope, repair: Repair | null) {
        const name = label(task)
        const answer = new CallAnswer(backend.name)
        const timedOut = () => new AgentTimedOut({ backend: answer.backend, task: name, seconds: secondsFor(task) })
        const left = scope.endsAt - (yield* monotonicMillis)
        if (left <= 0) return yield* timedOut()
        const call = yield* Ref.updateAndGet(calls, (n) => n + 1)
        const { phase, fork } = scope
        const prompt = repair === null ? taskText(task) : `${taskText(task)}\n\n${repairText(repair)}`
        yield* recorder.record(RunEvent.make({ _tag: "AgentStarted", call, task: name, phase, fork, prompt }))
        return yield* listen(task, call, answer, scope.seen, repair).pipe(
          Effect.timeoutOrElse({ duration: left, orElse: () => Effect.fail(timedOut()) }),
          // Failed calls also cost money.
          Effect.onExit(() => costs.add(answer)),
          Effect.andThen(Effect.suspend(() => replyIn(task, answer))),
          Effect.onExit((exit) => recorder.record(agentEnded(call, exit)))
        )
      })

      /** Before the reviews have begun, a refusal ends the run; later it is an ordinary failure. */
      const firstAnswer = <T extends Task>(task: T, scope: Scope) =>
        attempt(task, scope, null).pipe(
          Effect.catchTag("BackendRefused", (refused) =>
            beforeReviews.has(phaseOf[task._tag])
              ? Effect.andThen(Deferred.fail(refusal, refused), Effect.never)
              : Effect.fail(refused)
          )
        )

      const hasModel = (phase: Phase) => backend.phases?.has(phase) ?? true

      const ask = Effect.fn("Agent.ask")(function* <T extends Task>(
        task: T,
        { fork, phase }: CallScope,
        seen: SeenCollector | null = null
      ) {
        if (!hasModel(phaseOf[task._tag])) return yield* new NoModel({ task: label(task) })
        const scope = { phase, fork: fork ?? null, seen, endsAt: (yield* monotonicMillis) + secondsFor(task) * 1000 }
        const first = yield* Effect.result(firstAnswer(task, scope))
        if (Result.isSuccess(first)) return first.success
        const { failure } = first
        if (failure._tag !== "ReplyUnusable") return yield* failure
        const seenBefore = seen?.seen ?? []
        const second = yield* Effect.result(attempt(task, scope, failure.repair))
        // A repaired answer also counts the lines seen before the repair.
        seen?.add(seenBefore)
        if (Result.isSuccess(second)) return second.success
        const last = second.failure
        const prose = failure.prose ?? (last._tag === "ReplyUnusable" ? last.prose : null)
        // The parse agent reads a review in prose.
        if (task._tag === "StackReview" && prose !== null) {
          return yield* Effect.orDie(decodeReply<T["_tag"]>(task._tag, { review: prose }))
        }
        return yield* last._tag === "ReplyUnusable" ? last.error : last
      })

      const review: Agent["Service"]["review"] = Effect.fnUntraced(function* (task, scope) {
        const collector = new SeenCollector(task.change.diff.files)
        const reply = yield* turns.withPermits(1)(ask(task, scope, collector))
        return { reply, seen: collector.seen, by: backend.answererOf?.(task) ?? backend.name }
      })

      const withoutModel: Agent["Service"]["withoutModel"] = Effect.fnUntraced(
        function* (task, { fork = null, phase }, work, replyOf) {
          const name = label(task)
          const call = yield* Ref.updateAndGet(calls, (n) => n + 1)
          const prompt = taskText(task)
          yield* recorder.record(RunEvent.make({ _tag: "AgentStarted", call, task: name, phase, fork, prompt }))
          const seconds = secondsFor(task)
          const orElse = () => Effect.fail(new AgentTimedOut({ backend: "static", task: name, seconds }))
          return yield* work.pipe(
            Effect.timeoutOrElse({ duration: seconds * 1000, orElse }),
            Effect.tap((found) =>
              Effect.gen(function* () {
                const timestamp = DateTime.formatIso(yield* DateTime.now)
                const events = yield* ownEvents(task, replyOf(found), timestamp)
                // A replay together with a model counts only lines that were shown.
                const shown = isWithModel && task._tag === "StackReview" ? allLines(task.change.diff.files) : null
                for (const event of shown === null ? events : [...shownEvents(task, shown, timestamp), ...events]) {
                  yield* recorder.record(RunEvent.make({ _tag: "Agent", call, event }))
                }
              })
            ),
            Effect.onExit((exit) => recorder.record(agentEnded(call, exit)))
          )
        },
        (self) => turns.withPermits(1)(self)
      )

      const invoke: Agent["Service"]["invoke"] = (task, scope, own) =>
        turns
          .withPermits(1)(ask(task, scope))
          .pipe(Effect.catchTag("NoModel", () => withoutModel(task, scope, Effect.succeed(own), identity)))

      return Agent.of({
        name: backend.name,
        hasModel,
        refused: Deferred.await(refusal),
        review,
        withoutModel,
        invoke,
        spent: costs.total
      })
    })
  )
}

/** The recorded events of an answer by dd itself. A reply that does not fit its own schema is a defect. */
const ownEvents = Effect.fnUntraced(function* <T extends Task>(task: T, reply: Reply<T["_tag"]>, timestamp: string) {
  const schema: Schema.Codec<typeof reply, unknown> = replies[task._tag]
  const output = yield* Effect.orDie(
    Effect.flatMap(Schema.encodeUnknownEffect(schema)(reply), Schema.decodeUnknownEffect(Schema.Json))
  )
  const text = "review" in reply ? reply.review : "intent" in reply ? reply.intent : ""
  return [
    promptedOf("static", timestamp, { system: [], user: [taskText(task)] }),
    AgentEvent.make({ _tag: "Text", timestamp, text }),
    AgentEvent.make({ _tag: "TurnEnd", timestamp, messageId: "" }),
    AgentEvent.make({ _tag: "Result", timestamp, output })
  ]
})

const beforeReviews: ReadonlySet<Phase> = new Set(["intent", "alternatives", "per-stack-reviews"])

interface Scope {
  readonly phase: string
  readonly fork: string | null
  /** Collects the lines that a reviewer sees; null for other tasks. */
  readonly seen: SeenCollector | null
  /** Deadline of the answer and its repair, in milliseconds of the monotonic clock. */
  readonly endsAt: number
}

const repairText = ({ fault }: Repair): string => `The answer does not have the requested form:\n${fault}`

const agentEnded = (call: number, exit: Exit.Exit<unknown, unknown>): RunEvent => {
  if (Exit.isSuccess(exit)) return RunEvent.make({ _tag: "AgentEnded", call, outcome: "ok" })
  if (Cause.hasInterruptsOnly(exit.cause)) return RunEvent.make({ _tag: "AgentEnded", call, outcome: "interrupted" })
  const squashed = Cause.squash(exit.cause)
  const error = squashed instanceof ReplyUnusable ? squashed.error : squashed
  const { name, message } = error instanceof Error ? error : { name: "Defect", message: String(error) }
  return RunEvent.make({ _tag: "AgentEnded", call, outcome: "failed", error: name, detail: message })
}
