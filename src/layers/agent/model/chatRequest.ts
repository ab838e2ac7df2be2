/**
 * What a server of Chat Completions is sent for a `ModelRequest`. Pure.
 *
 * An answer under a schema is an object at its top, for that is all many servers can hold a model to; anything else is
 * wrapped in one, and thinking is off. Source: the SDK's `ChatCompletionCreateParamsStreaming`; reference peers §4.3.
 */
import type {
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageParam
} from "openai/resources/chat/completions/completions"
import { errorOutput } from "../../../domain/agent/errorOutput.ts"
import type { JsonSchema, ModelMessage, ModelRequest } from "../../../domain/agent/ModelTurn.ts"
import type { ChatServer } from "../../../domain/run/ReviewSettings.ts"
import { withoutThinking } from "./chatServer.ts"
import { closedSchema, isComplete } from "./closedSchema.ts"

/** The protocol's fields, and those of one server. */
export type ChatParams = ChatCompletionCreateParamsStreaming & { readonly [parameter: string]: unknown }

export const chatRequest = (request: ModelRequest, server: Exclude<ChatServer, "ollama">): ChatParams => {
  const { model, tools, choice, answer, effort, maxTokens } = request
  return {
    model,
    stream: true,
    stream_options: { include_usage: true },
    messages: chatMessages(request),
    ...(server === "openai" ? { max_completion_tokens: maxTokens } : { max_tokens: maxTokens }),
    ...(tools.length > 0
      ? {
          ...choiceOf(server, choice),
          tools: (isNamed(server) ? tools : offered(tools, choice)).map(({ name, description, input }) => ({
            type: "function" as const,
            function: { name, description, parameters: input }
          }))
        }
      : {}),
    ...(answer === null ? {} : { response_format: formatOf(answer) }),
    ...thinkingOf(server, effort, answer),
    // Tokens and dollars, where the server counts them for its user.
    ...(server === "openrouter" ? { usage: { include: true } } : {})
  }
}

/** Takes it a choice by the tool's name? */
const isNamed = (server: ChatServer): boolean => server === "openai" || server === "vllm"

/**
 * One tool that must be called is the only one that is shown, where it cannot be named. Who knows which model is behind a
 * server asks for no more: one that thinks may refuse to be made to call.
 */
const choiceOf = (server: ChatServer, choice: ModelRequest["choice"]) => {
  if (typeof choice !== "object") return { tool_choice: choice }
  if (isNamed(server)) return { tool_choice: { type: "function" as const, function: { name: choice.tool } } }
  return { tool_choice: server === "lm-studio" || server === "llama.cpp" ? ("required" as const) : ("auto" as const) }
}

/** What must not be called is not shown. */
export const offered = (tools: ModelRequest["tools"], choice: ModelRequest["choice"]): ModelRequest["tools"] =>
  typeof choice === "object" ? tools.filter(({ name }) => name === choice.tool) : tools

const thinkingOf = (
  server: Exclude<ChatServer, "ollama">,
  effort: ModelRequest["effort"],
  answer: ModelRequest["answer"]
): { readonly [parameter: string]: unknown } => {
  if ((answer !== null || effort === "none") && server !== "openai") return withoutThinking(server)
  if (effort === null) return {}
  if (server === "openrouter") return { reasoning: { effort } }
  return server === "openai" ? { reasoning_effort: effort } : {}
}

const formatOf = (answer: JsonSchema) => {
  const top = objectAtTop(answer)
  const closed = closedSchema(top)
  const strict = closed !== null && isComplete(closed)
  return {
    type: "json_schema" as const,
    json_schema: { name: "answer", schema: { ...(strict ? closed : top) }, strict }
  }
}

/** A list is asked for as `{"items": [...]}`: whoever decodes the reply takes a wrapped list for a list. */
export const objectAtTop = (answer: JsonSchema): JsonSchema => {
  if (answer.type === "object" || answer.$ref !== undefined) return answer
  const { $defs, ...rest } = answer
  return {
    type: "object",
    properties: { items: rest },
    required: ["items"],
    additionalProperties: false,
    ...($defs === undefined ? {} : { $defs })
  }
}

export const chatMessages = ({ system, messages }: Pick<ModelRequest, "system" | "messages">) => {
  const instructions = system.filter((text) => text !== "").join("\n\n")
  const first: ReadonlyArray<ChatCompletionMessageParam> =
    instructions === "" ? [] : [{ role: "system", content: instructions }]
  return [...first, ...messages.flatMap(messagesOf)]
}

const messagesOf = (message: ModelMessage): ReadonlyArray<ChatCompletionMessageParam> => {
  if (message.role === "user") {
    const results = message.parts.flatMap(
      (part): ReadonlyArray<ChatCompletionMessageParam> =>
        part._tag === "Result" ? [{ role: "tool", tool_call_id: part.callId, content: errorOutput(part) }] : []
    )
    const text = textOf(message.parts)
    return text === "" ? results : [...results, { role: "user", content: text }]
  }
  const calls = message.parts.flatMap((part) =>
    part._tag === "Call"
      ? [
          {
            id: part.id,
            type: "function" as const,
            function: { name: part.name, arguments: JSON.stringify(part.input) }
          }
        ]
      : []
  )
  const text = textOf(message.parts)
  if (calls.length === 0) return text === "" ? [] : [{ role: "assistant", content: text }]
  return [{ role: "assistant", content: text === "" ? null : text, tool_calls: calls }]
}

/** Blocks as one text: not every server takes lists. */
const textOf = (parts: ModelMessage["parts"]): string =>
  parts.flatMap((part) => (part._tag === "Text" && part.text.trim() !== "" ? [part.text] : [])).join("\n\n")
