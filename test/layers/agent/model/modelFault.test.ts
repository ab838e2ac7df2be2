import { describe, expect, test } from "bun:test"
import {
  cleanDetail,
  errorWords,
  httpFault,
  retryAfterMillis,
  streamFault
} from "../../../../src/layers/agent/model/modelFault.ts"

describe("the words of an error", () => {
  for (const [body, words] of [
    [
      { type: "error", error: { type: "overloaded_error", message: "busy" } },
      { codes: ["overloaded_error"], message: "busy" }
    ],
    [{ error: { code: 429, message: "slow" } }, { codes: ["429"], message: "slow" }],
    [{ error: "model 'x' not found" }, { codes: [], message: "model 'x' not found" }],
    [
      { object: "error", message: "too long", type: "BadRequestError", code: 400 },
      { codes: ["BadRequestError", "400"], message: "too long" }
    ],
    [{ detail: "Not Found" }, { codes: [], message: "Not Found" }],
    [[{ error: { message: "listed" } }], { codes: [], message: "listed" }],
    ["<html>502</html>", { codes: [], message: "<html>502</html>" }],
    ['{"error":{"message":"inside"}}', { codes: [], message: "inside" }],
    [null, { codes: [], message: "" }],
    [[], { codes: [], message: "" }],
    [7, { codes: [], message: "" }]
  ] as const) {
    test(`are found in ${JSON.stringify(body)}`, () => expect(errorWords(body)).toEqual(words))
  }
})

describe("the kind of an error", () => {
  test("is that of its text where its status is less specific", () => {
    expect(httpFault(429, { error: { code: "insufficient_quota", message: "You exceeded your quota" } }).kind).toBe(
      "not-allowed"
    )
    expect(httpFault(400, { error: { message: "Your credit balance is too low" } }).kind).toBe("not-allowed")
    expect(httpFault(400, { error: { code: "context_length_exceeded", message: "x" } }).kind).toBe("context-too-long")
    expect(httpFault(500, { error: { type: "overloaded_error" } }).kind).toBe("overloaded")
    expect(
      httpFault(400, {
        error: { type: "exceed_context_size_error", message: "the request exceeds the available context size" }
      }).kind
    ).toBe("context-too-long")
  })

  test("is read inside a stream from a type, a code or a status", () => {
    expect(streamFault({ error: { type: "rate_limit_error" } })).toMatchObject({
      kind: "rate-limited",
      detail: "rate_limit_error"
    })
    expect(streamFault({ error: { code: 502, message: "bad" } })).toEqual({
      kind: "provider-fault",
      status: 502,
      detail: "bad"
    })
    expect(streamFault({ error: { code: "server_error", message: "bad" } })).toEqual({
      kind: "provider-fault",
      status: null,
      detail: "bad"
    })
    expect(streamFault("gone")).toEqual({ kind: "provider-fault", status: null, detail: "gone" })
  })
})

describe("the time to wait", () => {
  const of = (headers: Record<string, string>) => retryAfterMillis(new Headers(headers), 1_000_000_000_000)
  test("is read from seconds, milliseconds and dates, and from nothing else", () => {
    expect(of({ "retry-after": "1.5" })).toBe(1500)
    expect(of({ "retry-after-ms": "20", "retry-after": "9" })).toBe(20)
    expect(of({ "retry-after": "Sun, 09 Sep 2001 01:46:50 GMT" })).toBe(10_000)
    expect(of({ "retry-after": "Sun, 09 Sep 2001 01:00:00 GMT" })).toBe(0)
    expect(of({ "retry-after": "-5" })).toBeNull()
    expect(of({ "retry-after-ms": "x", "retry-after": "2" })).toBe(2000)
    expect(of({})).toBeNull()
  })
})

describe("the detail", () => {
  test("is one bounded line without any key", () => {
    expect(cleanDetail("a\nb\u202e c", null)).toBe("a b<U+202E> c")
    expect(cleanDetail("Incorrect API key provided: sk-abcd***wxyz.", null)).toBe("Incorrect API key provided: [key]")
    expect(cleanDetail("wrong hunter2hunter2 here", "hunter2hunter2")).toBe("wrong [key] here")
    expect(cleanDetail("x".repeat(100_000), null)).toHaveLength(300)
  })
})
