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

export const layer = (encoding: Encoding) =>
  Layer.merge(CodeLive.codeQueries, TokenCounts.layer.pipe(Layer.provide(layerDigest))).pipe(
    Layer.provideMerge(Gpt.layer(encoding)),
    Layer.provideMerge(SymbolIndex.layer),
    Layer.provide(SyntaxTrees.layer),
    Layer.provide(TreeSitter.layer)
  )
