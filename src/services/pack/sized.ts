/** Blocks with the tokens that they need. */
import { Effect } from "effect"
import { type Block, type PackFormat, piecesOf } from "../../domain/pack/Block.ts"
import type { Sized } from "../../domain/pack/Pack.ts"
import { TokenCounts } from "./TokenCounts.ts"

export const sized = Effect.fnUntraced(function* <B extends Block>(format: PackFormat, blocks: ReadonlyArray<B>) {
  const counts = yield* TokenCounts
  const tokens = yield* counts.of(blocks.flatMap((block) => piecesOf(format, block)))
  return blocks.map((block, at): B & Sized => ({ ...block, tokens: tokens[at * 2]! + tokens[at * 2 + 1]! }))
})
