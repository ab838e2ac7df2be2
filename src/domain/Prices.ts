/**
 * What models cost. A model nobody has a price for is unknown, which is not free.
 *
 * US dollars for a million tokens. What a backend reports comes first, then the user's `prices.toml`, then this table.
 */
import { Result } from "effect"
import { Toml } from "effect/encoding"
import { oneLine } from "./Printable.ts"
import type { Usage } from "./Usage.ts"

export interface Price {
  readonly input: number
  readonly output: number
  /** Of the input tokens that came from a cache. */
  readonly cachedInput: number
  /** Of the input tokens that were written to a cache. */
  readonly cacheWrite: number
}

export interface Prices {
  /** When the built-in table was true. */
  readonly asOf: string
  readonly byModel: ReadonlyMap<string, Price>
}

const price = (input: number, cachedInput: number, output: number, cacheWrite = input): Price => ({
  input,
  cachedInput,
  output,
  cacheWrite
})

export const builtInPrices: Prices = {
  asOf: "2026-08-22",
  byModel: new Map([
    ["gpt-5.6", price(5, 0.5, 30)],
    ["gpt-5.6-sol", price(5, 0.5, 30)],
    ["gpt-5.6-terra", price(2.5, 0.25, 15)],
    ["gpt-5.6-luna", price(1, 0.1, 6)],
    ["gpt-5.5", price(5, 0.5, 30)],
    ["gpt-5.5-pro", price(30, 30, 180)],
    ["gpt-5-codex", price(1.25, 1.25, 10)],
    ["gpt-5.3-codex", price(1.75, 1.75, 14)],
    // What lasts five minutes costs a quarter more to write, for all models of Claude (the vendor's page on prompt caching).
    ["claude-sonnet-5", price(3, 0.3, 15, 3.75)],
    ["glm-5.2", price(1.4, 0.26, 4.4)],
    ["deepseek-v4-flash-0731", price(0.28, 0.028, 0.42)]
  ])
}

/**
 * The user's own prices over the built-in ones: tables `[prices."model"]` with `input`, `output` and, if it differs from
 * `input`, `cached_input` and `cache_write`. An entry that says something else is left out, and named in `problems`.
 */
export const pricesWith = (toml: string): { readonly prices: Prices; readonly problems: ReadonlyArray<string> } => {
  const parsed = Toml.parse(toml)
  if (Result.isFailure(parsed))
    return { prices: builtInPrices, problems: [`is not TOML: ${oneLine(parsed.failure.message)}`] }
  const tables = isTable(parsed.success) ? parsed.success.prices : undefined
  const byModel = new Map(builtInPrices.byModel)
  const problems: Array<string> = []
  for (const [model, entry] of Object.entries(isTable(tables) ? tables : {})) {
    const input = isTable(entry) ? entry.input : undefined
    const output = isTable(entry) ? entry.output : undefined
    const cached = isTable(entry) ? (entry.cached_input ?? input) : undefined
    const write = isTable(entry) ? (entry.cache_write ?? input) : undefined
    const isWhole = isPrice(input) && isPrice(output) && isPrice(cached) && isPrice(write)
    if (isWhole) byModel.set(model, price(input, cached, output, write))
    else problems.push(`prices."${oneLine(model)}" needs input and output, dollars for a million tokens`)
  }
  return { prices: { ...builtInPrices, byModel }, problems }
}

const isTable = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isPrice = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value) && value >= 0

type Priced = Pick<Usage, "promptTokens" | "completionTokens" | "cachedTokens"> & {
  readonly cacheWrittenTokens?: number | null
}

/** Null when the model has no price, and none without the date in its name, or its tokens are not known. */
export const priceOf = (
  { byModel }: Prices,
  model: string,
  { cachedTokens, cacheWrittenTokens, completionTokens, promptTokens }: Priced
): number | null => {
  // Asked for by its plain name, a model answers under that of the day it was made.
  const known = byModel.get(model) ?? byModel.get(model.replace(/[-@]\d{4}-?\d{2}-?\d{2}$/, ""))
  if (known === undefined || (promptTokens === null && completionTokens === null)) return null
  const prompt = promptTokens ?? 0
  const cached = Math.min(cachedTokens ?? 0, prompt)
  const written = Math.min(cacheWrittenTokens ?? 0, prompt - cached)
  const input = (prompt - cached - written) * known.input + cached * known.cachedInput + written * known.cacheWrite
  return (input + (completionTokens ?? 0) * known.output) / 1e6
}
