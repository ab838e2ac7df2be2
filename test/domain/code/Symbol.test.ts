import { describe, expect } from "bun:test"
import { Schema } from "effect"
import { type CallShape, fits, type Parameter, type Signature, wordPlaces } from "../../../src/domain/code/Symbol.ts"
import { it } from "../../support/effect.ts"

const parameter = (name: string, over: Partial<Parameter> = {}): Parameter => ({
  name,
  kind: "positional",
  required: true,
  ...over
})
const signature = (...parameters: ReadonlyArray<Parameter>): Signature => ({ parameters, async: false, strict: true })
const call = (positional: number, ...keywords: ReadonlyArray<string>): CallShape => ({
  positional,
  keywords,
  spread: false
})

describe("a call fits", () => {
  const takes = signature(
    parameter("a", { kind: "positional-only" }),
    parameter("b"),
    parameter("c", { required: false }),
    parameter("k", { kind: "keyword" })
  )
  it("when each required parameter gets a value, by place or by name", () => {
    expect(fits(takes, call(2, "k"))).toBe(true)
    expect(fits(takes, call(3, "k"))).toBe(true)
    expect(fits(takes, call(1, "b", "k"))).toBe(true)
  })
  it("not with one missing, one too many, one twice, an unknown name or a name that has only a place", () => {
    for (const wrong of [call(2), call(4, "k"), call(2, "b", "k"), call(2, "k", "x"), call(0, "a", "b", "k")]) {
      expect(fits(takes, wrong)).toBe(false)
    }
  })
  it("with anything more where the function takes the rest", () => {
    const rest = signature(
      parameter("a"),
      parameter("r", { kind: "rest", required: false }),
      parameter("kw", { kind: "keywords", required: false })
    )
    expect(fits(rest, call(5, "x", "y"))).toBe(true)
    expect(fits(rest, call(0, "x"))).toBe(false)
  })
  it("with more than is requested where the language does not mind", () => {
    expect(fits({ ...signature(), strict: false }, call(3))).toBe(true)
  })

  const Names = Schema.Array(Schema.Literals(["a", "b", "c", "d"]))
  it.prop(
    "still, when an optional parameter is added at the end",
    Schema.Tuple([Names, Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5 })), Names]),
    ([names, positional, keywords]) => {
      const before = signature(...[...new Set(names)].map((name) => parameter(name)))
      const after = signature(...before.parameters, parameter("added", { required: false }))
      const shape = call(positional, ...new Set(keywords))
      if (fits(before, shape)) expect(fits(after, shape)).toBe(true)
    }
  )
  it.prop("whatever it is, when it spreads its arguments", Names, (names) => {
    const any = signature(...names.map((name) => parameter(name)))
    expect(fits(any, { ...call(0), spread: true })).toBe(true)
  })
})

describe("wordPlaces", () => {
  it("finds complete words only", () => {
    expect(wordPlaces("total subtotal total_ x.total", "total")).toEqual([0, 24])
    expect(wordPlaces("$a a $a", "a")).toEqual([3])
    expect(wordPlaces("größe größ", "größ")).toEqual([6])
    expect(wordPlaces("", "a")).toEqual([])
    expect(wordPlaces("abc", "")).toEqual([])
  })
  it.prop("returns only places where the word occurs", Schema.String, (text) => {
    for (const at of wordPlaces(`${text} word ${text}`, "word")) {
      expect(`${text} word ${text}`.slice(at, at + 4)).toBe("word")
    }
  })
})
