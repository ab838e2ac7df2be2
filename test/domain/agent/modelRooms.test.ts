import { describe, expect, it } from "bun:test"
import { hasRoom, roomOf, unknownRoom } from "../../../src/domain/agent/modelRooms.ts"
import { pricesWith } from "../../../src/domain/agent/Prices.ts"
import { answerTokens, longerAnswer, requestTokens } from "../../../src/domain/pack/ModelRoom.ts"

const none = new Map()

describe("the room of a model", () => {
  it("is in the table for the default models, with at least 64,000 tokens for an answer", () => {
    for (const model of ["claude-sonnet-5", "gpt-5.6-sol", "claude-haiku-4-5", "claude-opus-5", "gemini-2.5-pro"]) {
      expect([model, hasRoom(none, model), answerTokens(roomOf(none, model))]).toEqual([model, true, 64_000])
    }
    expect(roomOf(none, "claude-sonnet-5")).toEqual({ contextTokens: 1_000_000, outputTokens: 128_000 })
    expect(roomOf(none, "gpt-4o")).toEqual({ contextTokens: 128_000, outputTokens: 16_384 })
  })

  it("is the same under the names of gateways and clouds, and with a date", () => {
    const sonnet = roomOf(none, "claude-sonnet-4-5")
    for (const model of [
      "anthropic/claude-sonnet-4.5",
      "openrouter/anthropic/claude-sonnet-4.5",
      "anthropic/claude-sonnet-4.5:beta",
      "eu.anthropic.claude-sonnet-4-5-20250929-v1:0",
      "claude-sonnet-4-5@20250929",
      "Claude-Sonnet-4-5-20250929"
    ]) {
      expect([model, hasRoom(none, model), roomOf(none, model)]).toEqual([model, true, sonnet])
    }
  })

  it("has a default for an unknown model", () => {
    for (const model of ["nobody-1", "", "claude", "gpt-5.6-solo", "../..", ":"]) {
      expect([model, hasRoom(none, model), roomOf(none, model)]).toEqual([model, false, unknownRoom])
    }
  })

  it("is what the user has set, which also applies where a server reserves less", () => {
    const { prices, problems } = pricesWith(`
      [models."qwen3-coder"]
      context = 65_536
      [models."claude-sonnet-5"]
      output = 32_000
      [models.bad]
      context = "much"
      [models.empty]
    `)
    expect(roomOf(prices.rooms, "qwen3-coder", 32_768)).toEqual({ contextTokens: 65_536, outputTokens: 16_000 })
    expect(roomOf(prices.rooms, "gpt-5.6-sol", 32_768)).toEqual({ contextTokens: 32_768, outputTokens: 32_768 })
    expect(roomOf(prices.rooms, "claude-sonnet-5")).toEqual({ contextTokens: 1_000_000, outputTokens: 32_000 })
    expect(problems).toEqual([
      'models."bad" needs context or output, at least 1000 tokens',
      'models."empty" needs context or output, at least 1000 tokens'
    ])
  })

  it("is divided so that a request and its answer fit, also the longer answer of a second try", () => {
    for (const contextTokens of [1, 4_000, 8_192, 32_768, 128_000, 160_000, 200_000, 272_000, 1_050_000]) {
      for (const outputTokens of [1, 4_096, 16_384, 64_000, 128_000, contextTokens]) {
        const room = { contextTokens, outputTokens: Math.min(outputTokens, contextTokens) }
        const first = answerTokens(room)
        const second = longerAnswer(room, first)
        expect(first).toBeLessThanOrEqual(room.outputTokens)
        expect(second).toBeLessThanOrEqual(Math.min(room.outputTokens, 2 * first))
        expect(second).toBeGreaterThanOrEqual(first)
        expect(requestTokens(room, second) + second).toBeLessThanOrEqual(contextTokens)
        expect(requestTokens(room, first)).toBeLessThanOrEqual(200_000)
        expect(requestTokens(room, second)).toBeGreaterThanOrEqual(Math.min(contextTokens / 3, 90_000))
      }
    }
  })
})
