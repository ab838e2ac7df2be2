import { layer } from "../../../../src/layers/agent/model/Anthropic.ts"
import { startAnthropic } from "../../../support/anthropicServer.ts"
import { key, modelContract } from "../../../support/modelContract.ts"

modelContract("Anthropic", {
  start: startAnthropic,
  baseUrl: (origin) => origin,
  layer: (endpoint) =>
    layer({ endpoint, model: "its-model", room: { contextTokens: 200_000, outputTokens: 200_000 }, fanout: 4 }),
  keyHeader: ["authorization", `Bearer ${key}`],
  ends: ["refusal", "pause"]
})
