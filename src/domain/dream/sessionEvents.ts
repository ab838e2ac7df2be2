/**
 * Reads the lines of a spool file. A line that is cut off or of an unknown version is counted and left out.
 *
 * Checked by hand and not by a schema, which takes ten times as long: a session has thousands of events, and is read after each
 * of them that changes it.
 */
import type { EventKind, Excerpt, Host, InjectedContext, InjectionSource, SessionEvent } from "./SessionEvent.ts"

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
    const event = parsed(line)
    if (!isEvent(event)) unreadable++
    else if (!events.has(event.id)) events.set(event.id, event)
  }
  return { events: [...events.values()], unreadable }
}

const parsed = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return null
  }
}

type Holds = (value: unknown) => boolean
type Fields<A> = { readonly [Key in keyof A]-?: Holds }

const text: Holds = (value) => typeof value === "string"
const name: Holds = (value) => typeof value === "string" && value !== ""
const number: Holds = (value) => typeof value === "number" && Number.isFinite(value)
const texts: Holds = (value) => Array.isArray(value) && value.every(text)
const oneOf = <A>(values: ReadonlyArray<A>): Holds => {
  const known = new Set<unknown>(values)
  return (value) => known.has(value)
}

/** All required fields are there, and each field that is there holds. Unknown fields are ignored. */
const struct = (required: Readonly<Record<string, Holds>>, optional: Readonly<Record<string, Holds>> = {}): Holds => {
  const needed = Object.entries(required)
  const others = Object.entries(optional)
  return (value) => {
    if (typeof value !== "object" || value === null) return false
    const fields = value as Readonly<Record<string, unknown>>
    return (
      needed.every(([key, holds]) => holds(fields[key])) &&
      others.every(([key, holds]) => fields[key] === undefined || holds(fields[key]))
    )
  }
}

type RequiredKey<A> = { [Key in keyof A]-?: A extends Record<Key, A[Key]> ? Key : never }[keyof A]

const required: Fields<Pick<SessionEvent, RequiredKey<SessionEvent>>> = {
  v: oneOf([1]),
  id: name,
  host: oneOf<Host>(["claude", "codex", "gemini", "dd"]),
  session: name,
  project: name,
  root: text,
  cwd: text,
  at: number,
  kind: oneOf<EventKind>([
    "session_start",
    "prompt",
    "task_end",
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
  ])
}

const excerpt: Fields<Excerpt> = { hash: text, bytes: number, start: text }

const sources = oneOf<InjectionSource>(["resume", "playbook", "repair", "convention", "sequence"])
const injection: Fields<InjectedContext> = {
  id: name,
  sources: (value) => Array.isArray(value) && value.every(sources),
  artifacts: texts,
  bytes: number
}

const optional: Fields<Omit<SessionEvent, RequiredKey<SessionEvent>>> = {
  agent: text,
  main: text,
  branch: text,
  head: text,
  reason: text,
  call: text,
  tool: text,
  action: oneOf(["read", "search", "edit", "run", "other"]),
  command: text,
  timeout: number,
  files: texts,
  args: text,
  exit: number,
  ms: number,
  text: struct(excerpt),
  verdict: oneOf(["passed", "failed", "unknown"]),
  task: text,
  error: text,
  interrupted: oneOf([true]),
  background: number,
  injection: struct(injection)
}

const event = struct(required, optional)
const isEvent = (value: unknown): value is SessionEvent => event(value)
