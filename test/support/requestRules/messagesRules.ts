/**
 * What the Messages API refuses, at its vendor, Bedrock and Vertex.
 *
 * Sources, of the Claude Platform Docs: "Create a Message", "Define tools", "Handle tool calls", "Thinking", "Adaptive
 * thinking", "Effort", "Preserved thinking" with "Prefix checks on thinking blocks", "Structured outputs", "Prompt
 * caching", "What's new" in Claude Opus 5.5 and Sonnet 5.5; the texts of the errors are the API's.
 *
 * Not rules here: that roles alternate (the API joins adjacent messages of a role); that a model can read the thinking
 * of another one (it drops what it cannot read, without an error); the limits on the number of tools.
 */
import type { Heard } from "../wireServer.ts"
import { type Fields, fields, hashOf, isFields, list, repeated, text, toolNameFaults, unknownKeys } from "./fields.ts"
import type { GivenTurn } from "./GivenTurn.ts"
import { limitFaults } from "./limits.ts"
import { claudeVersion } from "./modelVersion.ts"
import { claudeFaults } from "./schemaRules.ts"

const bodyKeys = new Set([
  ...["model", "messages", "max_tokens", "system", "tools", "tool_choice", "thinking", "output_config", "stream"],
  ...["temperature", "top_p", "top_k", "stop_sequences", "metadata", "service_tier", "cache_control"],
  ...["context_management", "container", "inference_geo", "anthropic_version", "anthropic_beta"]
])

/** Models whose thinking is bound to what was sent before it; they refuse a forced call. */
const preserves = (version: number): boolean => version >= 501
const bindingBeta = "thinking-binding-controls-2026-08-01"

/** What a block of thinking was produced after. */
const prefixOf = ({ messages, system, tools }: Fields, before: number, blocks: ReadonlyArray<Fields> = []) =>
  withoutMarks({ system, tools, messages: list(messages).slice(0, before), blocks })

const withoutMarks = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutMarks)
  if (!isFields(value)) return value
  const { cache_control: _, ...rest } = value
  return Object.fromEntries(Object.entries(rest).map(([key, one]) => [key, withoutMarks(one)]))
}

/** The signature of thinking in the answer to this request: another one for each turn, text and prefix. */
export const signatureOf = (body: Fields, thinking: string, nth: number): string => {
  const signed = { nth, text: hashOf(thinking), prefix: hashOf(prefixOf(body, list(body.messages).length)) }
  return `sig_${Buffer.from(JSON.stringify(signed)).toString("base64url")}`
}

const signedOf = (signature: string): Fields | null => {
  try {
    return fields(JSON.parse(Buffer.from(signature.replace(/^sig_/, ""), "base64url").toString()))
  } catch {
    return null
  }
}

/** Whether the request lets the model think; newer models do unless they are told not to, unknown ones may. */
export const asksForThinking = ({ model, thinking }: Fields): boolean => {
  const { type } = fields(thinking)
  return type === undefined ? (claudeVersion(text(model)) ?? 500) >= 500 : type !== "disabled"
}

export const messagesFaults = (
  { body, headers, path, text: sent }: Pick<Heard, "body" | "headers" | "text"> & Partial<Pick<Heard, "path">>,
  given: ReadonlyArray<GivenTurn>
): ReadonlyArray<string> => {
  if (body === null) return ["the request body is not valid JSON"]
  const messages = joined(list(body.messages).map((message) => ({ ...message, content: contentOf(message.content) })))
  const cloud = cloudOf(path ?? "")
  const model = cloud?.model ?? text(body.model)
  const version = claudeVersion(model)
  return [
    ...unknownKeys(body, bodyKeys),
    ...(cloud === null ? [] : cloudFaults(body, cloud)),
    ...shapeFaults(body, messages, version, given),
    ...toolFaults(body),
    ...callFaults(messages),
    ...markFaults(body),
    ...(version === null ? [] : thinkingFaults(body, version)),
    ...replayFaults(body, version ?? 0, headers, given),
    ...limitFaults(model, sent.length, body.max_tokens, "max_tokens")
  ]
}

interface Cloud {
  /** The clouds name it in the path. */
  readonly model: string
  readonly takesStream: boolean
}

const cloudOf = (path: string): Cloud | null => {
  const [, amazons, googles] = /\/model\/([^/]+)\/invoke|\/publishers\/anthropic\/models\/([^/:]+):/.exec(path) ?? []
  if (amazons !== undefined) return { model: decodeURIComponent(amazons), takesStream: false }
  return googles === undefined ? null : { model: decodeURIComponent(googles), takesStream: true }
}

/** Sources: Amazon Bedrock's "Anthropic Claude Messages API"; Claude Platform Docs, "Claude on Vertex AI". */
const cloudFaults = (body: Fields, { takesStream }: Cloud): ReadonlyArray<string> => [
  ...(text(body.anthropic_version) === "" ? ["anthropic_version: Field required"] : []),
  ...(body.model === undefined ? [] : ["model: Extra inputs are not permitted"]),
  ...(body.stream === undefined || takesStream ? [] : ["stream: Extra inputs are not permitted"])
]

interface Message {
  readonly role?: unknown
  readonly content: ReadonlyArray<Fields>
}

const contentOf = (content: unknown): ReadonlyArray<Fields> =>
  typeof content === "string" ? [{ type: "text", text: content }] : list(content)

/** With adjacent messages of one role as one, as the API reads them. */
const joined = (messages: ReadonlyArray<Message>): ReadonlyArray<Message> => {
  const all: Array<Message> = []
  for (const message of messages) {
    const last = all.at(-1)
    if (last === undefined || last.role !== message.role) all.push(message)
    else all[all.length - 1] = { ...last, content: [...last.content, ...message.content] }
  }
  return all
}

const shapeFaults = (
  body: Fields,
  messages: ReadonlyArray<Message>,
  version: number | null,
  given: ReadonlyArray<GivenTurn>
): ReadonlyArray<string> => {
  const last = messages.at(-1)
  const isEmpty = (block: Fields) => block.type === "text" && text(block.text).trim() === ""
  const isPaused = given.some(
    ({ content, isPause }) => isPause && isSame(content, (last?.content ?? []).slice(-content.length))
  )
  return [
    ...(messages.length === 0 ? ["messages: at least one message is required"] : []),
    ...(messages.length > 0 && messages[0]?.role !== "user"
      ? ['messages: first message must use the "user" role']
      : []),
    ...messages.flatMap(({ content, role }, at) => [
      ...(role === "user" || role === "assistant"
        ? []
        : [`messages.${at}.role: Input should be 'user' or 'assistant'`]),
      ...(content.length === 0 ? [`messages.${at}: all messages must have non-empty content`] : []),
      ...(content.some(isEmpty) ? [`messages.${at}: text content blocks must contain non-whitespace text`] : [])
    ]),
    ...(contentOf(body.system).some(isEmpty) ? ["system: text content blocks must be non-empty"] : []),
    ...(last?.role === "assistant" && /\s$/.test(text(last.content.at(-1)?.text))
      ? ["messages: final assistant content cannot end with trailing whitespace"]
      : []),
    ...(last?.role === "assistant" && (version ?? 0) >= 406 && !isPaused
      ? ["This model does not support assistant message prefill. The conversation must end with a user message."]
      : [])
  ]
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(withoutMarks(other))

const toolFaults = ({ tool_choice, tools }: Fields): ReadonlyArray<string> => {
  const { name, type } = fields(tool_choice)
  return [
    ...toolNameFaults(
      list(tools).map((tool) => text(tool.name)),
      type === "tool" ? text(name) : null
    ),
    ...(type !== undefined && list(tools).length === 0
      ? ["tool_choice: may only be specified while providing tools"]
      : []),
    ...list(tools).flatMap(({ input_schema }, at) => {
      const schema = fields(input_schema)
      const bad = ["anyOf", "oneOf", "allOf"].filter((key) => schema[key] !== undefined)
      return [
        ...(schema.type === "object" ? [] : [`tools.${at}.input_schema.type: Input should be 'object'`]),
        ...bad.map((key) => `tools.${at}.input_schema: input_schema does not support ${key} at the top level`)
      ]
    })
  ]
}

/** Each call is answered in the next message, before anything else there. */
const callFaults = (messages: ReadonlyArray<Message>): ReadonlyArray<string> => {
  const calls = messages.flatMap(({ content }) =>
    content.filter(({ type }) => type === "tool_use").map(({ id }) => text(id))
  )
  return [
    ...repeated(calls).map((id) => `messages: \`tool_use\` ids must be unique: ${id}`),
    ...messages.flatMap(({ content, role }, at): ReadonlyArray<string> => {
      if (role === "assistant") {
        const asked = content.filter(({ type }) => type === "tool_use").map(({ id }) => text(id))
        const next = messages[at + 1]?.content ?? []
        const answered = next.map(({ tool_use_id }) => text(tool_use_id))
        const open = asked.filter((id) => !answered.includes(id))
        const stray = content.some(({ type }) => type === "tool_result")
          ? [`messages.${at}: tool_result blocks can only be in user messages`]
          : []
        const missing = `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(", ")}`
        return open.length > 0 ? [...stray, missing] : stray
      }
      const results = content.filter(({ type }) => type === "tool_result").map(({ tool_use_id }) => text(tool_use_id))
      const before = (messages[at - 1]?.content ?? [])
        .filter(({ type }) => type === "tool_use")
        .map(({ id }) => text(id))
      const firstOther = content.findIndex(({ type }) => type !== "tool_result")
      const isLate = firstOther >= 0 && content.slice(firstOther).some(({ type }) => type === "tool_result")
      return [
        ...results
          .filter((id) => !before.includes(id))
          .map((id) => `messages.${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}`),
        ...repeated(results).map(
          (id) =>
            `messages.${at}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`
        ),
        ...(isLate ? [`messages.${at}: \`tool_result\` blocks must come first in the content of a message`] : [])
      ]
    })
  ]
}

const markable = new Set(["text", "image", "document", "tool_use", "tool_result", "search_result"])
const mostMarks = 4

const markFaults = ({ messages, system, tools }: Fields): ReadonlyArray<string> => {
  const blocks = [...contentOf(system), ...list(messages).flatMap(({ content }) => contentOf(content))]
  const marked = blocks.filter(({ cache_control }) => isFields(cache_control))
  const number = marked.length + list(tools).filter(({ cache_control }) => isFields(cache_control)).length
  return [
    ...(number > mostMarks
      ? [`A maximum of ${mostMarks} blocks with cache_control may be provided. Found ${number}.`]
      : []),
    ...marked
      .filter(({ type }) => !markable.has(text(type)))
      .map(({ type }) => `messages: cache_control cannot be set on ${type} blocks`),
    ...marked
      .filter((block) => block.type === "text" && text(block.text) === "")
      .map(() => "messages: cache_control cannot be set for empty text blocks")
  ]
}

const leastBudget = 1024

const thinkingFaults = (body: Fields, version: number): ReadonlyArray<string> => {
  const { budget_tokens, type } = fields(body.thinking)
  const { effort, format } = fields(body.output_config)
  const choice = fields(body.tool_choice).type
  const isForced = choice === "any" || choice === "tool"
  const samples = ["temperature", "top_p", "top_k"].filter((key) => body[key] !== undefined)
  const isAdaptiveOnly = version >= 407
  return [
    ...(type === "enabled" && isAdaptiveOnly
      ? [
          '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.'
        ]
      : []),
    ...(type === "disabled" && preserves(version) ? ['"thinking.type.disabled" is not supported for this model.'] : []),
    ...(type === "adaptive" && version < 406 ? ["adaptive thinking is not supported on this model"] : []),
    ...(type === "enabled" && Number(budget_tokens) < leastBudget
      ? [`thinking.enabled.budget_tokens: Input should be greater than or equal to ${leastBudget}`]
      : []),
    ...(type === "enabled" && Number(budget_tokens) >= Number(body.max_tokens)
      ? ["`max_tokens` must be greater than `thinking.budget_tokens`"]
      : []),
    ...(type === "enabled" && isForced ? ["Thinking may not be enabled when tool_choice forces tool use."] : []),
    ...(isForced && preserves(version) ? ["tool_choice: forced tool use is not supported for this model"] : []),
    ...(samples.length > 0 && (isAdaptiveOnly || (type === "enabled" && body.temperature !== 1))
      ? [`${samples.join(", ")}: not supported with this model, or while thinking is enabled`]
      : []),
    ...(effort !== undefined && version < 405
      ? ["output_config.effort: This model does not support the effort parameter."]
      : []),
    ...(effort === "xhigh" && version < 407 ? ["output_config.effort: xhigh is not supported with this model"] : []),
    ...(effort === "max" && version < 406 ? ["output_config.effort: max is not supported with this model"] : []),
    ...(effort === undefined || ["low", "medium", "high", "xhigh", "max"].includes(text(effort))
      ? []
      : [`output_config.effort: ${effort} is not a level`]),
    ...(format !== undefined && version < 405 ? ["output_config.format: not supported with this model"] : []),
    ...(format === undefined ? [] : claudeFaults(fields(format).schema))
  ]
}

const isThinking = ({ type }: Fields): boolean => type === "thinking" || type === "redacted_thinking"

/** Thinking comes back as it was given. */
const replayFaults = (
  body: Fields,
  version: number,
  headers: Heard["headers"],
  given: ReadonlyArray<GivenTurn>
): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const messages = list(body.messages)
  const betas = `${headers["anthropic-beta"] ?? ""},${Array.isArray(body.anthropic_beta) ? body.anthropic_beta.join() : ""}`
  const binding = fields(fields(body.thinking).block_binding)
  const isDropped = binding.prefix_mismatch_behavior === "drop_block" && betas.includes(bindingBeta)
  if (Object.keys(binding).length > 0 && !betas.includes(bindingBeta))
    faults.push(`thinking.block_binding: requires the beta header ${bindingBeta}`)
  for (const [at, message] of messages.entries()) {
    if (message.role !== "assistant") continue
    const content = contentOf(message.content)
    for (const [index, block] of content.entries()) {
      if (block.type !== "thinking") continue
      const place = `messages.${at}.content.${index}`
      const signed = signedOf(text(block.signature))
      if (signed === null || signed.text !== hashOf(text(block.thinking))) {
        faults.push(`${place}: Invalid \`signature\` in \`thinking\` block`)
      } else if (
        preserves(version) &&
        !isDropped &&
        signed.prefix !== hashOf(prefixOf(body, at, content.slice(0, index)))
      ) {
        faults.push(
          `${place}: Invalid \`signature\` in \`thinking\` block. The block is bound to a different conversation. Remove the block, or set \`thinking.block_binding.prefix_mismatch_behavior\` to "drop_block".`
        )
      }
    }
    const firstCall = content.findIndex(({ type }) => type === "tool_use")
    if (fields(body.thinking).type === "enabled" && content.some(isThinking) && !isThinking(content[0] ?? {}))
      faults.push(
        `messages.${at}.content.0: If an assistant message contains any thinking blocks, the first block must be \`thinking\``
      )
    if (firstCall >= 0 && content.slice(firstCall).some(isThinking) && version < 406)
      faults.push(`messages.${at}: thinking blocks must come before tool_use blocks`)
  }
  return [...faults, ...openTurnFaults(body, given)]
}

/** The turn whose calls are being answered is complete, with its thinking. */
const openTurnFaults = (body: Fields, given: ReadonlyArray<GivenTurn>): ReadonlyArray<string> => {
  const messages = list(body.messages)
  const at = messages.findLastIndex(({ role }) => role === "assistant")
  const content = contentOf(messages[at]?.content)
  const calls = content.filter(({ type }) => type === "tool_use")
  const isOpen = calls.length > 0 && at >= 0
  if (!isOpen) return []
  if (fields(body.thinking).type === "enabled" && !isThinking(content[0] ?? {})) {
    return [
      `messages.${at}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${content[0]?.type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block.`
    ]
  }
  if (!asksForThinking(body)) return []
  const own = given.filter((turn) =>
    calls.every(({ id }) => turn.content.some((block) => block.type === "tool_use" && block.id === id))
  )
  const thoughts = content.filter(isThinking)
  return own.length === 0 || own.some((turn) => isSame(turn.content.filter(isThinking), thoughts))
    ? []
    : [
        `messages.${at}: \`thinking\` or \`redacted_thinking\` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.`
      ]
}
