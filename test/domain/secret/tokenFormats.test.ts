import { describe, expect, test } from "bun:test"
import { plainRedaction } from "../../../src/domain/secret/Redaction.ts"
import { tokenFormats } from "../../../src/domain/secret/tokenFormats.ts"
import { sampleOf } from "../../support/sampleOf.ts"

describe("the forms of tokens", () => {
  test("each have a sample that needs the prefix it is looked for by", () => {
    for (const { pattern, prefix } of tokenFormats) {
      const sample = sampleOf(pattern)
      expect([pattern, sample.includes(prefix), new RegExp(pattern.source).exec(sample)?.[0]]).toEqual([
        pattern,
        true,
        sample
      ])
    }
  })

  test("are hidden completely, in words, in quotes and alone", () => {
    const hidden = "[REDACTED_API_KEY]"
    for (const { pattern } of tokenFormats) {
      const sample = sampleOf(pattern)
      const texts = [`use ${sample} now`, `f("${sample}")`, sample].map(plainRedaction.text)
      expect([pattern, ...texts]).toEqual([pattern, `use ${hidden} now`, `f("${hidden}")`, hidden])
    }
  })
})
