import { describe, expect } from "bun:test"
import { Effect, Terminal } from "effect"
import { lineWidth } from "../../../src/cli/system/terminal.ts"
import { it } from "../../support/effect.ts"

const widthOn = (columns: number) =>
  lineWidth(true).pipe(
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

describe("a page on a terminal", () => {
  it.effect("is as wide as the terminal, up to a readable width", () =>
    Effect.gen(function* () {
      expect([yield* widthOn(60), yield* widthOn(300)]).toEqual([60, 120])
    })
  )

  it.effect("is 80 if the terminal reports no width, as in many containers", () =>
    Effect.gen(function* () {
      expect(yield* widthOn(0)).toBe(80)
    })
  )
})
