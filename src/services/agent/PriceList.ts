/** The prices and limits of models: the user's `prices.toml` overrides the built-in ones. Read at first use. */
import { Context, Effect, FileSystem, Layer } from "effect"
import { builtInPrices, hasPrice, type Prices, pricesWith } from "../../domain/agent/Prices.ts"
import { systemErrorText } from "../system/systemErrorText.ts"

/** Backends that report the cost of an answer. */
const reporting: ReadonlySet<string> = new Set(["static", "claude", "pi"])

/** Why a cost limit cannot be enforced; null if the model has a price or its backend reports the cost. */
export const missingPrice = (
  prices: Prices,
  /** `model` null: the backend chooses. `file`: the user's `prices.toml`. */
  { backend, file, model }: { readonly backend: string; readonly model: string | null; readonly file: string }
): string | null => {
  if (reporting.has(backend) || (model !== null && hasPrice(prices, model))) return null
  return model === null
    ? `--max-cost needs a model with a price: choose one with --model, or ${backend}.model in config.toml`
    : `--max-cost needs the price of ${model}: add [prices."${model}"] with input and output, in dollars for a million tokens, to ${file}`
}

export interface PricesRead {
  readonly prices: Prices
  /** In the user's file; its other entries are used. */
  readonly problems: ReadonlyArray<string>
}

/** A file that cannot be read is a problem, unless it does not exist. */
export const readPrices = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const text = yield* Effect.result(fs.readFileString(path))
  if (text._tag === "Success") return pricesWith(text.success)
  const isAbsent = text.failure.reason._tag === "NotFound"
  const problems = isAbsent ? [] : [`the built-in prices were used: ${systemErrorText(text.failure)}`]
  return { prices: builtInPrices, problems } satisfies PricesRead
})

export const PriceList = Context.Reference<{ readonly read: Effect.Effect<PricesRead> }>(
  "dd/services/agent/PriceList",
  {
    defaultValue: () => ({ read: Effect.succeed({ prices: builtInPrices, problems: [] }) })
  }
)
export type PriceList = Context.Service.Shape<typeof PriceList>

/** `path`: the user's file. */
export const userPrices = (path: string) =>
  Layer.effect(
    PriceList,
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const read = readPrices(path).pipe(
        Effect.provideService(FileSystem.FileSystem, fs),
        // A missing price changes the effect of a cost limit.
        Effect.tap(({ problems }) => Effect.forEach(problems, (problem) => Effect.logWarning(`${path}: ${problem}`)))
      )
      return { read: yield* Effect.cached(read) }
    })
  )
