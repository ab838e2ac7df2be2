/** A request to a model, in words no provider owns, so that one script serves all protocols. */
import type { Heard } from "./wireServer.ts"

export interface Asked {
  readonly protocol: "messages" | "responses" | "chat" | "ollama"
  readonly model: string
  /** What it is told before all else. */
  readonly system: string
  readonly tools: ReadonlyArray<{ readonly name: string; readonly input: JsonSchema }>
  /** `auto`, `none`, or the tool it must call. */
  readonly choice: string
  /** The shape of the answer, where one is asked for. */
  readonly answer: JsonSchema | null
  /** How many turns of the model's the conversation has. */
  readonly turns: number
  /** Everything the user said, and every result of a call, as one text. */
  readonly told: string
  readonly heard: Heard
}

type Fields = Record<string, unknown>
export type JsonSchema = Fields

export const askedOf = (heard: Heard): Asked => {
  const body = heard.body ?? {}
  const protocol = heard.path.endsWith("/messages")
    ? "messages"
    : heard.path.endsWith("/responses")
      ? "responses"
      : heard.path.endsWith("/api/chat")
        ? "ollama"
        : "chat"
  const messages = list(body[protocol === "responses" ? "input" : "messages"])
  return {
    protocol,
    model: String(body.model ?? ""),
    system: words(body.system ?? body.instructions ?? messages.filter(({ role }) => role === "system")),
    tools: list(body.tools).map((tool) => {
      const spec = fields(tool.function ?? tool)
      return { name: String(spec.name), input: fields(spec.input_schema ?? spec.parameters) }
    }),
    choice: choiceOf(body.tool_choice),
    answer: answerOf(body),
    turns: turnsOf(messages),
    told: words(
      messages.filter(({ role, type }) => role === "user" || role === "tool" || type === "function_call_output")
    ),
    heard
  }
}

/** The smallest value a schema allows: empty lists, first alternatives. */
export const smallestOf = (schema: JsonSchema, root: JsonSchema = schema): unknown => {
  const reference = schema.$ref
  if (typeof reference === "string") return smallestOf(pointed(root, reference), root)
  if (schema.const !== undefined) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0]
  const either = schema.anyOf ?? schema.oneOf
  if (Array.isArray(either)) return smallestOf(fields(either[0]), root)
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case "object": {
      const properties = fields(schema.properties)
      const required = Array.isArray(schema.required) ? schema.required.map(String) : []
      return Object.fromEntries(required.map((name) => [name, smallestOf(fields(properties[name]), root)]))
    }
    case "array":
      return Array.from({ length: Number(schema.minItems ?? 0) }, () => smallestOf(fields(schema.items), root))
    case "string":
      return "x".repeat(Number(schema.minLength ?? 1))
    case "integer":
    case "number":
      return Number(schema.minimum ?? schema.exclusiveMinimum ?? 0) + (schema.exclusiveMinimum === undefined ? 0 : 1)
    case "boolean":
      return false
    default:
      return null
  }
}

const fields = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {})
const list = (value: unknown): ReadonlyArray<Fields> => (Array.isArray(value) ? value.map(fields) : [])

const pointed = (root: JsonSchema, reference: string): JsonSchema =>
  reference
    .replace(/^#\/?/, "")
    .split("/")
    .filter((part) => part !== "")
    .reduce((at, part) => fields(at[part.replaceAll("~1", "/").replaceAll("~0", "~")]), root)

/** All text in a value, in order. */
const words = (value: unknown): string => {
  if (typeof value === "string") return value
  if (Array.isArray(value)) return value.map(words).join("\n")
  const { text, content, output } = fields(value)
  return [text, content, output]
    .filter((part) => part !== undefined)
    .map(words)
    .join("\n")
}

const choiceOf = (choice: unknown): string => {
  if (typeof choice === "string") return choice
  const { type, name, function: called } = fields(choice)
  return String(name ?? fields(called).name ?? type ?? "auto")
}

const answerOf = (body: Fields): JsonSchema | null => {
  const own = body.format
  if (typeof own === "object" && own !== null) return fields(own)
  const format = fields(
    fields(body.output_config).format ?? fields(body.text).format ?? fields(body.response_format).json_schema
  )
  return format.schema === undefined ? null : fields(format.schema)
}

/** A turn of the Responses API is several items in a row; one of the others is a message. */
const turnsOf = (messages: ReadonlyArray<Fields>): number => {
  const isModels = ({ role, type }: Fields): boolean =>
    role === "assistant" || type === "function_call" || type === "reasoning"
  return messages.filter((message, at) => isModels(message) && !isModels(messages[at - 1] ?? {})).length
}
