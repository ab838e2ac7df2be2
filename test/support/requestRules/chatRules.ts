/**
 * What Chat Completions refuses: the protocol everywhere, and OpenAI's own rules for OpenAI's models.
 *
 * Sources: OpenAI's reference "Create chat completion" and the types of its SDK, the guides "Function calling" and
 * "Structured model outputs"; for tools with models that think BerriAI/litellm#34569 and openai/openai-openapi#541.
 *
 * Not rules here: what only one server or one chat template refuses (that user and assistant alternate, for one).
 */
import type { Heard } from "../wireServer.ts"
import { type Fields, fields, list, repeated, text, toolNameFaults, unknownKeys } from "./fields.ts"
import { limitFaults } from "./limits.ts"
import { effortFault, isOpenAi, isReasoning, thinksWithoutTools } from "./openAiModel.ts"
import { formatFaults } from "./responsesRules.ts"
import { strictFaults } from "./schemaRules.ts"

const openAiKeys = new Set([
  ...["model", "messages", "max_completion_tokens", "max_tokens", "tools", "tool_choice", "parallel_tool_calls"],
  ...["response_format", "reasoning_effort", "verbosity", "stream", "stream_options", "store", "metadata", "n", "stop"],
  ...["temperature", "top_p", "seed", "service_tier", "logprobs", "top_logprobs", "logit_bias", "frequency_penalty"],
  ...[
    "presence_penalty",
    "prompt_cache_key",
    "prompt_cache_options",
    "prompt_cache_retention",
    "safety_identifier",
    "user"
  ]
])

const roles = new Set(["system", "developer", "user", "assistant", "tool"])
const longestCallId = 40

export const chatFaults = ({ body, text: sent }: Pick<Heard, "body" | "text">): ReadonlyArray<string> => {
  if (body === null) return ["We could not parse the JSON body of your request."]
  const messages = list(body.messages)
  return [
    ...(messages.length === 0 ? ["Invalid 'messages': empty array."] : []),
    ...messages.flatMap(messageFaults),
    ...callFaults(messages),
    ...toolFaults(body),
    ...formatFaults({ type: fields(body.response_format).type, ...fields(fields(body.response_format).json_schema) }),
    ...(isOpenAi(text(body.model)) ? openAiFaults(body) : []),
    ...limitFaults(
      text(body.model),
      sent.length,
      body.max_completion_tokens ?? body.max_tokens,
      "max_completion_tokens"
    )
  ]
}

const messageFaults = (message: Fields, at: number, all: ReadonlyArray<Fields>): ReadonlyArray<string> => {
  const { content, role, tool_calls } = message
  const calls = list(tool_calls)
  const isEmpty =
    content === null || content === undefined || content === "" || (Array.isArray(content) && content.length === 0)
  return [
    ...(roles.has(text(role)) ? [] : [`Invalid value: '${role}' of messages[${at}].role`]),
    ...(role === "system" && all.slice(0, at).some((one) => one.role !== "system")
      ? [`messages[${at}]: System message must be at the beginning.`]
      : []),
    ...(isEmpty && role === "assistant" && calls.length === 0
      ? [`messages[${at}]: an assistant message needs content or tool_calls`]
      : []),
    ...(isEmpty && role === "user" ? [`messages[${at}]: expected content`] : []),
    ...(role === "tool" && typeof content !== "string" && !Array.isArray(content)
      ? [`Invalid value for 'content': expected a string, got ${content}.`]
      : []),
    ...(Array.isArray(tool_calls) && calls.length === 0 ? [`Invalid 'messages[${at}].tool_calls': empty array.`] : []),
    ...calls.flatMap((call) => {
      const { arguments: written, name } = fields(call.function)
      return [
        ...(call.type === "function" ? [] : [`Missing required parameter: 'messages[${at}].tool_calls.type'.`]),
        ...(text(name) === "" || typeof written !== "string"
          ? [`messages[${at}]: a call without name or arguments`]
          : []),
        ...(text(call.id) === "" ? [`Missing required parameter: 'messages[${at}].tool_calls.id'.`] : [])
      ]
    })
  ]
}

/** The tool messages directly after an assistant message answer each of its calls once, and nothing else. */
const callFaults = (messages: ReadonlyArray<Fields>): ReadonlyArray<string> => {
  const calls = messages.flatMap(({ tool_calls }) => list(tool_calls).map(({ id }) => text(id)))
  const faults = messages.flatMap((message, at): ReadonlyArray<string> => {
    if (message.role === "tool") {
      const asking = messages.slice(0, at).findLast(({ role }) => role !== "tool")
      const asked = list(asking?.tool_calls).map(({ id }) => id)
      return asked.includes(message.tool_call_id)
        ? []
        : ["Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."]
    }
    const asked = list(message.tool_calls).map(({ id }) => text(id))
    const rest = messages.slice(at + 1)
    const end = rest.findIndex(({ role }) => role !== "tool")
    const answered = (end < 0 ? rest : rest.slice(0, end)).map(({ tool_call_id }) => text(tool_call_id))
    const open = asked.filter((id) => !answered.includes(id))
    return [
      ...(open.length > 0
        ? [
            `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${open.join(", ")}`
          ]
        : []),
      ...(asked.length > 0 ? repeated(answered).map((id) => `Duplicate tool message for tool_call_id ${id}`) : [])
    ]
  })
  return [...faults, ...repeated(calls).map((id) => `Duplicate value for 'tool_call_id' of ${id}`)]
}

const toolFaults = ({ tool_choice, tools }: Fields): ReadonlyArray<string> => {
  const named = fields(fields(tool_choice).function).name
  return [
    ...toolNameFaults(
      list(tools).map((tool) => text(fields(tool.function).name)),
      named === undefined ? null : text(named)
    ),
    ...(Array.isArray(tools) && tools.length === 0 ? ["Invalid 'tools': empty array."] : []),
    ...(tool_choice !== undefined && list(tools).length === 0
      ? ["Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified."]
      : []),
    ...list(tools).flatMap((tool) => {
      const { name, parameters, strict } = fields(tool.function)
      return [
        ...(tool.type === "function" ? [] : [`Invalid value: '${tool.type}' of tools.type`]),
        ...(fields(parameters).type === "object"
          ? []
          : [`Invalid schema for function '${name}': schema must be a JSON Schema of 'type: "object"'`]),
        ...(strict === true
          ? strictFaults(parameters).map((fault) => `Invalid schema for function '${name}': ${fault}`)
          : [])
      ]
    })
  ]
}

const openAiFaults = (body: Fields): ReadonlyArray<string> => {
  const model = text(body.model)
  const thinks = body.reasoning_effort !== "none"
  const ids = list(body.messages).flatMap(({ tool_calls }) => list(tool_calls).map(({ id }) => text(id)))
  const schema = fields(fields(fields(body.response_format).json_schema).schema)
  return [
    ...unknownKeys(body, openAiKeys),
    ...(body.max_tokens !== undefined && isReasoning(model)
      ? ["Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."]
      : []),
    ...(body.temperature !== undefined && body.temperature !== 1 && isReasoning(model) && thinks
      ? ["Unsupported value: 'temperature' does not support this value with this model."]
      : []),
    ...effortFault(model, body.reasoning_effort, "reasoning_effort"),
    ...(thinks && list(body.tools).length > 0 && thinksWithoutTools(model)
      ? [
          `Function tools with reasoning_effort are not supported for ${model} in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.`
        ]
      : []),
    ...ids
      .filter((id) => id.length > longestCallId)
      .map(() => `Invalid 'tool_calls.id': string too long. Expected a string with maximum length ${longestCallId}.`),
    ...(Object.keys(schema).length > 0 && schema.type !== "object"
      ? ["Invalid schema for response_format: schema must be a JSON Schema of 'type: \"object\"'"]
      : [])
  ]
}
