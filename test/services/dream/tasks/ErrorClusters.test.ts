import { describe, expect } from "bun:test"
import { Effect } from "effect"
import type { SessionProfile } from "../../../../src/domain/dream/SessionProfile.ts"
import { viewOfSession } from "../../../../src/domain/dream/viewOfSession.ts"
import { tasks } from "../../../../src/layers/DreamLive.ts"
import { pass } from "../../../support/dreamScores.ts"
import { it } from "../../../support/effect.ts"
import { emptyRepository } from "../../../support/plantedSessions.ts"
import { deny, edit, eventsOf, fail, prompt, run } from "../../../support/sessionEvents.ts"

type Given = Parameters<typeof eventsOf>[0]

const profileOf = (profiles: ReadonlyArray<SessionProfile>, ...parts: ReadonlyArray<Given[number] | Given>) => {
  const session = viewOfSession(eventsOf([prompt(), ...parts].flat()))!
  const input = { session, profiles, artifacts: [], repository: emptyRepository, found: {}, now: 0 }
  return pass(input).pipe(Effect.provide(tasks))
}

const failure = (file: string) => fail("tsc", `Exit code 2\n${file}(3,7): error TS2304: Cannot find name '${file}'.`)

describe("error clusters", () => {
  it.effect("group the same error whatever the names in it, with its files, commands and end", () =>
    Effect.gen(function* () {
      const { clusters } = yield* profileOf([], failure("src/a.ts"), edit("src/a.ts"), failure("src/b.ts"), run("tsc"))
      expect(clusters).toEqual([
        {
          signature: "<path>(<n>,<n>): error TS2304: Cannot find name <q>.",
          trigger: "error:typescript:TS2304",
          ...{ count: 2, firstStep: 1, lastStep: 3, files: ["src/a.ts", "src/b.ts"], commands: ["tsc"], resolved: true }
        }
      ])
    })
  )

  it.effect("leave a single error out, until a second session has it", () =>
    Effect.gen(function* () {
      const first = yield* profileOf([], failure("src/a.ts"))
      expect(first.clusters).toEqual([])
      expect(first.errors).toHaveLength(1)
      const second = yield* profileOf([first], failure("src/b.ts"))
      expect(second.clusters).toMatchObject([{ count: 1, resolved: false }])
    })
  )

  it.effect("are unresolved while the check that failed has not succeeded", () =>
    Effect.gen(function* () {
      const { clusters } = yield* profileOf([], failure("src/a.ts"), failure("src/a.ts"), run("bun test"))
      expect(clusters).toMatchObject([{ count: 2, resolved: false }])
    })
  )

  it.effect("have no denied and no interrupted call", () =>
    Effect.gen(function* () {
      const [begun] = run("tsc")
      const stop = { ...begun!, kind: "tool_fail" as const, interrupted: true as const, error: "Error: stopped" }
      const { clusters, errors } = yield* profileOf([], deny("tsc"), deny("tsc"), begun!, stop)
      expect([...clusters, ...errors]).toEqual([])
    })
  )

  it.effect("are at most twenty, the most frequent first", () =>
    Effect.gen(function* () {
      const names = Array.from({ length: 30 }, (_, at) => "x".repeat(at + 1))
      const all = names.flatMap((name) => [...fail(name, `Error: ${name}`), ...fail(name, `Error: ${name}`)])
      const { clusters } = yield* profileOf([], all, fail("xx", "Error: xx"))
      expect(clusters).toHaveLength(20)
      expect(clusters[0]).toMatchObject({ signature: "Error: xx", count: 3 })
    })
  )
})
