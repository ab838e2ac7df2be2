/**
 * A backend with scripted answers, with the events and the order of the real ones.
 *
 * For tests and benchmarks: `script` answers each task with a value (the structured reply), a string (prose
 * without a structured reply) or a failure; `tools` are the calls it says it made on the way.
 */
import { DateTime, Effect, Layer, Predicate, type Schema, Stream } from "effect"
import { shownEvents } from "../../src/domain/agent/SeenCollector.ts"
import type { Task } from "../../src/domain/agent/Task.ts"
import { allLines, type SeenLines } from "../../src/domain/change/SeenLines.ts"
import { AgentEvent } from "../../src/domain/run/AgentEvent.ts"
import { Backend, type BackendError } from "../../src/services/agent/Backend.ts"

/** The structured reply, or prose as a string. */
export type Reply = Schema.Json

export type Script = (task: Task) => Effect.Effect<Reply, BackendError>

export interface ToolCall {
  readonly name: string
  readonly input: Schema.Json
  readonly output: string
}

export const layer = (
  script: Script,
  options: {
    readonly fanout?: number
    readonly tools?: ReadonlyArray<ToolCall>
    /** Lines of the change in its prompt; by default all that it is asked about. */
    readonly shown?: (task: StackReview) => ReadonlyArray<SeenLines>
  } = {}
) =>
  Layer.succeed(
    Backend,
    Backend.of({
      name: "scripted",
      model: "scripted-1",
      fanout: options.fanout ?? 4,
      execute: (task) =>
        Stream.unwrap(
          Effect.map(script(task), (reply) => {
            const shown = task._tag === "StackReview" ? (options.shown ?? everyLine)(task) : []
            return Stream.fromIterableEffect(say(task, reply, options.tools ?? [], shown))
          })
        )
    })
  )

type StackReview = Extract<Task, { readonly _tag: "StackReview" }>

const everyLine = ({ change, remaining }: StackReview) => allLines(remaining ?? change.diff.files)

const say = (task: Task, reply: Schema.Json, tools: ReadonlyArray<ToolCall>, shown: ReadonlyArray<SeenLines>) =>
  Effect.map(DateTime.now, (now) => {
    const timestamp = DateTime.formatIso(now)
    const text = Predicate.isString(reply) ? reply : JSON.stringify(reply)
    return [
      ...shownEvents(task, shown, timestamp),
      ...tools.map(({ name, input }, i) =>
        AgentEvent.make({ _tag: "ToolStart", timestamp, id: `tool-${i + 1}`, name, input })
      ),
      ...tools.map(({ output }, i) =>
        AgentEvent.make({ _tag: "ToolResult", timestamp, id: `tool-${i + 1}`, output, isError: false })
      ),
      AgentEvent.make({ _tag: "Text", timestamp, text }),
      AgentEvent.make({ _tag: "TurnEnd", timestamp, messageId: "" }),
      AgentEvent.make({ _tag: "Result", timestamp, output: Predicate.isString(reply) ? null : reply })
    ]
  })
