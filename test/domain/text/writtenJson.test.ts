import { describe, expect, test } from "bun:test"
import { Option } from "effect"
import { writtenJson } from "../../../src/domain/text/writtenJson.ts"

describe("JSON that a model wrote", () => {
  test("is its value, with a code fence or without", () => {
    expect(writtenJson('{"a":[1,null,"x"]}')).toEqual(Option.some({ a: [1, null, "x"] }))
    expect(writtenJson('```json\n{"a":1}\n```')).toEqual(Option.some({ a: 1 }))
    expect(writtenJson(" 3 ")).toEqual(Option.some(3))
  })

  test("is none where it is cut, is prose, or is nothing", () => {
    for (const text of ['{"a":', "so be it", "", "{'a':1}"]) expect(writtenJson(text)).toEqual(Option.none())
  })

  test("is none where it is too deep to be walked, brackets in strings aside", () => {
    expect(writtenJson("[".repeat(100_000) + "]".repeat(100_000))).toEqual(Option.none())
    expect(Option.isSome(writtenJson(JSON.stringify("[".repeat(1000))))).toBe(true)
    expect(Option.isSome(writtenJson("[".repeat(200) + "]".repeat(200)))).toBe(true)
  })
})
