import type { Schema } from "effect"

export type JsonObject = { readonly [key: string]: Schema.Json }

/** `value` is JSON. */
export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value)
