/**
 * What Ollama's own chat endpoint is sent for a `ModelRequest`. Pure.
 *
 * Its OpenAI endpoint cannot be told how much the model is to remember, and the usual few thousand tokens are cut
 * silently; this one can (`num_ctx`), and can be told to fail instead of cutting. Source: Ollama's API documents.
 */

import { errorOutput } from "../../../domain/agent/errorOutput.ts"
import type { JsonSchema, ModelMessage, ModelRequest } from "../../../domain/agent/ModelTurn.ts"
import { objectAtTop, offered } from "./chatRequest.ts"

export const ollamaRequest = (request: ModelRequest, contextTokens: number) => {
  const { model, system, tools, choice, answer, effort, maxTokens } = request
  const instructions = system.filter((text) => text !== "").join("\n\n")
  const think = thinkingOf(model, effort, answer)
  const shown = choice === "none" ? [] : offered(tools, choice)
  return {
    model,
    stream: true,
    messages: [
      ...(instructions === "" ? [] : [{ role: "system", content: instructions }]),
      ...request.messages.flatMap((message) => messagesOf(message, request.messages))
    ],
    // It cannot be made to call one tool, nor kept from calling any: what it must not call it is not shown.
    ...(shown.length > 0
      ? {
          tools: shown.map(({ name, description, input }) => ({
            type: "function",
            function: { name, description, parameters: input }
          }))
        }
      : {}),
    ...(answer === null ? {} : { format: objectAtTop(answer) }),
    ...(think === null ? {} : { think }),
    truncate: false,
    shift: false,
    options: { num_ctx: contextTokens, num_predict: maxTokens }
  }
}

/** Off under a schema, where thinking models answer nothing; by degrees for the one family that knows them. */
const thinkingOf = (
  model: string,
  effort: ModelRequest["effort"],
  answer: JsonSchema | null
): boolean | string | null => {
  if (answer !== null || effort === "none") return false
  return effort !== null && /(?:^|\/)gpt-oss\b/.test(model) ? effort : null
}

const messagesOf = (message: ModelMessage, all: ReadonlyArray<ModelMessage>) => {
  if (message.role === "user") {
    const results = message.parts.flatMap((part) =>
      part._tag === "Result" ? [{ role: "tool", tool_name: nameOf(part.callId, all), content: errorOutput(part) }] : []
    )
    const text = textOf(message.parts)
    return text === "" ? results : [...results, { role: "user", content: text }]
  }
  const calls = message.parts.flatMap((part) =>
    part._tag === "Call" ? [{ function: { name: part.name, arguments: part.input } }] : []
  )
  const content = textOf(message.parts)
  if (calls.length === 0) return content === "" ? [] : [{ role: "assistant", content }]
  return [{ role: "assistant", content, tool_calls: calls }]
}

/** Results are told apart by the tool's name: calls have no ids here. */
const nameOf = (callId: string, all: ReadonlyArray<ModelMessage>): string => {
  for (const { parts } of all) {
    for (const part of parts) if (part._tag === "Call" && part.id === callId) return part.name
  }
  return ""
}

const textOf = (parts: ModelMessage["parts"]): string =>
  parts.flatMap((part) => (part._tag === "Text" && part.text.trim() !== "" ? [part.text] : [])).join("\n\n")
