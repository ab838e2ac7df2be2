import { describe, expect, it } from "bun:test"
import type { LabelledFinding } from "../../../src/domain/night/LabelledReview.ts"
import { mustShow, vetoesOf } from "../../../src/domain/night/mustShow.ts"
import { labelledReview, measuredAt, suppressionOf } from "../../support/night/labelled.ts"
import { learning, nothing } from "../../support/night/learning.ts"

const day = 86_400_000
const before = measuredAt - day

describe("what no suppression hides", () => {
  it("is each accepted finding of severity high, and each accepted one that was hidden", () => {
    const findings: ReadonlyArray<Partial<LabelledFinding>> = [
      { severity: "high" },
      { severity: "medium" },
      { severity: "high", judgement: "rejected" },
      { severity: "low", hiddenBy: "sup-1" },
      { severity: "low", hiddenBy: "sup-1", judgement: "rejected" },
      { severity: "high", judgement: null, weak: "accepted" },
      { severity: "high", judgement: "contested" }
    ]
    const shown = mustShow([labelledReview("s1", findings)])
    expect(shown).toMatchObject([
      { session: "s1", finding: 1, reason: "high" },
      { session: "s1", finding: 4, reason: "hidden" }
    ])
  })

  it("is a veto against each suppression that would hide it, which names both", () => {
    const shown = mustShow([
      labelledReview("s1", [
        { rule: "noise", severity: "high" },
        { rule: "other", severity: "high" }
      ]),
      labelledReview("s2", [{ rule: "late", severity: "low", hiddenBy: "sup-2" }])
    ])
    const suppressions = [
      suppressionOf("noise", "src/", { id: "sup-1" }),
      suppressionOf("noise", "test/", { id: "sup-0" }),
      suppressionOf("late", "", { id: "sup-2" }),
      suppressionOf("other", "", { id: "sup-3", expires: before })
    ]
    expect(vetoesOf(suppressions, shown, before)).toEqual([
      { kind: "hides-accepted-high", detail: "sup-1 hides the accepted finding 1 of s1" },
      { kind: "hides-accepted-again", detail: "sup-2 hides the accepted finding 1 of s2" }
    ])
  })
})

/** Eleven reviews reject a rule in `gen/`; one finding of it was accepted at the beginning. */
const rejections = Array.from({ length: 11 }, (_, at) => {
  const given = { judgedAt: measuredAt - (40 - at) * day, rule: "noise" }
  return labelledReview(
    `s${at}`,
    [
      { ...given, file: `gen/a${at}.py`, fingerprint: `a${at}`, judgement: "rejected" },
      ...(at === 0 ? [{ ...given, file: "gen/x.py", fingerprint: "x", judgement: "accepted" } as const] : [])
    ],
    { at: measuredAt - (40 - at) * day }
  )
})

/** Of the newest review, which a night does not learn from. */
const later = (finding: Partial<LabelledFinding>) =>
  labelledReview("later", [{ rule: "noise", file: "gen/x.py", fingerprint: "x", ...finding }], { at: before })

describe("a suppression ends with the next night", () => {
  const first = learning(rejections, measuredAt - 2 * day, nothing)
  const after = (finding: Partial<LabelledFinding>) =>
    learning([...rejections, later(finding)], measuredAt, first).generation.suppressions

  it("if a finding that it hid is labelled as accepted, also if it was accepted before, when it was shown", () => {
    expect(first.generation.suppressions).toMatchObject([{ rule: "noise", folder: "gen/" }])
    expect(after({ hiddenBy: "sup-1" })).toEqual([])
    expect(after({ hiddenBy: null })).toMatchObject([{ folder: "gen/" }])
  })

  it("if a finding of severity high in the newest review is accepted", () => {
    expect(after({ hiddenBy: null, fingerprint: "y", severity: "high" })).toEqual([])
    expect(after({ hiddenBy: null, fingerprint: "y", severity: "medium" })).toMatchObject([{ folder: "gen/" }])
  })
})
