/** Builds the events of a session, as hooks would write them. */
import type { SessionEvent } from "../../src/domain/dream/SessionEvent.ts"

type Given = Partial<SessionEvent> & Pick<SessionEvent, "kind">

/** Events one second apart, all of one session. */
export const eventsOf = (given: ReadonlyArray<Given>): ReadonlyArray<SessionEvent> =>
  given.map((event, index) => ({
    v: 1,
    id: `event-${index}`,
    host: "claude",
    session: "s1",
    project: "p1",
    root: "/repo",
    cwd: "/repo",
    at: 1_000_000 + index * 1_000,
    ...event
  }))

let calls = 0

export const prompt = (start = "Fix the parser of dates, please"): Given => ({
  kind: "prompt",
  text: { hash: start, bytes: start.length, start }
})

const call = (given: Partial<SessionEvent>, result: Partial<SessionEvent>): ReadonlyArray<Given> => {
  const id = `call-${calls++}`
  return [
    { kind: "tool_pre", call: id, ...given },
    { kind: "tool_ok", call: id, ...given, ...result }
  ]
}

export const read = (file: string) => call({ tool: "Read", action: "read", files: [file], args: `read ${file}` }, {})
let edits = 0
export const edit = (file: string) => call({ tool: "Edit", action: "edit", files: [file], args: `edit ${edits++}` }, {})
export const run = (command: string, result: Partial<SessionEvent> = {}) =>
  call({ tool: "Bash", action: "run", command, args: command }, result)
export const fail = (command: string, error: string) => run(command, { kind: "tool_fail", exit: 1, error })
export const deny = (command: string): ReadonlyArray<Given> => [
  { kind: "denied", tool: "Bash", action: "run", command, call: `call-${calls++}`, args: command }
]
