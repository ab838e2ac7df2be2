import { Effect } from "effect"
import { corpusContract } from "./corpusContract.ts"
import { MemoryCorpus } from "./MemoryCorpus.ts"

corpusContract(
  "in memory",
  Effect.sync(() => new MemoryCorpus().layer)
)
