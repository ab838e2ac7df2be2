/**
 * Reads a rollout of Codex: a meta line, then items of the model and events of the program. Unknown ones
 * are skipped. The end of a command, if it is there, comes before the output that the model gets. A command that takes long gives
 * an output while it runs on, and the model waits for it with `write_stdin`: this is one call.
 *
 * A fork begins with a meta line of its own, then has copies of all lines of the other session, its meta line too, with new
 * times. Calls and turns keep their ids. Some forks have no copy of the meta line: their calls are recognised by long ids alone.
 */
import { codexResult } from "../codexResult.ts"
import {
  type Fields,
  fieldsIn,
  isFields,
  linesOf,
  type NamedSession,
  type PastEvent,
  type PastSession,
  parsed,
  textIn,
  timeIn
} from "./transcript.ts"

export const namedByCodex = (line: Fields): NamedSession | null => {
  const about = fieldsIn(line, "payload")
  const [session, cwd] = [textIn(about, "id"), textIn(about, "cwd")]
  return line.type !== "session_meta" || session === "" || cwd === "" ? null : { session, cwd }
}

/** Null if no meta line names the session and its folder. */
export const codexRollout = (text: string): PastSession | null => {
  const { lines, unreadable } = linesOf(text)
  const meta = lines.find((line) => namedByCodex(line) !== null)
  const named = meta === undefined ? null : namedByCodex(meta)
  if (meta === undefined || named === null) return null
  const branch = textIn(fieldsIn(fieldsIn(meta, "payload"), "git"), "branch") || null
  const damaged = lines.filter((line) => timeIn(line) === null)
  return { ...named, events: eventsOf(lines, branch), unreadable: unreadable + damaged.length }
}

interface OpenCall {
  readonly key: string
  readonly call: Fields
  /** While it runs on. */
  readonly printed: string
}

const eventsOf = (lines: ReadonlyArray<Fields>, branch: string | null): ReadonlyArray<PastEvent> => {
  const open = new Map<string, OpenCall>()
  // The calls of commands that run on, by the names of their programs, and by the calls that wait for them.
  const running = new Map<string, string>()
  const awaited = new Map<string, string>()
  // The session or, in newer versions, the turn in which a line was written first.
  let place = ""
  let prompts = 0
  let last = ""
  const enter = (id: string) => {
    if (id === "") return
    place = id
    last = id
    prompts = 0
  }
  const events = lines.flatMap((line) => {
    const at = timeIn(line)
    const payload = fieldsIn(line, "payload")
    const type = `${String(line.type)} ${textIn(payload, "type")}`
    if (line.type === "session_meta") enter(textIn(payload, "id"))
    else if (line.type === "turn_context" || type === "event_msg task_started") enter(textIn(payload, "turn_id"))
    if (at === null) return []
    const event = (key: string, hook_event_name: string, more: Fields): ReadonlyArray<PastEvent> => [
      { key, at, branch, payload: { hook_event_name, ...more } }
    ]
    const ended = (id: string, response: Fields | string): ReadonlyArray<PastEvent> => {
      const begun = open.get(id)
      if (begun === undefined) return []
      open.delete(id)
      return event(`${begun.key} result`, "PostToolUse", { ...begun.call, tool_response: response })
    }
    const told = (id: string, response: Fields | string): ReadonlyArray<PastEvent> => {
      const begun = open.get(id)
      if (begun === undefined || typeof response !== "string") return ended(id, response)
      const result = codexResult(response)
      if (result.stopped !== undefined) return ended(id, response)
      const output = begun.printed + result.output
      const events = ended(id, result.exit === undefined ? { output } : { output, exit_code: result.exit })
      if (result.running !== undefined) {
        running.set(result.running, id)
        open.set(id, { ...begun, printed: output })
      }
      return events
    }
    const id = textIn(payload, "call_id")
    switch (type) {
      case "event_msg user_message": {
        const prompt = textIn(payload, "message")
        last = `${place} prompt ${++prompts} ${prompt}`
        return event(last, "UserPromptSubmit", { prompt })
      }
      case "response_item function_call":
      case "response_item custom_tool_call":
      case "response_item local_shell_call": {
        const call = {
          tool_name: textIn(payload, "name") || "local_shell",
          tool_input: inputOf(payload),
          tool_use_id: id
        }
        last = id.length < shortestUnique ? `${place} ${id}` : id
        const input = fieldsIn(call, "tool_input")
        const command = call.tool_name === "write_stdin" ? running.get(String(input.session_id)) : undefined
        const begun = command === undefined ? undefined : open.get(command)
        if (command !== undefined && begun !== undefined) {
          awaited.set(id, command)
          // Ctrl-C
          if (textIn(input, "chars").includes("\u0003"))
            open.set(command, { ...begun, call: { ...begun.call, is_interrupt: true } })
          return []
        }
        open.set(id, { key: last, call, printed: "" })
        return event(`${last} call`, "PreToolUse", call)
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
        return told(awaited.get(id) ?? id, outputOf(payload.output))
      case "event_msg task_complete":
        return event(`${last} stop`, "Stop", {})
      case "event_msg context_compacted":
        return event(`${last} compact`, "PreCompact", { trigger: "auto" })
      default:
        return []
    }
  })
  // The last result of a command that ran on is its result.
  const byKey = new Map(events.map((event) => [event.key, event]))
  return events.filter((event) => byKey.get(event.key) === event)
}

/** Services of models give random ids of 24 characters and more to calls; models on own machines may count them. */
const shortestUnique = 20

const inputOf = (payload: Fields): unknown => {
  const given = payload.arguments ?? payload.input ?? payload.action
  const input = typeof given === "string" ? parsed(given) : given
  return typeof input === "object" && input !== null ? input : { input: given }
}

/** A text, a list of texts, or an object with one. */
const outputOf = (output: unknown): Fields | string => {
  if (typeof output === "string") return output
  if (Array.isArray(output)) return output.map((part) => (isFields(part) ? textIn(part, "text") : "")).join("\n")
  const fields = isFields(output) ? output : {}
  return {
    output: textIn(fields, "output") || textIn(fields, "content"),
    ...(typeof fields.metadata === "object" ? { metadata: fields.metadata } : {}),
    ...(fields.success === false ? { error: textIn(fields, "content") || true } : {})
  }
}
