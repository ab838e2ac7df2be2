import { describe, expect, test } from "bun:test"
import { commandCounts, commandSuggestions } from "../../../../src/domain/dream/tasks/commandFrequency.ts"
import { viewOfSession } from "../../../../src/domain/dream/viewOfSession.ts"
import { deny, eventsOf, fail, prompt, read, run } from "../../../support/sessionEvents.ts"

type Steps = Parameters<typeof eventsOf>[0]

const counts = (...steps: ReadonlyArray<Steps>) =>
  commandCounts(viewOfSession(eventsOf([prompt(), ...steps.flat()]))?.steps ?? [])

describe("commands of a session", () => {
  test("runs of one check are one family; tools without a command count by their names", () => {
    expect(
      counts(
        run("bun test a.test.ts"),
        fail("cd x && bun test b.test.ts", "no"),
        deny("git push --force"),
        read("a.ts")
      )
    ).toEqual([
      { family: "bun test", runs: 2, failures: 1, denials: 0 },
      { family: "Read", tool: true, runs: 1, failures: 0, denials: 0 },
      { family: "git push", runs: 0, failures: 0, denials: 1 }
    ])
  })

  test("the most frequent are kept, and every one that was denied", () => {
    const often = Array.from({ length: 45 }, (_, at) => [run(`tool${at}`), run(`tool${at}`)].flat())
    const found = counts(...often, run("rare"), deny("git push"))
    expect(found).toHaveLength(41)
    expect(found.at(-1)?.family).toBe("git push")
  })
})

describe("suggestions", () => {
  const session = (family: string, runs: number, denials: number) => ({
    commands: [{ family, runs, failures: 0, denials }]
  })

  test("three denials and no run: always denied, with the rule that does the same", () => {
    const denied = (sessions: number) => [
      { family: "git push", kind: "always denied" as const, times: 3, sessions, rule: "Bash(git push:*)" }
    ]
    expect(commandSuggestions([session("git push", 0, 2), session("git push", 0, 1)])).toEqual(denied(2))
    expect(commandSuggestions([session("git push", 0, 3)])).toEqual(denied(1))
    const fetches = Array.from({ length: 3 }, () => ({ ...deny("")[0]!, tool: "WebFetch", action: "other" as const }))
    expect(commandSuggestions([{ commands: counts(fetches) }])).toMatchObject([{ rule: "WebFetch", times: 3 }])
    const elsewhere = Array.from({ length: 3 }, () => deny("cd /other && npm test"))
    expect(commandSuggestions([{ commands: counts(run("ls"), ...elsewhere) }])).toEqual([])
    expect(commandSuggestions([session("git push", 0, 1), session("git push", 0, 1)])).toEqual([])
    expect(commandSuggestions([session("git push", 1, 2), session("git push", 0, 3)])).toEqual([])
  })

  test("a check that ran five times in two sessions and was not denied: always allowed; other commands never", () => {
    expect(commandSuggestions([session("bun test", 3, 0), session("bun test", 2, 0)])).toEqual([
      { family: "bun test", kind: "always allowed", times: 5, sessions: 2, rule: "Bash(bun test:*)" }
    ])
    expect(commandSuggestions([session("bun test", 9, 0), session("bun test", 9, 1)])).toEqual([])
    for (const family of ["rm", "git push", "curl", "npm publish"])
      expect(commandSuggestions([session(family, 9, 0), session(family, 9, 0)])).toEqual([])
  })
})
