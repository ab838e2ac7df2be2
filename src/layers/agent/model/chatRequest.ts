/**
 * The request body of Chat Completions for a `ModelRequest`. Pure.
 *
 * An answer under a schema is an object at its top, because many servers can enforce nothing else; any other value is
 * wrapped in one, and thinking is off. Source: the SDK's `ChatCompletionCreateParamsStreaming`.
 */
import type {
  ChatCompletionCreateParamsStreaming,
  ChatCompletionMessageParam
} from "openai/resources/chat/completions/completions"
import { errorOutput } from "../../../domain/agent/errorOutput.ts"
import type { ModelMessage, ModelRequest } from "../../../domain/agent/ModelTurn.ts"
import type { ChatServer } from "../../../domain/run/ReviewSettings.ts"
import { withoutThinking } from "./chatServer.ts"
import { chatEffort, effortAmong, isGptThinking, takesMarks } from "./effortAmong.ts"
import {
  alternating,
  answerSchema,
  cacheKeyOf,
  functionTools,
  instructionsOf,
  objectAtTop,
  offered,
  textOf,
  textsWithMark
} from "./requestParts.ts"

/** The protocol's fields, and those of one server. */
export type ChatParams = ChatCompletionCreateParamsStreaming & { readonly [parameter: string]: unknown }

/** Whose parameters a request has: a gateway passes those of OpenAI's models on. */
export const serverOf = <S extends ChatServer>(at: S, model: string): S | "openai" =>
  at === "other" && isGptThinking(model) ? "openai" : at

export const chatRequest = (request: ModelRequest, at: Exclude<ChatServer, "ollama">): ChatParams => {
  const { model, tools, choice, answer, maxTokens } = request
  const server = serverOf(at, model)
  return {
    model,
    stream: true,
    stream_options: { include_usage: true },
    messages: chatMessages(request, server === "openai" && takesMarks(model)),
    ...(server === "openai" ? { max_completion_tokens: maxTokens, ...cacheKeyOf(request) } : { max_tokens: maxTokens }),
    ...(tools.length > 0
      ? {
          ...choiceOf(server, choice),
          tools: functionTools(takesName(server) ? tools : offered(tools, choice))
        }
      : {}),
    ...(answer === null
      ? {}
      : { response_format: { type: "json_schema", json_schema: answerSchema(objectAtTop(answer)) } }),
    ...thinkingOf(server, request),
    // Requests the usage in tokens and dollars.
    ...(server === "openrouter" ? { usage: { include: true } } : {})
  }
}

/** Whether the tool to call can be chosen by its name. */
const takesName = (server: ChatServer): boolean => server === "openai" || server === "vllm"

/**
 * A required tool is the only one that is offered if it cannot be named. If the model is unknown, the call is not
 * required, because a thinking model may refuse such a request.
 */
const choiceOf = (server: ChatServer, choice: ModelRequest["choice"]) => {
  if (typeof choice !== "object") return { tool_choice: choice }
  if (takesName(server)) return { tool_choice: { type: "function" as const, function: { name: choice.tool } } }
  return { tool_choice: server === "lm-studio" || server === "llama.cpp" ? ("required" as const) : ("auto" as const) }
}

const thinkingOf = (
  server: Exclude<ChatServer, "ollama">,
  { answer, effort, model, tools }: ModelRequest
): { readonly [parameter: string]: unknown } => {
  if ((answer !== null || effort === "none") && server !== "openai") return withoutThinking(server)
  // It maps the effort for each model.
  if (server === "openrouter") return effort === null ? {} : { reasoning: { effort: effortAmong(["xhigh"], effort) } }
  const given = server === "openai" ? chatEffort(model, effort, tools.length > 0) : null
  return given === null ? {} : { reasoning_effort: given }
}

/** `hasMarks`: what is the same in later requests ends with a mark. */
export const chatMessages = ({ system, messages }: Pick<ModelRequest, "system" | "messages">, hasMarks = false) => {
  const instructions = instructionsOf(system)
  const first: ReadonlyArray<ChatCompletionMessageParam> =
    instructions === "" ? [] : [{ role: "system", content: instructions }]
  return [...first, ...alternating(messages).flatMap((message, at) => messagesOf(message, hasMarks && at === 0))]
}

const messagesOf = (message: ModelMessage, hasMark: boolean): ReadonlyArray<ChatCompletionMessageParam> => {
  if (message.role === "user") {
    const results = message.parts.flatMap(
      (part): ReadonlyArray<ChatCompletionMessageParam> =>
        part._tag === "Result" ? [{ role: "tool", tool_call_id: part.callId, content: errorOutput(part) }] : []
    )
    const text = textOf(message.parts)
    const content = hasMark
      ? textsWithMark(message.parts, true).map((part) => ({ type: "text" as const, ...part }))
      : text
    return text === "" ? results : [...results, { role: "user", content }]
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
