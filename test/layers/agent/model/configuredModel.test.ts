import { describe, expect, it } from "bun:test"
import { Result } from "effect"
import { resolveSettings, type SettingKey } from "../../../../src/domain/run/ReviewSettings.ts"
import { configuredRoom } from "../../../../src/layers/agent/model/configuredModel.ts"

const room = (
  model: string | null,
  settings: Partial<Record<SettingKey, string | number>> = {},
  own: Parameters<typeof configuredRoom>[2] = new Map()
) => {
  const written = Object.entries(settings).map(([key, value]) => ({
    key,
    value,
    origin: { _tag: "Flag" as const, name: key },
    from: "user" as const
  }))
  const resolved = Result.getOrThrow(resolveSettings(written, { ci: false, terminal: false }))
  return configuredRoom({ backend: "openai", model }, resolved.settings, own)
}

describe("the room of a configured model", () => {
  const gateway = { "openai.base_url": "https://gateway.example/v1" }

  it("depends on the model, not on its address", () => {
    expect(room("claude-sonnet-4.5", gateway)).toEqual(room("anthropic/claude-sonnet-4-5"))
    expect(room("gpt-5.6-sol", gateway)).toEqual(room(null))
    expect(room("nobody-1", gateway)).toEqual({ contextTokens: 128_000, outputTokens: 16_000 })
    expect(room("nobody-1", { "openai.base_url": "http://127.0.0.1:8000/v1" })).toEqual(room("nobody-1", gateway))
  })

  it("is small where a server reserves memory for all of it, unless the user has set it", () => {
    const ollama = { "openai.base_url": "http://127.0.0.1:11434/v1" }
    expect(room("gpt-oss-20b", ollama).contextTokens).toBe(32_768)
    expect(room("gpt-oss-20b", { ...gateway, "openai.server": "llama.cpp" }).contextTokens).toBe(32_768)
    expect(room("gpt-oss-20b", { ...gateway, "openai.server": "vllm" }).contextTokens).toBe(131_072)
    expect(room("gpt-oss-20b", ollama, new Map([["gpt-oss-20b", { contextTokens: 65_536 }]])).contextTokens).toBe(
      65_536
    )
    expect(room("gpt-oss-20b", { ...ollama, "openai.context_tokens": 8_000 })).toEqual({
      contextTokens: 8_000,
      outputTokens: 8_000
    })
  })
})
