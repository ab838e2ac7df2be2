import { describe, expect, test } from "bun:test"
import { AnthropicDecoder } from "../../../../src/layers/agent/model/AnthropicDecoder.ts"
import { context, decode, type Sent } from "../../../support/decoding.ts"

const begun = {
  type: "message_start",
  message: {
    id: "msg_1",
    model: "claude",
    usage: { input_tokens: 5, cache_creation_input_tokens: 20, cache_read_input_tokens: 300, output_tokens: 1 }
  }
}
const start = (index: number, content_block: object) => ({ type: "content_block_start", index, content_block })
const grow = (index: number, delta: object) => ({ type: "content_block_delta", index, delta })
const json = (index: number, partial_json: string) => grow(index, { type: "input_json_delta", partial_json })
const stop = (index: number) => ({ type: "content_block_stop", index })
const reason = (stop_reason: string | null, usage: object = { output_tokens: 40 }) => ({
  type: "message_delta",
  delta: { stop_reason },
  usage
})
const over = { type: "message_stop" }
const call = (index: number, more: object = {}) =>
  start(index, { type: "tool_use", id: `toolu_${index}`, name: "read_file", input: {}, ...more })

const heard = (sent: ReadonlyArray<Sent>) => decode(new AnthropicDecoder(context), sent)
const verbatim = (sent: ReadonlyArray<Sent>) => {
  const last = heard(sent).said.at(-1)
  return last?._tag === "Ended" ? last.verbatim : undefined
}

describe("a Messages stream", () => {
  test("gathers the turn as it was written: thinking with its signature, what was withheld, text and calls", () => {
    expect(
      verbatim([
        begun,
        start(0, { type: "thinking", thinking: "", signature: "" }),
        grow(0, { type: "thinking_delta", thinking: "hm " }),
        grow(0, { type: "thinking_delta", thinking: "so" }),
        grow(0, { type: "signature_delta", signature: "c2ln" }),
        stop(0),
        start(1, { type: "redacted_thinking", data: "opaque" }),
        stop(1),
        start(2, { type: "text", text: "", citations: null }),
        grow(2, { type: "text_delta", text: "I look." }),
        stop(2),
        call(3, { caller: { type: "direct" } }),
        json(3, '{"path":'),
        json(3, '"a"}'),
        stop(3),
        reason("tool_use"),
        over
      ])
    ).toEqual({
      anthropic: [
        { type: "thinking", thinking: "hm so", signature: "c2ln" },
        { type: "redacted_thinking", data: "opaque" },
        { type: "text", text: "I look.", citations: null },
        { type: "tool_use", id: "toolu_3", name: "read_file", input: { path: "a" }, caller: { type: "direct" } }
      ]
    })
  })

  test("keeps no thinking that was cut before its signature, for it would be refused", () => {
    expect(
      verbatim([
        begun,
        start(0, { type: "thinking", thinking: "" }),
        grow(0, { type: "thinking_delta", thinking: "hm" }),
        stop(0),
        reason("max_tokens"),
        over
      ])
    ).toEqual({ anthropic: [] })
  })

  test("keeps thinking that has a signature and no text", () => {
    const { said } = heard([
      begun,
      start(0, { type: "thinking", thinking: "" }),
      grow(0, { type: "signature_delta", signature: "s" }),
      stop(0),
      reason("end_turn"),
      over
    ])
    expect(said.map(({ _tag }) => _tag)).toEqual(["Began", "Used", "ThinkingEnded", "Used", "Ended"])
    expect(said.at(-1)).toMatchObject({ verbatim: { anthropic: [{ type: "thinking", thinking: "", signature: "s" }] } })
  })

  test("never joins fragments of interleaved calls", () => {
    const { said } = heard([
      begun,
      call(0),
      call(1),
      json(1, '{"b"'),
      json(0, '{"a"'),
      json(1, ":1}"),
      json(0, ":0}"),
      stop(1),
      stop(0),
      reason("tool_use"),
      over
    ])
    expect(said.filter(({ _tag }) => _tag === "CallEnded")).toMatchObject([
      { id: "toolu_1", arguments: '{"b":1}', truncated: false },
      { id: "toolu_0", arguments: '{"a":0}', truncated: false }
    ])
  })

  test("takes the initial input of a call without fragments", () => {
    const { said } = heard([begun, call(0, { input: { path: "a" } }), json(0, ""), stop(0), reason("tool_use"), over])
    expect(said.filter(({ _tag }) => _tag.startsWith("Call"))).toEqual([
      { _tag: "CallBegan", id: "toolu_0", name: "read_file" },
      { _tag: "CallArguments", id: "toolu_0", text: '{"path":"a"}' },
      { _tag: "CallEnded", id: "toolu_0", name: "read_file", arguments: '{"path":"a"}', truncated: false }
    ])
  })

  test("retains the end of a call until something follows it", () => {
    const { said } = heard([begun, call(0), json(0, "{}"), stop(0)])
    expect(said.some(({ _tag }) => _tag === "CallEnded")).toBe(false)
  })

  for (const stopReason of ["max_tokens", "model_context_window_exceeded", "refusal", "of_a_later_day"]) {
    test(`treats the last call as cut after ${stopReason}, though its arguments look complete, and no call before it`, () => {
      const { said } = heard([begun, call(0), stop(0), call(1), stop(1), reason(stopReason), over])
      expect(said.filter(({ _tag }) => _tag === "CallEnded")).toMatchObject([
        { arguments: "{}", truncated: false },
        { arguments: "{}", truncated: true }
      ])
    })
  }

  test("counts cached tokens as part of the prompt, and keeps counts that are not repeated", () => {
    const { said } = heard([
      begun,
      reason("end_turn", { output_tokens: 40, output_tokens_details: { thinking_tokens: 9 } }),
      over
    ])
    expect(said.findLast(({ _tag }) => _tag === "Used")).toEqual({
      _tag: "Used",
      usage: {
        promptTokens: 325,
        cachedTokens: 300,
        cacheWrittenTokens: 20,
        completionTokens: 40,
        reasoningTokens: 9,
        costUsd: null
      }
    })
  })

  for (const [stopReason, expected] of [
    ["end_turn", "done"],
    ["stop_sequence", "done"],
    ["tool_use", "calls"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["refusal", "refusal"],
    ["pause_turn", "pause"],
    ["of_a_later_day", "done"]
  ] as const) {
    test(`ends ${expected} for ${stopReason}`, () => {
      expect(heard([begun, reason(stopReason), over]).said.at(-1)).toMatchObject({ reason: expected, stopReason })
    })
  }

  test("ignores unknown events, blocks and deltas", () => {
    const { said, fault } = heard([
      ["ping", { type: "ping" }],
      ["later", "not even JSON"],
      begun,
      { type: "content_block_hint", index: 7 },
      start(0, { type: "hologram", light: 1 }),
      grow(0, { type: "hologram_delta", light: 2 }),
      stop(0),
      start(1, { type: "text", text: "Hi" }),
      grow(1, { type: "citations_delta", citation: {} }),
      stop(1),
      reason("end_turn"),
      over
    ])
    expect(fault).toBeNull()
    expect(said.filter(({ _tag }) => _tag === "Text")).toEqual([{ _tag: "Text", text: "Hi" }])
    expect(said.at(-1)).toMatchObject({
      verbatim: {
        anthropic: [
          { type: "hologram", light: 1 },
          { type: "text", text: "Hi" }
        ]
      }
    })
  })

  for (const [what, sent] of [
    ["a delta before its block", [begun, json(0, "{")]],
    ["a delta after its block", [begun, call(0), stop(0), json(0, "{")]],
    ["a block that begins twice", [begun, call(0), call(0)]],
    ["a block before the message", [call(0)]],
    ["a second message", [begun, begun]],
    ["a call without a name", [begun, start(0, { type: "tool_use", id: "x", name: "" })]],
    ["an end without a reason", [begun, over]],
    ["an end of nothing", [reason("end_turn")]],
    ["an index that is none", [begun, start("one" as never, {})]],
    ["what is not JSON", [begun, "{"]]
  ] as const) {
    test(`is malformed with ${what}`, () => expect(heard(sent).fault?.kind).toBe("malformed"))
  }

  test("assigns an id to a call without one, and a new id to a call with a duplicate", () => {
    const { said } = heard([
      begun,
      call(0, { id: "" }),
      json(0, "{}"),
      stop(0),
      call(1, { id: "a" }),
      stop(1),
      call(2, { id: "a" }),
      stop(2),
      reason("tool_use"),
      over
    ])
    expect(said.flatMap((event) => (event._tag === "CallEnded" ? [event.id] : []))).toEqual([
      "call_00c0ffee_0",
      "a",
      "a_2"
    ])
    expect(said.at(-1)).toMatchObject({
      verbatim: { anthropic: [{ id: "call_00c0ffee_0" }, { id: "a" }, { id: "a_2" }] }
    })
  })

  test("reads an error that is not JSON", () => {
    expect(heard([begun, ["error", "gateway gone"]]).fault).toMatchObject({
      kind: "provider-fault",
      detail: "gateway gone"
    })
  })
})
