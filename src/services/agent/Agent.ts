/**
 * The one door to a backend: no step talks to one directly.
 *
 * An invocation is bounded by a deadline and by the backend's fan-out, recorded event by event, and
 * comes back decoded against the task's reply schema, or as one typed error. What may succeed later is asked again
 * after a pause, and an answer that does not fit is given back once to be mended; both within the one deadline, and
 * each attempt is a call of its own in the record, paid for whatever came of it. An answer that was refused, cut off
 * or cannot be read is an error, never an empty reply; only a stack review may be prose, which the parse agent reads.
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
  Option,
  Predicate,
  Random,
  Ref,
  Result,
  Schema,
  Semaphore,
  Stream
} from "effect"
import { decodeReply, faultsIn, normalizedReply } from "../../domain/agent/ModelReply.ts"
import { staleness, withCost } from "../../domain/agent/Prices.ts"
import type { Cost } from "../../domain/agent/RunCost.ts"
import { addRunCost, noCost, type RunCost, roundedUsd } from "../../domain/agent/RunCost.ts"
import { SeenCollector, shownEvents } from "../../domain/agent/SeenCollector.ts"
import { label, phaseOf, type Reply, replies, type Task, taskText } from "../../domain/agent/Task.ts"
import { type CallUsage, costOfCall, countUsage, noCallUsage, totalUsage } from "../../domain/agent/Usage.ts"
import { allLines, type SeenLines } from "../../domain/change/SeenLines.ts"
import { AgentEvent, promptedOf } from "../../domain/run/AgentEvent.ts"
import type { Phase } from "../../domain/run/BackendChoice.ts"
import { RunEvent } from "../../domain/run/RunEvent.ts"
import { compareText } from "../../domain/text/compareText.ts"
import { exactJson, salvage } from "../../domain/text/modelJson.ts"
import { Recorder } from "../run/Recorder.ts"
import { monotonicMillis } from "../system/monotonicMillis.ts"
import { Backend, type BackendError, type BackendRefused, NoModel, type Repair } from "./Backend.ts"
import { PriceList } from "./PriceList.ts"

export class AgentReplyInvalid extends Schema.TaggedError<AgentReplyInvalid>()("AgentReplyInvalid", {
  backend: Schema.String,
  task: Schema.String,
  /** A measure, not the reply: records stay bounded and clean. */
  replyLength: Schema.Int,
  cause: Schema.Defect()
}) {
  override get message() {
    return `${this.backend} answered ${this.task} with ${this.replyLength} characters that do not fit what was asked for`
  }
}

export class AgentReplyCutOff extends Schema.TaggedError<AgentReplyCutOff>()("AgentReplyCutOff", {
  backend: Schema.String,
  task: Schema.String,
  replyLength: Schema.Int,
  /** The model's own word, "" where only the text tells. */
  stopReason: Schema.String
}) {
  override get message() {
    const why = this.stopReason === "" ? "" : ` (${this.stopReason})`
    return `the answer of ${this.backend} to ${this.task} ends after ${this.replyLength} characters, before it is whole${why}`
  }
}

export class AgentRefused extends Schema.TaggedError<AgentRefused>()("AgentRefused", {
  backend: Schema.String,
  task: Schema.String,
  stopReason: Schema.String
}) {
  override get message() {
    return `${this.backend} refused ${this.task} (${this.stopReason})`
  }
}

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

/** How long one invocation may take, its further attempts and their pauses included. */
export const AgentDeadline = Context.Reference<number>("dd/services/Agent/AgentDeadline", {
  defaultValue: () => 300
})

/** How often a failure that may pass is tried again, and how long to wait before the first time and at most. */
export const AgentRetries = Context.Reference<{
  readonly attempts: number
  readonly baseMillis: number
  readonly longestMillis: number
}>("dd/services/Agent/AgentRetries", {
  defaultValue: () => ({ attempts: 3, baseMillis: 1_000, longestMillis: 30_000 })
})

export class Agent extends Context.Service<
  Agent,
  {
    /** The name of the backend of the stack reviews. */
    readonly name: string
    /** Does a model answer in this phase? */
    readonly hasModel: (phase: Phase) => boolean
    /** `withoutModel`: dd's own answer, where no model gives one. */
    readonly invoke: <T extends Task>(
      task: T,
      scope: CallScope,
      withoutModel: Reply<T["_tag"]>
    ) => Effect.Effect<Reply<T["_tag"]>, AgentError>
    /** Asks a reviewer. The answer has the lines of the change that it has seen and the name of the backend. */
    readonly review: (task: StackReview, scope: CallScope) => Effect.Effect<ReviewAnswer, AgentError | NoModel>
    /** What dd finds by itself, in place of a model. It is recorded as a call, with `replyOf` as its result. */
    readonly withoutModel: <T extends Task, A, E>(
      task: T,
      scope: CallScope,
      work: Effect.Effect<A, E>,
      replyOf: (found: A) => Reply<T["_tag"]>
    ) => Effect.Effect<A, E | AgentTimedOut>
    /**
     * Fails as soon as a backend refuses to review at all; the refused invocation then never ends. The steps are raced
     * against this.
     */
    readonly refused: Effect.Effect<never, BackendRefused>
    /** What all calls so far have cost, those that failed or were interrupted included. */
    readonly spent: Effect.Effect<Cost>
  }
>()("dd/services/agent/Agent") {
  static readonly layer = Layer.effect(
    Agent,
    Effect.gen(function* () {
      const backend = yield* Backend
      const isWithModel = backend.phases?.size !== 0
      const recorder = yield* Recorder
      const seconds = yield* AgentDeadline
      const retries = yield* AgentRetries
      const priceList = yield* PriceList
      const calls = yield* Ref.make(0)
      const spent = yield* Ref.make<RunCost>(noCost)
      /** Models whose cost was computed from their price. */
      const computedFor = yield* Ref.make<ReadonlySet<string>>(new Set())
      const refusal = yield* Deferred.make<never, BackendRefused>()
      const turns = yield* Semaphore.make(Math.max(1, backend.fanout))

      /** Prices are read when a model reports its usage for the first time. */
      const withItsCost = Effect.fnUntraced(function* (heard: Heard, event: AgentEvent) {
        if (event._tag !== "Metrics" && event._tag !== "Cost") return event
        const { prices } = yield* priceList.read
        const model = event.model ?? (heard.model || backend.model)
        const priced = withCost(heard.usage, event, prices, model)
        if (priced !== event) heard.computedFor.add(model)
        return priced
      })

      const pay = (heard: Heard) =>
        Effect.andThen(
          Ref.update(spent, (cost) => addRunCost(cost, heard.cost)),
          Ref.update(computedFor, (all) =>
            heard.cost.source === "computed" ? new Set([...all, ...heard.computedFor]) : all
          )
        )

      /** Models whose price may have changed since, with the reason. */
      const doubts = Effect.gen(function* () {
        const models = [...(yield* Ref.get(computedFor))].sort(compareText)
        if (models.length === 0) return new Map<string, string>()
        const { prices } = yield* priceList.read
        const today = DateTime.formatIso(yield* DateTime.now)
        return new Map(
          models.flatMap((model) => {
            const reason = staleness(prices, model, today)
            return reason === null ? [] : [[model, reason]]
          })
        )
      })

      const listen = (task: Task, call: number, heard: Heard, sight: SeenCollector | null, repair: Repair | null) =>
        (repair === null ? backend.execute(task) : backend.execute(task, repair)).pipe(
          Stream.runForEach((told) =>
            Effect.flatMap(withItsCost(heard, told), (event) => {
              heard.take(event)
              sight?.take(event)
              return recorder.record(RunEvent.make({ _tag: "Agent", call, event }))
            })
          )
        )

      /** One call of the backend. What was heard in an earlier one is forgotten; what it cost is not. */
      const attempt = Effect.fnUntraced(function* <T extends Task>(task: T, scope: Scope, repair: Repair | null) {
        const name = label(task)
        const heard = new Heard(backend.name)
        const timedOut = () => new AgentTimedOut({ backend: heard.backend, task: name, seconds })
        const left = scope.endsAt - (yield* monotonicMillis)
        if (left <= 0) return yield* timedOut()
        const call = yield* Ref.updateAndGet(calls, (n) => n + 1)
        const { phase, fork } = scope
        const prompt = repair === null ? taskText(task) : `${taskText(task)}\n\n${mending(repair)}`
        yield* recorder.record(RunEvent.make({ _tag: "AgentStarted", call, task: name, phase, fork, prompt }))
        return yield* listen(task, call, heard, scope.sight, repair).pipe(
          Effect.timeoutOrElse({ duration: left, orElse: () => Effect.fail(timedOut()) }),
          // What was heard before a failure is paid for too.
          Effect.onExit(() => pay(heard)),
          Effect.andThen(Effect.suspend(() => replyIn(task, heard))),
          Effect.onExit((exit) => recorder.record(agentEnded(call, exit)))
        )
      })

      /** Again after a pause, twice as long each time, as long as that is within the deadline. */
      const persistently = <T extends Task>(
        task: T,
        scope: Scope,
        repair: Repair | null,
        tried = 1
      ): ReturnType<typeof attempt<T>> =>
        attempt(task, scope, repair).pipe(
          Effect.catchTag("BackendFailed", (failed) =>
            Effect.gen(function* () {
              if (!failed.retryable || tried >= retries.attempts) return yield* failed
              const pause = retryPause(tried, retries, yield* Random.next)
              if ((yield* monotonicMillis) + pause >= scope.endsAt) return yield* failed
              yield* Effect.logDebug(`${failed.message}; once more in ${Math.round(pause)} ms`)
              yield* Effect.sleep(pause)
              return yield* persistently(task, scope, repair, tried + 1)
            })
          )
        )

      /** A refusal ends the run before there are reviews to lose; later it is a failure like any other. */
      const begun = <T extends Task>(task: T, scope: Scope) =>
        persistently(task, scope, null).pipe(
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
        sight: SeenCollector | null = null
      ) {
        if (!hasModel(phaseOf[task._tag])) return yield* new NoModel({ task: label(task) })
        const scope = { phase, fork: fork ?? null, sight, endsAt: (yield* monotonicMillis) + seconds * 1000 }
        const first = yield* Effect.result(begun(task, scope))
        if (Result.isSuccess(first)) return first.success
        const { failure } = first
        if (failure._tag !== "Unfit") return yield* failure
        const seen = sight?.seen ?? []
        const second = yield* Effect.result(persistently(task, scope, failure.repair))
        // A repaired answer also counts what was seen before the repair.
        sight?.add(seen)
        if (Result.isSuccess(second)) return second.success
        const again = second.failure
        const prose = failure.prose ?? (again._tag === "Unfit" ? again.prose : null)
        // The parse agent reads a review in prose.
        if (task._tag === "StackReview" && prose !== null) {
          return yield* Effect.orDie(decodeReply<T["_tag"]>(task._tag, { review: prose }))
        }
        return yield* again._tag === "Unfit" ? again.error : again
      })

      const review: Agent["Service"]["review"] = Effect.fnUntraced(function* (task, scope) {
        const sight = new SeenCollector(task.change.diff.files)
        const reply = yield* turns.withPermits(1)(ask(task, scope, sight))
        return { reply, seen: sight.seen, by: backend.answererOf?.(task) ?? backend.name }
      })

      const withoutModel: Agent["Service"]["withoutModel"] = Effect.fnUntraced(
        function* (task, { fork = null, phase }, work, replyOf) {
          const name = label(task)
          const call = yield* Ref.updateAndGet(calls, (n) => n + 1)
          const prompt = taskText(task)
          yield* recorder.record(RunEvent.make({ _tag: "AgentStarted", call, task: name, phase, fork, prompt }))
          const orElse = () => Effect.fail(new AgentTimedOut({ backend: "static", task: name, seconds }))
          return yield* work.pipe(
            Effect.timeoutOrElse({ duration: seconds * 1000, orElse }),
            Effect.tap((found) =>
              Effect.gen(function* () {
                const timestamp = DateTime.formatIso(yield* DateTime.now)
                const events = yield* ownEvents(task, replyOf(found), timestamp)
                // A replay beside a model counts only lines that were shown.
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
        spent: Effect.gen(function* () {
          const { usd, ...cost } = yield* Ref.get(spent)
          return { ...cost, usd: usd === null ? null : roundedUsd(usd), doubts: yield* doubts }
        })
      })
    })
  )
}

/** What is recorded of an answer of dd itself. A reply that does not fit its own schema is a defect. */
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
  readonly sight: SeenCollector | null
  /** On the clock, in milliseconds: for all attempts together. */
  readonly endsAt: number
}

/** An answer that may be given once more, and the error it is if that does not help. */
class Unfit extends Schema.TaggedError<Unfit>()("Unfit", {
  error: Schema.Union([AgentReplyInvalid, AgentReplyCutOff]),
  repair: Schema.Struct({ said: Schema.String, fault: Schema.String }),
  /** The answer, where it is text without a reply in it. */
  prose: Schema.NullOr(Schema.String)
}) {
  override get message() {
    return this.error.message
  }
}

const mending = ({ fault }: Repair): string => `The answer did not fit what was asked for:\n${fault}`

/** Grows as 1, 2, 4; the random part keeps calls that failed together from coming back together. */
export const retryPause = (
  tried: number,
  { baseMillis, longestMillis }: { readonly baseMillis: number; readonly longestMillis: number },
  random: number
): number => Math.min(longestMillis, baseMillis * 2 ** (tried - 1) * (1 + random))

/** What the end of a call must know of its events; they themselves may be any number. */
class Heard {
  usage: CallUsage = noCallUsage
  output: Schema.Json | null = null
  stopReason = ""
  /** The one that was named last. */
  model = ""
  /** Models for whose use the backend reported no cost. */
  readonly computedFor = new Set<string>()
  /** The one that was sent a prompt last. */
  backend: string
  /** By turn: the answer is in the last one that says anything. */
  readonly #turns: Array<Array<string>> = [[]]

  constructor(backend: string) {
    this.backend = backend
  }

  take(event: AgentEvent): void {
    if (event._tag === "Prompted") this.backend = event.backend
    if (event._tag === "Metrics" || event._tag === "Cost") this.model = event.model ?? this.model
    this.usage = countUsage(this.usage, event)
    if (event._tag === "Text") this.#turns.at(-1)?.push(event.text)
    if (event._tag === "Result") this.output = event.output
    if (event._tag === "TurnEnd") {
      this.stopReason = event.stopReason ?? ""
      this.#turns.push([])
    }
  }

  get cost(): RunCost {
    const { cachedTokens, completionTokens, promptTokens } = totalUsage(this.usage)
    return { ...costOfCall(this.usage), promptTokens, completionTokens, cachedTokens }
  }

  get text(): string {
    return this.#turns.map((turn) => turn.join("")).join("")
  }

  /** The answer as text, to be measured and given back. */
  get said(): string {
    return this.output === null ? this.lastTurn || this.text : JSON.stringify(this.output)
  }

  get lastTurn(): string {
    return this.#turns.map((turn) => turn.join("")).findLast((text) => text.trim() !== "") ?? ""
  }
}

const agentEnded = (call: number, exit: Exit.Exit<unknown, unknown>): RunEvent => {
  if (Exit.isSuccess(exit)) return RunEvent.make({ _tag: "AgentEnded", call, outcome: "ok" })
  if (Cause.hasInterruptsOnly(exit.cause)) return RunEvent.make({ _tag: "AgentEnded", call, outcome: "interrupted" })
  const squashed = Cause.squash(exit.cause)
  const error = squashed instanceof Unfit ? squashed.error : squashed
  const { name, message } = error instanceof Error ? error : { name: "Defect", message: String(error) }
  return RunEvent.make({ _tag: "AgentEnded", call, outcome: "failed", error: name, detail: message })
}

/** Words of providers for "it would not" and for "it was cut": reference §4, each provider's own list. */
const refusals: ReadonlySet<string> = new Set(["refusal", "refused", "content_filter", "filtered", "safety"])
const cuts: ReadonlySet<string> = new Set([
  "max_tokens",
  "max_output_tokens",
  "length",
  "model_context_window_exceeded",
  "incomplete"
])

/**
 * The reply in what was heard: the structured result, else what can be salvaged of the text of the last turn, then of
 * all of it. Source: reference §3.2.
 */
const replyIn = Effect.fnUntraced(function* <T extends Task>(task: T, heard: Heard) {
  const { backend, lastTurn, output, stopReason, text } = heard
  const name = label(task)
  const stopped = stopReason.toLowerCase()
  if (output === null && refusals.has(stopped)) return yield* new AgentRefused({ backend, task: name, stopReason })
  const said = heard.said
  const cutOff = () =>
    new Unfit({
      error: new AgentReplyCutOff({ backend, task: name, replyLength: said.length, stopReason }),
      repair: {
        said: boundedAnswer(said),
        fault: "- the answer was cut off before its end: say the same in fewer words"
      },
      prose: null
    })
  if (output === null && cuts.has(stopped)) return yield* cutOff()
  const found = output === null ? salvaged(lastTurn, text) : ({ _tag: "Found", value: output, whole: true } as const)
  if (found._tag === "CutOff") return yield* cutOff()
  const value = found._tag === "Found" ? found.value : null
  const given = found._tag === "Found" ? normalizedReply(task._tag, value, found.whole) : value
  return yield* decodeReply<T["_tag"]>(task._tag, given).pipe(
    Effect.mapError(
      (cause) =>
        new Unfit({
          error: new AgentReplyInvalid({ backend, task: name, replyLength: said.length, cause }),
          repair: {
            said: boundedAnswer(said),
            fault: found._tag === "Nothing" ? "- there is no JSON in the answer" : faultsIn(cause)
          },
          prose: output === null && isProse(said, value) ? said : null
        })
    )
  )
})

const salvaged = (lastTurn: string, text: string) => {
  const found = salvage(lastTurn)
  return found._tag === "Nothing" && text !== lastTurn ? salvage(text) : found
}

/** Text without JSON, or with JSON that is not a reply, such as a quoted piece of configuration. */
const isProse = (said: string, found: unknown): boolean =>
  said.trim() !== "" && Option.isNone(exactJson(said)) && !(Predicate.isObject(found) && "issues" in found)

/** An answer is given back to who gave it: its beginning and its end, where it is long. */
const boundedAnswer = (said: string): string =>
  said.length <= longestAnswer
    ? said
    : `${said.slice(0, longestAnswer / 2)}\n[... ${said.length - longestAnswer} characters ...]\n${said.slice(-longestAnswer / 2)}`

const longestAnswer = 24_000
