import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import {
  type Analysed,
  idleAfter,
  interleaved,
  isDue,
  isPast,
  mostTries,
  pulseOf
} from "../../../src/domain/dream/dueSessions.ts"
import type { SessionEvent } from "../../../src/domain/dream/SessionEvent.ts"
import { silenceThatEnds, viewOfSession } from "../../../src/domain/dream/viewOfSession.ts"
import { it } from "../../support/effect.ts"
import { eventsOf, prompt, run } from "../../support/sessionEvents.ts"

const tasks = [
  { name: "arc", version: 1 },
  { name: "packet", version: 3 }
]
const pulse = (events: ReadonlyArray<SessionEvent>) => pulseOf(viewOfSession(events)!, events)
const analysedAt = (events: ReadonlyArray<SessionEvent>, outcome: Analysed["outcome"] = "open"): Analysed => ({
  endedAt: pulse(events).endedAt,
  events: events.length,
  outcome,
  versions: { arc: 1, packet: 3 }
})
const [begun, done] = run("bun test")

describe("a session without a profile", () => {
  const events = eventsOf([prompt(), { kind: "stop" }])
  const { key, lastAt } = pulse(events)
  const day = 86_400_000

  test("is analysed until its evidence is counted, or too old to count", () => {
    expect(isPast(pulse(events), { folded: {} }, lastAt)).toBe(false)
    expect(isPast(pulse(events), { folded: { [key]: 0 } }, lastAt)).toBe(true)
    expect(isPast(pulse(events), { folded: {} }, lastAt + 900 * day)).toBe(false)
    expect(isPast(pulse(events), { folded: {} }, lastAt + 901 * day)).toBe(true)
  })
})

describe("a session is due", () => {
  test("if its last event has a time to come, because a clock was wrong", () => {
    const events = eventsOf([prompt(), { kind: "stop" }])
    const { lastAt } = pulse(events)
    expect(isDue(pulse(events), null, tasks, lastAt - 30 * 86_400_000)).toBe(true)
    expect(isDue(pulse(events), null, tasks, lastAt - 1_000)).toBe(false)
  })

  test("after a minute without events, and not before", () => {
    const events = eventsOf([prompt(), { kind: "stop" }])
    const last = events[1]!.at
    expect(isDue(pulse(events), null, tasks, last + idleAfter - 1)).toBe(false)
    expect(isDue(pulse(events), null, tasks, last + idleAfter)).toBe(true)
  })

  test("a call after 55 seconds starts the minute again", () => {
    const events = eventsOf([prompt(), { ...done!, at: 1_055_000 }])
    expect(isDue(pulse(events), null, tasks, 1_061_000)).toBe(false)
    expect(isDue(pulse(events), null, tasks, 1_114_999)).toBe(false)
    expect(isDue(pulse(events), null, tasks, 1_115_000)).toBe(true)
  })

  test("not while a call runs, however long, until its timeout", () => {
    const events = eventsOf([prompt(), { ...begun!, timeout: 300_000 }])
    expect(isDue(pulse(events), null, tasks, events[1]!.at + 299_999)).toBe(false)
    expect(isDue(pulse(events), null, tasks, events[1]!.at + 300_000)).toBe(true)
    const finished = [...events, { ...eventsOf([done!])[0]!, at: events[1]!.at + 200_000 }]
    expect(isDue(pulse(finished), null, tasks, events[1]!.at + 259_999)).toBe(false)
    expect(isDue(pulse(finished), null, tasks, events[1]!.at + 260_000)).toBe(true)
  })

  test("at once when it ended", () => {
    const events = eventsOf([prompt(), { kind: "session_end", reason: "clear" }])
    expect(isDue(pulse(events), null, tasks, events[1]!.at)).toBe(true)
  })

  test("after half an hour of silence, even with background tasks", () => {
    const events = eventsOf([prompt(), { kind: "stop", background: 1 }])
    expect(isDue(pulse(events), null, tasks, events[1]!.at + silenceThatEnds - 1)).toBe(false)
    expect(isDue(pulse(events), null, tasks, events[1]!.at + silenceThatEnds)).toBe(true)
  })
})

describe("an analysed session is due again", () => {
  const events = eventsOf([prompt(), { kind: "stop" }])
  const idle = events[1]!.at + idleAfter

  test("not without a reason", () => expect(isDue(pulse(events), analysedAt(events), tasks, idle)).toBe(false))

  test("when it goes on, a minute later", () => {
    const more = eventsOf([prompt(), { kind: "stop" }, prompt()])
    expect(isDue(pulse(more), analysedAt(events), tasks, more[2]!.at)).toBe(false)
    expect(isDue(pulse(more), analysedAt(events), tasks, more[2]!.at + idleAfter)).toBe(true)
  })

  test("when other events took the place of as many, because something was rewound", () => {
    const events = eventsOf([prompt(), { kind: "stop" }])
    const [first, last] = events as [SessionEvent, SessionEvent]
    const now = last.at + idleAfter * 2
    expect(isDue(pulse(events), analysedAt(events), tasks, now)).toBe(false)
    expect(isDue(pulse([first, { ...last, at: last.at + 1 }]), analysedAt(events), tasks, now)).toBe(true)
  })

  test("when a task is new or has a new version", () => {
    expect(isDue(pulse(events), analysedAt(events), [...tasks, { name: "loops", version: 1 }], idle)).toBe(true)
    expect(isDue(pulse(events), analysedAt(events), [{ name: "arc", version: 2 }], idle)).toBe(true)
  })

  test("once when silence ended it, because its outcome is another one", () => {
    const ended = events[1]!.at + silenceThatEnds
    expect(isDue(pulse(events), analysedAt(events), tasks, ended)).toBe(true)
    expect(isDue(pulse(events), analysedAt(events, "interrupted"), tasks, ended)).toBe(false)
  })

  test("when a task failed, a limited number of times", () => {
    const failing = (version: number, times: number): Analysed => ({
      ...analysedAt(events),
      failed: { arc: { version, times, reason: "" } }
    })
    expect(isDue(pulse(events), failing(1, mostTries - 1), tasks, idle)).toBe(true)
    expect(isDue(pulse(events), failing(1, mostTries), tasks, idle)).toBe(false)
    expect(isDue(pulse(events), failing(1, mostTries), [{ name: "arc", version: 2 }], idle)).toBe(true)
  })
})

const Moves = Schema.Array(
  Schema.Struct({
    wait: Schema.Literals([0, 1_000, 55_000, 59_999, 60_000, 90_000, 1_800_000]),
    kind: Schema.Literals(["prompt", "tool_pre", "tool_ok", "stop", "session_end", "injected"]),
    call: Schema.Literals(["a", "b"])
  })
).check(Schema.isMinLength(1), Schema.isMaxLength(12))

const history = (moves: (typeof Moves)["Type"]) => {
  let at = 1_000_000
  return eventsOf(
    moves.map(({ call, kind, wait }) => {
      at += wait
      return { kind, call, at }
    })
  )
}

it.prop("a session is never due while it is open and something happened in the last minute", Moves, (moves) => {
  const events = history(moves)
  const { lastAt, outcome } = viewOfSession(events)!
  for (const later of [0, 1, 30_000, 59_999])
    expect(isDue(pulse(events), null, tasks, lastAt + later)).toBe(outcome !== "open")
})

it.prop("a due session stays due until it is analysed, and then is not due for the same events", Moves, (moves) => {
  const events = history(moves)
  const { lastAt } = viewOfSession(events)!
  let wasDue = false
  let analysed: Analysed | null = null
  let passes = 0
  for (let now = lastAt; now <= lastAt + 2 * silenceThatEnds; now += 15_000) {
    const due = isDue(pulse(events), null, tasks, now)
    expect(due || !wasDue).toBe(true)
    wasDue = due
    if (!isDue(pulse(events), analysed, tasks, now)) continue
    passes++
    const isOver = viewOfSession(events)!.outcome !== "open" || now - lastAt >= silenceThatEnds
    analysed = analysedAt(events, isOver ? "clean" : "open")
  }
  expect(wasDue).toBe(true)
  // Once when it is idle, and once more if silence ended it.
  expect(passes).toBeLessThanOrEqual(2)
  expect(passes).toBeGreaterThan(0)
})

it.prop(
  "lists are taken in turns: nothing is lost, and no list is two ahead of one that has more",
  Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 }))),
  (lengths) => {
    const lists = lengths.map((length, list) => Array.from({ length }, (_, at) => ({ list, at })))
    const taken = interleaved(lists)
    expect(taken).toHaveLength(lists.flat().length)
    taken.forEach(({ at }, place) => {
      for (const before of taken.slice(0, place)) expect(before.at).toBeLessThanOrEqual(at)
    })
  }
)
