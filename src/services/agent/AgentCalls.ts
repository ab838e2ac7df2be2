/**
 * One call of an agent, recorded from its start to its end, with its cost: a call of the backend, or the work of dd itself
 * in place of a model.
 */
import { Cause, DateTime, Effect, Exit, Ref, Schema, Stream } from "effect"
import { type SeenCollector, shownEvents } from "../../domain/agent/SeenCollector.ts"
import { budgetShare, label, type Reply, replies, type Task, taskText } from "../../domain/agent/Task.ts"
import { allLines } from "../../domain/change/SeenLines.ts"
import { AgentEvent, promptedOf } from "../../domain/run/AgentEvent.ts"
import { RunEvent } from "../../domain/run/RunEvent.ts"
import { Recorder } from "../run/Recorder.ts"
import { monotonicMillis } from "../system/monotonicMillis.ts"
import { makeAgentCosts } from "./AgentCosts.ts"
import { CallAnswer, ReplyUnusable, replyIn } from "./agentReply.ts"
import { Backend, type Repair } from "./Backend.ts"

export class AgentTimedOut extends Schema.TaggedError<AgentTimedOut>()("AgentTimedOut", {
  backend: Schema.String,
  task: Schema.String,
  seconds: Schema.Finite
}) {
  override get message() {
    return `${this.backend} did not finish ${this.task} within ${this.seconds} s`
  }
}

/** `phase` names the step; `fork` is set inside a parallel fan-out. */
export interface CallScope {
  readonly phase: string
  readonly fork?: string
}

/** For a backend. */
export interface AnswerScope extends CallScope {
  /** Collects the lines that a reviewer sees; null for other tasks. */
  readonly seen: SeenCollector | null
  /** Deadline of the answer and its repair, in milliseconds of the monotonic clock. */
  readonly endsAt: number
}

/** `usualSeconds`: the time limit of a task. */
export const makeAgentCalls = Effect.fnUntraced(function* (usualSeconds: number) {
  const backend = yield* Backend
  const isWithModel = backend.phases?.size !== 0
  const recorder = yield* Recorder
  const costs = yield* makeAgentCosts
  const calls = yield* Ref.make(0)
  const secondsFor = (task: Task) => usualSeconds * budgetShare(task)
  const recordEvent = (call: number, event: AgentEvent) =>
    recorder.record(RunEvent.make({ _tag: "Agent", call, event }))

  /** Records the start and the end of a call. */
  const recorded = Effect.fnUntraced(function* <A, E>(
    task: Task,
    { fork = null, phase }: { readonly phase: string; readonly fork?: string | null },
    prompt: string,
    work: (call: number) => Effect.Effect<A, E>
  ) {
    const call = yield* Ref.updateAndGet(calls, (n) => n + 1)
    yield* recorder.record(RunEvent.make({ _tag: "AgentStarted", call, task: label(task), phase, fork, prompt }))
    return yield* Effect.onExit(work(call), (exit) => recorder.record(agentEnded(call, exit)))
  })

  const listen = (call: number, task: Task, answer: CallAnswer, seen: SeenCollector | null, repair: Repair | null) =>
    (repair === null ? backend.execute(task) : backend.execute(task, repair)).pipe(
      Stream.runForEach((given) =>
        Effect.flatMap(costs.priced(answer, given, backend.model), (event) => {
          answer.take(event)
          seen?.take(event)
          return recordEvent(call, event)
        })
      )
    )

  /** The reply of the backend to a task, or to an answer that it has to correct. */
  const answered = Effect.fnUntraced(function* <T extends Task>(task: T, scope: AnswerScope, repair: Repair | null) {
    const answer = new CallAnswer(backend.name)
    const timedOut = () => new AgentTimedOut({ backend: answer.backend, task: label(task), seconds: secondsFor(task) })
    const left = scope.endsAt - (yield* monotonicMillis)
    if (left <= 0) return yield* timedOut()
    const prompt = repair === null ? taskText(task) : `${taskText(task)}\n\n${repairText(repair)}`
    return yield* recorded(task, scope, prompt, (call) =>
      listen(call, task, answer, scope.seen, repair).pipe(
        Effect.timeoutOrElse({ duration: left, orElse: () => Effect.fail(timedOut()) }),
        // Failed calls also cost money.
        Effect.onExit(() => costs.add(answer)),
        Effect.andThen(Effect.suspend(() => replyIn(task, answer)))
      )
    )
  })

  /** Work of dd itself, recorded with `replyOf` as its result. */
  const withoutModel = <T extends Task, A, E>(
    task: T,
    scope: CallScope,
    work: Effect.Effect<A, E>,
    replyOf: (found: A) => Reply<T["_tag"]>
  ) => {
    const seconds = secondsFor(task)
    const orElse = () => Effect.fail(new AgentTimedOut({ backend: "static", task: label(task), seconds }))
    return recorded(task, scope, taskText(task), (call) =>
      work.pipe(
        Effect.timeoutOrElse({ duration: seconds * 1000, orElse }),
        Effect.tap((found) =>
          Effect.gen(function* () {
            const timestamp = DateTime.formatIso(yield* DateTime.now)
            const events = yield* ownEvents(task, replyOf(found), timestamp)
            // A replay together with a model counts only lines that were shown.
            const shown = isWithModel && task._tag === "StackReview" ? allLines(task.change.diff.files) : null
            for (const event of shown === null ? events : [...shownEvents(task, shown, timestamp), ...events]) {
              yield* recordEvent(call, event)
            }
          })
        )
      )
    )
  }

  /** Records what an agent of an earlier run has used, although its answer is not taken. */
  const unused = Effect.fnUntraced(function* (context: string, events: ReadonlyArray<AgentEvent>) {
    const call = yield* Ref.updateAndGet(calls, (n) => n + 1)
    const answer = new CallAnswer(backend.name)
    const about = { call, task: `unused:${context}`, phase: "resume", fork: null, prompt: "" }
    yield* recorder.record(RunEvent.make({ _tag: "AgentStarted", ...about }))
    for (const given of events) {
      const event = yield* costs.priced(answer, given, backend.model)
      answer.take(event)
      yield* recordEvent(call, event)
    }
    yield* costs.add(answer)
    yield* recorder.record(RunEvent.make({ _tag: "AgentEnded", call, outcome: "interrupted" }))
  })

  return { answered, withoutModel, unused, secondsFor, spent: costs.total }
})

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

const repairText = ({ fault }: Repair): string => `The answer does not have the requested form:\n${fault}`

const agentEnded = (call: number, exit: Exit.Exit<unknown, unknown>): RunEvent => {
  if (Exit.isSuccess(exit)) return RunEvent.make({ _tag: "AgentEnded", call, outcome: "ok" })
  if (Cause.hasInterruptsOnly(exit.cause)) return RunEvent.make({ _tag: "AgentEnded", call, outcome: "interrupted" })
  const squashed = Cause.squash(exit.cause)
  const error = squashed instanceof ReplyUnusable ? squashed.error : squashed
  const { name, message } = error instanceof Error ? error : { name: "Defect", message: String(error) }
  return RunEvent.make({ _tag: "AgentEnded", call, outcome: "failed", error: name, detail: message })
}
