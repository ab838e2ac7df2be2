import { describe, expect } from "bun:test"
import { type Format, formats, render } from "../../../../src/cli/review/render/Format.ts"
import { Presentable } from "../../../../src/cli/review/render/Presentable.ts"
import { plainRedaction } from "../../../../src/domain/secret/Redaction.ts"
import { countedReads } from "../../../support/countedReads.ts"
import { it } from "../../../support/effect.ts"
import { hostileResult, hostileSources } from "../../../support/hostileReview.ts"
import { hostileText, unsafe } from "../../../support/hostileText.ts"
import { cleanResult, present, sampleContext, sampleResult, sampleSources } from "../../../support/sampleReview.ts"

/** What no report may contain unless it has colour. */
const steering = /[\x00-\x09\x0b-\x1f\x7f-\x9f]/

describe("every format", () => {
  for (const format of formats) {
    it.prop(
      `${format} sends no control byte into a pipe, whatever text the repository contains`,
      hostileText,
      (pieces) => {
        const text = pieces.join("")
        for (const all of [false, true]) {
          const review = Presentable.of(hostileResult(text), hostileSources(text), plainRedaction.text)
          const report = render(format, review, { ...sampleContext, all })
          // The runner reads the exact path of a workflow command.
          const shown = format === "github" ? report.replaceAll(/(?<=^::\w+ )file=[^,]*/gm, "") : report
          for (const each of [shown, render(format, review, { ...sampleContext, all, isTerminal: true })]) {
            expect(each).not.toMatch(steering)
            expect(each).not.toMatch(unsafe)
          }
        }
      }
    )

    it(`${format} writes the same bytes for the same review`, () => {
      expect(render(format, present(sampleResult), sampleContext)).toBe(
        render(format, present(structuredClone(sampleResult)), sampleContext)
      )
    })

    it(`${format} shows no credential, wherever it is`, () => {
      const key = `AKIA${"Q7R2T9W4X6Y1Z3B5"}`
      const spoken = `the key ${key} is in the source`
      const result = {
        ...hostileResult(spoken),
        findings: [
          { ...hostileResult(spoken).findings[0]!, file: "a.py", rule: "x/y", stack: "python", line: 1, endLine: 1 }
        ]
      }
      const ofWords = {
        ...result,
        suppressed: [],
        dropped: result.dropped,
        stacks: [],
        coverage: sampleResult.coverage
      }
      const clean = {
        ...ofWords,
        dropped: ofWords.dropped.map((one) => ({
          ...one,
          record: { ...one.record, file: "a.py", rule: "x/y" },
          stack: "go"
        })),
        degraded: [{ step: "intent", error: "BackendFailed", detail: spoken }]
      }
      const sources = new Map([["a.py", [`KEY = "${key}"`]]])
      for (const all of [false, true]) {
        const report = render(format, Presentable.of(clean, sources, plainRedaction.text), { ...sampleContext, all })
        expect(report).not.toContain(key)
      }
    })

    it(`${format} ends with a newline, or reports nothing`, () => {
      for (const result of [sampleResult, cleanResult]) {
        const report = render(format, present(result), sampleContext)
        expect(report === "" || (report.endsWith("\n") && !report.endsWith("\n\n"))).toBe(true)
      }
    })
  }

  it("writes a review of twice the findings and files with twice the work", () => {
    const readsOf = (format: Format, count: number) => {
      const findings = Array.from({ length: count }, (_, index) => ({
        ...sampleResult.findings[index % 7]!,
        id: index + 1
      }))
      const files = Array.from({ length: count }, (_, index) => ({
        path: `src/${index}.ts`,
        status: "skipped" as const,
        reason: `reason ${index % 1000}`
      }))
      const coverage = { filesInDiff: count, filesReviewed: 0, files }
      const { byteColumn, code, exact, result } = present({ ...sampleResult, findings, coverage }, sampleSources)
      const counted = countedReads(result)
      const countedExact = countedReads(exact())
      render(format, { byteColumn, code, result: counted.value, exact: () => countedExact.value }, sampleContext)
      return counted.reads() + countedExact.reads()
    }
    for (const format of formats) expect(readsOf(format, 800)).toBeLessThan(2.5 * readsOf(format, 400))
  })
})
