import { describe, expect, test } from "bun:test"
import { ResponsesDecoder } from "../../../../src/layers/agent/model/ResponsesDecoder.ts"
import { context, decode, type Sent } from "../../../support/decoding.ts"

const created = { type: "response.created", response: { id: "resp_1", model: "gpt" } }
const add = (output_index: number, item: object) => ({ type: "response.output_item.added", output_index, item })
const done = (output_index: number, item: object) => ({ type: "response.output_item.done", output_index, item })
const args = (output_index: number, delta: string) => ({
  type: "response.function_call_arguments.delta",
  output_index,
  delta
})
const whole = (output_index: number, text: string) => ({
  type: "response.function_call_arguments.done",
  output_index,
  arguments: text
})
const completed = { type: "response.completed", response: { id: "resp_1", usage: null } }
const incomplete = (reason: string) => ({ type: "response.incomplete", response: { incomplete_details: { reason } } })
const call = (at: number, more: object = {}) => ({
  type: "function_call",
  id: `fc_${at}`,
  call_id: `call_${at}`,
  name: "read_file",
  arguments: "",
  ...more
})

const heard = (sent: ReadonlyArray<Sent>) => decode(new ResponsesDecoder(context), sent)

describe("a Responses stream", () => {
  test("gathers complete items for the next request, encrypted reasoning as it came", () => {
    const reasoning = { id: "rs_1", type: "reasoning", summary: [], encrypted_content: "gAAA", later: [1] }
    const { said } = heard([
      created,
      add(0, { type: "reasoning", id: "rs_1" }),
      done(0, reasoning),
      add(1, call(1)),
      args(1, "{}"),
      whole(1, "{}"),
      done(1, call(1, { arguments: "{}", status: "completed" })),
      completed
    ])
    expect(said.at(-1)).toEqual({
      _tag: "Ended",
      reason: "calls",
      stopReason: "completed",
      verbatim: { responses: [reasoning, call(1, { arguments: "{}", status: "completed" })] }
    })
    expect(said.map(({ _tag }) => _tag)).toEqual([
      "Began",
      "ThinkingEnded",
      "CallBegan",
      "CallArguments",
      "CallEnded",
      "Ended"
    ])
  })

  test("counts what of the prompt was written to a cache", () => {
    const usage = {
      input_tokens: 9,
      output_tokens: 1,
      input_tokens_details: { cached_tokens: 2, cache_write_tokens: 5 }
    }
    const { said } = heard([created, { type: "response.completed", response: { id: "resp_1", usage } }])
    expect(said.find((event) => event._tag === "Used")?.usage).toMatchObject({
      promptTokens: 9,
      cachedTokens: 2,
      cacheWrittenTokens: 5
    })
  })

  test("counts the tokens of a response that failed", () => {
    const failed = { status: "failed", error: { code: "server_error", message: "it broke" } }
    const usage = { input_tokens: 77, output_tokens: 5 }
    const { said, fault } = heard([created, { type: "response.failed", response: { ...failed, usage } }])
    expect(said.find((event) => event._tag === "Used")?.usage).toMatchObject({ promptTokens: 77, completionTokens: 5 })
    expect(fault).toMatchObject({ kind: "provider-fault", detail: "it broke" })
    expect(heard([created, { type: "response.failed", response: failed }]).fault?.detail).toBe("it broke")
  })

  test("reads arguments that arrive only at the end of their item", () => {
    const { said } = heard([
      created,
      add(0, call(0)),
      done(0, call(0, { arguments: '{"a":1}', status: "completed" })),
      completed
    ])
    expect(said.filter(({ _tag }) => _tag === "CallEnded")).toMatchObject([{ arguments: '{"a":1}', truncated: false }])
  })

  test("sends a call that was cut back with arguments that can be read", () => {
    const { said } = heard([
      created,
      add(0, call(0)),
      args(0, '{"a'),
      done(0, call(0, { arguments: '{"a', status: "incomplete" })),
      incomplete("max_output_tokens")
    ])
    expect(said.filter(({ _tag }) => _tag === "CallEnded")).toMatchObject([{ arguments: '{"a', truncated: true }])
    expect(said.at(-1)).toMatchObject({ reason: "length", verbatim: { responses: [{ arguments: "{}" }] } })
  })

  test("treats the last call of an incomplete response as cut, though its arguments look complete", () => {
    const whole = (at: number) => done(at, call(at, { arguments: "{}", status: "completed" }))
    const { said } = heard([
      created,
      add(0, call(0)),
      whole(0),
      add(1, call(1)),
      whole(1),
      incomplete("max_output_tokens")
    ])
    expect(said.flatMap((event) => (event._tag === "CallEnded" ? [event.truncated] : []))).toEqual([false, true])
  })

  test("marks a call without an end as cut, though the response completes", () => {
    const { said } = heard([created, add(0, call(0)), args(0, "{}"), completed])
    expect(said.filter(({ _tag }) => _tag === "CallEnded")).toMatchObject([{ truncated: true }])
  })

  test("parts one summary of reasoning from the next", () => {
    const part = { type: "response.reasoning_summary_part.added", output_index: 0, summary_index: 0, part: {} }
    const text = (delta: string) => ({
      type: "response.reasoning_summary_text.delta",
      output_index: 0,
      summary_index: 0,
      delta
    })
    const { said } = heard([
      created,
      add(0, { type: "reasoning" }),
      part,
      text("One."),
      part,
      text("Two."),
      done(0, { type: "reasoning" }),
      completed
    ])
    expect(said.map((event) => (event._tag === "Thinking" ? event.text : "")).join("")).toBe("One.\n\nTwo.")
  })

  test("fails with the code of a response that failed", () => {
    const failed = (code: string) =>
      heard([created, { type: "response.failed", response: { error: { code, message: "sorry" } } }]).fault
    expect(failed("server_error")).toEqual({ kind: "provider-fault", status: null, detail: "sorry" })
    expect(failed("rate_limit_exceeded")?.kind).toBe("rate-limited")
    expect(failed("invalid_prompt")?.kind).toBe("rejected")
    expect(failed("bio_policy")?.kind).toBe("provider-fault")
  })

  for (const [reason, expected] of [
    ["max_output_tokens", "length"],
    ["content_filter", "filtered"],
    ["of_a_later_day", "done"]
  ] as const) {
    test(`ends ${expected} when it is incomplete for ${reason}`, () => {
      expect(heard([created, incomplete(reason)]).said.at(-1)).toMatchObject({ reason: expected, stopReason: reason })
    })
  }

  for (const [what, sent] of [
    ["arguments that are not those that were told", [created, add(0, call(0)), args(0, '{"a"'), whole(0, '{"b":1}')]],
    ["arguments of an item that is none", [created, args(3, "{")]],
    ["text in a call", [created, add(0, call(0)), { type: "response.output_text.delta", output_index: 0, delta: "x" }]],
    ["an item that begins twice", [created, add(0, call(0)), add(0, call(0))]],
    ["an item before the response", [add(0, call(0))]],
    ["an end of nothing", [completed]],
    ["what is not JSON", [created, ["response.output_text.delta", "{"]]]
  ] as const) {
    test(`is malformed with ${what}`, () => expect(heard(sent).fault?.kind).toBe("malformed"))
  }
})
