/** Stores nothing: for previews, and if the user has no directory. */
import { Effect, Layer } from "effect"
import { SymbolCache } from "../../../services/code/SymbolCache.ts"

export const layer = Layer.succeed(SymbolCache, {
  get: (_, keys) => Effect.succeed(keys.map(() => null)),
  put: () => Effect.void
})
