/**
 * What the Responses API refuses.
 *
 * Sources: OpenAI's reference "Create a model response" and the types of its SDK, the guides "Reasoning models" (keeping
 * reasoning items in context), "Function calling" and "Structured model outputs"; for what follows a reasoning item the
 * errors in openai/openai-node#1791, vercel/ai#7099 and continuedev/continue#11994.
 *
 * Not rules here: a reasoning item after a changed prefix, which newer models drop without an error ("Keep the prefix
 * unchanged"); names of parameters that only other features have.
 */
import type { Heard } from "../wireServer.ts"
import { type Fields, fields, hashOf, list, repeated, text, toolNameFaults, unknownKeys } from "./fields.ts"
import type { GivenTurn } from "./GivenTurn.ts"
import { limitFaults } from "./limits.ts"
import { effortFault, isOpenAi, isReasoning } from "./openAiModel.ts"
import { strictFaults } from "./schemaRules.ts"

const bodyKeys = new Set([
  ...["model", "input", "instructions", "max_output_tokens", "tools", "tool_choice", "parallel_tool_calls", "text"],
  ...["reasoning", "include", "store", "stream", "stream_options", "previous_response_id", "metadata", "truncation"],
  ...["temperature", "top_p", "service_tier", "prompt_cache_key", "prompt_cache_options", "prompt_cache_retention"],
  ...["safety_identifier", "user", "background", "max_tool_calls", "top_logprobs", "conversation"]
])

const fewestTokens = 16
const longestCallId = 64
const longestKey = 64

/** The encrypted content of a reasoning item: another one for each turn and summary. */
export const encryptedOf = (id: string, thinking: string): string =>
  `enc_${Buffer.from(JSON.stringify({ id, text: hashOf(thinking) })).toString("base64url")}`

const isEncrypted = ({ encrypted_content, id, summary }: Fields): boolean => {
  const thinking = list(summary).map((part) => text(part.text))
  return encrypted_content === encryptedOf(text(id), thinking.join("\n\n"))
}

export const responsesFaults = (
  { body, text: sent }: Pick<Heard, "body" | "text">,
  given: ReadonlyArray<GivenTurn>
): ReadonlyArray<string> => {
  if (body === null) return ["We could not parse the JSON body of your request."]
  const model = text(body.model)
  const items = typeof body.input === "string" ? [{ role: "user", content: body.input }] : list(body.input)
  const { effort } = fields(body.reasoning)
  const include = Array.isArray(body.include) ? body.include : []
  return [
    ...unknownKeys(body, bodyKeys),
    ...(items.length === 0 ? ['One of "input" or "previous_response_id" or \'prompt\' must be provided.'] : []),
    ...toolFaults(body),
    ...callFaults(items),
    ...items.flatMap((item, at) => itemFaults(item, at)),
    ...reasoningFaults(body, items, given),
    ...(body.max_output_tokens !== undefined && Number(body.max_output_tokens) < fewestTokens
      ? [`Invalid 'max_output_tokens': integer below minimum value. Expected a value >= ${fewestTokens}.`]
      : []),
    ...effortFault(model, effort, "reasoning.effort"),
    ...(include.includes("reasoning.encrypted_content") && isOpenAi(model) && !isReasoning(model)
      ? ["Encrypted content is not supported with this model."]
      : []),
    ...(body.temperature !== undefined && isReasoning(model) && effort !== "none"
      ? ["Unsupported parameter: 'temperature' is not supported with this model."]
      : []),
    ...formatFaults(fields(fields(body.text).format)),
    ...(text(body.prompt_cache_key).length > longestKey
      ? [`Invalid 'prompt_cache_key': string too long. Expected a string with maximum length ${longestKey}.`]
      : []),
    ...limitFaults(model, sent.length, body.max_output_tokens, "max_output_tokens")
  ]
}

const toolFaults = ({ tool_choice, tools }: Fields): ReadonlyArray<string> => {
  const { name, type } = fields(tool_choice)
  return [
    ...toolNameFaults(
      list(tools).map((tool) => text(tool.name)),
      type === "function" ? text(name) : null
    ),
    ...(tool_choice !== undefined && tool_choice !== "none" && tool_choice !== "auto" && list(tools).length === 0
      ? ["Tool choice must be used together with tools."]
      : []),
    ...list(tools).flatMap(({ name: own, parameters, strict }) => [
      ...(fields(parameters).type === "object"
        ? []
        : [`Invalid schema for function '${own}': schema must be a JSON Schema of 'type: "object"'`]),
      // In this API, a function is strict unless the request says otherwise.
      ...(strict === false
        ? []
        : strictFaults(parameters).map((fault) => `Invalid schema for function '${own}': ${fault}`))
    ])
  ]
}

export const formatFaults = ({ name, schema, strict, type }: Fields): ReadonlyArray<string> => [
  ...(type === "json_schema" ? toolNameFaults([text(name)], null).map((fault) => `text.format: ${fault}`) : []),
  ...(type === "json_schema" && strict === true
    ? strictFaults(schema).map((fault) => `Invalid schema for response_format '${name}': ${fault}`)
    : [])
]

const callFaults = (items: ReadonlyArray<Fields>): ReadonlyArray<string> => {
  const calls = items.filter(({ type }) => type === "function_call").map(({ call_id }) => text(call_id))
  const outputs = items.filter(({ type }) => type === "function_call_output").map(({ call_id }) => text(call_id))
  const isEarly = (id: string) =>
    items.findIndex((item) => item.type === "function_call_output" && item.call_id === id) <
    items.findIndex((item) => item.type === "function_call" && item.call_id === id)
  return [
    ...calls.filter((id) => !outputs.includes(id)).map((id) => `No tool output found for function call ${id}.`),
    ...outputs
      .filter((id) => !calls.includes(id) || isEarly(id))
      .map((id) => `No tool call found for function call output with call_id ${id}.`),
    ...repeated(calls).map((id) => `Duplicate function call with call_id ${id}.`),
    ...repeated(outputs).map((id) => `Duplicate function call output with call_id ${id}.`),
    ...calls
      .filter((id) => id.length > longestCallId)
      .map(() => `Invalid 'input.call_id': string too long. Expected a string with maximum length ${longestCallId}.`)
  ]
}

const prefixes: Fields = { reasoning: "rs", function_call: "fc", message: "msg" }

const itemFaults = (item: Fields, at: number): ReadonlyArray<string> => {
  const { id, role, type = "message" } = item
  const prefix = prefixes[text(type)]
  return [
    ...(prefix === undefined && type !== "function_call_output"
      ? [`Invalid value: '${type}' of input[${at}].type`]
      : []),
    ...(type === "message" && !["user", "assistant", "system", "developer"].includes(text(role))
      ? [`Invalid value: '${role}' of input[${at}].role`]
      : []),
    ...(id !== undefined && prefix !== undefined && !text(id).startsWith(`${prefix}_`)
      ? [`Invalid 'input[${at}].id': '${id}'. Expected an ID that begins with '${prefix}'.`]
      : []),
    ...(type === "function_call" && !isJson(text(item.arguments))
      ? [`Invalid 'input[${at}].arguments': not JSON`]
      : []),
    ...(type === "reasoning" && !Array.isArray(item.summary)
      ? [`Missing required parameter: 'input[${at}].summary'.`]
      : [])
  ]
}

const isJson = (value: string): boolean => {
  try {
    JSON.parse(value)
    return true
  } catch {
    return false
  }
}

/** A reasoning item and the item that it was produced for come back together, and unchanged. */
const reasoningFaults = (
  { store }: Fields,
  items: ReadonlyArray<Fields>,
  given: ReadonlyArray<GivenTurn>
): ReadonlyArray<string> => {
  const place = (id: unknown) => {
    const turn = given.find(({ content }) => content.some((item) => item.id === id))?.content ?? []
    const at = turn.findIndex((item) => item.id === id)
    return { before: turn[at - 1], after: turn[at + 1] }
  }
  return items.flatMap((item, at): ReadonlyArray<string> => {
    const { id, type } = item
    if (type !== "reasoning") {
      const { before } = id === undefined ? {} : place(id)
      return before?.type === "reasoning" && items[at - 1]?.id !== before.id
        ? [`Item '${id}' of type '${type}' was provided without its required 'reasoning' item: '${before.id}'.`]
        : []
    }
    if (store === false && item.encrypted_content === undefined) {
      return [`Item with id '${id}' not found. Items are not persisted when \`store\` is set to false.`]
    }
    if (!isEncrypted(item)) return [`The encrypted content for item ${id} could not be verified.`]
    const { after } = place(id)
    const next = items[at + 1]
    const isFollowed =
      after === undefined ? next?.role === "assistant" || next?.type === "function_call" : next?.id === after.id
    return isFollowed ? [] : [`Item '${id}' of type 'reasoning' was provided without its required following item.`]
  })
}
