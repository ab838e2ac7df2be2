/**
 * How many tokens a model takes and answers with: from the user's `prices.toml`, then the built-in snapshot
 * (`scripts/refreshModels.ts`), then a default for unknown models.
 */
import type { ModelRoom } from "../pack/ModelRoom.ts"
import snapshot from "./modelSnapshot.json" with { type: "json" }

/** What the user has set, by the name of the model. */
export type OwnRooms = ReadonlyMap<string, Partial<ModelRoom>>

/** Of a model that is in no table: what almost all current models have at least. */
export const unknownRoom: ModelRoom = { contextTokens: 128_000, outputTokens: 16_000 }

const builtIn = new Map<string, ReadonlyArray<number | null>>(Object.entries(snapshot.limits))

/** `reserved`: the context that a server reserves memory for, unless the user has set the model's. */
export const roomOf = (own: OwnRooms, model: string, reserved = Number.POSITIVE_INFINITY): ModelRoom => {
  const [context, output] = builtIn.get(plainName(model)) ?? []
  const set = own.get(model)
  const contextTokens = set?.contextTokens ?? Math.min(context ?? unknownRoom.contextTokens, reserved)
  return {
    contextTokens,
    outputTokens: Math.min(set?.outputTokens ?? output ?? unknownRoom.outputTokens, contextTokens)
  }
}

/** Whether the context of the model is in a table. */
export const hasRoom = (own: OwnRooms, model: string): boolean =>
  own.get(model)?.contextTokens !== undefined || builtIn.has(plainName(model))

/**
 * The vendor's name of a model, from that of a gateway or a cloud: `openrouter/anthropic/claude-sonnet-4.5`,
 * `eu.anthropic.claude-sonnet-5-20260601-v1:0`, `claude-sonnet-5@20260601`.
 */
const plainName = (model: string): string =>
  model
    .toLowerCase()
    .replace(/^.*\//, "")
    .replace(/^(?:[a-z]+\.)*(?=claude-)/, "")
    .replace(/(?:-v\d+)?:[\w.-]*$/, "")
    .replace(/[-@]\d{4}-?\d{2}-?\d{2}$/, "")
    .replaceAll(".", "-")
