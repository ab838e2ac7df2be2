/** What holds for every task and every list of events. */
import { describe, expect } from "bun:test"
import { Effect, Schema } from "effect"
import type { SessionEvent } from "../../../../src/domain/dream/SessionEvent.ts"
import { SessionProfile } from "../../../../src/domain/dream/SessionProfile.ts"
import { viewOfSession } from "../../../../src/domain/dream/viewOfSession.ts"
import { tasks } from "../../../../src/layers/DreamLive.ts"
import { everyTask } from "../../../../src/services/dream/everyTask.ts"
import { pass } from "../../../support/dreamScores.ts"
import { it } from "../../../support/effect.ts"
import { emptyRepository } from "../../../support/plantedSessions.ts"
import { eventsOf } from "../../../support/sessionEvents.ts"

/** From small pools, so that calls, checks and errors meet again. */
const Given = Schema.Struct({
  kind: Schema.Literals(["prompt", "tool_pre", "tool_ok", "tool_fail", "denied", "stop", "session_end", "compact"]),
  call: Schema.Literals(["c1", "c2", "c3", "c4"]),
  action: Schema.Literals(["read", "search", "edit", "run", "other"]),
  command: Schema.Literals([
    "tsc",
    "bun test",
    "bun test a.test.ts",
    "mkdir -p x",
    "npm install a",
    "git commit -m 'a'",
    ""
  ]),
  file: Schema.Literals(["a.ts", "a.test.ts", "package.json", "README.md", "src/ü.ts"]),
  error: Schema.Literals([
    "a.ts(1,2): error TS2345: no",
    "TypeError: a.ts is not a function",
    "\u001b[31m",
    "",
    "ENOENT"
  ])
})

const eventsFrom = (given: ReadonlyArray<(typeof Given)["Type"]>): ReadonlyArray<SessionEvent> =>
  eventsOf(
    given.map(({ action, call, command, error, file, kind }) => ({
      ...{ kind, call, action, tool: action, args: `${action} ${command}` },
      ...(action === "run" ? { command } : { files: [file] }),
      ...(kind === "tool_fail" ? { error } : {})
    }))
  )

const profileOf = (events: ReadonlyArray<SessionEvent>) => {
  const session = viewOfSession(events)!
  const input = { session, profiles: [], artifacts: [], repository: emptyRepository, found: {}, now: 0 }
  return Effect.runSync(pass(input).pipe(Effect.provide(tasks)))
}

const decode = Schema.decodeUnknownSync(SessionProfile)

describe("the tasks", () => {
  it("have the places 1 to 10 in the order in which they run", () => {
    expect(everyTask.map(({ place }) => place)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  })
})

describe("the tasks", () => {
  it.prop("find something valid in any events, and the same each time", Schema.NonEmptyArray(Given), (given) => {
    const events = eventsFrom(given)
    const profile = profileOf(events)
    expect(decode(JSON.parse(JSON.stringify(profile)))).toEqual(profile)
    expect(profileOf(events)).toEqual(profile)
    expect(profile.arc.length).toBeGreaterThan(0)
    expect(profile.trust).not.toBeNull()
    for (const { f, key, s } of profile.contributions)
      expect([key, s >= 0, f >= 0, s + f > 0]).toEqual([key, true, true, true])
  })

  it.prop(
    "find the same when results of calls that run at once arrive in another order",
    Schema.Array(Given),
    (given) => {
      const calls = given.map((each, at) => ({ ...each, kind: "tool_pre" as const, call: `c${at}` as never }))
      const results = calls.map((each, at) => ({
        ...each,
        kind: given[at]!.kind === "tool_fail" ? ("tool_fail" as const) : ("tool_ok" as const)
      }))
      if (calls.length === 0) return
      const found = (ends: typeof results) => {
        const { contributions, loops, clusters } = profileOf(eventsFrom([...calls, ...ends]))
        return { contributions, loops, clusters }
      }
      expect(found(results.toReversed())).toEqual(found(results))
    }
  )
})
