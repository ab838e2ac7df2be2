/** The `json` format: one document, two spaces deep, the same bytes for the same result. */
import { Schema } from "effect"
import { JsonReport, reportOf } from "../review/render/JsonReport.ts"
import type { Presentable } from "../review/render/Presentable.ts"
import type { RenderContext } from "../review/render/RenderContext.ts"

export const renderJson = (review: Presentable, context: RenderContext): string => document(reportOf(review, context))

/** What `--print-schema` prints: the JSON Schema (2020-12) of the `json` format. */
export const printedSchema = (): string => {
  const { definitions, schema } = Schema.toJsonSchemaDocument(JsonReport)
  return document({ $schema: "https://json-schema.org/draft/2020-12/schema", ...schema, $defs: definitions })
}

/** A value as a document for people and programs; `undefined` members are left out. */
export const document = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`
