/**
 * What Ollama's chat endpoint refuses, or drops without an error: the latter would cost a model its results.
 *
 * Sources: Ollama's documents "API" (`docs/api.md`, Generate a chat completion), "Tool calling" and "Thinking", and its
 * types (`api/types.go`).
 *
 * Not a rule here: whether the model can think or call tools, which depends on the model that is loaded.
 */
import type { Heard } from "../wireServer.ts"
import { type Fields, fields, isFields, list, text, toolNameFaults } from "./fields.ts"

const roles = new Set(["system", "user", "assistant", "tool"])
const levels = new Set<unknown>([true, false, "low", "medium", "high", "max"])

export const ollamaFaults = ({ body, text: sent }: Pick<Heard, "body" | "text">): ReadonlyArray<string> => {
  if (body === null) return ["missing request body"]
  const messages = list(body.messages)
  const { num_ctx, num_predict } = fields(body.options)
  const least = Math.floor(sent.length / 4)
  return [
    ...(text(body.model) === "" ? ["model is required"] : []),
    ...messages.flatMap(messageFaults),
    ...toolNameFaults(
      list(body.tools).map((tool) => text(fields(tool.function).name)),
      null
    ),
    ...list(body.tools).flatMap((tool) =>
      tool.type === "function" && fields(fields(tool.function).parameters).type === "object"
        ? []
        : ["tools: not a function"]
    ),
    ...(body.think === undefined || levels.has(body.think) ? [] : [`invalid think value: "${body.think}"`]),
    ...(body.format === undefined || body.format === "json" || isFields(body.format) ? [] : ["invalid format"]),
    ...[num_ctx, num_predict]
      .filter((value) => value !== undefined && !Number.isInteger(value))
      .map((value) => `option: ${value} must be of type integer`),
    // Without the option, the server truncates what is longer than a few thousand tokens.
    ...(num_ctx === undefined ? ["options.num_ctx: the request is truncated to the default of the server"] : []),
    ...(body.truncate === false && least > Number(num_ctx) ? ["the input length exceeds the context length"] : [])
  ]
}

const messageFaults = ({ content, role, tool_calls, tool_name }: Fields, at: number, all: ReadonlyArray<Fields>) => {
  const asking = all.slice(0, at).findLast((one) => one.role !== "tool")
  const asked = list(asking?.tool_calls).map((call) => fields(call.function).name)
  const open = list(tool_calls).length - answersAfter(all, at)
  return [
    ...(roles.has(text(role)) ? [] : [`messages.${at}: invalid role: ${role}`]),
    ...(content === undefined || typeof content === "string" ? [] : [`messages.${at}.content must be a string`]),
    ...(role === "system" && at > 0 ? [`messages.${at}: a system message after others`] : []),
    ...(role === "tool" && !asked.includes(tool_name)
      ? [`messages.${at}: no call of the tool '${tool_name}' before its result`]
      : []),
    ...list(tool_calls).flatMap((call) => {
      const { arguments: given, name } = fields(call.function)
      return text(name) !== "" && isFields(given)
        ? []
        : [`messages.${at}.tool_calls: a call needs a name and an object of arguments`]
    }),
    ...(open > 0 ? [`messages.${at}: ${open} calls without a result`] : []),
    ...(open < 0 && list(tool_calls).length > 0 ? [`messages.${at}: more results than calls`] : [])
  ]
}

const answersAfter = (all: ReadonlyArray<Fields>, at: number): number => {
  const rest = all.slice(at + 1)
  const end = rest.findIndex(({ role }) => role !== "tool")
  return end < 0 ? rest.length : end
}
