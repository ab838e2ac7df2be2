import { describe, expect, test } from "bun:test"
import { ChatDecoder } from "../../../../src/layers/agent/model/ChatDecoder.ts"
import { context, decode, type Sent } from "../../../support/decoding.ts"
import { breaches, callsOf, gist } from "../../../support/modelContract.ts"
import { type ChatHabits, chatDialect } from "../../../support/openaiServer.ts"
import type { ScriptedTurn } from "../../../support/scriptedTurn.ts"

const heard = (sent: ReadonlyArray<Sent>) => decode(new ChatDecoder(context), sent)
const chunk = (delta: object, finish_reason: string | null = null, more: object = {}) => ({
  id: "c",
  model: "m",
  choices: [{ index: 0, delta, finish_reason }],
  ...more
})
const call = (delta: object, finish: string | null = null) => chunk({ tool_calls: [delta] }, finish)

const calls = [
  { name: "read_file", input: { path: "a" } },
  { name: "read_file", input: { path: "b" } },
  { name: "list_files", input: {} }
]
const turn: ScriptedTurn = { thinking: "hm", text: "I look.", calls }
const said = (habits: ChatHabits, script: ScriptedTurn = turn) =>
  heard(
    chatDialect(habits)
      .events(script, { method: "POST", path: "/", headers: {}, text: "", body: {} }, 0)
      .map((event) => event.replace(/^data: /, "").trim())
  )

describe("a Chat Completions stream", () => {
  for (const habits of [
    {},
    { wholeCalls: true },
    { wholeCalls: true, callIds: "none" },
    { wholeCalls: true, callIds: "same", noIndex: true },
    { callIds: "none" },
    { callIds: "same" },
    { noIndex: true },
    { noIndex: true, callIds: "none" },
    { noDone: true },
    { noUsage: true, noDone: true },
    { alwaysStop: true },
    { thinkingIn: "reasoning" },
    { thinkingIn: "content" }
  ] as const) {
    test(`is heard from a server of these habits: ${JSON.stringify(habits)}`, () => {
      const { said: events, fault } = said(habits)
      expect(fault).toBeNull()
      expect(breaches(events)).toEqual([])
      expect(callsOf(events).map((one) => [one.name, JSON.parse(one.arguments), one.truncated])).toEqual(
        calls.map(({ name, input }) => [name, input, false])
      )
      expect(new Set(callsOf(events).map(({ id }) => id)).size).toBe(3)
      expect(gist(events).filter(({ _tag }) => ["Thinking", "ThinkingEnded", "Text"].includes(_tag))).toEqual([
        { _tag: "Thinking", text: "hm" },
        { _tag: "ThinkingEnded" },
        { _tag: "Text", text: "I look." }
      ])
      expect(events.at(-1)).toMatchObject({ _tag: "Ended", reason: "calls", verbatim: null })
    })
  }

  test("distinguishes calls that all have the index 0", () => {
    const { said: events } = heard([
      call({ index: 0, id: "a", function: { name: "x", arguments: '{"n":' } }),
      call({ index: 0, function: { arguments: "1}" } }),
      call({ index: 0, id: "b", function: { name: "x", arguments: "" } }),
      call({ index: 0, function: { arguments: '{"n":2}' } }),
      call({ index: 0, function: { name: "x", arguments: '{"n":3}' } }),
      chunk({}, "stop")
    ])
    expect(callsOf(events).map((one) => one.arguments)).toEqual(['{"n":1}', '{"n":2}', '{"n":3}'])
  })

  test("recognises a call whose name and id come with every fragment", () => {
    const { said: events } = heard([
      call({ index: 0, id: "a", function: { name: "x", arguments: '{"n":' } }),
      call({ index: 0, id: "a", function: { name: "x", arguments: "1" } }),
      call({ index: 0, id: "a", function: { name: "x", arguments: "}" } }),
      chunk({}, "tool_calls")
    ])
    expect(callsOf(events)).toMatchObject([{ id: "a", arguments: '{"n":1}', truncated: false }])
  })

  test("accepts arguments that are an object", () => {
    const { said: events } = heard([call({ function: { name: "x", arguments: { n: 1 } } }, "stop")])
    expect(callsOf(events)).toMatchObject([{ arguments: '{"n":1}', truncated: false }])
  })

  test("reads a complete answer, though a stream was requested", () => {
    const { said: events, fault } = heard([
      {
        id: "c",
        object: "chat.completion",
        model: "m",
        choices: [{ index: 0, message: { role: "assistant", content: "Yes." }, finish_reason: "stop" }],
        usage: { prompt_tokens: 3, completion_tokens: 1 }
      }
    ])
    expect(fault).toBeNull()
    expect(events.map(({ _tag }) => _tag)).toEqual(["Began", "Text", "Used", "Ended"])
  })

  test("keeps the dollars that the server reports, and the last of the counts it repeats in every chunk", () => {
    const usage = (completion_tokens: number) => ({ usage: { prompt_tokens: 3, completion_tokens, cost: 0.0012 } })
    const { said: events } = heard([
      chunk({ content: "a" }, null, usage(1)),
      chunk({ content: "b" }, null, usage(2)),
      chunk({ content: "c" }, null, usage(3)),
      chunk({}, "stop", usage(3)),
      "[DONE]"
    ])
    expect(events.filter(({ _tag }) => _tag === "Used")).toHaveLength(2)
    expect(events.findLast((event) => event._tag === "Used")?.usage).toEqual({
      promptTokens: 3,
      cachedTokens: null,
      completionTokens: 3,
      reasoningTokens: null,
      costUsd: 0.0012
    })
  })

  test("counts what of the prompt was written to a cache", () => {
    const usage = {
      prompt_tokens: 9,
      completion_tokens: 1,
      prompt_tokens_details: { cached_tokens: 2, cache_write_tokens: 5 }
    }
    const { said: events } = heard([chunk({ content: "a" }, "stop", { usage }), "[DONE]"])
    expect(events.find((event) => event._tag === "Used")?.usage).toMatchObject({
      promptTokens: 9,
      cachedTokens: 2,
      cacheWrittenTokens: 5
    })
  })

  for (const [finish, reason] of [
    ["stop", "done"],
    ["eos", "done"],
    ["length", "length"],
    ["content_filter", "filtered"],
    ["of_a_later_day", "done"]
  ] as const) {
    test(`ends ${reason} for ${finish}`, () => {
      expect(heard([chunk({ content: "x" }), chunk({}, finish), "[DONE]"]).said.at(-1)).toMatchObject({
        reason,
        stopReason: finish
      })
    })
  }

  test("ends by its content when the server closes properly without a reason", () => {
    expect(heard([chunk({ content: "x" }), "[DONE]"]).said.at(-1)).toMatchObject({ reason: "done", stopReason: "stop" })
    const cut = heard([call({ index: 0, id: "a", function: { name: "x", arguments: '{"n":' } }), "[DONE]"])
    expect(callsOf(cut.said)).toMatchObject([{ truncated: true }])
    expect(cut.said.at(-1)).toMatchObject({ reason: "length" })
    const empty = heard([call({ index: 0, id: "a", function: { name: "x", arguments: "" } }), "[DONE]"])
    expect(callsOf(empty.said)).toMatchObject([{ truncated: true }])
  })

  for (const finish of ["length", "content_filter"]) {
    test(`treats the last call as cut after ${finish}, though its arguments look complete`, () => {
      const { said: events } = heard([
        call({ index: 0, id: "a", function: { name: "x", arguments: "{}" } }),
        call({ index: 1, id: "b", function: { name: "x", arguments: "{}" } }),
        chunk({}, finish)
      ])
      expect(callsOf(events).map(({ truncated }) => truncated)).toEqual([false, true])
    })
  }

  test("fails with the error inside a stream that began well", () => {
    expect(heard([chunk({ content: "x" }), { error: { code: 502, message: "upstream" } }]).fault).toEqual({
      kind: "provider-fault",
      status: 502,
      detail: "upstream"
    })
    expect(heard([chunk({ content: "x" }, "error")]).fault?.kind).toBe("provider-fault")
    expect(heard([{ id: "c", error: null, choices: [] }, chunk({}, "stop")]).fault).toBeNull()
    expect(heard([["error", { message: "busy", code: 503 }]]).fault).toMatchObject({ kind: "overloaded" })
  })

  for (const [what, sent] of [
    ["a call without a name", [call({ index: 0, id: "a", function: { arguments: "{}" } })]],
    ["words after the end", [chunk({ content: "x" }, "stop"), chunk({ content: "y" })]],
    [
      "a call that goes on after another",
      [
        call({ index: 0, function: { name: "x" } }),
        call({ index: 1, function: { name: "y" } }),
        call({ index: 0, function: { arguments: "{}" } })
      ]
    ],
    ["what is not JSON", ["{"]],
    ["choices that are none", [{ choices: 7 }]]
  ] as const) {
    test(`is malformed with ${what}`, () => expect(heard(sent).fault?.kind).toBe("malformed"))
  }

  test("reads the first of several answers", () => {
    const { said: events } = heard([
      {
        id: "c",
        choices: [
          { index: 1, delta: { content: "other" } },
          { index: 0, delta: { content: "first" }, finish_reason: "stop" }
        ]
      }
    ])
    expect(events.filter(({ _tag }) => _tag === "Text")).toEqual([{ _tag: "Text", text: "first" }])
  })
})
