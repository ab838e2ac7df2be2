/** Reads the lines of a spool file. A line that is cut off or of an unknown version is counted and left out. */
import { Option, Schema } from "effect"
import type { SessionEvent } from "./SessionEvent.ts"

const optional = Schema.optionalKey
const Count = Schema.Finite

const Line = Schema.Struct({
  v: Schema.Literal(1),
  id: Schema.NonEmptyString,
  host: Schema.Literals(["claude", "codex", "gemini", "dd"]),
  session: Schema.NonEmptyString,
  agent: optional(Schema.String),
  project: Schema.NonEmptyString,
  root: Schema.String,
  cwd: Schema.String,
  branch: optional(Schema.String),
  head: optional(Schema.String),
  at: Count,
  kind: Schema.Literals([
    "session_start",
    "prompt",
    "tool_pre",
    "tool_ok",
    "tool_fail",
    "denied",
    "injected",
    "stop",
    "stop_fail",
    "subagent_stop",
    "compact",
    "session_end"
  ]),
  reason: optional(Schema.String),
  call: optional(Schema.String),
  tool: optional(Schema.String),
  action: optional(Schema.Literals(["read", "search", "edit", "run", "other"])),
  command: optional(Schema.String),
  timeout: optional(Count),
  files: optional(Schema.Array(Schema.String)),
  args: optional(Schema.String),
  exit: optional(Count),
  ms: optional(Count),
  text: optional(Schema.Struct({ hash: Schema.String, bytes: Count, start: Schema.String })),
  verdict: optional(Schema.Literals(["passed", "failed", "unknown"])),
  error: optional(Schema.String),
  interrupted: optional(Schema.Literal(true)),
  background: optional(Count),
  injection: optional(
    Schema.Struct({
      id: Schema.NonEmptyString,
      sources: Schema.Array(Schema.Literals(["resume", "playbook", "repair", "convention", "sequence"])),
      artifacts: Schema.Array(Schema.String),
      bytes: Count
    })
  )
})

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Line))

export interface SpoolLines {
  /** Without events that occur twice. */
  readonly events: ReadonlyArray<SessionEvent>
  readonly unreadable: number
}

export const sessionEvents = (text: string): SpoolLines => {
  const events = new Map<string, SessionEvent>()
  let unreadable = 0
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue
    const event = decode(line)
    if (Option.isNone(event)) unreadable++
    else if (!events.has(event.value.id)) events.set(event.value.id, event.value)
  }
  return { events: [...events.values()], unreadable }
}
