/**
 * One turn with a model at an address only a proxy knows: `bun test/support/askThroughProxy.ts URL`, for a test that
 * sets `HTTP_PROXY`. Prints what the model said.
 */
import { Effect } from "effect"
import { layer } from "../../src/layers/agent/model/Anthropic.ts"
import { endpointAt, heardOf, requestOf, textOf } from "./modelContract.ts"

const url = process.argv[2] ?? ""
const { events, error } = await Effect.runPromise(
  heardOf(requestOf()).pipe(
    Effect.provide(
      layer({ endpoint: endpointAt(url), model: "m", room: { contextTokens: 1, outputTokens: 1 }, fanout: 1 })
    )
  )
)
console.log(error === null ? textOf(events, "Text") : error.message)
