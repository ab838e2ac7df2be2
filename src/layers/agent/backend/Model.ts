/**
 * A model as a backend: each task is a context in the agent runtime, with the read-only actions, and submits its reply
 * by calling the task's submit tool.
 *
 * A reply that does not fit is returned to the model within the run. A repair is a second input to the context of its
 * task while that is open, otherwise to a new context. What a reviewer has left is a further input to its context, if that has
 * all its turns and room; otherwise a new context. A model without tools answers once, under the reply's schema.
 * The id of a context contains the digest of its request. With `ResumedRun`, an agent of that run with the same id is not
 * asked again if it has answered, and is continued from its log if not; agents that fix begin anew.
 * The runtime's refs become agent events; nothing else is recorded.
 */
import { DateTime, Effect, Fiber, Layer, Queue, Random, Schema, Stream } from "effect"
import type { AgentRef, TextBlocks } from "../../../domain/agent/AgentRef.ts"
import {
  earlierAgent,
  earlierEvents,
  eventsOfRef,
  followUp,
  metricsOf,
  partOf,
  wholeJson
} from "../../../domain/agent/earlierAgent.ts"
import { submissionSchema } from "../../../domain/agent/ModelReply.ts"
import { shownEvents } from "../../../domain/agent/SeenCollector.ts"
import { budgetShare, isOptional, type Task } from "../../../domain/agent/Task.ts"
import { answerTokens } from "../../../domain/pack/ModelRoom.ts"
import { AgentEvent, promptedOf } from "../../../domain/run/AgentEvent.ts"
import type { Effort } from "../../../domain/run/BackendChoice.ts"
import { plural } from "../../../domain/text/plural.ts"
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
import { ResumedRun } from "../../../services/agent/ResumedRun.ts"
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
import { MemoryLog } from "../../../services/agent/runtime/MemoryLog.ts"
import type { SendFailure } from "../../../services/agent/runtime/RunFailure.ts"
import { AgentArgs, contextId, contextType, makeAgentArgs } from "./agentIdentity.ts"

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
      const log = yield* MemoryLog
      const resumed = yield* ResumedRun
      /** Distinguishes agents that no later run continues. */
      const own = Math.floor((yield* Random.next) * 2 ** 40).toString(36)
      /** The last context of each task. `part`: which task of the context it is. */
      const contexts = new WeakMap<Task, Known>()
      const makeArgs = makeAgentArgs(name, model.model)
      const promptFor = (task: Task, repair: Repair | null) =>
        Effect.map(promptBuilder.promptFor(task, repair), (prompt) =>
          model.tools === "none" ? plainPrompt(prompt) : prompt
        )

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
        const context: AgentContext<AgentArgs> = {
          type: contextType,
          args: AgentArgs,
          key: (args) => args.task,
          open: () =>
            Effect.succeed({
              maxSteps: steps,
              budgetTokens: budgetTokens * share,
              prepare: Effect.succeed(prepared),
              isOptional: isOptional(task)
            })
        }
        return context
      })

      const argsOf = (task: Task, prompt: Prompt): AgentArgs =>
        makeArgs(task, prompt, optionsFor(task).effort, task._tag === "Fix" ? own : undefined)

      /** What an earlier run knows of a task of a context. */
      const earlierOf = Effect.fnUntraced(function* (args: AgentArgs, submit: string, part = 0) {
        if (resumed === null || !resumed.contexts.has(contextId(args))) return null
        const all = yield* log.read(contextId(args))
        const refs = partOf(all, part)
        return refs === null ? null : { all, refs, agent: earlierAgent(all, submit, part) }
      })

      /** The context of the agent that reviewed the rest, and what to add to it; null: a new context is better. */
      const joined = Effect.fnUntraced(function* (task: Task) {
        if (task._tag !== "StackReview" || task.after === undefined) return null
        const before = contexts.get(task.after)
        const prompt = before === undefined ? null : yield* promptBuilder.followUpFor(task)
        if (before === undefined || prompt === null) return null
        const known = { ...before, part: before.part + 1 }
        const earlier = yield* earlierOf(known.args, prompt.submit.name, known.part)
        const fits =
          earlier === null
            ? yield* runtime.hasRoomFor(known.context, known.args, prompt.user)
            : earlier.agent._tag !== "Unusable" && hasWords(earlier.refs, prompt.user)
        if (!fits) return null
        contexts.set(task, known)
        const { shown, submit, system, user } = prompt
        return { ...known, earlier, submit: submit.name, shown, system, words: user, input: followUpInput }
      })

      /** The context and the text of a prompt; for an open context, only the new text. */
      const place = Effect.fnUntraced(function* (task: Task, repair: Repair | null) {
        const further = repair === null ? yield* joined(task) : null
        if (further !== null) return further
        const prompt = yield* promptFor(task, repair)
        const { shown, system } = prompt
        const submit = prompt.submit.name
        const known = contexts.get(task)
        if (repair !== null && known !== undefined && (yield* runtime.isOpen(known.context, known.args))) {
          const before = yield* promptFor(task, null)
          const words = added(before.user, prompt.user)
          return { ...known, earlier: null, submit, shown, system, words, input: taskInput }
        }
        const context = yield* contextOf(task, prompt)
        let args = argsOf(task, prompt)
        let earlier = yield* earlierOf(args, submit)
        // Nothing can follow in a conversation that ended without an answer.
        while (earlier?.agent._tag === "Unusable") {
          args = argsOf(task, prompt)
          earlier = yield* earlierOf(args, submit)
        }
        contexts.set(task, { context, args, part: 0 })
        return { context, args, part: 0, earlier, submit, shown, system, words: prompt.user, input: taskInput }
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
            const { args, context, earlier, input, part, shown, submit, system, words } = yield* place(task, repair)
            const before = [
              ...shownEvents(task, shown, DateTime.formatIso(yield* DateTime.now)),
              ...(earlier === null ? [] : earlierEvents(name, system, earlier.all, part))
            ]
            if (resumed !== null && earlier !== null) {
              const isAnswered = earlier.agent._tag === "Answered"
              if (!isAnswered) resumed.answered.delete(contextId(args))
              const used = isAnswered ? resumed.answered : resumed.continued
              used.add(contextId(args))
            }
            if (earlier?.agent._tag === "Answered") {
              const timestamp = DateTime.formatIso(yield* DateTime.now)
              return Stream.fromIterable([
                ...before,
                AgentEvent.make({ _tag: "Result", timestamp, output: earlier.agent.output })
              ])
            }
            const seen = yield* runtime.watch(context, args, { everything: true })
            const ends = earlier === null ? runtime.send(context, args, input, words) : runtime.run(context, args)
            const run = yield* ends.pipe(
              Effect.onExit(() => Queue.end(seen)),
              Effect.forkScoped
            )
            const events = Stream.fromQueue(seen).pipe(
              Stream.map((each) => eventsOf(name, each)),
              Stream.flattenIterable
            )
            const result = Effect.flatMap(Fiber.join(run), (end) => resultOf(end, submit, model.tools !== "none"))
            const answered = Stream.concat(events, Stream.fromEffect(result))
            return Stream.concat(Stream.fromIterable(before), answered)
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

/** For a model that cannot call tools. */
const plainPrompt = (prompt: Prompt): Prompt => ({
  ...prompt,
  user: prompt.user.map(({ plain, text, ...block }) => ({ ...block, text: plain ?? text }))
})

const Blocks = Schema.Array(Schema.Struct({ text: Schema.String, lasting: Schema.Boolean }))
const taskInput: Input<TextBlocks> = { type: "task", schema: Blocks, words: (blocks) => blocks }
const followUpInput: Input<TextBlocks> = { ...taskInput, type: followUp }

interface Known {
  readonly context: AgentContext<AgentArgs>
  readonly args: AgentArgs
  readonly part: number
}

/** Whether the task in the log is this one. */
const hasWords = (refs: ReadonlyArray<AgentRef>, words: TextBlocks): boolean => {
  const input = refs.find(({ _tag }) => _tag === "Input")
  const textOf = (blocks: TextBlocks) => blocks.map(({ text }) => text).join("\n")
  return input?._tag === "Input" && textOf(input.words) === textOf(words)
}

class NothingAnswered extends Schema.TaggedError<NothingAnswered>()("NothingAnswered", {
  why: Schema.String,
  steps: Schema.Int
}) {
  override get message() {
    return `no answer after ${plural(this.steps, "turn")} (${this.why})`
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
  const output = end.answer?.value ?? lastHandedIn(end.chain, submit) ?? wholeJson(end.text)
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
  return last?._tag === "Call" ? wholeJson(last.arguments) : null
}

const eventsOf = (backend: string, seen: ContextEvent): ReadonlyArray<AgentEvent> => {
  if (seen._tag === "Piece") {
    return seen.of === "Output" ? [AgentEvent.make({ _tag: "Text", timestamp: seen.at, text: seen.text })] : []
  }
  if (seen._tag === "Used") return [metricsOf(seen)]
  if (seen._tag === "Sent") {
    return [promptedOf(backend, seen.at, { system: seen.system, user: seen.words }, seen.continues)]
  }
  return eventsOfRef(seen.ref)
}

export const failureOf = (backend: string, cause: SendFailure | NothingAnswered): BackendError => {
  if (cause instanceof ModelError && cause.kind === "unreachable") {
    // The message of BackendUnavailable already includes that it could not be reached.
    return new BackendUnavailable({ backend, cause: cause.detail === "" ? cause : cause.detail })
  }
  // The runtime has already retried the turn; the whole task is not repeated.
  return new BackendFailed({ backend, retryable: false, cause })
}
