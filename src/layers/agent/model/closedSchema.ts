/**
 * A JSON Schema in the dialect that providers can enforce: closed objects, few keywords.
 *
 * Bounds and patterns are left out; the decoder of the answer checks them. Null if the dialect cannot express the
 * schema, such as an object with any keys. Pure, total.
 */
import type { JsonSchema } from "../../../domain/agent/ModelTurn.ts"
import { isJsonObject } from "../../../domain/system/jsonObject.ts"

const kept = new Set(["type", "description", "title", "enum", "const", "$ref"])

export const closedSchema = (schema: JsonSchema): JsonSchema | null => {
  const closed: { [key: string]: JsonSchema[string] } = {}
  for (const [key, value] of Object.entries(schema)) {
    if (kept.has(key)) closed[key] = value
    if (key === "$defs" || key === "definitions" || key === "properties") {
      const each = isJsonObject(value) ? Object.entries(value).map(([name, one]) => [name, closedOf(one)] as const) : []
      if (each.some(([, one]) => one === null)) return null
      closed[key] = Object.fromEntries(each)
    }
    if (key === "anyOf" || key === "oneOf") {
      const each = Array.isArray(value) ? value.map(closedOf) : []
      if (each.length === 0 || each.includes(null)) return null
      closed.anyOf = each
    }
    if (key === "allOf" && Array.isArray(value) && value.some(narrows)) return null
    if (key === "items") {
      const items = closedOf(value)
      if (items === null) return null
      closed.items = items
    }
    if (key === "required" && Array.isArray(value)) closed.required = value
    if (key === "prefixItems" || key === "patternProperties" || key === "not" || key === "if") return null
  }
  const isSpecific = ["type", "anyOf", "enum", "const", "$ref"].some((key) => Object.hasOwn(closed, key))
  if (!isSpecific) return null
  if (closed.type === "object") {
    if (!isJsonObject(schema.properties) || isJsonObject(schema.additionalProperties)) return null
    closed.additionalProperties = false
  }
  if (closed.type === "array" && !Object.hasOwn(closed, "items")) return null
  return closed
}

/** Whether every object requires all of its properties. Then a provider without optional properties can enforce it. */
export const isComplete = (schema: JsonSchema): boolean => {
  const { properties, required } = schema
  if (isJsonObject(properties)) {
    const demanded: ReadonlyArray<unknown> = Array.isArray(required) ? required : []
    if (Object.keys(properties).some((name) => !demanded.includes(name))) return false
  }
  return Object.values(schema).every((value) =>
    Array.isArray(value)
      ? value.every((one) => !isJsonObject(one) || isComplete(one))
      : !isJsonObject(value) || isComplete(value)
  )
}

const closedOf = (schema: unknown): JsonSchema | null => (isJsonObject(schema) ? closedSchema(schema) : null)

/** Whether this part of `allOf` is more than a bound. */
const narrows = (part: unknown): boolean =>
  isJsonObject(part) && ["type", "properties", "anyOf", "oneOf", "$ref", "enum"].some((key) => Object.hasOwn(part, key))
