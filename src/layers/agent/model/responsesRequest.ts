/**
 * The request body of the Responses API for a `ModelRequest`. Pure.
 *
 * Nothing is stored at the provider: reasoning is received encrypted and sent back unchanged. The provider caches
 * prefixes by itself, so only their order matters. Source: the SDK's `ResponseCreateParamsStreaming`.
 */
import type { ResponseCreateParamsStreaming, ResponseInputItem } from "openai/resources/responses/responses"
import { errorOutput } from "../../../domain/agent/errorOutput.ts"
import type { AssistantMessage, ModelMessage, ModelRequest, UserMessage } from "../../../domain/agent/ModelTurn.ts"
import { isJsonObject } from "../../../domain/system/jsonObject.ts"
import { gptEffort } from "./effortAmong.ts"
import { answerSchema, instructionsOf } from "./requestParts.ts"

const fewestTokens = 16

export const responsesRequest = (request: ModelRequest): ResponseCreateParamsStreaming => {
  const { model, system, tools, choice, answer, effort, maxTokens } = request
  const reasons = thinks(model)
  const given = effort === null ? null : gptEffort(model, effort)
  const instructions = instructionsOf(system)
  return {
    model,
    stream: true,
    store: false,
    max_output_tokens: Math.max(fewestTokens, maxTokens),
    ...(instructions === "" ? {} : { instructions }),
    ...(tools.length > 0
      ? {
          tools: tools.map(({ name, description, input }) => ({
            type: "function" as const,
            name,
            description,
            parameters: input,
            strict: false
          })),
          tool_choice: typeof choice === "object" ? { type: "function" as const, name: choice.tool } : choice
        }
      : {}),
    input: request.messages.flatMap(itemsOf),
    ...(answer === null ? {} : { text: { format: { type: "json_schema" as const, ...answerSchema(answer) } } }),
    ...(given === null ? {} : { reasoning: { effort: given } }),
    ...(reasons ? { include: ["reasoning.encrypted_content" as const] } : {})
  }
}

/** Models without reasoning reject requests for it. */
const thinks = (model: string): boolean =>
  !/^(?:gpt-3|gpt-4|chatgpt)|-chat\b/.test(model.replace(/^(?:openai\/|ft:)/, ""))

const itemsOf = (message: ModelMessage): ReadonlyArray<ResponseInputItem> =>
  message.role === "model" ? assistantItems(message) : userItems(message)

const assistantItems = ({ parts, verbatim }: AssistantMessage): ReadonlyArray<ResponseInputItem> => {
  const own = isJsonObject(verbatim) ? verbatim.responses : undefined
  // Received items are sent back unchanged; reasoning is refused without the item that it was for.
  if (Array.isArray(own)) {
    const items = own as Array<ResponseInputItem>
    return items.slice(0, items.findLastIndex(({ type }) => type !== "reasoning") + 1)
  }
  return parts.flatMap((part): ReadonlyArray<ResponseInputItem> => {
    if (part._tag === "Text") return part.text.trim() === "" ? [] : [{ role: "assistant", content: part.text }]
    return [{ type: "function_call", call_id: part.id, name: part.name, arguments: JSON.stringify(part.input) }]
  })
}

const userItems = ({ parts }: UserMessage): ReadonlyArray<ResponseInputItem> => {
  const results = parts.flatMap((part) =>
    part._tag === "Result"
      ? [{ type: "function_call_output" as const, call_id: part.callId, output: errorOutput(part) }]
      : []
  )
  const texts = parts.flatMap((part) =>
    part._tag === "Text" && part.text.trim() !== "" ? [{ type: "input_text" as const, text: part.text }] : []
  )
  return texts.length === 0 ? results : [...results, { role: "user" as const, content: texts }]
}
