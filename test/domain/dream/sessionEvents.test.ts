import { expect, test } from "bun:test"
import { Schema } from "effect"
import type { SessionEvent } from "../../../src/domain/dream/SessionEvent.ts"
import { sessionEvents } from "../../../src/domain/dream/sessionEvents.ts"
import { it } from "../../support/effect.ts"
import { eventsOf, prompt } from "../../support/sessionEvents.ts"

const optional = Schema.optionalKey
const event = {
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
  at: Schema.Finite,
  kind: Schema.Literals(["session_start", "prompt", "tool_pre", "tool_ok", "denied", "stop", "session_end"]),
  call: optional(Schema.String),
  action: optional(Schema.Literals(["read", "search", "edit", "run", "other"])),
  timeout: optional(Schema.Finite),
  files: optional(Schema.Array(Schema.String)),
  text: optional(Schema.Struct({ hash: Schema.String, bytes: Schema.Finite, start: Schema.String })),
  verdict: optional(Schema.Literals(["passed", "failed", "unknown"])),
  interrupted: optional(Schema.Literal(true)),
  injection: optional(
    Schema.Struct({
      id: Schema.NonEmptyString,
      sources: Schema.Array(Schema.Literals(["resume", "playbook"])),
      artifacts: Schema.Array(Schema.String),
      bytes: Schema.Finite
    })
  )
}
const Event = Schema.Struct(event)
const isEvent = Schema.is(Event)

const lineOf = (value: unknown) => sessionEvents(JSON.stringify(value))

it.prop("every event is read as it was written", Event, (given) => {
  const written: SessionEvent = JSON.parse(JSON.stringify(given))
  expect(lineOf(written)).toEqual({ events: [written], unreadable: 0 })
})

const Damage = Schema.Struct({
  event: Event,
  field: Schema.Literals(Object.keys(event) as ReadonlyArray<keyof typeof event>),
  value: Schema.Literals(["", "x", 0, 1, -1, true, false])
})

it.prop("an event with a wrong or missing field is counted, and no other one is", Damage, ({ event, field, value }) => {
  const { [field]: _, ...without } = event
  for (const damaged of [without, { ...event, [field]: value }, { ...event, [field]: [value] }]) {
    // What JSON can hold.
    const written = JSON.parse(JSON.stringify(damaged))
    expect(lineOf(written).unreadable).toBe(isEvent(written) ? 0 : 1)
  }
})

test("lines that are cut off, empty or repeated do not hide the others", () => {
  const [one, two] = eventsOf([prompt(), { kind: "stop" }])
  const lines = [JSON.stringify(one), "", JSON.stringify(one), JSON.stringify(two).slice(0, 40), "[]", "7", '"x"']
  expect(sessionEvents(["", ...lines, JSON.stringify(two)].join("\n"))).toEqual({ events: [one!, two!], unreadable: 4 })
})
