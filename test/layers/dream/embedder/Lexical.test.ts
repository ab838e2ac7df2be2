import { Effect } from "effect"
import * as Lexical from "../../../../src/layers/dream/embedder/Lexical.ts"
import { embedderContract } from "../../../support/embedderContract.ts"

embedderContract("of words", "lexical", Effect.succeed(Lexical.layer))
