/** What models cost in this run: the built-in prices and the user's `prices.toml` over them, read when first asked. */
import { Context, Effect, FileSystem, Layer } from "effect"
import { builtInPrices, type Prices, pricesWith } from "../domain/Prices.ts"
import { troubleOf } from "./trouble.ts"

export interface PricesRead {
  readonly prices: Prices
  /** What is wrong with the user's file; its other entries are taken. */
  readonly problems: ReadonlyArray<string>
}

/** A file that is not there says nothing; one that cannot be read is a problem. */
export const readPrices = Effect.fnUntraced(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const text = yield* Effect.result(fs.readFileString(path))
  if (text._tag === "Success") return pricesWith(text.success)
  const isAbsent = text.failure.reason._tag === "NotFound"
  const usual: PricesRead = {
    prices: builtInPrices,
    problems: isAbsent ? [] : [`the built-in prices were used: ${troubleOf(text.failure)}`]
  }
  return usual
})

export class PriceList extends Context.Service<PriceList, { readonly read: Effect.Effect<PricesRead> }>()(
  "dd/services/PriceList"
) {
  /** `path`: the user's file; null where there is no home. */
  static readonly layer = (path: string | null) =>
    Layer.effect(
      PriceList,
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const usual: PricesRead = { prices: builtInPrices, problems: [] }
        const reading =
          path === null
            ? Effect.succeed(usual)
            : readPrices(path).pipe(Effect.provideService(FileSystem.FileSystem, fs))
        return PriceList.of({ read: yield* Effect.cached(reading) })
      })
    )
}
