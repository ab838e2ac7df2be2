/** A schema of a JSON format as a JSON Schema document (2020-12), for `--print-schema`. */
import { Schema } from "effect"
import { jsonDocument } from "./plainJson.ts"

export const publishedSchema = (format: Schema.Top): string => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(format)
  return jsonDocument({ $schema: "https://json-schema.org/draft/2020-12/schema", ...schema, $defs: definitions })
}
