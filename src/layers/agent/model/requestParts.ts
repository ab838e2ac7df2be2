/** Parts that the requests of several protocols have in common. Pure. */
import { CryptoHasher } from "bun"
import type { JsonSchema, ModelMessage, ModelRequest, UserMessage } from "../../../domain/agent/ModelTurn.ts"
import { closedSchema, isComplete } from "./closedSchema.ts"

export const instructionsOf = (system: ModelRequest["system"]): string =>
  system.filter((text) => text !== "").join("\n\n")

/** Directs the requests of a run to one cache at OpenAI. It is the same for all agents of the run, and tells nothing else. */
export const cacheKeyOf = ({ messages: [first] }: Pick<ModelRequest, "messages">) => {
  if (first?.role !== "user") return {}
  const shared = first.parts.find((part) => part._tag === "Text" && part.lasting)
  if (shared?._tag !== "Text") return {}
  return { prompt_cache_key: `dd-${new CryptoHasher("sha256").update(shared.text).digest("hex").slice(0, 32)}` }
}

/** With adjacent messages of the user as one, because the chat templates of many models require that the roles alternate. */
export const alternating = (messages: ModelRequest["messages"]): ReadonlyArray<ModelMessage> => {
  const merged: Array<ModelMessage> = []
  for (const message of messages) {
    const last = merged.at(-1)
    if (last?.role !== "user" || message.role !== "user") merged.push(message)
    else merged[merged.length - 1] = { role: "user", parts: [...last.parts, ...message.parts] }
  }
  return merged
}

/** Blocks as one text, because not every server accepts lists. */
export const textOf = (parts: ModelMessage["parts"]): string =>
  parts.flatMap((part) => (part._tag === "Text" && part.text.trim() !== "" ? [part.text] : [])).join("\n\n")

/** Blocks one by one; with a mark of OpenAI's, where what is the same in later requests ends. */
export const textsWithMark = (parts: UserMessage["parts"], hasMark: boolean) => {
  const marked = hasMark ? parts.findLast((part) => part._tag === "Text" && part.lasting) : undefined
  const mark = { prompt_cache_breakpoint: { mode: "explicit" as const } }
  return parts.flatMap((part) =>
    part._tag === "Text" && part.text.trim() !== "" ? [{ text: part.text, ...(part === marked ? mark : {}) }] : []
  )
}

export const functionTools = (tools: ModelRequest["tools"]) =>
  tools.map(({ name, description, input }) => ({
    type: "function" as const,
    function: { name, description, parameters: input }
  }))

/** The only tool that may be called, if the protocol cannot name it: the others are not offered. */
export const offered = (tools: ModelRequest["tools"], choice: ModelRequest["choice"]): ModelRequest["tools"] =>
  typeof choice === "object" ? tools.filter(({ name }) => name === choice.tool) : tools

/** The schema of an answer, strict if the provider can enforce all of it. */
export const answerSchema = (answer: JsonSchema) => {
  const closed = closedSchema(answer)
  const strict = closed !== null && isComplete(closed)
  return { name: "answer", schema: { ...(strict ? closed : answer) }, strict }
}

/** A list is requested as `{"items": [...]}`: the decoder of the reply accepts a wrapped list. */
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
