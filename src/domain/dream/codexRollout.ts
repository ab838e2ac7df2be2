/**
 * Reads a rollout of Codex (reference warden §5d): a meta line, then items of the model and events of the program. Unknown ones
 * are skipped. The end of a command has its exit code, and comes before the output that the model gets.
 */
import {
  type Fields,
  fieldsIn,
  linesOf,
  type PastEvent,
  type PastSession,
  parsed,
  textIn,
  timeIn,
  withEdges
} from "./transcript.ts"

/** Null without a meta line. */
export const codexRollout = (text: string, now: number): PastSession | null => {
  const { lines, unreadable } = linesOf(text)
  const meta = lines.find(({ type }) => type === "session_meta")
  if (meta === undefined) return null
  const about = fieldsIn(meta, "payload")
  const [session, cwd] = [textIn(about, "id"), textIn(about, "cwd")]
  if (session === "" || cwd === "") return null
  const branch = textIn(fieldsIn(about, "git"), "branch") || null
  return { session, cwd, events: withEdges(eventsOf(lines, branch), now), unreadable }
}

const eventsOf = (lines: ReadonlyArray<Fields>, branch: string | null): ReadonlyArray<PastEvent> => {
  const open = new Map<string, Fields>()
  return lines.flatMap((line, index) => {
    const at = timeIn(line)
    const payload = fieldsIn(line, "payload")
    if (at === null) return []
    const event = (key: string, hook_event_name: string, more: Fields): ReadonlyArray<PastEvent> => [
      { key, at, branch, payload: { hook_event_name, ...more } }
    ]
    const ended = (id: string, response: Fields): ReadonlyArray<PastEvent> => {
      const call = open.get(id)
      if (call === undefined) return []
      open.delete(id)
      return event(`${id} result`, "PostToolUse", { ...call, tool_response: response })
    }
    const id = textIn(payload, "call_id")
    switch (`${String(line.type)} ${textIn(payload, "type")}`) {
      case "event_msg user_message":
        return event(`prompt ${index}`, "UserPromptSubmit", { prompt: textIn(payload, "message") })
      case "response_item function_call":
      case "response_item custom_tool_call":
      case "response_item local_shell_call": {
        const call = {
          tool_name: textIn(payload, "name") || "local_shell",
          tool_input: inputOf(payload),
          tool_use_id: id
        }
        open.set(id, call)
        return event(`${id} call`, "PreToolUse", call)
      }
      case "event_msg exec_command_end":
        return ended(id, {
          output: textIn(payload, "aggregated_output") || textIn(payload, "stdout") + textIn(payload, "stderr"),
          exit_code: payload.exit_code
        })
      case "event_msg patch_apply_end":
        return ended(id, {
          output: textIn(payload, "stdout"),
          ...(payload.success === false ? { error: textIn(payload, "stderr") || "the patch was not applied" } : {})
        })
      case "response_item function_call_output":
      case "response_item custom_tool_call_output":
        return ended(id, outputOf(payload.output))
      case "event_msg task_complete":
        return event(`stop ${index}`, "Stop", {})
      case "event_msg context_compacted":
        return event(`compact ${index}`, "PreCompact", { trigger: "auto" })
      default:
        return []
    }
  })
}

const inputOf = (payload: Fields): unknown => {
  const given = payload.arguments ?? payload.input ?? payload.action
  const input = typeof given === "string" ? parsed(given) : given
  return typeof input === "object" && input !== null ? input : { input: given }
}

/** A text, the JSON of one with its exit code, or an object with both. */
const outputOf = (output: unknown): Fields => {
  const value = typeof output === "string" ? (parsed(output) ?? output) : output
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { output: String(output) }
  const fields: Fields = { ...value }
  return {
    output: textIn(fields, "output") || textIn(fields, "content"),
    ...(typeof fields.metadata === "object" ? { metadata: fields.metadata } : {}),
    ...(fields.success === false ? { error: textIn(fields, "content") || true } : {})
  }
}
