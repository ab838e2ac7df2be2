/**
 * A trajectory as conversations: one for each agent call, in the shape chat models are trained on and asked with.
 *
 * `messages` are `user`, `assistant` (with `tool_calls` whose arguments are JSON in a string) and `tool`. A result comes
 * right behind the message that asked for it. Fan-outs are no conversation, their siblings have their own.
 */
import type { Content, Trajectory, TrajectoryStep } from "./Trajectory.ts"

interface ChatToolCall {
  readonly id: string
  readonly type: "function"
  readonly function: { readonly name: string; readonly arguments: string }
}

export interface ChatMessage {
  readonly role: "system" | "user" | "assistant" | "tool"
  readonly content: string
  readonly reasoning_content?: string
  readonly tool_calls?: ReadonlyArray<ChatToolCall>
  readonly tool_call_id?: string
}

export interface Conversation {
  readonly phase: string | null
  readonly model: string | null
  /** An agent that did not finish, or a record that ends before it did. */
  readonly partial: boolean
  readonly messages: ReadonlyArray<ChatMessage>
}

/** In order. A conversation begins with each step of a user. */
export const conversationsOf = (trajectory: Trajectory): ReadonlyArray<Conversation> => {
  const groups: Array<Array<TrajectoryStep>> = []
  for (const step of trajectory.steps) {
    if (step.source === "user") groups.push([step])
    else if (!isFanOut(step)) groups.at(-1)?.push(step)
  }
  return groups.map((steps) => ({
    phase: textIn(steps[0], "daydream_phase"),
    model: steps.map((step) => step.model_name).find(isText) ?? trajectory.agent.model_name ?? null,
    partial:
      steps.length === 1 || steps.some(({ extra }) => extra?.partial_step === true || extra?.error !== undefined),
    messages: steps.flatMap(messagesOf)
  }))
}

const messagesOf = (step: TrajectoryStep): ReadonlyArray<ChatMessage> => {
  const calls = step.tool_calls ?? []
  const reasoning = step.reasoning_content ?? ""
  return [
    {
      role: step.source === "agent" ? "assistant" : step.source,
      content: contentText(step.message),
      ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
      ...(calls.length === 0
        ? {}
        : {
            tool_calls: calls.map(({ arguments: given, function_name, tool_call_id }) => ({
              id: tool_call_id,
              type: "function" as const,
              function: { name: function_name, arguments: JSON.stringify(given) }
            }))
          })
    },
    ...(step.observation?.results ?? []).flatMap(
      ({ content, source_call_id }): ReadonlyArray<ChatMessage> =>
        isText(source_call_id)
          ? [{ role: "tool", tool_call_id: source_call_id, content: contentText(content ?? "") }]
          : []
    )
  ]
}

/** The words of a content; an image is named. */
export const contentText = (content: Content): string =>
  typeof content === "string"
    ? content
    : content.map(({ source, text }) => text ?? `[image ${source?.path ?? ""}]`).join("\n")

const isFanOut = ({ observation }: TrajectoryStep): boolean =>
  observation?.results.some(({ subagent_trajectory_ref }) => (subagent_trajectory_ref?.length ?? 0) > 0) ?? false

const isText = (value: string | null | undefined): value is string => typeof value === "string"

const textIn = (step: TrajectoryStep | undefined, key: string): string | null => {
  const value = step?.extra?.[key]
  return typeof value === "string" ? value : null
}
