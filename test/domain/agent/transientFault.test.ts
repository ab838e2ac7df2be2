import { describe, expect, test } from "bun:test"
import { isTransientFault } from "../../../src/domain/agent/transientFault.ts"

describe("a fault that may pass", () => {
  for (const words of [
    "429 Too Many Requests",
    "rate limit exceeded",
    "rate_limit_error",
    "Too many requests, slow down",
    "the model is overloaded",
    "overloaded_error",
    "server overload",
    "capacity unavailable",
    "capacity exceeded",
    "capacity limit",
    "capacity full",
    "capacity reached",
    "request was throttled",
    "throttling",
    "terminated",
    "read ECONNRESET",
    "connection reset by peer",
    "socket hang up",
    "premature close",
    "write EPIPE",
    "502 Bad Gateway",
    "503 Service Unavailable",
    "Internal Server Error",
    'API Error: 529 {"type":"overloaded_error"}',
    "request timed out",
    "stream disconnected before completion"
  ]) {
    test(`is recognised by its words: ${words}`, () => expect(isTransientFault(words)).toBe(true))
  }

  for (const words of [
    "",
    "the service is not overloaded, your key is wrong",
    "capacity planning is not supported",
    "Invalid API key",
    "Not logged in",
    "unknown option '--frobnicate'",
    "max turns reached",
    "model gpt-4290 does not exist"
  ]) {
    test(`is not seen in: ${words || "(nothing)"}`, () => expect(isTransientFault(words)).toBe(false))
  }
})
