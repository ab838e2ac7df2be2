/**
 * The request body of the Messages API for a `ModelRequest`. Pure: the same request gives the same bytes, so that
 * prefixes stay cached.
 *
 * At most four positions are marked for the cache. The provider searches about twenty blocks back from a mark, so a
 * turn of many calls would lose the prefix before it: then the end of the previous message is also marked. Source:
 * the SDK's `MessageCreateParamsStreaming`.
 */
import type Anthropic from "@anthropic-ai/sdk"
import type { AssistantMessage, ModelMessage, ModelRequest, UserMessage } from "../../../domain/agent/ModelTurn.ts"
import type { Effort } from "../../../domain/run/BackendChoice.ts"
import { isJsonObject } from "../../../domain/system/jsonObject.ts"
import { choiceText } from "../../../prompts/callingInWords.ts"
import { boundMessages, isThinking, type Message } from "./boundThinking.ts"
import { claudeTraits } from "./claudeModel.ts"
import { closedSchema } from "./closedSchema.ts"
import { effortAmong } from "./effortAmong.ts"

type Params = Anthropic.MessageCreateParamsStreaming
type Blocks = Array<Anthropic.ContentBlockParam>

/** How many blocks before a mark the provider searches for a cached prefix, minus a margin. */
const lookBack = 18
const mostMarks = 4
const leastThinking = 1024

export const messagesRequest = (request: ModelRequest): Params => paramsOf(request).params

/** The hash of the prefix of the answer, for models that check it. */
export const prefixHash = (request: ModelRequest): string | null => paramsOf(request).prefix

const paramsOf = (request: ModelRequest): { readonly params: Params; readonly prefix: string | null } => {
  const system = request.system.filter((text) => text !== "")
  const all = request.messages.map(messageOf)
  const last = all.at(-1)
  const words = isChoiceInPrompt(request) ? choiceText(request.choice) : null
  // After the cached part, because later requests do not have it.
  const unmarked: Anthropic.TextBlockParam | null =
    words !== null && last?.role === "user" ? { type: "text", text: words } : null
  if (unmarked !== null) last?.content.push(unmarked)
  const tools = request.tools.map(toolOf)
  const prefixes = new Map(all.map((message, at) => [message, prefixOf(request.messages[at])]))
  const { messages, prefix } = boundMessages(
    { model: request.model, system, tools },
    all.filter(({ content }) => content.length > 0),
    (message) => prefixes.get(message)
  )
  const params: Params = {
    model: request.model,
    max_tokens: request.maxTokens,
    stream: true,
    ...(system.length > 0 ? { system: system.map((text) => ({ type: "text" as const, text })) } : {}),
    ...(tools.length > 0 ? { tools, tool_choice: choiceOf(request) } : {}),
    messages: [...messages],
    ...thinkingOf(request, messages)
  }
  mark(params, request, unmarked)
  return { params, prefix }
}

const prefixOf = (message: ModelMessage | undefined): string | undefined => {
  const own = message?.role === "model" && isJsonObject(message.verbatim) ? message.verbatim.prefix : undefined
  return typeof own === "string" ? own : undefined
}

/** Whether a required call is requested in the prompt, because the model cannot be forced to call a tool. */
const isChoiceInPrompt = ({ choice, model, tools }: ModelRequest): boolean =>
  typeof choice === "object" && tools.length > 0 && !claudeTraits(model).forcible

const messageOf = (message: ModelMessage): Message =>
  message.role === "model"
    ? { role: "assistant", content: assistantBlocks(message) }
    : { role: "user", content: userBlocks(message) }

/** The turn as this provider sent it, else its text and calls. */
const assistantBlocks = ({ parts, verbatim }: AssistantMessage): Blocks => {
  const own = isJsonObject(verbatim) ? verbatim.anthropic : undefined
  // Received content blocks are sent back unchanged.
  if (Array.isArray(own)) return [...(own as Blocks)]
  return parts.flatMap((part): Blocks => {
    if (part._tag === "Call") return [{ type: "tool_use", id: part.id, name: part.name, input: part.input }]
    return part.text.trim() === "" ? [] : [{ type: "text", text: part.text }]
  })
}

const userBlocks = ({ parts }: UserMessage): Blocks =>
  parts.flatMap((part): Blocks => {
    if (part._tag === "Text") return part.text.trim() === "" ? [] : [{ type: "text", text: part.text }]
    return [
      {
        type: "tool_result",
        tool_use_id: part.callId,
        content: part.output,
        ...(part.isError ? { is_error: true } : {})
      }
    ]
  })

const toolOf = ({ name, description, input }: ModelRequest["tools"][number]): Anthropic.Tool => ({
  name,
  description,
  input_schema: { ...input, type: "object" }
})

const choiceOf = (request: ModelRequest): Anthropic.ToolChoice => {
  const { choice } = request
  if (typeof choice !== "object") return { type: choice }
  return isChoiceInPrompt(request) ? { type: "auto" } : { type: "tool", name: choice.tool }
}

/**
 * The amount of thinking, and the schema of the answer.
 *
 * `none` requests the minimum that every model accepts, because some cannot disable thinking. A thinking budget cannot
 * be combined with a required tool, so such a turn has none, nor has the next one, which answers calls made without
 * thinking.
 */
const thinkingOf = (
  { model, effort, choice, answer, maxTokens }: ModelRequest,
  messages: ReadonlyArray<Message>
): Partial<Params> => {
  const traits = claudeTraits(model)
  const schema = answer === null || !traits.schema ? null : closedSchema(answer)
  const format = schema === null ? {} : { format: { type: "json_schema" as const, schema } }
  const formatOnly = schema === null ? {} : { output_config: format }
  if (effort === null || traits.thinking === "none") return formatOnly
  if (traits.thinking === "adaptive") {
    return {
      ...(effort === "none" ? {} : { thinking: { type: "adaptive" as const, display: "summarized" as const } }),
      output_config: { effort: effort === "none" ? "low" : effortAmong(traits.efforts, effort), ...format }
    }
  }
  // The answer needs the rest.
  const budget = Math.min(budgets[effort], Math.floor(maxTokens / 2))
  const called = messages.findLast(({ role }) => role === "assistant")?.content ?? []
  const isBare = called.some(({ type }) => type === "tool_use") && !called.slice(0, 1).some(isThinking)
  const thinks = budget >= leastThinking && typeof choice !== "object" && !isBare
  return {
    ...(thinks ? { thinking: { type: "enabled" as const, budget_tokens: budget } } : {}),
    ...formatOnly
  }
}

/** Tokens of thinking, for models that take a number. */
const budgets: Readonly<Record<Effort, number>> = {
  none: 0,
  low: 2048,
  medium: 8192,
  high: 24_576,
  xhigh: 32_768,
  max: 65_536
}

/** Marks up to four positions, the most expensive first; never the block `unmarked`. */
const mark = (params: Params, request: ModelRequest, unmarked: Markable | null): void => {
  const rolling = lastBlock(params.messages.length - 1, params, unmarked)
  const before = lastBlock(lastUserBefore(params), params)
  const wide = before !== null && blocksAfter(params, lastUserBefore(params)) > lookBack
  const system = Array.isArray(params.system) ? params.system : []
  const places: ReadonlyArray<Markable | null | undefined> = [
    rolling,
    wide ? before : null,
    lastingBlock(params, request),
    system.at(-1),
    // The same in every call of the run; the last block is specific to this task.
    system.at(-2),
    params.tools?.at(-1)
  ]
  const chosen = new Set(places.filter((place) => place !== null && place !== undefined))
  for (const place of [...chosen].slice(0, mostMarks)) place.cache_control = { type: "ephemeral" }
}

type Markable = { cache_control?: Anthropic.CacheControlEphemeral | null }

const lastBlock = (at: number, { messages }: Params, unmarked: Markable | null = null): Markable | null => {
  const message = messages[at]
  if (message?.role !== "user" || typeof message.content === "string") return null
  const block = message.content.findLast((each) => each !== unmarked)
  return block?.type === "text" || block?.type === "tool_result" ? block : null
}

/** The index of the message that ended the previous request. */
const lastUserBefore = ({ messages }: Params): number =>
  messages.findLastIndex(({ role }, at) => role === "user" && at < messages.length - 1)

const blocksAfter = ({ messages }: Params, from: number): number =>
  messages.slice(from + 1).reduce((count, { content }) => count + content.length, 0)

/** The last text that is the same in later requests. */
const lastingBlock = ({ messages }: Params, request: ModelRequest): Markable | undefined => {
  const lasting = new Set(
    request.messages.flatMap((message) =>
      message.role === "user"
        ? message.parts.flatMap((part) => (part._tag === "Text" && part.lasting ? [part.text] : []))
        : []
    )
  )
  return messages
    .flatMap(({ role, content }) => (role === "user" && typeof content !== "string" ? content : []))
    .findLast((block): block is Anthropic.TextBlockParam => block.type === "text" && lasting.has(block.text))
}
