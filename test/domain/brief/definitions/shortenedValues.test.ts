import { describe, expect, test } from "bun:test"
import { shortenedValues } from "../../../../src/domain/brief/definitions/shortenedValues.ts"

describe("the values of a change", () => {
  test("are whole if they are short", () => {
    const change = { before: '"a  b"', after: null }
    expect(shortenedValues(change)).toEqual(change)
  })

  test("show their first difference, and where they are cut", () => {
    const text = "word ".repeat(30)
    const { after, before } = shortenedValues({ before: `${text}one`, after: `${text}two ${text}` })
    expect(before).toBe("…word word word word one")
    expect(after).toBe(`…word word word word two ${text}`.slice(0, 79).concat("…"))
    expect(shortenedValues({ before: `1 ${text}`, after: "2" }).before).toBe(`1 ${text}`.slice(0, 79).concat("…"))
  })
})
