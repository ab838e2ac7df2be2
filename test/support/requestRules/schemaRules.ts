/**
 * What providers refuse in a JSON Schema that they enforce.
 *
 * Sources: OpenAI's guide "Structured model outputs", section "Supported schemas"; Claude's page "Structured outputs",
 * section "JSON Schema limitations". Not checked: the total length of names, and how complex a schema may be.
 */
import { type Fields, fields, isFields } from "./fields.ts"

const walk = (schema: unknown, place: string, visit: (schema: Fields, place: string) => void): void => {
  if (!isFields(schema)) return
  visit(schema, place)
  for (const key of ["properties", "$defs", "definitions"]) {
    for (const [name, one] of Object.entries(fields(schema[key]))) walk(one, `${place}.${key}.${name}`, visit)
  }
  for (const key of ["anyOf", "oneOf", "allOf"]) {
    const each = schema[key]
    if (Array.isArray(each)) for (const [at, one] of each.entries()) walk(one, `${place}.${key}.${at}`, visit)
  }
  walk(schema.items, `${place}.items`, visit)
}

const isObject = ({ properties, type }: Fields): boolean =>
  type === "object" || (Array.isArray(type) && type.includes("object")) || isFields(properties)

const openAiRefuses = ["allOf", "oneOf", "not", "if", "then", "else", "dependentRequired", "dependentSchemas"]
const openAiRefusesAlso = ["patternProperties", "minLength", "maxLength", "default"]
const mostLevels = 10

/** Of a schema with `strict: true`. */
export const strictFaults = (schema: unknown): ReadonlyArray<string> => {
  const faults: Array<string> = []
  const root = fields(schema)
  if (root.type !== "object") faults.push("schema must be a JSON Schema of 'type: \"object\"'")
  if (root.anyOf !== undefined) faults.push("the root of a schema must not be an anyOf")
  walk(schema, "", (one, place) => {
    for (const key of [...openAiRefuses, ...openAiRefusesAlso]) {
      if (one[key] !== undefined) faults.push(`In context=${place}, '${key}' is not permitted`)
    }
    if (place.split(/\.(?:properties|items)\b/).length - 1 > mostLevels) faults.push(`too many levels at ${place}`)
    if (!isObject(one)) return
    if (one.additionalProperties !== false)
      faults.push(`In context=${place}, 'additionalProperties' is required to be supplied and to be false`)
    const required = Array.isArray(one.required) ? one.required : []
    for (const name of Object.keys(fields(one.properties))) {
      if (!required.includes(name))
        faults.push(`In context=${place}, 'required' is required to include every key. Missing '${name}'`)
    }
  })
  return faults
}

const claudeRefuses = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength"]
const claudeRefusesAlso = ["maxLength", "maxItems", "uniqueItems", "not", "if", "patternProperties", "prefixItems"]

/** Of `output_config.format`, or of a tool with `strict: true`. */
export const claudeFaults = (schema: unknown): ReadonlyArray<string> => {
  const faults: Array<string> = []
  walk(schema, "", (one, place) => {
    for (const key of [...claudeRefuses, ...claudeRefusesAlso]) {
      if (one[key] !== undefined) faults.push(`output_config.format.schema${place}: '${key}' is not supported`)
    }
    if (Number(one.minItems ?? 0) > 1) faults.push(`output_config.format.schema${place}: 'minItems' may be 0 or 1`)
    if (isObject(one) && one.additionalProperties !== false)
      faults.push(`output_config.format.schema${place}: 'additionalProperties' must be explicitly set to false`)
  })
  return faults
}
