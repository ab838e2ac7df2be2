/**
 * The one door to a backend: no step talks to one directly.
 *
 * An invocation is bounded by a deadline and by the backend's fan-out, recorded event by event, and
 * comes back decoded against the task's reply schema, or as one typed error.
 */
import { Cause, Context, Effect, Exit, Layer, Option, Ref, Schema, Semaphore, Stream } from "effect"
import type { AgentEvent } from "../domain/AgentEvent.ts"
import { largestJson } from "../domain/largestJson.ts"
import type { Cost } from "../domain/ReviewResult.ts"
import { RunEvent } from "../domain/RunEvent.ts"
import { asked, label, type Reply, replies, type Task } from "../domain/Task.ts"
import { type CallUsage, countUsage, nothingUsed, totalUsage } from "../domain/Usage.ts"
import { Backend, type BackendError } from "./Backend.ts"
import { Recorder } from "./Recorder.ts"

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

export class AgentTimedOut extends Schema.TaggedError<AgentTimedOut>()("AgentTimedOut", {
  backend: Schema.String,
  task: Schema.String,
  seconds: Schema.Finite
}) {
  override get message() {
    return `${this.backend} did not finish ${this.task} within ${this.seconds} s`
  }
}

export type AgentError = BackendError | AgentReplyInvalid | AgentTimedOut

/** How long one call may take. */
export const AgentDeadline = Context.Reference<number>("dd/services/Agent/AgentDeadline", {
  defaultValue: () => 300
})

export class Agent extends Context.Service<
  Agent,
  {
    readonly source: "static" | "model"
    readonly invoke: <T extends Task>(
      task: T,
      /** `phase` names the step; `fork` is set inside a parallel fan-out. */
      scope: { readonly phase: string; readonly fork?: string }
    ) => Effect.Effect<Reply<T["_tag"]>, AgentError>
    /** What all calls so far have cost, those that failed or were interrupted included. */
    readonly spent: Effect.Effect<Cost>
  }
>()("dd/services/Agent") {
  static readonly layer = Layer.effect(
    Agent,
    Effect.gen(function* () {
      const backend = yield* Backend
      const recorder = yield* Recorder
      const seconds = yield* AgentDeadline
      const calls = yield* Ref.make(0)
      const spent = yield* Ref.make<Cost>(nothingSpent)
      const turns = yield* Semaphore.make(Math.max(1, backend.fanout))

      const listen = (task: Task, call: number, heard: Heard) =>
        backend.execute(task).pipe(
          Stream.runForEach((event) => {
            heard.take(event)
            return recorder.record(RunEvent.make({ _tag: "Agent", call, event }))
          })
        )

      const invoke = Effect.fn("Agent.invoke")(function* <T extends Task>(
        task: T,
        scope: { readonly phase: string; readonly fork?: string }
      ) {
        const name = label(task)
        const call = yield* Ref.updateAndGet(calls, (n) => n + 1)
        const { phase, fork = null } = scope
        yield* recorder.record(
          RunEvent.make({ _tag: "AgentStarted", call, task: name, phase, fork, prompt: asked(task) })
        )
        const heard = new Heard()
        return yield* listen(task, call, heard).pipe(
          Effect.timeoutOrElse({
            duration: `${seconds} seconds`,
            orElse: () => Effect.fail(new AgentTimedOut({ backend: backend.name, task: name, seconds }))
          }),
          // What was heard before a failure is paid for too.
          Effect.onExit(() => Ref.update(spent, (cost) => addCost(cost, costOf(heard.usage)))),
          Effect.andThen(Effect.suspend(() => decode(backend.name, task, heard))),
          Effect.onExit((exit) => recorder.record(agentEnded(call, exit)))
        )
      })

      return Agent.of({
        source: backend.source,
        invoke: (task, scope) => turns.withPermits(1)(invoke(task, scope)),
        spent: Ref.get(spent)
      })
    })
  )
}

/** What the end of a call must know of its events; they themselves may be any number. */
class Heard {
  usage: CallUsage = nothingUsed
  output: Schema.Json | null = null
  readonly #text: Array<string> = []

  take(event: AgentEvent): void {
    this.usage = countUsage(this.usage, event)
    if (event._tag === "Text") this.#text.push(event.text)
    if (event._tag === "Result") this.output = event.output
  }

  get text(): string {
    return this.#text.join("")
  }
}

const agentEnded = (call: number, exit: Exit.Exit<unknown, AgentError>): RunEvent => {
  if (Exit.isSuccess(exit)) return RunEvent.make({ _tag: "AgentEnded", call, outcome: "ok" })
  if (Cause.hasInterruptsOnly(exit.cause)) return RunEvent.make({ _tag: "AgentEnded", call, outcome: "interrupted" })
  const error = Cause.squash(exit.cause)
  const { name, message } = error instanceof Error ? error : { name: "Defect", message: String(error) }
  return RunEvent.make({ _tag: "AgentEnded", call, outcome: "failed", error: name, detail: message })
}

/**
 * The reply in what was heard: the structured result, else the largest JSON in the text. A bare list
 * stands for the task's one list. Source: reference §3.2.
 */
const decode = Effect.fnUntraced(function* <T extends Task>(backend: string, task: T, { output, text }: Heard) {
  const given = output ?? Option.getOrNull(largestJson(text))
  return yield* decodeReply(task, given).pipe(
    Effect.mapError(
      (cause) =>
        new AgentReplyInvalid({
          backend,
          task: label(task),
          replyLength: output === null ? text.length : JSON.stringify(output).length,
          cause
        })
    )
  )
})

const listOf: Partial<Record<Task["_tag"], string>> = {
  Alternatives: "issues",
  ParseReview: "issues",
  Arbitrate: "findings",
  Merge: "notes"
}

const decodeReply = <T extends Task>(task: T, given: unknown): Effect.Effect<Reply<T["_tag"]>, Schema.SchemaError> => {
  const list = listOf[task._tag]
  const value = list !== undefined && Array.isArray(given) ? { [list]: given } : given
  const schema: Schema.Codec<Reply<T["_tag"]>, unknown> = replies[task._tag]
  return Schema.decodeUnknownEffect(schema)(value)
}

const nothingSpent: Cost = { usd: 0, promptTokens: 0, completionTokens: 0, cachedTokens: 0 }

const costOf = (usage: CallUsage): Cost => {
  const { completionTokens, cachedTokens, costUsd, promptTokens } = totalUsage(usage)
  return {
    usd: costUsd ?? 0,
    promptTokens: promptTokens ?? 0,
    completionTokens: completionTokens ?? 0,
    cachedTokens: cachedTokens ?? 0
  }
}

const addCost = (a: Cost, b: Cost): Cost => ({
  usd: a.usd + b.usd,
  promptTokens: a.promptTokens + b.promptTokens,
  completionTokens: a.completionTokens + b.completionTokens,
  cachedTokens: a.cachedTokens + b.cachedTokens
})
