/** Everything that `programs/pack` requires except the change's sources. */
import { layerDigest } from "@effect/platform-node-shared/NodeCrypto"
import { Layer } from "effect"
import { SymbolIndex } from "../services/code/SymbolIndex.ts"
import { SyntaxTrees } from "../services/code/SyntaxTrees.ts"
import { TokenCounts } from "../services/pack/TokenCounts.ts"
import type { Encoding } from "../services/pack/Tokenizer.ts"
import * as CodeLive from "./CodeLive.ts"
import * as TreeSitter from "./code/syntax/TreeSitter.ts"
import * as Gpt from "./pack/tokenizer/Gpt.ts"

/** Counts of tokens, which are kept between runs. */
export const tokens = (encoding: Encoding) =>
  TokenCounts.layer.pipe(Layer.provide(layerDigest), Layer.provideMerge(Gpt.layer(encoding)))

export const layer = (encoding: Encoding) =>
  Layer.merge(CodeLive.codeQueries, tokens(encoding)).pipe(
    Layer.provideMerge(SymbolIndex.layer),
    Layer.provide(SyntaxTrees.layer),
    Layer.provide(TreeSitter.layer)
  )
