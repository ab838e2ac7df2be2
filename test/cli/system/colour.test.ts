import { describe, expect, test } from "bun:test"
import { coloursOf, isColoured } from "../../../src/cli/system/colour.ts"

const onBoth = () => true
const onNone = () => false
const shown = (args: ReadonlyArray<string>, environment: Readonly<Record<string, string>>, isTerminal = onBoth) =>
  isColoured(coloursOf(args, environment, isTerminal), 1)

describe("colours", () => {
  test("are shown on a terminal that is not dumb, and nowhere else", () => {
    expect(shown([], {})).toBe(true)
    expect(shown([], { TERM: "dumb" })).toBe(false)
    expect(shown([], {}, onNone)).toBe(false)
  })

  test("are decided for standard output and standard error each", () => {
    const colours = coloursOf([], {}, (descriptor) => descriptor === 2)
    expect([isColoured(colours, 1), isColoured(colours, 2)]).toEqual([false, true])
  })

  test("follow the flag, then NO_COLOR, then CLICOLOR_FORCE, then the terminal", () => {
    const all = { NO_COLOR: "1", CLICOLOR_FORCE: "1" }
    expect(shown(["review", "--color", "always"], all, onNone)).toBe(true)
    expect(shown(["--color=never", "review"], { CLICOLOR_FORCE: "1" })).toBe(false)
    expect(shown(["review", "--no-color"], { CLICOLOR_FORCE: "1" })).toBe(false)
    expect(shown([], all)).toBe(false)
    expect(shown([], { CLICOLOR_FORCE: "1", TERM: "dumb" }, onNone)).toBe(true)
    expect(shown([], { FORCE_COLOR: "1" }, onNone)).toBe(true)
    expect(shown(["--color", "auto"], { NO_COLOR: "1" })).toBe(true)
  })

  test("ignore variables that are empty, 0 or false, and words after --", () => {
    expect(shown([], { NO_COLOR: "" })).toBe(true)
    for (const value of ["", "0", "false"]) expect(shown([], { CLICOLOR_FORCE: value }, onNone)).toBe(false)
    expect(shown(["ask", "--", "--color=always"], {}, onNone)).toBe(false)
  })
})
