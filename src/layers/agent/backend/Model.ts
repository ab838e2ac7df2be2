/**
 * A model as a backend: each task is a context in the agent runtime, with the read-only actions, and submits its reply
 * by calling the task's submit tool.
 *
 * A reply that does not fit is returned to the model within the run. A repair is a second input to the context of its
 * task while that is open, otherwise to a new context. A model without tools answers once, under the reply's schema.
 * The runtime's refs become agent events; nothing else is recorded.
 */
import { DateTime, Effect, Fiber, Layer, Option, Queue, Schema, Stream } from "effect"
import type { AgentRef, TextBlocks } from "../../../domain/agent/AgentRef.ts"
import { submissionSchema } from "../../../domain/agent/ModelReply.ts"
import { shownEvents } from "../../../domain/agent/SeenCollector.ts"
import { budgetShare, label, type Task } from "../../../domain/agent/Task.ts"
import { answerTokens } from "../../../domain/pack/ModelRoom.ts"
import { AgentEvent, promptedOf } from "../../../domain/run/AgentEvent.ts"
import type { Effort } from "../../../domain/run/BackendChoice.ts"
import { exactJson } from "../../../domain/text/modelJson.ts"
import type { Prompt } from "../../../prompts/Prompt.ts"
import {
  Backend,
  type BackendError,
  BackendFailed,
  BackendUnavailable,
  type Repair
} from "../../../services/agent/Backend.ts"
import { Model, ModelError } from "../../../services/agent/Model.ts"
import { PromptBuilder } from "../../../services/agent/PromptBuilder.ts"
import { ReviewActions } from "../../../services/agent/ReviewActions.ts"
import type {
  AgentContext,
  ContextEvent,
  Input,
  Output,
  Prepared,
  RunEnd
} from "../../../services/agent/runtime/AgentContext.ts"
import { AgentRuntime } from "../../../services/agent/runtime/AgentRuntime.ts"
import { count } from "../../../services/agent/runtime/answerText.ts"
import type { SendFailure } from "../../../services/agent/runtime/RunFailure.ts"

export interface TaskOptions {
  /** "" for the default model of the layer. */
  readonly model: string
  readonly effort: Effort | null
  /** Turns an agent with tools may take for a task. */
  readonly maxSteps: number
  /** Of all turns of a task together. */
  readonly budgetTokens: number
}

export const defaultOptions: TaskOptions = {
  model: "",
  effort: null,
  maxSteps: 40,
  budgetTokens: 3_000_000
}

/** Turns for a task without tools: one, and two for repairs. */
const stepsWithoutTools = 3

export const layer = (name: string, optionsFor: (task: Task) => TaskOptions = () => defaultOptions) =>
  Layer.effect(
    Backend,
    Effect.gen(function* () {
      const runtime = yield* AgentRuntime
      const model = yield* Model
      const promptBuilder = yield* PromptBuilder
      const actions = yield* ReviewActions
      /** The last context of each task. */
      const contexts = new WeakMap<Task, AgentContext<TaskArgs>>()
      let made = 0

      const actionsFor = (task: Task, { tools }: Prompt) =>
        tools === "none" || model.tools === "none"
          ? Effect.succeed([])
          : task._tag === "Fix"
            ? actions.write(task.tree, task.path)
            : Effect.succeed(actions.readOnly)

      const prepare = Effect.fnUntraced(function* (task: Task, prompt: Prompt) {
        const { effort, model: requested } = optionsFor(task)
        const prepared: Prepared = {
          model: requested,
          effort,
          maxTokens: answerTokens(model.room),
          system: prompt.system,
          actions: yield* actionsFor(task, prompt),
          outputs: model.tools === "none" ? [] : outputsOf(task, prompt),
          nonce: prompt.nonce,
          answer: model.tools === "none" ? prompt.submit.reply : null
        }
        return prepared
      })

      const contextOf = Effect.fnUntraced(function* (task: Task, prompt: Prompt) {
        const { budgetTokens, maxSteps } = optionsFor(task)
        const share = budgetShare(task)
        const prepared = yield* prepare(task, prompt)
        const steps = model.tools === "none" ? 1 : prepared.actions.length > 0 ? maxSteps * share : stepsWithoutTools
        const context: AgentContext<TaskArgs> = {
          type: `task-${++made}`,
          args: TaskArgs,
          key: (args) => args.task,
          open: () =>
            Effect.succeed({ maxSteps: steps, budgetTokens: budgetTokens * share, prepare: Effect.succeed(prepared) })
        }
        return context
      })

      /** The context and the text of a prompt; for an open context, only the new text. */
      const place = Effect.fnUntraced(function* (task: Task, repair: Repair | null) {
        const args = { task: label(task) }
        const prompt = yield* promptBuilder.promptFor(task, repair)
        const submit = prompt.submit.name
        const { shown } = prompt
        const known = contexts.get(task)
        if (repair !== null && known !== undefined && (yield* runtime.isOpen(known, args))) {
          const before = yield* promptBuilder.promptFor(task, null)
          return { context: known, args, submit, shown, words: added(before.user, prompt.user) }
        }
        const context = yield* contextOf(task, prompt)
        contexts.set(task, context)
        return { context, args, submit, shown, words: prompt.user }
      })

      const noTools = new BackendFailed({
        backend: name,
        retryable: false,
        cause: "the model has no tools, so it cannot change files"
      })

      const execute = (task: Task, repair: Repair | null) =>
        task._tag === "Fix" && model.tools === "none" ? Stream.fail(noTools) : answered(task, repair)

      const answered = (task: Task, repair: Repair | null) =>
        Stream.unwrap(
          Effect.gen(function* () {
            const { args, context, shown, submit, words } = yield* place(task, repair)
            const seen = yield* runtime.watch(context, args, { everything: true })
            const run = yield* runtime.send(context, args, taskInput, words).pipe(
              Effect.onExit(() => Queue.end(seen)),
              Effect.forkScoped
            )
            const events = Stream.fromQueue(seen).pipe(
              Stream.map((each) => eventsOf(name, each)),
              Stream.flattenIterable
            )
            const result = Effect.flatMap(Fiber.join(run), (end) => resultOf(end, submit, model.tools !== "none"))
            const answered = Stream.concat(events, Stream.fromEffect(result))
            return Stream.concat(
              Stream.fromIterable(shownEvents(task, shown, DateTime.formatIso(yield* DateTime.now))),
              answered
            )
          })
        ).pipe(Stream.mapError((cause) => failureOf(name, cause)))

      return Backend.of({
        name,
        model: model.model,
        fanout: model.fanout,
        execute: (task, repair) => execute(task, repair ?? null),
        ...(model.check === undefined
          ? {}
          : {
              check: Effect.mapError(
                model.check,
                (cause) => new BackendFailed({ backend: name, retryable: false, cause })
              )
            })
      })
    })
  )

const TaskArgs = Schema.Struct({ task: Schema.String })
type TaskArgs = typeof TaskArgs.Type

const Blocks = Schema.Array(Schema.Struct({ text: Schema.String, lasting: Schema.Boolean }))
const taskInput: Input<TextBlocks> = { type: "task", schema: Blocks, words: (blocks) => blocks }

class NothingAnswered extends Schema.TaggedError<NothingAnswered>()("NothingAnswered", {
  why: Schema.String,
  steps: Schema.Int
}) {
  override get message() {
    return `no answer after ${count(this.steps, "turn")} (${this.why})`
  }
}

/** Only a reply that the task can use is accepted; the order is the same for all tasks with these tools. */
const outputsOf = (task: Task, { otherSubmits, submit }: Prompt): ReadonlyArray<Output> => {
  const own: Output = {
    name: submit.name,
    description: submit.description,
    input: submit.reply,
    schema: submissionSchema(task._tag),
    handle: () => Effect.succeed({ text: "Taken.", isError: false }),
    isTerminal: true,
    changesThings: false
  }
  const others = otherSubmits.map(
    ({ description, name, reply }): Output => ({
      name,
      description,
      input: reply,
      schema: Schema.Json,
      handle: () => Effect.succeed({ text: `This task is answered with ${submit.name}.`, isError: true }),
      isTerminal: false,
      changesThings: false
    })
  )
  return [own, ...others].toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

/** What was added to a prompt; all of it if it is not an extension. */
const added = (before: TextBlocks, now: TextBlocks): TextBlocks => {
  const known = new Set(before.map(({ text }) => text))
  const more = now.filter(({ text }) => !known.has(text))
  return more.length === 0 ? now : more
}

/** `hasTools`: text may precede the next call, and is then no answer. */
const resultOf = Effect.fnUntraced(function* (end: RunEnd, submit: string, hasTools: boolean) {
  const output = end.answer?.value ?? lastHandedIn(end.chain, submit) ?? whole(end.text)
  const isAnswer = end.text.trim() !== "" && (!hasTools || end.stopReason === "done")
  if (output === null && !isAnswer) return yield* new NothingAnswered({ why: endDetail(end), steps: end.steps })
  return AgentEvent.make({ _tag: "Result", timestamp: DateTime.formatIso(yield* DateTime.now), output })
})

/** How the last turn ended, if that is more specific than why the run ended. */
const endDetail = ({ chain, stopReason }: RunEnd): string => {
  const last = chain.findLast(({ _tag }) => _tag === "Step" || _tag === "Turn" || _tag === "Event")
  if (last?._tag === "Event" && last.name === "cut") return "cut off at the maximum length"
  return last?._tag === "Step" || stopReason === "done" ? "no text" : stopReason
}

/** A reply that did not fit and was not repaired; the caller may still be able to use it. */
const lastHandedIn = (chain: ReadonlyArray<AgentRef>, submit: string): Schema.Json | null => {
  const last = chain.findLast((ref) => ref._tag === "Call" && ref.name === submit)
  return last?._tag === "Call" ? whole(last.arguments) : null
}

/** The value, if the text is only JSON. */
const whole = (text: string): Schema.Json | null => Option.getOrNull(exactJson(text))

const eventsOf = (backend: string, seen: ContextEvent): ReadonlyArray<AgentEvent> => {
  if (seen._tag === "Piece") {
    return seen.of === "Output" ? [AgentEvent.make({ _tag: "Text", timestamp: seen.at, text: seen.text })] : []
  }
  if (seen._tag === "Used") return [metricsOf(seen)]
  if (seen._tag === "Sent") {
    return [promptedOf(backend, seen.at, { system: seen.system, user: seen.words }, seen.continues)]
  }
  const { ref } = seen
  const timestamp = ref.at
  switch (ref._tag) {
    case "Thought":
      return [AgentEvent.make({ _tag: "Thinking", timestamp, text: ref.text })]
    case "Call": {
      const input = whole(ref.arguments) ?? ref.arguments
      const name = ref.name === "" ? "unnamed" : ref.name
      return [AgentEvent.make({ _tag: "ToolStart", timestamp, id: ref.callId, name, input })]
    }
    case "Result": {
      const { callId: id, isError, output } = ref
      return [AgentEvent.make({ _tag: "ToolResult", timestamp, id, output, isError })]
    }
    case "Turn":
      return [AgentEvent.make({ _tag: "TurnEnd", timestamp, messageId: ref.messageId, stopReason: ref.stopReason })]
    case "Event":
      // A failed turn ends at the next attempt.
      return ref.name === "retry"
        ? [AgentEvent.make({ _tag: "TurnEnd", timestamp, messageId: "", stopReason: "failed" })]
        : []
    default:
      return []
  }
}

type Used = Extract<ContextEvent, { readonly _tag: "Used" }>

/** The usage of a turn so far; null if it is not known yet. */
export const metricsOf = ({ at, messageId, model, usage }: Omit<Used, "_tag">): AgentEvent => {
  const cacheWrittenTokens = counted(usage?.cacheWrittenTokens)
  return AgentEvent.make({
    _tag: "Metrics",
    timestamp: at,
    messageId,
    promptTokens: counted(usage?.promptTokens),
    completionTokens: counted(usage?.completionTokens),
    cachedTokens: counted(usage?.cachedTokens),
    ...(cacheWrittenTokens === null ? {} : { cacheWrittenTokens }),
    reasoningTokens: counted(usage?.reasoningTokens),
    costUsd: usage?.costUsd == null || usage.costUsd < 0 ? null : usage.costUsd,
    model: model === "" ? null : model
  })
}

/** A number that cannot be a count of tokens is not known. */
const counted = (tokens: number | null | undefined): number | null => {
  const rounded = Math.round(tokens ?? Number.NaN)
  return Number.isSafeInteger(rounded) && rounded >= 0 ? rounded : null
}

export const failureOf = (backend: string, cause: SendFailure | NothingAnswered): BackendError => {
  if (cause instanceof ModelError && cause.kind === "unreachable") {
    // The message of BackendUnavailable already includes that it could not be reached.
    return new BackendUnavailable({ backend, cause: cause.detail === "" ? cause : cause.detail })
  }
  // The runtime has already retried the turn; the whole task is not repeated.
  return new BackendFailed({ backend, retryable: false, cause })
}
