import { describe, expect, test } from "bun:test"
import { messageText, warningsOf } from "../../../src/cli/system/messages.ts"

describe("a message on standard error", () => {
  test("is one line outside of a terminal, however long", () => {
    const words = "the file cannot be read ".repeat(20).trim()
    expect(messageText("error", words, { colour: false, width: null })).toBe(`dd: error: ${words}\n`)
  })

  test("breaks between words on a terminal, after the width of its prefix", () => {
    expect(messageText("warning", "one two three four", { colour: false, width: 36 })).toBe(
      "dd: warning: one two three four\n"
    )
    expect(messageText("error", "one two three four five six", { colour: false, width: 31 })).toBe(
      "dd: error: one two three four\n           five six\n"
    )
  })

  test("has a red error and a yellow warning", () => {
    expect(messageText("error", "no", { colour: true, width: null })).toBe("dd: \x1b[1;31merror:\x1b[0m no\n")
    expect(messageText("warning", "no", { colour: true, width: null })).toBe("dd: \x1b[1;33mwarning:\x1b[0m no\n")
  })

  test("is one message for each line of the text", () => {
    expect(messageText("error", "a\nb", { colour: false, width: null })).toBe("dd: error: a\ndd: error: b\n")
  })
})

describe("equal warnings", () => {
  test("are one line with a count and their steps in words, in the order of the first", () => {
    const printed: Array<string> = []
    const { flush, warn } = warningsOf((text) => void printed.push(text))
    for (const text of ["a", "b", "a"]) warn(text, null)
    for (const step of ["intent", "parse", "intent"]) warn("down", step)
    expect(printed).toEqual([])
    flush()
    expect(printed).toEqual(["a (2 times)\nb\nreading the purpose of the change, reading the reviews: down (3 times)"])
    warn("a", null)
    flush()
    expect(printed).toHaveLength(1)
  })
})
