import { describe, expect } from "bun:test"
import { type Preview, renderPreview } from "../../../../src/cli/review/render/Preview.ts"
import { plainRedaction } from "../../../../src/domain/secret/Redaction.ts"
import { it } from "../../../support/effect.ts"
import { hostileText, unsafe } from "../../../support/hostileText.ts"
import { sampleContext } from "../../../support/sampleReview.ts"

const whole = { isShard: false, parts: [] }

const preview: Preview = {
  description: "branch invoice-export against main (3 commits), and uncommitted edits",
  backend: "static",
  callsModel: false,
  stacks: [
    { name: "python", files: ["billing/invoice.py", "billing/report.py", "billing/test_invoice.py"], ...whole },
    { name: "go", files: ["server/export.go", "server/routes.go"], ...whole },
    { name: "structure", files: ["billing/invoice.py", "server/export.go"], ...whole }
  ],
  skipped: [{ path: "web/public/logo.png", reason: "binary" }],
  agentsPlanned: 10,
  agentsForClaims: 0,
  followUpsAtMost: 0,
  costUsd: 0,
  expectedUsd: 0,
  limitUsd: null,
  promptTokens: 0,
  brief: [
    { part: "definitions", missing: null },
    { part: "form", missing: null },
    { part: "history", missing: "there is no history before the change" }
  ],
  notes: []
}
const text = (change: Partial<Preview> = {}) =>
  renderPreview({ ...preview, ...change }, "text", sampleContext, plainRedaction.text)

describe("the preview", () => {
  it("reads like this", () => {
    expect(text()).toMatchSnapshot()
  })

  it("shows every path as it is from the current directory", () => {
    const here = { path: (path: string) => `../${path}`, description: (text: string) => text, prose: String }
    const shown = renderPreview(preview, "text", { ...sampleContext, here }, plainRedaction.text)
    for (const path of [...preview.stacks.flatMap(({ files }) => files), "web/public/logo.png"]) {
      expect(shown).toContain(`../${path}`)
      expect(shown.replaceAll(`../${path}`, "")).not.toContain(path)
    }
  })

  it("counts a file once, however many reviewers would read it", () => {
    expect(text()).toContain("Would be reviewed (5 files)")
  })

  it("reports the estimated cost, or that it is unknown", () => {
    expect(text()).toContain("Cost: none. No model is used and nothing is sent.")
    const all = text({ callsModel: true, costUsd: 0.4242, expectedUsd: 2, limitUsd: 1, promptTokens: 12_345 })
    expect(all.replaceAll("\n", " ")).toContain(
      "Cost: at least $0.42, about $2.00 expected, at most $1.00 (--max-cost sets another limit). At least 12,345 tokens are sent"
    )
    expect(text({ callsModel: true, costUsd: 0.4, expectedUsd: 2, limitUsd: 1 }).replaceAll("\n", " ")).toContain(
      "The limit of $1.00 would probably stop the review before its end."
    )
    expect(text({ callsModel: true, costUsd: 0.4, expectedUsd: 0.9, limitUsd: 1 })).not.toContain("stop the review")
    expect(text({ callsModel: true, costUsd: 0.0004, expectedUsd: null, limitUsd: null })).toContain(
      "Cost: at least $0.0004."
    )
    expect(text({ callsModel: true, costUsd: null })).toContain("this model has no price")
  })

  it("reports when nothing would be reviewed", () => {
    expect(text({ stacks: [], skipped: [] })).toContain("No files would be reviewed.")
  })

  it("is a document for programs too", () => {
    const report = JSON.parse(renderPreview(preview, "json", sampleContext, plainRedaction.text))
    expect(report.preview).toMatchObject({ agents_planned: 10, cost_usd: 0, calls_model: false })
    expect(report.preview.stacks[1]).toEqual({ name: "go", files: ["server/export.go", "server/routes.go"] })
  })

  it.prop("sends no control byte into a pipe", hostileText, (pieces) => {
    const hostile = pieces.join("")
    const shown = {
      description: hostile,
      backend: hostile,
      stacks: [{ name: hostile, files: [hostile], isShard: true, parts: [{ path: hostile, hunks: 1, of: 2 }] }],
      skipped: [{ path: hostile, reason: hostile }],
      notes: [hostile]
    }
    for (const format of ["text", "json"] as const) {
      const report = renderPreview({ ...preview, ...shown }, format, sampleContext, plainRedaction.text)
      expect(report).not.toMatch(unsafe)
      expect(report).not.toMatch(/[\x00-\x09\x0b-\x1f]/)
    }
  })

  it("shows the parts of a change that is larger than one prompt, and how many hunks of a divided file", () => {
    const shard = (name: string, hunks: number) => ({
      name,
      files: ["billing/invoice.py"],
      isShard: true,
      parts: [{ path: "billing/invoice.py", hunks, of: 7 }]
    })
    const divided = { ...preview, stacks: [shard("python-1", 3), shard("python-2", 4)] }
    const text = renderPreview(divided, "text", sampleContext, plainRedaction.text)
    expect(text).toContain("The change is larger than one prompt.")
    expect(text).toContain("python-1  1 file: billing/invoice.py (3 of 7 hunks)")
    const json = JSON.parse(renderPreview(divided, "json", sampleContext, plainRedaction.text))
    expect(json.preview.stacks[1].parts).toEqual([{ path: "billing/invoice.py", hunks: 4, of: 7 }])
  })
})
