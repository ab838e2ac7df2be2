import { layer } from "../../../../src/layers/agent/model/OpenAiResponses.ts"
import { key, modelContract } from "../../../support/modelContract.ts"
import { startOpenAi } from "../../../support/openaiServer.ts"

modelContract("OpenAiResponses", {
  start: startOpenAi,
  baseUrl: (origin) => `${origin}/v1`,
  layer: (endpoint) =>
    layer({ endpoint, model: "its-model", room: { contextTokens: 200_000, outputTokens: 200_000 }, fanout: 4 }),
  keyHeader: ["authorization", `Bearer ${key}`],
  ends: ["refusal", "filtered"]
})
