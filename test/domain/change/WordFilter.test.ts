import { describe, expect } from "bun:test"
import { Schema } from "effect"
import { mayHave, wantedWords, wordFilter } from "../../../src/domain/change/WordFilter.ts"
import { it } from "../../support/effect.ts"

const filterOf = (text: string) => wordFilter(new TextEncoder().encode(text))
const Words = Schema.Array(Schema.Literals(["port", "open", "größe", "_x1", "a", "HTTP", "0x8f", "MAX_LENGTH"]))

describe("the filter of a text's words", () => {
  it.prop("misses no word of the text", Words, (words) => {
    const filter = filterOf(words.join(" + "))
    expect(words.filter((word) => !mayHave(filter, wantedWords(word)))).toEqual([])
    expect(mayHave(filter, wantedWords(words.join(".")))).toBe(true)
  })

  it("finds no more than one in a hundred words that the text does not have", () => {
    const filter = filterOf(Array.from({ length: 1000 }, (_, index) => `word${index}`).join("\n"))
    const others = Array.from({ length: 2000 }, (_, index) => `other${index}`)
    expect(others.filter((word) => mayHave(filter, wantedWords(word))).length).toBeLessThan(20)
    expect(filter.length).toBe(2000)
  })

  it("takes a part of a word for another word, and needs every word of a text", () => {
    const filter = filterOf("server.test(port_2)")
    const has = (text: string) => mayHave(filter, wantedWords(text))
    expect(["server.test", "port_2", "test-server"].map(has)).toEqual([true, true, true])
    expect(["serve", "port", "server.tests"].map(has)).toEqual([false, false, false])
  })

  it("excludes nothing for a text without words, and everything in an empty text", () => {
    expect(mayHave(filterOf("port"), wantedWords("=>"))).toBe(true)
    expect(mayHave(filterOf(""), wantedWords("port"))).toBe(false)
  })
})
