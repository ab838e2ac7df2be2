/** Blocks with the tokens that they need. */
import { Effect } from "effect"
import { type Block, type PackFormat, type Pieces, piecesOf } from "../../domain/pack/Block.ts"
import type { Sized } from "../../domain/pack/Pack.ts"
import { Redactor } from "../secret/Redactor.ts"
import { TokenCounts } from "./TokenCounts.ts"

/** A path may have a secret as well. */
export const shownPieces = Effect.map(
  Redactor,
  ({ text }) =>
    (format: PackFormat, block: Block, isFirst = false): Pieces =>
      piecesOf(format, { ...block, path: text(block.path) }, isFirst)
)

export const sized = Effect.fnUntraced(function* <B extends Block>(format: PackFormat, blocks: ReadonlyArray<B>) {
  const counts = yield* TokenCounts
  const pieces = yield* shownPieces
  const tokens = yield* counts.of(blocks.flatMap((block) => pieces(format, block)))
  return blocks.map((block, at): B & Sized => ({ ...block, tokens: tokens[at * 2]! + tokens[at * 2 + 1]! }))
})
