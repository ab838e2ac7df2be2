import { describe, expect } from "bun:test"
import { Schema } from "effect"
import { tokenEstimate } from "../../src/domain/text/tokenEstimate.ts"
import { cutToTokens, notesWithin } from "../../src/prompts/tokenBudget.ts"
import { it } from "../support/effect.ts"

const note = (path: string, words: number) => ({ path, text: "word \n".repeat(words) })

describe("room", () => {
  it("shows the nearest notes first, cuts what is long and names what found no room", () => {
    const { left, notes } = notesWithin(
      [note("near.md", 300), note("long.md", 3_000), note("far.md", 300)],
      1_500,
      1_000
    )
    expect(notes.map(({ path, left }) => [path, left > 0])).toEqual([
      ["near.md", false],
      ["long.md", true]
    ])
    expect(left).toEqual(["far.md"])
  })

  it("cuts inside where one line is all there is", () => {
    const { left, text } = cutToTokens("x".repeat(10_000), 100)
    expect(text.length).toBe(300)
    expect(left).toBe(9_700)
  })

  it.prop("never loses count of what it leaves out", Schema.String, (text) => {
    const many = `${text}\nmore words\n`.repeat(50)
    const cut = cutToTokens(many, 60)
    expect(many.startsWith(cut.text)).toBe(true)
    expect(many.length - cut.left).toBeGreaterThanOrEqual(cut.text.length)
    expect(tokenEstimate(cut.text)).toBeLessThanOrEqual(200)
  })
})
