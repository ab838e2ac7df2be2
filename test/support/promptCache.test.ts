/** The simulated cache counts as the providers' documents say. */
import { expect, test } from "bun:test"
import { askedOf } from "./Asked.ts"
import { PromptCache } from "./promptCache.ts"

const long = (word: string, words = 2000): string => `${word} `.repeat(words)
const mark = { cache_control: { type: "ephemeral" } }
const block = (text: string, more: object = {}) => ({ type: "text", text, ...more })
const asked = (path: string, body: object) => {
  const text = JSON.stringify(body)
  return askedOf({ method: "POST", path, headers: {}, text, body: JSON.parse(text) })
}
const claude = (content: ReadonlyArray<object>, more: object = {}) =>
  asked("/v1/messages", { model: "claude-sonnet-5", max_tokens: 1, messages: [{ role: "user", content }], ...more })
const gpt = (model: string, content: ReadonlyArray<object>) =>
  asked("/v1/responses", { model, input: [{ role: "user", content }] })

test("reads an exact prefix up to a marked block, once the answer of its writer has begun", () => {
  const cache = new PromptCache()
  const shared = block(long("shared"), mark)
  const first = cache.take(claude([shared, block("one")]), 0, 10)
  expect(first.read).toBe(0)
  expect(first.written).toBeGreaterThan(1900)
  expect(cache.take(claude([shared, block("two")]), 5, 15).read).toBe(0)
  expect(cache.take(claude([shared, block("two")]), 20, 30)).toEqual({ ...first, read: first.written, written: 0 })
  expect(cache.take(claude([block(long("other"), mark), block("two")]), 20, 30).read).toBe(0)
})

test("keeps an entry for five minutes after its last use", () => {
  const cache = new PromptCache()
  const request = claude([block(long("shared"), mark)])
  for (const [minutes, isRead] of [
    [0, false],
    [4, true],
    [8, true],
    [14, false]
  ] as const) {
    expect(cache.take(request, minutes * 60_000, minutes * 60_000 + 1).read > 0).toBe(isRead)
  }
})

test("caches no prefix that is too short for the model, or not marked", () => {
  for (const request of [claude([block("short", mark)]), claude([block(long("shared"))])]) {
    const cache = new PromptCache()
    cache.take(request, 0, 1)
    expect(cache.take(request, 2, 3)).toMatchObject({ read: 0, written: 0 })
  }
})

test("looks twenty blocks back from a mark", () => {
  for (const [more, isRead] of [
    [19, true],
    [20, false]
  ] as const) {
    const cache = new PromptCache()
    const shared = block(long("shared"), mark)
    cache.take(claude([shared]), 0, 1)
    const added = Array.from({ length: more }, (_, at) => block(`more ${at}`, at === more - 1 ? mark : {}))
    const { read } = cache.take(claude([{ ...shared, cache_control: undefined }, ...added]), 2, 3)
    expect(read > 0).toBe(isRead)
  }
})

test("is another one for another effort or another choice of a tool", () => {
  for (const more of [{ output_config: { effort: "low" } }, { tool_choice: { type: "none" } }]) {
    const cache = new PromptCache()
    cache.take(claude([block(long("shared"), mark)]), 0, 1)
    expect(cache.take(claude([block(long("shared"), mark)], more), 2, 3).read).toBe(0)
  }
})

test("reads any prefix in steps of 128 tokens with earlier GPT models, and only one that ends at a mark since GPT-5.6", () => {
  const parts = (end: string, more: object = {}) => [{ ...block(long("shared")), ...more }, block(end)]
  const earlier = new PromptCache()
  earlier.take(gpt("gpt-5", parts("one")), 0, 1)
  const { read } = earlier.take(gpt("gpt-5", parts("two")), 2, 3)
  expect(read).toBeGreaterThan(1024)
  expect(read % 128).toBe(0)
  const newer = new PromptCache()
  newer.take(gpt("gpt-5.6-sol", parts("one")), 0, 1)
  expect(newer.take(gpt("gpt-5.6-sol", parts("two")), 2, 3).read).toBe(0)
  const marked = { prompt_cache_breakpoint: { mode: "explicit" } }
  newer.take(gpt("gpt-5.6-sol", parts("one", marked)), 4, 5)
  expect(newer.take(gpt("gpt-5.6-sol", parts("two", marked)), 6, 7).read).toBeGreaterThan(1900)
})
