import { describe, expect, test } from "bun:test"
import { Schema } from "effect"
import { atOnce } from "../../../../src/domain/system/Steps.ts"
import { type JoinedTexts, mentioning, places } from "../../../../src/layers/change/sources/JoinedTexts.ts"
import { it } from "../../../support/effect.ts"

/** What stands between texts has words in it, and would be one with those at their edges. */
const join = (texts: Readonly<Record<string, string>>): JoinedTexts => {
  let bytes = Buffer.from("")
  const spans = Object.entries(texts).map(([name, text]) => {
    const before = Buffer.concat([bytes, Buffer.from(`${name} blob a`)])
    bytes = Buffer.concat([before, Buffer.from(text), Buffer.from("b ")])
    return { name, from: before.length, to: bytes.length - 2 }
  })
  return { bytes, spans }
}

/** The same, in the plainest way. */
const verified = (text: string, word: string): ReadonlyArray<{ line: number; word: string }> =>
  text.split("\n").flatMap((line, at) => {
    const found = [...line.matchAll(new RegExp(RegExp.escape(word), "g"))].filter(
      ({ index }) => !/^\w/.test(line.slice(index + word.length)) && !/\w$/.test(line.slice(0, index))
    )
    return found.map(() => ({ line: at + 1, word }))
  })

const alone = (words: ReadonlyArray<string>) => words.map((word) => ({ words: [word], enough: 1 }))

describe("words in joined texts", () => {
  test("are found where no letter, digit or underscore is next to them", () => {
    const texts = join({
      a: "port\nreport port_ 2port\n(port)",
      b: "ports",
      c: "x\nis_open? is_open is_open?y\n",
      d: "größe größer",
      e: ""
    })
    expect([...atOnce(mentioning(texts, ["port"]))]).toEqual(["a"])
    expect([...atOnce(mentioning(texts, ["is_open?", "größe"]))]).toEqual(["c", "d"])
    expect(atOnce(places(texts, alone(["port", "is_open?", "größe"])))).toEqual(
      new Map([
        [
          "a",
          [
            { word: "port", line: 1 },
            { word: "port", line: 3 }
          ]
        ],
        ["c", [{ word: "is_open?", line: 2 }]],
        ["d", [{ word: "größe", line: 1 }]]
      ])
    )
  })

  test("are not found between the texts, nor across their edges", () => {
    const texts = join({ one: "x", two: "y" })
    expect([...atOnce(mentioning(texts, ["one", "blob", "a", "x\n", "", "\0"]))]).toEqual([])
    expect([...atOnce(mentioning(texts, ["x", "y"]))]).toEqual(["one", "two"])
  })

  test("are given for texts that have enough of a group, and of that group alone", () => {
    const texts = join({ a: "red green\nblue", b: "red", c: "green blue\nown", d: "own" })
    const groups = [
      { words: ["red", "green", "blue"], enough: 2 },
      { words: ["own"], enough: 1 }
    ]
    const found = atOnce(places(texts, groups))
    expect([...found.keys()].sort()).toEqual(["a", "c", "d"])
    expect(found.get("a")?.map(({ line, word }) => `${word}:${line}`)).toEqual(["red:1", "green:1", "blue:2"])
    expect(found.get("c")?.map(({ word }) => word)).toEqual(["green", "blue", "own"])
  })

  const piece = Schema.Literals(["a", "b", "ab", "_", "-", " ", "\n", "é", "a-b", "1"])
  it.prop("are the same as those of each text by itself", Schema.Array(Schema.Array(piece)), (pieces) => {
    const words = ["a", "b", "ab", "a-b", "é", "a1", "-"]
    const texts = Object.fromEntries(pieces.map((each, at) => [`t${at}`, each.join("")]))
    const joined = join(texts)
    const sorted = (found: ReadonlyArray<{ line: number; word: string }>) =>
      found.map(({ line, word }) => `${line} ${word}`).sort()
    const expected = Object.entries(texts).flatMap(([name, text]) => {
      const found = words.flatMap((word) => verified(text, word))
      return found.length === 0 ? [] : [[name, sorted(found)] as const]
    })
    const found = [...atOnce(places(joined, alone(words)))].map(([name, found]) => [name, sorted(found)] as const)
    expect(new Map(found)).toEqual(new Map(expected))
    expect(atOnce(mentioning(joined, words))).toEqual(new Set(expected.map(([name]) => name)))
  })
})
