/**
 * The request body of Ollama's own chat endpoint for a `ModelRequest`. Pure.
 *
 * Its OpenAI endpoint has no setting for the context size, and truncates silently after a few thousand tokens; this one
 * has one (`num_ctx`), and can fail instead. Source: Ollama's API documents.
 */

import { errorOutput } from "../../../domain/agent/errorOutput.ts"
import type { JsonSchema, ModelMessage, ModelRequest } from "../../../domain/agent/ModelTurn.ts"
import { effortAmong } from "./effortAmong.ts"
import { alternating, functionTools, instructionsOf, objectAtTop, offered, textOf } from "./requestParts.ts"

export const ollamaRequest = (request: ModelRequest, contextTokens: number) => {
  const { model, system, tools, choice, answer, effort, maxTokens } = request
  const instructions = instructionsOf(system)
  const think = thinkingOf(model, effort, answer)
  const shown = choice === "none" ? [] : offered(tools, choice)
  return {
    model,
    stream: true,
    messages: [
      ...(instructions === "" ? [] : [{ role: "system", content: instructions }]),
      ...alternating(request.messages).flatMap((message) => messagesOf(message, request.messages))
    ],
    // The protocol has no choice of tools: tools that must not be called are not offered.
    ...(shown.length > 0 ? { tools: functionTools(shown) } : {}),
    ...(answer === null ? {} : { format: objectAtTop(answer) }),
    ...(think === null ? {} : { think }),
    truncate: false,
    shift: false,
    options: { num_ctx: contextTokens, num_predict: maxTokens }
  }
}

/**
 * Off under a schema, because thinking models then return an empty answer; by effort for the one family that accepts
 * it.
 */
const thinkingOf = (
  model: string,
  effort: ModelRequest["effort"],
  answer: JsonSchema | null
): boolean | string | null => {
  if (answer !== null || effort === "none") return false
  return effort !== null && /(?:^|\/)gpt-oss\b/.test(model) ? effortAmong([], effort) : null
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

/** Results are matched by the tool's name, because calls have no ids here. */
const nameOf = (callId: string, all: ReadonlyArray<ModelMessage>): string => {
  for (const { parts } of all) {
    for (const part of parts) if (part._tag === "Call" && part.id === callId) return part.name
  }
  return ""
}
