/**
 * Converts a trajectory to conversations in the format of chat models, one for each agent call.
 *
 * `messages` are `system`, `user`, `assistant` (with `tool_calls` whose arguments are JSON in a string) and `tool`. A
 * result directly follows the message with its call. Steps without a model are left out: fan-outs, whose siblings have
 * their own conversations, and runs of tests.
 */
import { errorOutput } from "../agent/errorOutput.ts"
import { promptTextsIn } from "./promptMessage.ts"
import { type Content, failedToolCalls, type Trajectory, type TrajectoryStep } from "./Trajectory.ts"
import { testsField } from "./trajectoryNames.ts"

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
  /** Is the end of the agent's work missing? */
  readonly partial: boolean
  readonly messages: ReadonlyArray<ChatMessage>
}

/** The texts of prompts by digest. Each text is in only one of the run's trajectories. */
export const promptTexts = (trajectories: Iterable<Trajectory>): ReadonlyMap<string, string> => {
  const texts = new Map<string, string>()
  for (const { steps } of trajectories)
    for (const step of steps)
      for (const { isRepeated, sha256, text } of promptTextsIn(step)) if (!isRepeated) texts.set(sha256, text)
  return texts
}

/**
 * In the order of their start. A call that continues another is part of its conversation. In trajectories without call
 * numbers, each user step starts a conversation.
 */
export const conversationsOf = (
  trajectory: Trajectory,
  texts: ReadonlyMap<string, string> = promptTexts([trajectory])
): ReadonlyArray<Conversation> => {
  const calls = new Map<number, Group>()
  const groups: Array<Group> = []
  const startGroup = (): Group => {
    const group: Group = { steps: [], last: [] }
    groups.push(group)
    return group
  }
  for (const step of trajectory.steps) {
    if (isFanOut(step) || step.extra?.[testsField] !== undefined) continue
    const call = numberIn(step, "daydream_call")
    const known = call === null ? undefined : calls.get(call)
    const before = calls.get(numberIn(step, "daydream_continues") ?? Number.NaN)
    const group =
      call === null ? (step.source === "user" ? startGroup() : groups.at(-1)) : (known ?? before ?? startGroup())
    if (group === undefined) continue
    if (call !== null && known === undefined) {
      calls.set(call, group)
      group.last = []
    }
    group.steps.push(step)
    group.last.push(step)
  }
  return groups.map(({ last, steps }) => {
    const partial =
      last.every(({ source }) => source !== "agent") ||
      last.some(({ extra }) => extra?.partial_step === true || extra?.error !== undefined)
    const messages = withOneSystemPrompt(steps).flatMap((step) => messagesOf(step, texts))
    const end = messages.findLastIndex(({ role }) => role !== "tool") + 1
    return {
      phase: textIn(steps[0], "daydream_phase"),
      model: steps.map((step) => step.model_name).find(isText) ?? trajectory.agent.model_name ?? null,
      partial,
      // The last call submits the answer: its result is recorded, but was not sent to the model.
      messages: partial ? messages : messages.slice(0, end)
    }
  })
}

interface Group {
  readonly steps: Array<TrajectoryStep>
  /** The steps of its last call. */
  last: Array<TrajectoryStep>
}

/** A call that continues another sends the system prompt again; a conversation has it once, at the top. */
const withOneSystemPrompt = (steps: ReadonlyArray<TrajectoryStep>): ReadonlyArray<TrajectoryStep> => {
  const isSystemPrompt = (step: TrajectoryStep) => step.source === "system" && promptTextsIn(step).length > 0
  const first = steps.find(isSystemPrompt)
  return steps.filter((step) => step === first || !isSystemPrompt(step))
}

const messagesOf = (step: TrajectoryStep, texts: ReadonlyMap<string, string>): ReadonlyArray<ChatMessage> => {
  const calls = step.tool_calls ?? []
  const failed = failedToolCalls(step)
  const reasoning = step.reasoning_content ?? ""
  const sent = promptTextsIn(step).map(({ isRepeated, sha256, text }) =>
    isRepeated ? (texts.get(sha256) ?? text) : text
  )
  return [
    {
      role: step.source === "agent" ? "assistant" : step.source,
      content: sent.length === 0 ? contentText(step.message) : sent.join("\n\n"),
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
          ? [
              {
                role: "tool",
                tool_call_id: source_call_id,
                content: errorOutput({ output: contentText(content ?? ""), isError: failed.has(source_call_id) })
              }
            ]
          : []
    )
  ]
}

const numberIn = ({ extra }: TrajectoryStep, key: string): number | null => {
  const value = extra?.[key]
  return typeof value === "number" ? value : null
}

/** The text of a content; an image is its path. */
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
