import { describe, expect } from "bun:test"
import { Option, Schema } from "effect"
import { exactJson, salvage } from "../../../../src/domain/text/json/modelJson.ts"
import { damagedReply, isEmptied, seeded } from "../../../support/damagedReplies.ts"
import { it } from "../../../support/effect.ts"
import { readReply } from "../../../support/readReply.ts"

const found = (text: string): unknown => {
  const outcome = salvage(text)
  return outcome._tag === "Found" ? outcome.value : outcome._tag
}

describe("salvage", () => {
  it("takes the entire text, a fence, or the longest value in prose", () => {
    expect(found(' {"a": 1} ')).toEqual({ a: 1 })
    expect(found('Here:\n```json\n{"a": 1}\n```\nand {"b": "longer than a"}')).toEqual({ a: 1 })
    expect(found('see metadata["sender"] then {"findings": []} ok')).toEqual({ findings: [] })
    expect(found('[1,2] and {"items":[{"x":1}]}')).toEqual({ items: [{ x: 1 }] })
    expect(found('no json, but 42 and "words"')).toBe("Nothing")
  })

  it("finds a value in a code fence, closed or not", () => {
    expect(found('```json\n{"a":1}\n```')).toEqual({ a: 1 })
    expect(found('```\n{"a":1}')).toEqual({ a: 1 })
  })

  it("ignores brackets and quotes inside strings", () => {
    expect(found('x {"a":"} ] \\" {"} y')).toEqual({ a: '} ] " {' })
  })

  it("does not read a value that is nested too deeply, nor a part of it", () => {
    const deep = `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`
    expect(found(deep)).toBe("Nothing")
    expect(found(`Here: ${deep} and {"b": 2}`)).toEqual({ b: 2 })
  })

  it("distinguishes an answer that is an empty list from one in a sentence", () => {
    expect(salvage("[]")).toEqual({ _tag: "Found", value: [], whole: true })
    expect(salvage("I looked at [] and left")).toEqual({ _tag: "Found", value: [], whole: false })
  })

  it("never takes a part of an answer for the answer", () => {
    expect(found('{"review": "x", "coverage": [], "issues": [{"title": "a", "fi')).toBe("CutOff")
    expect(found('```json\n{"issues": [{"files": []}, {"title"')).toBe("CutOff")
    expect(found('The file has\n```json\n{"issues": []}\n```\nbut:\n{"issues": [{"title": "real')).toBe("CutOff")
    expect(found('[{"title": "a"}, {"title": "b')).toBe("CutOff")
  })

  it("does not take code for an answer that was cut off", () => {
    expect(found('fn main() { let x = [\n and then {"a": 1}')).toEqual({ a: 1 })
  })

  it("does not read what a model thought", () => {
    expect(found('<think>maybe {"a": "a long first thought"}</think>{"b": 2}')).toEqual({ b: 2 })
    expect(found('<think>maybe {"a": 1}')).toBe("Nothing")
  })

  it("ends on hostile text", () => {
    expect(found("[".repeat(50_000))).toBe("CutOff")
    expect(found('{"a":'.repeat(20_000))).toBe("CutOff")
    expect(found("```json\n".repeat(20_000))).toBe("Nothing")
    expect(found('"'.repeat(50_000))).toBe("Nothing")
  })

  it.prop(
    "finds an object again in any prose",
    Schema.Struct({ before: Schema.String, key: Schema.String }),
    ({ before, key }) => {
      const prose = before.replace(/[{}[\]"`~<]/g, " ")
      expect(found(`${prose} {"issues": [{"k": ${JSON.stringify(key)}}]} done`)).toEqual({ issues: [{ k: key }] })
    }
  )
})

describe("exactJson", () => {
  it("reads JSON with or without a code fence", () => {
    expect(exactJson('{"a":[1,null,"x"]}')).toEqual(Option.some({ a: [1, null, "x"] }))
    expect(exactJson('```json\n{"a":1}\n```')).toEqual(Option.some({ a: 1 }))
    expect(exactJson(" 3 ")).toEqual(Option.some(3))
  })

  it("reads nothing from text that is cut off, prose or empty", () => {
    for (const text of ['{"a":', "so be it", "", "{'a':1}"]) expect(exactJson(text)).toEqual(Option.none())
  })

  it("does not read a value that is nested too deeply; brackets in strings do not count", () => {
    expect(exactJson("[".repeat(100_000) + "]".repeat(100_000))).toEqual(Option.none())
    expect(Option.isSome(exactJson(JSON.stringify("[".repeat(1000))))).toBe(true)
    expect(Option.isSome(exactJson("[".repeat(200) + "]".repeat(200)))).toBe(true)
  })
})

describe("replies that were damaged on the way", () => {
  it("are read, repaired or refused, and never lose a finding without a report", () => {
    const random = seeded(20_261_121)
    const seen = new Set<string>()
    for (let n = 0; n < 400; n++) {
      const reply = damagedReply(random)
      const read = readReply(reply.task, reply.text)
      seen.add(read.outcome)
      if (reply.isWhole) expect([reply.text, read.outcome]).toEqual([reply.text, "read"])
      expect([reply.text, isEmptied(read, reply)]).toEqual([reply.text, false])
    }
    expect([...seen].sort()).toEqual(["cut off", "nothing", "read", "unfit"])
  })
})
