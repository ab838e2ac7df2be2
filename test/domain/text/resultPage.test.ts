import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import { resultPage } from "../../../src/domain/text/resultPage.ts"
import { tokensAtMost } from "../../../src/domain/text/tokensAtMost.ts"
import { it } from "../../support/effect.ts"

/** Reads on as the notices say, to the end. */
const readAll = (text: string, tokens: number): { readonly pages: ReadonlyArray<string>; readonly whole: string } => {
  const pages: Array<string> = []
  let whole = ""
  for (let from: number | null = 0; from !== null; ) {
    const page: string = resultPage("c1", text, from, tokens)
    pages.push(page)
    const notice: RegExpExecArray | null = /\n\[dd: cut here; .* call read_more with (\{.*\})\]$/.exec(page)
    whole += notice === null ? page : page.slice(0, notice.index)
    from = notice?.[1] === undefined ? null : JSON.parse(notice[1]).from
  }
  return { pages, whole }
}

describe("a result that is too long", () => {
  test("is left as it is where it fits", () => {
    expect(resultPage("c1", "short", 0, 100)).toBe("short")
    expect(resultPage("c1", "", 0, 100)).toBe("")
  })

  test("F17 is cut with a notice of the length and of how to read on", () => {
    expect(resultPage("c1", "x".repeat(1000), 0, 100)).toMatch(
      /^x{350}\n\[dd: cut here; characters 0 to 350 of 1000\. To read on, call read_more with {"call":"c1","from":350}\]$/
    )
  })

  test("is cut after a line where there is one", () => {
    expect(resultPage("c1", `${"a".repeat(300)}\n${"b".repeat(300)}`, 0, 100)).toStartWith(`${"a".repeat(300)}\n\n[dd:`)
  })

  it.prop(
    "is read completely by reading on, a page never more than its tokens",
    Schema.Struct({ text: Schema.String, tokens: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9 })) }),
    ({ text, tokens }) => {
      const { pages, whole } = readAll(text, tokens)
      expect(whole).toBe(text)
      for (const page of pages)
        expect(tokensAtMost(page.replace(/\n\[dd: cut here.*$/, ""))).toBeLessThanOrEqual(tokens + 1)
    }
  )

  test("takes no character apart", () => {
    const { pages } = readAll("😀".repeat(50), 5)
    for (const page of pages) expect(page.isWellFormed()).toBe(true)
  })
})
