/**
 * A run of dd as the payloads that a hook of Claude Code would get, so that `hookEvent` makes session events of both. A run is
 * recorded from the first call of a tool or test: a review by rules alone has nothing to learn from. Pure but for its memory of
 * calls that have begun.
 */
import type { RunEvent } from "../run/RunEvent.ts"

export type RunPayload = Readonly<Record<string, unknown>>

export const runPayloads = (session: string, cwd: string): ((event: RunEvent) => ReadonlyArray<RunPayload>) => {
  const calls = new Map<string, RunPayload>()
  let opening: ReadonlyArray<RunPayload> = []
  let hasBegun = false
  let tests = 0
  const payload = (hook_event_name: string, more: RunPayload): RunPayload => ({
    session_id: session,
    cwd,
    hook_event_name,
    ...more
  })
  /** With the beginning of the session before the first of them. */
  const opened = (payloads: ReadonlyArray<RunPayload>): ReadonlyArray<RunPayload> => {
    if (hasBegun) return payloads
    hasBegun = true
    return [...opening, ...payloads]
  }
  const ended = (call: RunPayload, output: string, isError: boolean, more: RunPayload = {}): RunPayload =>
    isError
      ? payload("PostToolUseFailure", { ...call, ...more, error: output })
      : payload("PostToolUse", { ...call, ...more, tool_response: { stdout: output } })

  return (event) => {
    switch (event._tag) {
      case "RunStarted":
        opening = [
          payload("SessionStart", { source: event.flow }),
          payload("UserPromptSubmit", { prompt: event.description })
        ]
        return []
      case "Agent": {
        const { call, event: inner } = event
        const agent_id = `agent ${call}`
        if (inner._tag === "ToolStart") {
          const tool_use_id = `${call}:${inner.id}`
          const begun = { agent_id, tool_use_id, tool_name: inner.name, tool_input: inner.input }
          calls.set(tool_use_id, begun)
          return opened([payload("PreToolUse", begun)])
        }
        if (inner._tag !== "ToolResult") return []
        const begun = calls.get(`${call}:${inner.id}`)
        if (begun === undefined) return []
        calls.delete(`${call}:${inner.id}`)
        return [ended(begun, inner.output, inner.isError)]
      }
      case "AgentEnded":
        return hasBegun ? [payload("SubagentStop", { agent_id: `agent ${event.call}`, reason: event.outcome })] : []
      case "TestsEnded": {
        const { command, durationMs, exitCode, outcome, output, when } = event
        if (outcome === "not-run") return []
        const call = { tool_name: "Bash", tool_use_id: `tests ${when} ${tests++}`, tool_input: { command } }
        const hasFailed = outcome !== "passed"
        const words = hasFailed && exitCode !== null ? `Exit code ${exitCode}\n${output}` : output || event.reason
        const more = durationMs === null ? {} : { duration_ms: durationMs }
        return opened([payload("PreToolUse", call), ended(call, words, hasFailed, more)])
      }
      case "RunEnded":
        return hasBegun ? [payload("Stop", {}), payload("SessionEnd", { reason: event.status })] : []
      default:
        return []
    }
  }
}
