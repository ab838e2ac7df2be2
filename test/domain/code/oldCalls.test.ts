import { describe, expect } from "bun:test"
import { Schema } from "effect"
import { isOldCall, mayHaveOldCalls } from "../../../src/domain/code/oldCalls.ts"
import type { Definition, Parameter } from "../../../src/domain/code/Symbol.ts"
import { it } from "../../support/effect.ts"

const definition = (parameters: ReadonlyArray<Parameter>, strict = true): Definition => ({
  name: "f",
  kind: "function",
  container: null,
  signature: { parameters, async: false, strict },
  line: 1,
  endLine: 1,
  shape: ""
})
const change = (before: Definition, after: Definition) => ({
  _tag: "Signature" as const,
  name: "f",
  container: null,
  before,
  after
})
/** `a b?`: two positional parameters, the second optional. */
const written = (text: string): Definition =>
  definition(
    text
      .split(" ")
      .filter((name) => name !== "")
      .map((name) => ({ name: name.replace("?", ""), kind: "positional", required: !name.endsWith("?") }))
  )
const changed = (before: string, after: string) => change(written(before), written(after))
const call = (positional: number, keywords: ReadonlyArray<string> = [], spread = false) => ({
  positional,
  keywords,
  spread
})

describe("a call is old", () => {
  it("when it fitted and does not fit any more", () => {
    expect(isOldCall(changed("a", "a b"), call(1), true)).toBe(true)
    expect(isOldCall(changed("a b", "a"), call(2), true)).toBe(true)
    expect(isOldCall(changed("a", "c"), call(0, ["a"]), true)).toBe(true)
  })
  it("when its arguments reach other parameters", () => {
    expect(isOldCall(changed("a b", "b a"), call(2), true)).toBe(true)
    expect(isOldCall(changed("a b?", "x? a? b?"), call(1), false)).toBe(true)
  })
  it("but not when it never fitted, still fits, or cannot be counted", () => {
    expect(isOldCall(changed("a", "a b"), call(3), true)).toBe(false)
    expect(isOldCall(changed("a", "a b?"), call(1), true)).toBe(false)
    expect(isOldCall(changed("a", "c"), call(1), true)).toBe(false)
    expect(isOldCall(changed("a", "a b"), call(1, [], true), true)).toBe(false)
    expect(isOldCall(changed("a", "a b"), call(1), false)).toBe(false)
  })
})

describe("old calls are looked for", () => {
  it("where one may be", () => {
    expect(mayHaveOldCalls(changed("a", "c"))).toBe(true)
    expect(mayHaveOldCalls(changed("a", "a b"))).toBe(true)
    expect(mayHaveOldCalls(changed("a b", "b a"))).toBe(true)
    expect(mayHaveOldCalls(changed("a b?", "a b"))).toBe(true)
    expect(mayHaveOldCalls(changed("a b", "a"))).toBe(true)
  })
  it("where a new optional parameter takes what a rest took", () => {
    const rest: ReadonlyArray<Parameter> = [
      { name: "rest", kind: "rest", required: false },
      { name: "others", kind: "keywords", required: false }
    ]
    const [a, b] = ["a", "b"].map((name): Parameter => ({ name, kind: "positional", required: name === "a" }))
    if (a === undefined || b === undefined) throw new Error("two parameters")
    const contract = change(definition([a, ...rest]), definition([a, ...rest, b]))
    expect(isOldCall(contract, call(2, ["b"]), true)).toBe(true)
    expect(mayHaveOldCalls(contract)).toBe(true)
  })
  it("not where every call goes on as before", () => {
    expect(mayHaveOldCalls(changed("a", "a"))).toBe(false)
    expect(mayHaveOldCalls(changed("a", "a b? c?"))).toBe(false)
  })

  const Parameters = Schema.Array(
    Schema.Struct({
      name: Schema.Literals(["a", "b", "c"]),
      kind: Schema.Literals(["positional-only", "positional", "keyword", "rest", "keywords"]),
      required: Schema.Boolean
    })
  )
  const distinct = (parameters: ReadonlyArray<Parameter>) =>
    parameters.filter(({ name }, at) => parameters.findIndex((each) => each.name === name) === at)
  it.prop(
    "wherever one is",
    Schema.Struct({ before: Parameters, more: Parameters, cut: Schema.Boolean, strict: Schema.Boolean }),
    ({ before, cut, more, strict }) => {
      const were = distinct(before)
      const are = distinct(cut ? more : [...before, ...more])
      const contract = change(definition(were, strict), definition(are, strict))
      if (mayHaveOldCalls(contract)) return
      for (const positional of [0, 1, 2, 3, 4]) {
        for (const keywords of [[], ["a"], ["b"], ["c"], ["a", "b"], ["b", "c"], ["a", "b", "c"]]) {
          for (const isStrict of [true, false]) {
            expect(isOldCall(contract, call(positional, keywords), isStrict)).toBe(false)
          }
        }
      }
    }
  )
})
