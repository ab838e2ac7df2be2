import { describe, expect } from "bun:test"
import { Effect, Terminal } from "effect"
import { lineWidth } from "../../../src/cli/system/terminal.ts"
import { it } from "../../support/effect.ts"

const widthOn = (columns: number, isTerminal = true) =>
  lineWidth(isTerminal).pipe(
    Effect.provideService(
      Terminal.Terminal,
      Terminal.make({
        columns: Effect.succeed(columns),
        rows: Effect.succeed(0),
        size: Effect.die("nobody asks"),
        readInput: Effect.die("nobody types"),
        readLine: Effect.die("nobody types"),
        display: () => Effect.void
      })
    )
  )

describe("a page", () => {
  it.effect("on a terminal is as wide as it, up to a readable width", () =>
    Effect.gen(function* () {
      expect([yield* widthOn(60), yield* widthOn(300)]).toEqual([60, 120])
    })
  )

  it.effect("has no width in a pipe, where a sentence is searched for as a whole", () =>
    Effect.gen(function* () {
      expect(yield* widthOn(60, false)).toBe(Number.POSITIVE_INFINITY)
    })
  )

  it.effect("is 80 if the terminal reports no width, as in many containers", () =>
    Effect.gen(function* () {
      expect(yield* widthOn(0)).toBe(80)
    })
  )
})
