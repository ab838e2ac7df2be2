import { describe, expect } from "bun:test"
import { renderGitHub } from "../../../../src/cli/review/render/GitHub.ts"
import type { Brief } from "../../../../src/domain/brief/Brief.ts"
import type { Finding } from "../../../../src/domain/finding/Finding.ts"
import { emptyBrief } from "../../../support/briefs.ts"
import { it } from "../../../support/effect.ts"
import { hostileResult } from "../../../support/hostileReview.ts"
import { hostileText } from "../../../support/hostileText.ts"
import { cleanResult, present, sampleContext, sampleResult } from "../../../support/sampleReview.ts"

const hostileBrief = (text: string): Brief => ({
  ...emptyBrief,
  definitions: [
    {
      change: "signature",
      kind: "function",
      name: text,
      file: text === "" ? "x" : text,
      line: 1,
      before: text,
      after: text,
      public: true
    }
  ]
})

const unescaped = (text: string) => text.replace(/%(25|0A|0D|3A|2C)/g, (hex) => decodeURIComponent(hex))

/** As the runner reads a line: the command up to the first `::` behind it, properties split at commas. */
const commandOf = (line: string) => {
  const [, command = "", properties = "", message = ""] = /^::(error|warning|notice) (.*?)::(.*)$/s.exec(line) ?? []
  const entries = properties.split(",").map((property) => {
    const at = property.indexOf("=")
    return [property.slice(0, at), unescaped(property.slice(at + 1))]
  })
  return { command, properties: Object.fromEntries(entries), message: unescaped(message) }
}

/** What the runner documents for an annotation. */
const propertyNames = ["title", "file", "line", "endLine", "col", "endColumn"]

/**
 * What of the log breaks the documented rules. The runner reads a command where `::` is first in a line after white space, and, in a line
 * without one, where `##[` is anywhere.
 */
const breachesOf = (log: string): ReadonlyArray<string> => {
  let depth = 0
  return log.split(/\r\n|[\n\r]/).flatMap((line) => {
    if (!line.trimStart().startsWith("::")) return line.includes("##[") ? [`old command: ${line}`] : []
    if (line === "::endgroup::") return --depth < 0 ? [`no group: ${line}`] : []
    if (/^::group::[^:%]+$/.test(line)) return ++depth > 1 ? [`group in a group: ${line}`] : []
    const [, properties = "", message = ""] = /^::(?:error|warning|notice) ([^:]+)::(.+)$/s.exec(line) ?? []
    const pairs = properties.split(",").map((pair) => pair.split(/=(.*)/s))
    const named = Object.fromEntries(pairs)
    return [
      ...(message === "" ? [`no annotation: ${line}`] : []),
      ...(depth > 0 ? [`annotation in a group: ${line}`] : []),
      ...(/%(?!25|0A|0D)/.test(message) ? [`escape: ${message}`] : []),
      ...pairs.flatMap(([name = "", value = ""]) => [
        ...(propertyNames.includes(name) ? [] : [`property: ${name}`]),
        ...(value === "" || /%(?!25|0A|0D|3A|2C)/.test(value) ? [`value: ${name}=${value}`] : []),
        ...(/^(?:line|endLine|col|endColumn)$/.test(name) && !/^[1-9]\d*$/.test(value) ? [`number: ${value}`] : [])
      ]),
      ...(Object.keys(named).length < pairs.length ? [`twice: ${properties}`] : []),
      ...("col" in named && named.line !== named.endLine ? [`columns of several lines: ${properties}`] : [])
    ]
  })
}

const commands = (result = sampleResult) =>
  renderGitHub(present(result), sampleContext).trimEnd().split("\n").map(commandOf)

describe("the workflow commands", () => {
  it("place an annotation at each finding, with a level by severity", () => {
    const [summary, first, ...others] = commands()
    expect(summary?.command).toBe("notice")
    expect(summary?.message).toContain("7 findings in 5 files: 3 high, 3 medium, 1 low.")
    expect(first).toEqual({
      command: "error",
      properties: {
        file: "billing/invoice.py",
        line: "42",
        endLine: "42",
        title: "A default argument is shared by all calls"
      },
      message: expect.stringContaining("\nFix: Use None as the default")
    })
    expect(others.slice(0, 6).map(({ command }) => command)).toEqual(
      "error error warning warning warning notice".split(" ")
    )
  })

  it("are followed by what was suppressed, which is in the log only", () => {
    expect(renderGitHub(present(sampleResult), sampleContext).trimEnd().split("\n").slice(-3)).toEqual([
      "::group::Suppressed (1 finding)",
      "8: billing/report.py:9 meta/debug-print, by billing/report.py:8 (added by this change): the report is printed on purpose",
      "::endgroup::"
    ])
  })

  it("have the columns of a finding on one line", () => {
    const at = (place: Partial<Finding>) =>
      commands({ ...sampleResult, findings: [{ ...sampleResult.findings[0]!, ...place }] })[1]?.properties
    expect(at({ column: 5, endColumn: 9 })).toMatchObject({ line: "42", col: "5", endColumn: "9" })
    expect(at({ column: 5, endColumn: 9, endLine: 44 })).not.toHaveProperty("col")
    expect(at({})).not.toHaveProperty("col")
  })

  it("escape what the runner would read as syntax", () => {
    const odd: Finding = {
      ...sampleResult.findings[0]!,
      file: "a,b:c%.py",
      title: "50%, or: less",
      line: 0,
      endLine: 0
    }
    const line = renderGitHub(present({ ...sampleResult, findings: [odd] }), sampleContext).split("\n")[1]
    expect(line).toStartWith("::error file=a%2Cb%3Ac%25.py,title=50%25%2C or%3A less::")
    expect(commandOf(line ?? "").properties).toEqual({ file: "a,b:c%.py", title: "50%, or: less" })
  })

  it.prop("are one command for each finding, whatever text the repository contains", hostileText, (pieces) => {
    const lines = renderGitHub(present(hostileResult(pieces.join(""))), sampleContext)
      .trimEnd()
      .split("\n")
    expect(lines).toHaveLength(6)
    expect([lines[3], lines[5]]).toEqual(["::group::Suppressed (1 finding)", "::endgroup::"])
    expect(lines[4]).toMatch(/^1: /)
    expect(lines[4]).not.toContain("##[")
    for (const line of lines.slice(0, 3)) {
      expect(line).toMatch(/^::(error|warning|notice) /)
      expect(Object.keys(commandOf(line).properties).every((name) => /^(file|line|endLine|title)$/.test(name))).toBe(
        true
      )
    }
  })

  it("follow the documented rules", () => {
    expect(breachesOf(renderGitHub(present(sampleResult), sampleContext))).toEqual([])
    expect(breachesOf(renderGitHub(present(cleanResult), sampleContext))).toEqual([])
  })

  it.prop("follow them whatever text the repository contains", hostileText, (pieces) => {
    const result = { ...hostileResult(pieces.join("")), brief: hostileBrief(pieces.join("")) }
    for (const all of [false, true])
      expect(breachesOf(renderGitHub(present(result), { ...sampleContext, all }))).toEqual([])
  })

  it("follow them in a large review of hostile text", () => {
    const text = "::error file=x::y\n::endgroup::\r\n##[error]100%0A, a:b"
    const { findings, suppressed, ...rest } = hostileResult(text)
    const repeated = <A>(each: A, count: number) => Array.from({ length: count }, () => each)
    const large = {
      ...rest,
      brief: hostileBrief(text),
      findings: repeated({ ...findings[0]!, line: 7, endLine: 7, column: 3, endColumn: 9 }, 2_000),
      suppressed: repeated(suppressed[0]!, 2_000)
    }
    const log = renderGitHub(present(large), { ...sampleContext, all: true })
    expect(breachesOf(log)).toEqual([])
    expect(log.match(/^::(?:error|warning|notice) /gm)).toHaveLength(2_001)
  })

  it("report in the first annotation how many are not shown", () => {
    const many = Array.from({ length: 14 }, (_, index) => ({ ...sampleResult.findings[0]!, id: index + 1 }))
    const low = Array.from({ length: 12 }, (_, index) => ({ ...sampleResult.findings[6]!, id: 20 + index }))
    const [summary] = commands({ ...sampleResult, findings: [...low, ...many] })
    expect(summary?.message).toContain("GitHub shows the first 10 of a kind; 7 more are only in this log.")
    expect(commands()[0]?.message).not.toContain("GitHub shows")
  })

  it("warn when the review is not complete", () => {
    const [summary] = commands({ ...cleanResult, status: "inconclusive" })
    expect(summary?.command).toBe("warning")
    expect(summary?.message).toContain("This review is inconclusive.")
  })
})
