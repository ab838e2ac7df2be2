import { describe, expect } from "bun:test"
import { Effect, Exit, Layer } from "effect"
import * as Re2 from "../../../../src/layers/finding/patterns/Re2.ts"
import { LinePatterns } from "../../../../src/services/finding/LinePatterns.ts"
import { it } from "../../../support/effect.ts"
import { slowClock } from "../../../support/slowClock.ts"

const compile = (pattern: string, owner = "user") => LinePatterns.use((patterns) => patterns.compile(pattern, owner))

describe("users' patterns", () => {
  it.effect("are found anywhere in a line", () =>
    Effect.gen(function* () {
      const search = yield* compile("\\blegacy_client\\.(get|post)\\(")
      expect([search("x = legacy_client.get(1)"), search("legacy_clients.get(1)"), search("")]).toEqual([
        true,
        false,
        false
      ])
    }).pipe(Effect.provide(Re2.layer))
  )

  it.effect("cost the same on a line that would keep a backtracking engine busy for years", () =>
    Effect.gen(function* () {
      for (const pattern of ["(x+x+)+y", "^(a|a)*$", "(.*)*b", "(x|xx)+y"]) {
        const search = yield* compile(pattern)
        expect(search(`${"x".repeat(4_000)}!`)).toBe(false)
      }
    }).pipe(Effect.provide(Re2.layer))
  )

  it.effect("are refused when they are no pattern, with what to write instead", () =>
    Effect.gen(function* () {
      const reason = (pattern: string) => Effect.map(Effect.flip(compile(pattern)), ({ message }) => message)
      expect(yield* reason("(a")).toContain("missing closing )")
      expect(yield* reason("a(?=b)")).toContain("use unless")
      expect(yield* reason("(a)\\1")).toContain("no backreferences")
      expect(yield* reason("(a{100}){100}")).toContain("invalid repeat count")
      expect(yield* reason("a{900}")).toContain("add up to more than 200")
      expect(yield* reason("(?i)\\pL{190}".repeat(1) + "[a-z]?".repeat(500))).toContain("too large")
    }).pipe(Effect.provide(Re2.layer))
  )

  it.effect("share an allowance with their owner's other patterns, not with another's", () =>
    Effect.gen(function* () {
      const [one, two, other] = [yield* compile("a", "repo"), yield* compile("b", "repo"), yield* compile("c", "user")]
      for (let i = 0; i < 3; i++) one("a")
      expect(() => two("b")).toThrow(/more than 1000 ms/)
      expect(other("c")).toBe(true)
    }).pipe(Effect.provide(Re2.layer.pipe(Layer.provide(slowClock(400)))))
  )

  it.effect("are looked for in the beginning of a line that is too long", () =>
    Effect.gen(function* () {
      const search = yield* compile("end$")
      expect(search(`${"x".repeat(100_000)}end`)).toBe(false)
      expect(Exit.isSuccess(yield* Effect.exit(compile("x")))).toBe(true)
    }).pipe(Effect.provide(Re2.layer))
  )
})
