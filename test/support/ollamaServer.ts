/** Speaks Ollama's own chat endpoint: a line of JSON at a time, calls whole and without ids. */
import { ollamaFaults } from "./requestRules/ollamaRules.ts"
import { type Dialect, inPieces, type ScriptedTurn, underRules, usageOf } from "./scriptedTurn.ts"
import { type Heard, startServer, type WireServer } from "./wireServer.ts"

const line = (fields: Record<string, unknown>): string => `${JSON.stringify(fields)}\n`

const eventsOf = (turn: ScriptedTurn, heard: Heard): ReadonlyArray<string> => {
  const said = (message: Record<string, unknown>): string =>
    line({
      model: heard.body?.model ?? "",
      created_at: "2026-01-01T00:00:00Z",
      message: { role: "assistant", content: "", ...message },
      done: false
    })
  const usage = usageOf(turn)
  return [
    ...inPieces(turn.thinking ?? "").map((thinking) => said({ thinking })),
    ...inPieces(turn.text ?? "").map((content) => said({ content })),
    ...(turn.calls ?? []).map(({ name, input }) => said({ tool_calls: [{ function: { name, arguments: input } }] })),
    line({
      model: heard.body?.model ?? "",
      message: { role: "assistant", content: "" },
      done: true,
      done_reason: turn.stop === "length" ? "length" : "stop",
      prompt_eval_count: usage?.prompt,
      eval_count: usage?.completion
    })
  ]
}

export const ollamaDialect: Dialect = {
  events: eventsOf,
  given: () => ({ content: [], isPause: false }),
  faults: ollamaFaults,
  thinks: ({ body }) => (body?.think === false ? "never" : "maybe"),
  noise: ["\n", line({ model: "m", done: false })],
  errorEvent: (error) =>
    line({
      error: {
        message: "no",
        type: { overloaded: "slow_down", "rate-limited": "rate_limit_exceeded", fault: "server_error" }[error]
      }
    }),
  errorBody: (_, message) => ({ error: message }),
  broken: '{"model":"m","mess\n',
  contentType: "application/x-ndjson"
}

export const startOllama = (script: (heard: Heard, nth: number) => ScriptedTurn): Promise<WireServer> =>
  startServer(underRules(() => ollamaDialect, script))
