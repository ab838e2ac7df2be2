/**
 * The request body of the Responses API for a `ModelRequest`. Pure.
 *
 * Nothing is stored at the provider: reasoning is received encrypted and sent back unchanged. The provider caches the
 * prefix of each request by itself; newer models find the prefix that agents share only if its end is marked. Source: the
 * SDK's `ResponseCreateParamsStreaming`; the vendor's guide "Prompt caching".
 */
import type { ResponseCreateParamsStreaming, ResponseInputItem } from "openai/resources/responses/responses"
import { errorOutput } from "../../../domain/agent/errorOutput.ts"
import type { AssistantMessage, ModelMessage, ModelRequest, UserMessage } from "../../../domain/agent/ModelTurn.ts"
import { isJsonObject } from "../../../domain/system/jsonObject.ts"
import { gptEffort, takesMarks } from "./effortAmong.ts"
import { answerSchema, cacheKeyOf, instructionsOf, textsWithMark } from "./requestParts.ts"

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
    ...cacheKeyOf(request),
    input: request.messages.flatMap((message, at) => itemsOf(message, at === 0 && takesMarks(model))),
    ...(answer === null ? {} : { text: { format: { type: "json_schema" as const, ...answerSchema(answer) } } }),
    ...(given === null ? {} : { reasoning: { effort: given } }),
    ...(reasons ? { include: ["reasoning.encrypted_content" as const] } : {})
  }
}

/** Models without reasoning reject requests for it. */
const thinks = (model: string): boolean =>
  !/^(?:gpt-3|gpt-4|chatgpt)|-chat\b/.test(model.replace(/^(?:openai\/|ft:)/, ""))

const itemsOf = (message: ModelMessage, hasMark: boolean): ReadonlyArray<ResponseInputItem> =>
  message.role === "model" ? assistantItems(message) : userItems(message, hasMark)

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

/** `hasMark`: what is the same in later requests ends with a mark. */
const userItems = ({ parts }: UserMessage, hasMark: boolean): ReadonlyArray<ResponseInputItem> => {
  const results = parts.flatMap((part) =>
    part._tag === "Result"
      ? [{ type: "function_call_output" as const, call_id: part.callId, output: errorOutput(part) }]
      : []
  )
  const texts = textsWithMark(parts, hasMark).map((text) => ({ type: "input_text" as const, ...text }))
  return texts.length === 0 ? results : [...results, { role: "user" as const, content: texts }]
}
