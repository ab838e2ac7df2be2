/** Refs as the runtime notes them, with ids in order. */
import type { RefOf, StopReason } from "../../src/domain/agent/AgentRef.ts"

let made = 0
const base = () => ({ id: `r${++made}`, at: "2026-01-01T00:00:00.000Z" })

export const run = (): RefOf<"Run"> => ({ _tag: "Run", ...base() })

export const input = (text: string, type = "question"): RefOf<"Input"> => ({
  _tag: "Input",
  ...base(),
  type,
  words: [{ text, lasting: true }]
})

export const step = (n = 1): RefOf<"Step"> => ({ _tag: "Step", ...base(), step: n, shows: [], last: false })

/** What the model said: words, and calls by their ids. */
export const turn = (text: string, ...calls: ReadonlyArray<string>): RefOf<"Turn"> => ({
  _tag: "Turn",
  ...base(),
  messageId: "m",
  model: "scripted-1",
  stopReason: calls.length > 0 ? "calls" : "done",
  parts: [
    ...(text === "" ? [] : [{ _tag: "Text" as const, text }]),
    ...calls.map((id) => ({ _tag: "Call" as const, id, name: "echo", input: {} }))
  ],
  verbatim: null,
  usage: null
})

export const result = (callId: string, output: string): RefOf<"Result"> => ({
  _tag: "Result",
  ...base(),
  callId,
  name: "echo",
  output,
  isError: false,
  fault: null
})

export const ended = (stopReason: StopReason = "done", asked = "something"): RefOf<"RunEnded"> => ({
  _tag: "RunEnded",
  ...base(),
  run: "r",
  stopReason,
  detail: "",
  steps: 1,
  episode: { asked, did: [{ name: "echo", times: 2 }], came: stopReason }
})
