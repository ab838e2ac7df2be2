/**
 * What is known about models: prices in US dollars per million tokens, and the limits that the user has set. A cost that a backend reports takes precedence, then the user's
 * `prices.toml`, then the built-in snapshot (`scripts/refreshModels.ts`). The price of any other model is unknown, not zero.
 */
import { Predicate, Result } from "effect"
import { Toml } from "effect/encoding"
import type { ModelRoom } from "../pack/ModelRoom.ts"
import { AgentEvent } from "../run/AgentEvent.ts"
import { oneLine } from "../text/Printable.ts"
import type { OwnRooms } from "./modelRooms.ts"
import snapshot from "./modelSnapshot.json" with { type: "json" }
import { type CallUsage, costOfPart, countUsage, hasTokens, type Usage, unknownUsage, unplacedUsage } from "./Usage.ts"

export interface Price {
  readonly input: number
  readonly output: number
  /** For input tokens read from a cache. */
  readonly cachedInput: number
  /** For input tokens written to a cache. */
  readonly cacheWrite: number
  /** The first day of an announced new price. */
  readonly until?: string
}

export interface Prices {
  readonly asOf: string
  readonly byModel: ReadonlyMap<string, Price>
  readonly rooms: OwnRooms
}

const price = (input: number, cachedInput: number, output: number, cacheWrite = input): Price => ({
  input,
  cachedInput,
  output,
  cacheWrite
})

export const builtInPrices: Prices = {
  asOf: snapshot.asOf,
  byModel: new Map<string, Price>(Object.entries(snapshot.models)),
  rooms: new Map()
}

/** In days; for built-in prices. */
const longestValid = 180

/** Why a built-in price may be out of date; null if it is not. `today`: ISO 8601. */
export const staleness = ({ asOf, byModel }: Prices, model: string, today: string): string | null => {
  const found = entryOf(byModel, model)
  if (found === undefined || entryOf(builtInPrices.byModel, model) !== found) return null
  if (found.until !== undefined && found.until <= today.slice(0, 10)) return `it changed on ${found.until}`
  return isOld(asOf, today) ? `dd's price table is of ${asOf}` : null
}

export const isOld = (asOf: string, today: string): boolean =>
  Date.parse(today) - Date.parse(asOf) > longestValid * 24 * 60 * 60 * 1000

/**
 * The built-in prices, overridden by the user's: tables `[prices."model"]` with `input`, `output` and, if different from
 * `input`, `cached_input` and `cache_write`; and limits, `[models."model"]` with `context` and `output` in tokens.
 * Invalid entries are ignored and listed in `problems`.
 */
export const pricesWith = (toml: string): { readonly prices: Prices; readonly problems: ReadonlyArray<string> } => {
  const parsed = Toml.parse(toml)
  if (Result.isFailure(parsed))
    return { prices: builtInPrices, problems: [`is not TOML: ${oneLine(parsed.failure.message)}`] }
  const given = Predicate.isReadonlyObject(parsed.success) ? parsed.success : {}
  const byModel = new Map(builtInPrices.byModel)
  const problems: Array<string> = []
  for (const [model, entry] of entriesOf(given.prices)) {
    const input = Predicate.isReadonlyObject(entry) ? entry.input : undefined
    const output = Predicate.isReadonlyObject(entry) ? entry.output : undefined
    const cached = Predicate.isReadonlyObject(entry) ? (entry.cached_input ?? input) : undefined
    const write = Predicate.isReadonlyObject(entry) ? (entry.cache_write ?? input) : undefined
    const isWhole = isPrice(input) && isPrice(output) && isPrice(cached) && isPrice(write)
    if (isWhole) byModel.set(model, price(input, cached, output, write))
    else problems.push(`prices."${oneLine(model)}" needs input and output, dollars for a million tokens`)
  }
  const rooms = new Map<string, Partial<ModelRoom>>()
  for (const [model, entry] of entriesOf(given.models)) {
    const { context, output } = Predicate.isReadonlyObject(entry) ? entry : {}
    const room = {
      ...(isLimit(context) ? { contextTokens: context } : {}),
      ...(isLimit(output) ? { outputTokens: output } : {})
    }
    const isWhole = [context, output].every((value) => value === undefined || isLimit(value))
    if (isWhole && Object.keys(room).length > 0) rooms.set(model, room)
    else problems.push(`models."${oneLine(model)}" needs context or output, at least ${leastLimit} tokens`)
  }
  return { prices: { ...builtInPrices, byModel, rooms }, problems }
}

const entriesOf = (tables: unknown) => Object.entries(Predicate.isReadonlyObject(tables) ? tables : {})

/** An agent cannot work with less. */
const leastLimit = 1_000
const isLimit = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= leastLimit

const isPrice = (value: unknown): value is number => typeof value === "number" && Number.isFinite(value) && value >= 0

type Priced = Pick<Usage, "promptTokens" | "completionTokens" | "cachedTokens"> & {
  readonly cacheWrittenTokens?: number | null
}

/** Null if the price or the tokens are unknown. */
export const priceOf = (
  { byModel }: Prices,
  model: string,
  { cachedTokens, cacheWrittenTokens, completionTokens, promptTokens }: Priced
): number | null => {
  const known = entryOf(byModel, model)
  if (known === undefined || (promptTokens === null && completionTokens === null)) return null
  const prompt = promptTokens ?? 0
  const cached = Math.min(cachedTokens ?? 0, prompt)
  const written = Math.min(cacheWrittenTokens ?? 0, prompt - cached)
  const input = (prompt - cached - written) * known.input + cached * known.cachedInput + written * known.cacheWrite
  return (input + (completionTokens ?? 0) * known.output) / 1e6
}

/** A model that is requested by its plain name may be reported with a date in its name. */
const entryOf = (byModel: Prices["byModel"], model: string): Price | undefined =>
  byModel.get(model) ?? byModel.get(model.replace(/[-@]\d{4}-?\d{2}-?\d{2}$/, ""))

export const hasPrice = ({ byModel }: Prices, model: string): boolean => entryOf(byModel, model) !== undefined

/** The event with its cost, computed if the provider does not report it. `model`: for an event without a model. */
export const withCost = (so: CallUsage, event: AgentEvent, prices: Prices, model: string): AgentEvent => {
  if ((event._tag !== "Metrics" && event._tag !== "Cost") || event.costUsd !== null) return event
  const computed = (used: Priced) => priceOf(prices, event.model ?? model, used)
  if (event._tag === "Metrics") {
    const costUsd = computed(event)
    return costUsd === null ? event : AgentEvent.make({ ...event, costUsd, costSource: event.costSource ?? "computed" })
  }
  // For a total: the cost of the turns plus the cost of tokens outside of any turn.
  const counted = countUsage(so, event)
  const rest = unplacedUsage(counted)
  const more = hasTokens(rest) ? computed(rest) : null
  const before = costOfPart({ ...counted, closing: unknownUsage }).usd
  if (more === null || before === null) return event
  return AgentEvent.make({ ...event, costUsd: before + more, costSource: "computed" })
}
